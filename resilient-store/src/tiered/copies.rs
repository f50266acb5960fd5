//! Copies in Redis, and what is done when it does not answer.

use std::time::Duration;

use redis::{RedisError, Script};
use resilient_core::idempotency::{Record, RecordId, StoreError};
use tokio::time::Instant;

use super::copy::{BARRED, Copy, millis, told_for};
use super::counts::CopyCounter;
use crate::redis::{Guarded, Keys, NoAnswer, Why};

/// The longest life of a copy.
const LIFETIME: Duration = Duration::from_secs(300);

/// Writes ARGV[1] until ARGV[2], in milliseconds by the server's own clock, unless there is something:
/// however long it was on its way, what is written ends when it was meant to.
const WRITE: &str = "
local time = redis.call('TIME')
local left = ARGV[2] - time[1] * 1000 - math.ceil(time[2] / 1000)
if left < 1 then
  return false
end
return redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', string.format('%.0f', left))";

/// What the server's clock said when a claim looked for a copy.
#[derive(Clone, Copy, Debug)]
pub(super) struct Clock {
    /// In milliseconds.
    said: u64,
    /// It was said before that.
    heard: Instant,
}

impl Clock {
    /// What it says at a later moment, or a little less.
    fn at(self, moment: Instant) -> u64 {
        let since = moment.saturating_duration_since(self.heard);
        self.said.saturating_add(millis(since))
    }
}

#[derive(Debug)]
pub(super) struct RemoteCopies {
    redis: Guarded,
    keys: Keys,
    write: Script,
    counter: CopyCounter,
}

impl RemoteCopies {
    pub(super) fn new(redis: Guarded, keys: Keys, counter: CopyCounter) -> Self {
        RemoteCopies {
            redis,
            keys,
            write: Script::new(WRITE),
            counter,
        }
    }

    /// The copy of a record, as old as it is now, and what to reckon by if there is none; `None` if
    /// there is no answer.
    pub(super) async fn read(&self, id: &RecordId) -> Option<Result<Record, Clock>> {
        let key = self.keys.copy(id);
        let mut commands = redis::pipe();
        commands.get(&key).pttl(&key).cmd("TIME");
        let asked = self.redis.ask(|redis| redis.send(&commands)).await;
        let (bytes, left, time): (Option<Vec<u8>>, i64, (u64, u64)) = self.counted(asked).ok()?;
        let (seconds, micros) = time;
        let clock = Clock {
            said: seconds.saturating_mul(1_000).saturating_add(micros / 1_000),
            heard: Instant::now(),
        };
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
        Some(record.ok_or(clock))
    }

    /// Copies a final record, as it was at a moment, unless there is a copy or must not be one.
    pub(super) async fn write(&self, record: &Record, at: Instant, clock: Clock) {
        let lifetime = told_for(record).min(LIFETIME);
        let copy = Copy {
            record: record.clone(),
            lifetime,
        };
        let mut write = self.write.key(self.keys.copy(&record.id));
        write
            .arg(copy.bytes())
            .arg(clock.at(at).saturating_add(millis(lifetime)));
        let written = self.redis.ask(|redis| redis.run(&write)).await;
        if let Ok(Some(())) = self.counted(written) {
            self.counter.counters().written.add();
        }
    }

    /// Deletes the copy of a record and lets none come back until every one that is on its way has
    /// ended.
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
            .arg(millis(LIFETIME));
        let answered: Result<(), RedisError> = self.redis.connection().send(&commands).await;
        answered.map_err(|error| StoreError::unavailable("redis", error))
    }

    fn counted<T>(&self, answered: Result<T, NoAnswer>) -> Result<T, NoAnswer> {
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
