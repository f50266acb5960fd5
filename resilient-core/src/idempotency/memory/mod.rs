//! Records in memory: for tests, and for services of one process that may forget on restart.

mod table;

use std::future::ready;
use std::time::Duration;

use self::table::Table;
use super::{
    Backlog, Claim, Claimed, Fence, Fenced, Filter, Finish, Purged, Record, RecordId, Store,
    StoreError, StoreFuture,
};
use crate::seam::clock;
use crate::seam::sync::Lock;

/// Records in memory, forgotten when the process ends.
///
/// Bounded: records whose time is over make room for new ones, a few with every claim, so that no
/// background task is needed. While all of them still count, a claim is refused with
/// [`StoreError::Full`].
#[derive(Debug)]
pub struct MemoryStore {
    table: Lock<Table>,
}

impl MemoryStore {
    /// A store for up to `capacity` records, at least 1.
    pub fn new(capacity: usize) -> Self {
        MemoryStore {
            table: Lock::new(Table::new(capacity.max(1))),
        }
    }

    fn with<T: Send + 'static>(
        &self,
        step: impl FnOnce(&mut Table) -> Result<T, StoreError>,
    ) -> StoreFuture<'static, T> {
        Box::pin(ready(step(&mut self.table.lock())))
    }
}

impl Store for MemoryStore {
    fn claim<'a>(&'a self, claim: &'a Claim) -> StoreFuture<'a, Claimed> {
        self.with(|table| table.claim(claim, clock::now()))
    }

    fn renew<'a>(
        &'a self,
        id: &'a RecordId,
        fence: Fence,
        lease: Duration,
        checkpoint: Option<&'a str>,
    ) -> StoreFuture<'a, Fenced> {
        self.with(|table| Ok(table.renew(id, fence, clock::now().plus(lease), checkpoint)))
    }

    fn complete<'a>(
        &'a self,
        id: &'a RecordId,
        fence: Fence,
        finish: &'a Finish,
    ) -> StoreFuture<'a, Fenced> {
        self.with(|table| Ok(table.complete(id, fence, finish, clock::now())))
    }

    fn lapse<'a>(&'a self, id: &'a RecordId, fence: Fence) -> StoreFuture<'a, Fenced> {
        self.with(|table| Ok(table.lapse(id, fence, clock::now())))
    }

    fn release<'a>(&'a self, id: &'a RecordId, fence: Fence) -> StoreFuture<'a, Fenced> {
        self.with(|table| Ok(table.release(id, fence)))
    }

    fn withdraw<'a>(&'a self, claim: &'a Claim) -> StoreFuture<'a, ()> {
        self.with(|table| {
            table.withdraw(claim, clock::now());
            Ok(())
        })
    }

    fn find<'a>(&'a self, id: &'a RecordId) -> StoreFuture<'a, Option<Record>> {
        self.with(|table| Ok(table.find(id, clock::now())))
    }

    fn settle<'a>(
        &'a self,
        id: &'a RecordId,
        fence: Fence,
        finish: Option<&'a Finish>,
    ) -> StoreFuture<'a, Fenced> {
        self.with(|table| Ok(table.settle(id, fence, finish, clock::now())))
    }

    fn remove<'a>(&'a self, id: &'a RecordId) -> StoreFuture<'a, bool> {
        self.with(|table| Ok(table.remove(id, clock::now())))
    }

    fn list<'a>(&'a self, filter: &'a Filter) -> StoreFuture<'a, Vec<Record>> {
        self.with(|table| Ok(table.list(filter, clock::now())))
    }

    fn purge(&self, batch: u32) -> StoreFuture<'_, Purged> {
        self.with(|table| Ok(table.purge(batch, clock::now())))
    }

    fn backlog(&self) -> StoreFuture<'_, Backlog> {
        self.with(|table| Ok(table.backlog(clock::now())))
    }
}
