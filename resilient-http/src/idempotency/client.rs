//! Whether anyone still waits for an answer.

use std::sync::{Arc, Weak};

/// Held by whoever waits for an answer.
pub(super) struct Waiting(Arc<()>);

/// Sees from another task whether anyone still waits.
pub(super) struct Client(Weak<()>);

impl Waiting {
    pub(super) fn new() -> Self {
        Waiting(Arc::new(()))
    }

    pub(super) fn client(&self) -> Client {
        Client(Arc::downgrade(&self.0))
    }
}

impl Client {
    pub(super) fn has_gone(&self) -> bool {
        self.0.strong_count() == 0
    }
}
