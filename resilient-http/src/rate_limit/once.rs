//! What happens once.

use std::sync::atomic::{AtomicBool, Ordering};

/// Says once that it is the first time.
#[derive(Debug, Default)]
pub(super) struct Once(AtomicBool);

impl Once {
    pub(super) fn first(&self) -> bool {
        // Read first: what is true for all requests to come is not written by each of them.
        !self.0.load(Ordering::Relaxed) && !self.0.swap(true, Ordering::Relaxed)
    }

    /// Whether it had happened; it can happen again.
    pub(super) fn over(&self) -> bool {
        self.0.load(Ordering::Relaxed) && self.0.swap(false, Ordering::Relaxed)
    }
}
