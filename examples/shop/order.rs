//! What is sent and answered.

use serde::{Deserialize, Serialize};

/// An order as a customer sends it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct NewOrder {
    pub(crate) reference: String,
    pub(crate) amount: u32,
}

/// An order as it was placed.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Order {
    pub(crate) id: String,
    pub(crate) reference: String,
    pub(crate) amount: u32,
}
