//! A store that fails when told to.

use std::future::{pending, ready};
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Duration;

use resilient_core::idempotency::{
    Backlog, Claim, Claimed, Fence, Fenced, Filter, Finish, MemoryStore, Purged, Record, RecordId,
    Store, StoreError, StoreFuture,
};

/// Records in memory, behind a connection that fails when told to.
#[derive(Debug)]
pub(crate) struct Flaky {
    inner: MemoryStore,
    failures: Arc<Failures>,
}

#[derive(Debug, Default)]
pub(crate) struct Failures {
    steps: AtomicU32,
    answers: AtomicU32,
    hangs: AtomicBool,
    swallowed: AtomicU32,
}

impl Default for Flaky {
    fn default() -> Self {
        Flaky {
            inner: MemoryStore::new(100),
            failures: Arc::default(),
        }
    }
}

impl Flaky {
    pub(crate) fn failures(&self) -> Arc<Failures> {
        Arc::clone(&self.failures)
    }

    fn through<'a, T: Send + 'a>(
        &'a self,
        step: impl FnOnce() -> StoreFuture<'a, T>,
    ) -> StoreFuture<'a, T> {
        if self.failures.hangs.load(Ordering::Relaxed) {
            return Box::pin(pending());
        }
        if taken(&self.failures.steps) {
            return Box::pin(ready(Err(cut())));
        }
        let done = step();
        if taken(&self.failures.swallowed) {
            return Box::pin(async {
                done.await?;
                pending().await
            });
        }
        if taken(&self.failures.answers) {
            return Box::pin(async {
                done.await?;
                Err(cut())
            });
        }
        done
    }
}

impl Failures {
    /// The next so many steps are not done.
    pub(crate) fn next(&self, steps: u32) {
        self.steps.store(steps, Ordering::Relaxed);
    }

    /// The next so many steps are done, but that is not told.
    pub(crate) fn next_answers(&self, steps: u32) {
        self.answers.store(steps, Ordering::Relaxed);
    }

    /// The next so many steps are done, and never answered.
    pub(crate) fn swallow(&self, steps: u32) {
        self.swallowed.store(steps, Ordering::Relaxed);
    }

    /// No step is answered.
    pub(crate) fn hang(&self, hangs: bool) {
        self.hangs.store(hangs, Ordering::Relaxed);
    }
}

fn taken(left: &AtomicU32) -> bool {
    let less = |left: u32| left.checked_sub(1);
    left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less)
        .is_ok()
}

fn cut() -> StoreError {
    StoreError::unavailable("flaky", io::Error::from(io::ErrorKind::ConnectionReset))
}

impl Store for Flaky {
    fn claim<'a>(&'a self, claim: &'a Claim) -> StoreFuture<'a, Claimed> {
        self.through(|| self.inner.claim(claim))
    }

    fn renew<'a>(
        &'a self,
        id: &'a RecordId,
        fence: Fence,
        lease: Duration,
        checkpoint: Option<&'a str>,
    ) -> StoreFuture<'a, Fenced> {
        self.through(|| self.inner.renew(id, fence, lease, checkpoint))
    }

    fn complete<'a>(
        &'a self,
        id: &'a RecordId,
        fence: Fence,
        finish: &'a Finish,
    ) -> StoreFuture<'a, Fenced> {
        self.through(|| self.inner.complete(id, fence, finish))
    }

    fn lapse<'a>(&'a self, id: &'a RecordId, fence: Fence) -> StoreFuture<'a, Fenced> {
        self.through(|| self.inner.lapse(id, fence))
    }

    fn release<'a>(&'a self, id: &'a RecordId, fence: Fence) -> StoreFuture<'a, Fenced> {
        self.through(|| self.inner.release(id, fence))
    }

    fn withdraw<'a>(&'a self, claim: &'a Claim) -> StoreFuture<'a, ()> {
        self.through(|| self.inner.withdraw(claim))
    }

    fn find<'a>(&'a self, id: &'a RecordId) -> StoreFuture<'a, Option<Record>> {
        self.through(|| self.inner.find(id))
    }

    fn settle<'a>(
        &'a self,
        id: &'a RecordId,
        fence: Fence,
        finish: Option<&'a Finish>,
    ) -> StoreFuture<'a, Fenced> {
        self.through(|| self.inner.settle(id, fence, finish))
    }

    fn remove<'a>(&'a self, id: &'a RecordId) -> StoreFuture<'a, bool> {
        self.through(|| self.inner.remove(id))
    }

    fn list<'a>(&'a self, filter: &'a Filter) -> StoreFuture<'a, Vec<Record>> {
        self.through(|| self.inner.list(filter))
    }

    fn purge(&self, batch: u32) -> StoreFuture<'_, Purged> {
        self.through(|| self.inner.purge(batch))
    }

    fn backlog(&self) -> StoreFuture<'_, Backlog> {
        self.through(|| self.inner.backlog())
    }
}
