//! Records in memory, on tokio's paused clock.

use std::sync::Arc;
use std::time::Duration;

use resilient_core::idempotency::{MemoryStore, Store};

use crate::stage::Stage;

pub(crate) struct Memory {
    store: Arc<MemoryStore>,
}

impl Memory {
    pub(crate) fn new() -> Self {
        Memory {
            store: Arc::new(MemoryStore::new(1000)),
        }
    }
}

impl Stage for Memory {
    fn store(&self) -> Arc<dyn Store> {
        Arc::clone(&self.store) as Arc<dyn Store>
    }

    fn another(&self) -> Arc<dyn Store> {
        self.store()
    }

    async fn pass(&self, time: Duration) {
        tokio::time::advance(time).await;
    }
}
