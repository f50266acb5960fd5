//! What a call holds, as seen from tasks that carry its context and may outlive it.

use std::sync::Arc;
// Shared with no engine, so never a model checker's.
use std::sync::atomic::{AtomicBool, Ordering};

/// Holds until it is ended, for all clones.
#[derive(Clone, Debug, Default)]
pub(super) struct Lease {
    ended: Arc<AtomicBool>,
}

impl Lease {
    pub(super) fn holds(&self) -> bool {
        !self.ended.load(Ordering::Acquire)
    }

    pub(super) fn end(&self) {
        self.ended.store(true, Ordering::Release);
    }
}
