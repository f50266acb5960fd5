//! What the driver needs of a store.

use std::sync::Arc;
use std::time::Duration;

use resilient_core::idempotency::Store;

/// A store without records, and power over its clock.
pub(crate) trait Stage {
    /// The store.
    fn store(&self) -> Arc<dyn Store>;

    /// The same records as another process sees them.
    fn another(&self) -> Arc<dyn Store>;

    /// Lets this much time pass for all records. On a server whose clock cannot be set, that is
    /// every deadline moved back by it.
    async fn pass(&self, time: Duration);

    /// What the store cannot do: steps that need it are left out.
    fn cannot(&self) -> &'static [Ability] {
        &[]
    }
}

/// What not every store can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ability {
    /// Listing its records.
    List,
    /// Counting its records.
    Count,
    /// Telling what a purge did. One whose records go by themselves has nothing to tell.
    Purge,
}
