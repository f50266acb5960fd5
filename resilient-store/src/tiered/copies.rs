//! Copies in Redis, and what is done when it does not answer.

use std::time::Duration;

use redis::{FromRedisValue, Pipeline, RedisError};
use resilient_core::idempotency::{Record, RecordId, StoreError};

use super::copy::{BARRED, Copy, millis, told_for};
use super::counts::CopyCounter;
use crate::redis::{Guarded, Keys, NoAnswer, Why};

/// The longest life of a copy.
const LIFETIME: Duration = Duration::from_secs(300);

/// How long no copy comes back after its record was deleted: longer than anybody holds a record
/// between reading it from the table and copying it.
const BARRED_FOR: Duration = Duration::from_secs(30);

#[derive(Debug)]
pub(super) struct RemoteCopies {
    redis: Guarded,
    keys: Keys,
    counter: CopyCounter,
}

impl RemoteCopies {
    pub(super) fn new(redis: Guarded, keys: Keys, counter: CopyCounter) -> Self {
        RemoteCopies {
            redis,
            keys,
            counter,
        }
    }

    /// The copy of a record, as old as it is now.
    pub(super) async fn read(&self, id: &RecordId) -> Option<Record> {
        let key = self.keys.copy(id);
        let mut commands = redis::pipe();
        commands.get(&key).pttl(&key);
        let asked: Result<(Option<Vec<u8>>, i64), _> = self.ask(&commands).await;
        let (bytes, left) = asked.ok()?;
        // Negative if it ended in between, or was never to end: then it is none of ours.
        let left = u64::try_from(left).ok().map(Duration::from_millis);
        let record = bytes
            .zip(left)
            .and_then(|(bytes, left)| Copy::read(id, &bytes, left));
        let counters = self.counter.counters();
        match record {
            Some(_) => counters.hits.add(),
            None => counters.misses.add(),
        }
        record
    }

    /// Copies a final record, unless there is a copy, or must not be one.
    pub(super) async fn write(&self, record: &Record) {
        let lifetime = told_for(record).min(LIFETIME);
        if millis(lifetime) == 0 {
            return;
        }
        let copy = Copy {
            record: record.clone(),
            lifetime,
        };
        let mut commands = redis::pipe();
        commands
            .cmd("SET")
            .arg(self.keys.copy(&record.id))
            .arg(copy.bytes())
            .arg("NX")
            .arg("PX")
            .arg(millis(lifetime));
        if let Ok((Some(()),)) = self.ask::<(Option<()>,)>(&commands).await {
            self.counter.counters().written.add();
        }
    }

    /// Deletes the copy of a record and lets none come back for a while.
    ///
    /// # Errors
    ///
    /// What the client said: the copy may be there still.
    pub(super) async fn bar(&self, id: &RecordId) -> Result<(), StoreError> {
        let mut commands = redis::pipe();
        commands
            .cmd("SET")
            .arg(self.keys.copy(id))
            .arg(BARRED)
            .arg("PX")
            .arg(millis(BARRED_FOR));
        let answered: Result<(), RedisError> = self.redis.connection().send(&commands).await;
        answered.map_err(|error| StoreError::unavailable("redis", error))
    }

    async fn ask<T: FromRedisValue>(&self, commands: &Pipeline) -> Result<T, NoAnswer> {
        let answered = self.redis.ask(|redis| redis.send(commands)).await;
        if let Err(missing) = &answered {
            self.count(missing);
        }
        answered
    }

    fn count(&self, missing: &NoAnswer) {
        let counters = self.counter.counters();
        match missing.why {
            Why::LeftAlone => counters.skipped.add(),
            Why::Late(_) | Why::Failed(_) => counters.errors.add(),
        }
        if missing.is_news {
            let error = missing.to_string();
            tracing::warn!(target: "resilient", error, "idempotency.copies_unavailable");
        }
    }
}
