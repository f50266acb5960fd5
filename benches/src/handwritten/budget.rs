//! A token budget that a success writes to only when it is not full.

use std::sync::atomic::{AtomicU64, Ordering};

/// The most tokens it holds.
const FULL: u64 = 1_000_000;
/// Tokens an answer brings: as many as the retries of one call take.
const REFILL: u64 = 2;

/// Pays for retries.
pub(crate) struct Budget(AtomicU64);

impl Budget {
    /// A full budget.
    pub(crate) fn full() -> Self {
        Budget(AtomicU64::new(FULL))
    }

    /// An attempt came back with an answer.
    #[inline]
    pub(crate) fn answered(&self) {
        if self.0.load(Ordering::Relaxed) < FULL {
            self.0.fetch_add(REFILL, Ordering::Relaxed);
        }
    }

    /// Takes a token for a retry, if there is one.
    #[inline]
    pub(crate) fn spend(&self) -> bool {
        self.0
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |tokens| {
                tokens.checked_sub(1)
            })
            .is_ok()
    }
}
