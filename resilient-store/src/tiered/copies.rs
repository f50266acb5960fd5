//! Copies in Redis, and what is done when it does not answer.

use std::time::Duration;

use redis::{FromRedisValue, Pipeline, RedisError};
use resilient_core::idempotency::{Record, RecordId, StoreError};
use tokio::time::{Instant, timeout};

use super::copy::{BARRED, Copy, millis};
use super::counts::CopyCounter;
use super::gate::Gate;
use crate::redis::{Connection, Keys};

/// The longest life of a copy.
const LIFETIME: Duration = Duration::from_secs(300);

/// How long no copy comes back after its record was deleted: longer than anybody holds a record
/// between reading it from the table and copying it.
const BARRED_FOR: Duration = Duration::from_secs(30);

#[derive(Debug)]
pub(super) struct RemoteCopies {
    connection: Connection,
    keys: Keys,
    timeout: Duration,
    gate: Gate,
    started: Instant,
    counter: CopyCounter,
}

/// Redis was not asked, or did not answer.
struct NoAnswer;

impl RemoteCopies {
    pub(super) fn new(
        connection: Connection,
        keys: Keys,
        timeout: Duration,
        counter: CopyCounter,
    ) -> Self {
        RemoteCopies {
            connection,
            keys,
            timeout,
            gate: Gate::default(),
            started: Instant::now(),
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

    /// Copies a final record that counts for another `left`, unless there is a copy, or must not be
    /// one.
    pub(super) async fn write(&self, record: &Record, left: Duration) {
        let lifetime = left.min(LIFETIME);
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
        let answered: Result<(), RedisError> = self.connection.send(&commands).await;
        answered.map_err(|error| StoreError::unavailable("redis", error))
    }

    async fn ask<T: FromRedisValue>(&self, commands: &Pipeline) -> Result<T, NoAnswer> {
        let counters = self.counter.counters();
        if !self.gate.admits(self.started.elapsed()) {
            counters.skipped.add();
            return Err(NoAnswer);
        }
        let error = match timeout(self.timeout, self.connection.send(commands)).await {
            Ok(Ok(answered)) => {
                self.gate.open();
                return Ok(answered);
            }
            Ok(Err(error)) if is_about_this_key(&error) => {
                counters.errors.add();
                return Err(NoAnswer);
            }
            Ok(Err(error)) => error.to_string(),
            Err(_) => format!("no answer within {:?}", self.timeout),
        };
        counters.errors.add();
        if self.gate.close(self.started.elapsed()) {
            tracing::warn!(target: "resilient", error, "idempotency.copies_unavailable");
        }
        Err(NoAnswer)
    }
}

/// Whether other hands keep something else under this key: the server is well.
fn is_about_this_key(error: &RedisError) -> bool {
    let errors = error.clone().into_server_errors();
    errors.is_some_and(|errors| errors.iter().all(|(_, error)| error.code() == "WRONGTYPE"))
}
