//! How much the copies are good for.

use std::sync::Arc;

use crate::counter::Counter;

/// What the copies of a [`Tiered`](super::Tiered) store did since it was made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct CopyCounts {
    /// Claims that a copy in this process answered.
    pub local_hits: u64,
    /// Claims that a copy in Redis answered.
    pub hits: u64,
    /// Claims for which there was no copy.
    pub misses: u64,
    /// Copies that were written.
    pub written: u64,
    /// Times that Redis did not answer in time, or refused.
    pub errors: u64,
    /// Times that Redis was not asked, because it had not answered shortly before.
    pub skipped: u64,
}

/// Reads the [`CopyCounts`] of a store, wherever that has gone.
#[derive(Clone, Debug, Default)]
pub struct CopyCounter {
    counters: Arc<Counters>,
}

#[derive(Debug, Default)]
pub(super) struct Counters {
    pub(super) local_hits: Counter,
    pub(super) hits: Counter,
    pub(super) misses: Counter,
    pub(super) written: Counter,
    pub(super) errors: Counter,
    pub(super) skipped: Counter,
}

impl CopyCounter {
    /// The numbers at this moment.
    pub fn counts(&self) -> CopyCounts {
        let counters = &self.counters;
        CopyCounts {
            local_hits: counters.local_hits.get(),
            hits: counters.hits.get(),
            misses: counters.misses.get(),
            written: counters.written.get(),
            errors: counters.errors.get(),
            skipped: counters.skipped.get(),
        }
    }

    pub(super) fn counters(&self) -> &Counters {
        &self.counters
    }
}
