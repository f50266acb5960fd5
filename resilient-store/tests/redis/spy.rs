//! A table that counts what it is asked, and fails or waits when it is told to.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use resilient_core::idempotency::{
    Backlog, Claim, Claimed, Fence, Fenced, Filter, Finish, MemoryStore, Purged, Record, RecordId,
    Store, StoreError, StoreFuture,
};
use tokio::sync::Semaphore;

/// A table that several stores stand in front of, as several processes do. Cloning gives the same.
#[derive(Clone, Debug)]
pub(crate) struct Spy {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    table: MemoryStore,
    claims: AtomicU64,
    is_down: AtomicBool,
    /// What a claim needs one of before it gives its answer.
    answers: Semaphore,
}

impl Spy {
    pub(crate) fn new() -> Self {
        Spy {
            inner: Arc::new(Inner {
                table: MemoryStore::new(100_000),
                claims: AtomicU64::new(0),
                is_down: AtomicBool::new(false),
                answers: Semaphore::new(Semaphore::MAX_PERMITS),
            }),
        }
    }

    /// How many claims it was asked for.
    pub(crate) fn claims(&self) -> u64 {
        self.inner.claims.load(Ordering::SeqCst)
    }

    pub(crate) fn fail(&self) {
        self.inner.is_down.store(true, Ordering::SeqCst);
    }

    /// Lets claims be done, but not answered, until [`Spy::answer`].
    pub(crate) fn hold_answers(&self) {
        self.inner.answers.forget_permits(Semaphore::MAX_PERMITS);
    }

    pub(crate) fn answer(&self) {
        self.inner.answers.add_permits(Semaphore::MAX_PERMITS);
    }
}

impl Store for Spy {
    fn claim<'a>(&'a self, claim: &'a Claim) -> StoreFuture<'a, Claimed> {
        Box::pin(async move {
            if self.inner.is_down.load(Ordering::SeqCst) {
                return Err(StoreError::unavailable("spy", "told to fail"));
            }
            let claimed = self.inner.table.claim(claim).await;
            self.inner.claims.fetch_add(1, Ordering::SeqCst);
            let _one = self.inner.answers.acquire().await.unwrap();
            claimed
        })
    }

    fn renew<'a>(
        &'a self,
        id: &'a RecordId,
        fence: Fence,
        lease: Duration,
        checkpoint: Option<&'a str>,
    ) -> StoreFuture<'a, Fenced> {
        self.inner.table.renew(id, fence, lease, checkpoint)
    }

    fn complete<'a>(
        &'a self,
        id: &'a RecordId,
        fence: Fence,
        finish: &'a Finish,
    ) -> StoreFuture<'a, Fenced> {
        self.inner.table.complete(id, fence, finish)
    }

    fn lapse<'a>(&'a self, id: &'a RecordId, fence: Fence) -> StoreFuture<'a, Fenced> {
        self.inner.table.lapse(id, fence)
    }

    fn release<'a>(&'a self, id: &'a RecordId, fence: Fence) -> StoreFuture<'a, Fenced> {
        self.inner.table.release(id, fence)
    }

    fn withdraw<'a>(&'a self, claim: &'a Claim) -> StoreFuture<'a, ()> {
        self.inner.table.withdraw(claim)
    }

    fn find<'a>(&'a self, id: &'a RecordId) -> StoreFuture<'a, Option<Record>> {
        self.inner.table.find(id)
    }

    fn settle<'a>(
        &'a self,
        id: &'a RecordId,
        fence: Fence,
        finish: Option<&'a Finish>,
    ) -> StoreFuture<'a, Fenced> {
        self.inner.table.settle(id, fence, finish)
    }

    fn remove<'a>(&'a self, id: &'a RecordId) -> StoreFuture<'a, bool> {
        self.inner.table.remove(id)
    }

    fn list<'a>(&'a self, filter: &'a Filter) -> StoreFuture<'a, Vec<Record>> {
        self.inner.table.list(filter)
    }

    fn purge(&self, batch: u32) -> StoreFuture<'_, Purged> {
        self.inner.table.purge(batch)
    }

    fn backlog(&self) -> StoreFuture<'_, Backlog> {
        self.inner.table.backlog()
    }
}
