//! A store that can be switched off, step by step.

use std::future::{pending, ready};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use resilient_core::idempotency::{
    Backlog, Claim, Claimed, Fence, Fenced, Filter, Finish, MemoryStore, Purged, Record, RecordId,
    Store, StoreError, StoreFuture,
};

/// Which steps fail, and whether by never answering.
#[derive(Debug, Default)]
pub(crate) struct Switches {
    pub(crate) claims: AtomicBool,
    pub(crate) ends: AtomicBool,
    pub(crate) hangs: AtomicBool,
}

#[derive(Debug)]
pub(crate) struct FlakyStore {
    memory: MemoryStore,
    pub(crate) switches: Arc<Switches>,
}

impl FlakyStore {
    pub(crate) fn new() -> Self {
        FlakyStore {
            memory: MemoryStore::new(100),
            switches: Arc::default(),
        }
    }

    fn unless<'a, T: Send + 'a>(
        &'a self,
        off: &AtomicBool,
        step: impl FnOnce() -> StoreFuture<'a, T>,
    ) -> StoreFuture<'a, T> {
        if !off.load(Ordering::SeqCst) {
            return step();
        }
        if self.switches.hangs.load(Ordering::SeqCst) {
            return Box::pin(pending());
        }
        let error = StoreError::unavailable("flaky", "connection to 10.0.0.5 refused");
        Box::pin(ready(Err(error)))
    }
}

impl Store for FlakyStore {
    fn claim<'a>(&'a self, claim: &'a Claim) -> StoreFuture<'a, Claimed> {
        self.unless(&self.switches.claims, || self.memory.claim(claim))
    }

    fn renew<'a>(
        &'a self,
        id: &'a RecordId,
        fence: Fence,
        lease: Duration,
        checkpoint: Option<&'a str>,
    ) -> StoreFuture<'a, Fenced> {
        self.memory.renew(id, fence, lease, checkpoint)
    }

    fn complete<'a>(
        &'a self,
        id: &'a RecordId,
        fence: Fence,
        finish: &'a Finish,
    ) -> StoreFuture<'a, Fenced> {
        self.unless(&self.switches.ends, || {
            self.memory.complete(id, fence, finish)
        })
    }

    fn lapse<'a>(&'a self, id: &'a RecordId, fence: Fence) -> StoreFuture<'a, Fenced> {
        self.unless(&self.switches.ends, || self.memory.lapse(id, fence))
    }

    fn release<'a>(&'a self, id: &'a RecordId, fence: Fence) -> StoreFuture<'a, Fenced> {
        self.unless(&self.switches.ends, || self.memory.release(id, fence))
    }

    fn withdraw<'a>(&'a self, claim: &'a Claim) -> StoreFuture<'a, ()> {
        self.unless(&self.switches.claims, || self.memory.withdraw(claim))
    }

    fn find<'a>(&'a self, id: &'a RecordId) -> StoreFuture<'a, Option<Record>> {
        self.memory.find(id)
    }

    fn settle<'a>(
        &'a self,
        id: &'a RecordId,
        fence: Fence,
        finish: Option<&'a Finish>,
    ) -> StoreFuture<'a, Fenced> {
        self.memory.settle(id, fence, finish)
    }

    fn remove<'a>(&'a self, id: &'a RecordId) -> StoreFuture<'a, bool> {
        self.memory.remove(id)
    }

    fn list<'a>(&'a self, filter: &'a Filter) -> StoreFuture<'a, Vec<Record>> {
        self.memory.list(filter)
    }

    fn purge(&self, batch: u32) -> StoreFuture<'_, Purged> {
        self.memory.purge(batch)
    }

    fn backlog(&self) -> StoreFuture<'_, Backlog> {
        self.memory.backlog()
    }
}
