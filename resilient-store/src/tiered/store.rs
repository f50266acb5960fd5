//! A table with copies in front of it.

use std::time::Duration;

use resilient_core::idempotency::{
    Backlog, Claim, Claimed, Fence, Fenced, Filter, Finish, Purged, Record, RecordId, Store,
    StoreFuture,
};
use tokio::time::Instant;

use super::Copies;
use super::copies::{Clock, RemoteCopies};
use super::copy::is_final;
use super::counts::CopyCounter;
use super::local::Local;
use super::runs::Runs;
use crate::RedisSetupError;
use crate::redis::{Connection, Guarded, Keys};

/// A table that decides, with copies of what is final in Redis, and in this process if that is asked
/// for.
///
/// - A repeat whose answer was copied is told it without the table being asked; its fingerprint is a
///   part of the copy. Everything else is up to the table: each claim that is won, each lease, each
///   end. So whatever happens to Redis, nothing runs because of it.
/// - A copy is written after the table has the record, when the run ends or, if it is not there
///   then or was lost since, when it is repeated. It lives for at most 5 min, and never longer than
///   the answer it is of.
/// - When Redis does not answer within the [timeout](Copies::timeout) of its copies, the table is
///   asked, and Redis is left alone for a second; one claim then tries again. What that costs is
///   counted: [`Tiered::counter`].
/// - Deleting a record deletes its copy first and keeps it from coming back, so it fails while Redis
///   cannot be reached: a copy could outlive the record otherwise.
/// - A transaction is joined with the table's.
///
/// ```no_run
/// use resilient_core::idempotency::{Effects, Idempotency, Ledger, Store};
/// use resilient_store::{Copies, RedisConfig, Tiered};
///
/// # async fn start(table: impl Store) -> Result<(), Box<dyn std::error::Error>> {
/// let copies = Copies::in_redis(RedisConfig::at("redis://127.0.0.1:6379"));
/// let store = Tiered::over(table, &copies)?;
/// let counter = store.counter();
/// let ledger = Ledger::new(store, &Idempotency::of(Effects::Keyed))?;
/// println!("{:?}", counter.counts());
/// # let _ = ledger;
/// # Ok(()) }
/// ```
#[derive(Debug)]
pub struct Tiered<T> {
    table: T,
    copies: RemoteCopies,
    local: Option<Local>,
    runs: Runs,
    counter: CopyCounter,
}

impl<T: Store> Tiered<T> {
    /// Puts copies in front of a table. Redis need not be there yet: it is connected to when it is
    /// first asked.
    ///
    /// # Errors
    ///
    /// [`RedisSetupError`]: settings that cannot work, or no tokio runtime.
    pub fn over(table: T, copies: &Copies) -> Result<Self, RedisSetupError> {
        let settings = copies.settings()?;
        let connection = Connection::lazy(&settings.redis)?;
        let counter = CopyCounter::default();
        let redis = Guarded::new(connection, settings.timeout);
        let keys = Keys::new(settings.redis.prefix);
        Ok(Tiered {
            table,
            copies: RemoteCopies::new(redis, keys, counter.clone()),
            local: settings.local,
            runs: Runs::new(),
            counter,
        })
    }

    /// Reads what the copies did, also after the store went into a ledger.
    pub fn counter(&self) -> CopyCounter {
        self.counter.clone()
    }

    /// The copy of what is claimed; or what to reckon by when it is copied, if Redis answers.
    async fn copy_of(&self, claim: &Claim) -> Result<Record, Option<Clock>> {
        let asked = Instant::now();
        if let Some(local) = &self.local
            && let Some(record) = local.get(&claim.id, asked)
        {
            self.counter.counters().local_hits.add();
            return Ok(record);
        }
        let record = self
            .copies
            .read(&claim.id)
            .await
            .ok_or(None)?
            .map_err(Some)?;
        self.keep(&record, asked);
        Ok(record)
    }

    /// Copies a record as it was at a moment, which is not after the one in which the table said so.
    async fn copy(&self, record: &Record, at: Instant, clock: Option<Clock>) {
        self.keep(record, at);
        if let Some(clock) = clock {
            self.copies.write(record, at, clock).await;
        }
    }

    fn keep(&self, record: &Record, at: Instant) {
        if let Some(local) = &self.local {
            local.put(record, at);
        }
    }

    fn forget(&self, id: &RecordId) {
        if let Some(local) = &self.local {
            local.forget(id);
        }
    }
}

impl<T: Store> Store for Tiered<T> {
    fn table(&self) -> Option<&dyn Store> {
        Some(&self.table)
    }

    fn claim<'a>(&'a self, claim: &'a Claim) -> StoreFuture<'a, Claimed> {
        Box::pin(async move {
            let clock = match self.copy_of(claim).await {
                Ok(record) => return Ok(Claimed::Taken(Box::new(record))),
                Err(clock) => clock,
            };
            let asked = Instant::now();
            let claimed = self.table.claim(claim).await?;
            match &claimed {
                Claimed::Won(won) => self.runs.begin(claim, won, asked, clock),
                Claimed::Taken(record) if is_final(record) => {
                    self.copy(record, asked, clock).await;
                }
                Claimed::Taken(_) => {}
            }
            Ok(claimed)
        })
    }

    fn renew<'a>(
        &'a self,
        id: &'a RecordId,
        fence: Fence,
        lease: Duration,
        checkpoint: Option<&'a str>,
    ) -> StoreFuture<'a, Fenced> {
        self.table.renew(id, fence, lease, checkpoint)
    }

    fn complete<'a>(
        &'a self,
        id: &'a RecordId,
        fence: Fence,
        finish: &'a Finish,
    ) -> StoreFuture<'a, Fenced> {
        Box::pin(async move {
            let asked = Instant::now();
            let completed = self.table.complete(id, fence, finish).await?;
            if completed == Fenced::Done
                && let Some((record, clock)) = self.runs.end(id, fence, finish, asked)
            {
                self.copy(&record, asked, clock).await;
            }
            Ok(completed)
        })
    }

    fn lapse<'a>(&'a self, id: &'a RecordId, fence: Fence) -> StoreFuture<'a, Fenced> {
        self.table.lapse(id, fence)
    }

    fn release<'a>(&'a self, id: &'a RecordId, fence: Fence) -> StoreFuture<'a, Fenced> {
        // What is at work has no copy.
        self.table.release(id, fence)
    }

    fn withdraw<'a>(&'a self, claim: &'a Claim) -> StoreFuture<'a, ()> {
        self.table.withdraw(claim)
    }

    fn find<'a>(&'a self, id: &'a RecordId) -> StoreFuture<'a, Option<Record>> {
        self.table.find(id)
    }

    fn settle<'a>(
        &'a self,
        id: &'a RecordId,
        fence: Fence,
        finish: Option<&'a Finish>,
    ) -> StoreFuture<'a, Fenced> {
        // What is uncertain has no copy.
        self.table.settle(id, fence, finish)
    }

    fn remove<'a>(&'a self, id: &'a RecordId) -> StoreFuture<'a, bool> {
        Box::pin(async move {
            self.copies.bar(id).await?;
            let removed = self.table.remove(id).await;
            self.forget(id);
            removed
        })
    }

    fn list<'a>(&'a self, filter: &'a Filter) -> StoreFuture<'a, Vec<Record>> {
        self.table.list(filter)
    }

    fn purge(&self, batch: u32) -> StoreFuture<'_, Purged> {
        self.table.purge(batch)
    }

    fn backlog(&self) -> StoreFuture<'_, Backlog> {
        self.table.backlog()
    }
}
