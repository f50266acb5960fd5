//! What all calls in a registry have in common.

use crate::levers::Levers;
use crate::seam::random::Random;

#[cfg(feature = "idempotency")]
use super::stores::Stores;
#[cfg(feature = "faults")]
use crate::testing::FaultSwitch;
#[cfg(any(feature = "faults", feature = "idempotency"))]
use std::sync::Arc;

/// What all calls in a registry have in common. Cloning gives another handle to the same.
#[derive(Clone, Debug, Default)]
pub(crate) struct Shared {
    pub(crate) random: Random,
    pub(crate) levers: Levers,
    #[cfg(feature = "faults")]
    pub(crate) faults: Arc<FaultSwitch>,
    #[cfg(feature = "idempotency")]
    pub(crate) stores: Arc<Stores>,
}

impl Shared {
    pub(crate) fn drawing_from(random: Random) -> Self {
        Shared {
            random,
            ..Shared::default()
        }
    }
}
