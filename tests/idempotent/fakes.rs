//! Work that counts how often it is done, and a store that takes its time.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use resilient::idempotency::{
    Backlog, Claim, Claimed, Fence, Fenced, Filter, Finish, MemoryStore, Purged, Record, RecordId,
    Store, StoreFuture,
};

use crate::{Answer, Failure};

/// Answers what it was told to, one after the other, and counts.
#[derive(Debug)]
pub(crate) struct Work {
    done: AtomicU32,
    answers: Mutex<Vec<Answer>>,
}

impl Work {
    pub(crate) fn of(answers: impl IntoIterator<Item = Answer>) -> Self {
        let mut answers: Vec<_> = answers.into_iter().collect();
        answers.reverse();
        Work {
            done: AtomicU32::new(0),
            answers: Mutex::new(answers),
        }
    }

    /// The next answer; without one, the number of the run.
    pub(crate) fn run(&self) -> Answer {
        let number = self.done.fetch_add(1, Ordering::Relaxed) + 1;
        let answer = self.answers.lock().unwrap().pop();
        answer.unwrap_or_else(|| crate::receipt(number))
    }

    pub(crate) fn runs(&self) -> u32 {
        self.done.load(Ordering::Relaxed)
    }
}

/// An error that says that nothing was done.
pub(crate) fn broken(failure: &Failure) -> bool {
    *failure == Failure::Broken
}

/// Records in memory, behind a connection: a step is pending before it is done, and after.
#[derive(Debug)]
pub(crate) struct Remote {
    memory: MemoryStore,
    finds_in: Duration,
}

impl Remote {
    pub(crate) fn new() -> Self {
        Remote::finding_in(Duration::ZERO)
    }

    /// One that needs this time to find a record.
    pub(crate) fn finding_in(finds_in: Duration) -> Self {
        Remote {
            memory: MemoryStore::new(100),
            finds_in,
        }
    }
}

/// Sends the step, and waits for its answer.
fn remotely<'a, T: Send + 'a>(
    step: impl FnOnce() -> StoreFuture<'a, T> + Send + 'a,
) -> StoreFuture<'a, T> {
    Box::pin(async {
        tokio::task::yield_now().await;
        let done = step().await;
        tokio::task::yield_now().await;
        done
    })
}

impl Store for Remote {
    fn claim<'a>(&'a self, claim: &'a Claim) -> StoreFuture<'a, Claimed> {
        remotely(|| self.memory.claim(claim))
    }

    fn renew<'a>(
        &'a self,
        id: &'a RecordId,
        fence: Fence,
        lease: Duration,
        checkpoint: Option<&'a str>,
    ) -> StoreFuture<'a, Fenced> {
        remotely(move || self.memory.renew(id, fence, lease, checkpoint))
    }

    fn complete<'a>(
        &'a self,
        id: &'a RecordId,
        fence: Fence,
        finish: &'a Finish,
    ) -> StoreFuture<'a, Fenced> {
        remotely(move || self.memory.complete(id, fence, finish))
    }

    fn lapse<'a>(&'a self, id: &'a RecordId, fence: Fence) -> StoreFuture<'a, Fenced> {
        remotely(move || self.memory.lapse(id, fence))
    }

    fn release<'a>(&'a self, id: &'a RecordId, fence: Fence) -> StoreFuture<'a, Fenced> {
        remotely(move || self.memory.release(id, fence))
    }

    fn withdraw<'a>(&'a self, claim: &'a Claim) -> StoreFuture<'a, ()> {
        remotely(move || self.memory.withdraw(claim))
    }

    fn find<'a>(&'a self, id: &'a RecordId) -> StoreFuture<'a, Option<Record>> {
        Box::pin(async {
            tokio::time::sleep(self.finds_in).await;
            remotely(|| self.memory.find(id)).await
        })
    }

    fn settle<'a>(
        &'a self,
        id: &'a RecordId,
        fence: Fence,
        finish: Option<&'a Finish>,
    ) -> StoreFuture<'a, Fenced> {
        remotely(move || self.memory.settle(id, fence, finish))
    }

    fn remove<'a>(&'a self, id: &'a RecordId) -> StoreFuture<'a, bool> {
        remotely(|| self.memory.remove(id))
    }

    fn list<'a>(&'a self, filter: &'a Filter) -> StoreFuture<'a, Vec<Record>> {
        remotely(|| self.memory.list(filter))
    }

    fn purge(&self, batch: u32) -> StoreFuture<'_, Purged> {
        remotely(move || self.memory.purge(batch))
    }

    fn backlog(&self) -> StoreFuture<'_, Backlog> {
        remotely(|| self.memory.backlog())
    }
}
