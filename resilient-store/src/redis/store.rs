//! Records in Redis alone.

use std::time::Duration;

use redis::{InfoDict, RedisError, ScriptInvocation};
use resilient_core::idempotency::{
    Backlog, Claim, Claimed, Fence, Fenced, Filter, Finish, Purged, Record, RecordId, State, Store,
    StoreError, StoreFuture,
};

use super::advice::{self, RedisAdvice};
use super::connection::{Connection, unavailable};
use super::decode::{Listed, Reply, Unreadable, framed_answer, framed_fingerprint};
use super::keys::Keys;
use super::scripts::Scripts;
use super::{RedisConfig, RedisSetupError};

/// A time that no record outlives, so that every time the scripts reckon with is exact.
const CENTURY: Duration = Duration::from_secs(100 * 365 * 24 * 60 * 60);

/// Records in Redis or Valkey alone.
///
/// Weaker than a table, and not for money: Redis answers before its replicas, and by default before
/// its disk, know. After a failover or a crash the last claims may be gone, and their requests run
/// again. For effects that [may be repeated](resilient_core::idempotency::Effects::may_repeat) that
/// is a cost; for others it is a defect.
///
/// - One server, or the primary behind one name; not a cluster, because all fences come from one key.
/// - It needs `maxmemory-policy noeviction` and `appendonly yes`: [`RedisStore::check`] says what is
///   missing, and [`RedisStore::connect`] writes it into the log.
/// - Each step is one script that runs on the server's clock; Redis 6 or Valkey 7 and later.
/// - Records expire by themselves, so [`purge`](Store::purge) finds nothing to do. Running and
///   uncertain records of effects that cannot be repeated do not expire.
/// - [`list`](Store::list) and [`backlog`](Store::backlog) go through all keys of the database: a
///   million keys take seconds, in pages of about a millisecond between which others are served.
///
/// # Fences
///
/// A fence is the server's time in microseconds, or one more than the last fence if that is larger.
/// The last one is kept in a key of its own. While that key is there, fences grow whatever the clock
/// does; when it was lost, with all the data or with its last second, the time is later than every
/// fence that was given out, because no server takes a million claims a second. They can only be
/// given out twice if the data is lost and the clock goes back at once.
///
/// ```no_run
/// use resilient_core::idempotency::{Effects, Idempotency, Ledger};
/// use resilient_store::{RedisConfig, RedisStore};
///
/// # async fn start() -> Result<(), Box<dyn std::error::Error>> {
/// let store = RedisStore::connect(&RedisConfig::at("redis://127.0.0.1:6379")).await?;
/// let ledger = Ledger::new(store, &Idempotency::of(Effects::Keyed))?;
/// # let _ = ledger;
/// # Ok(()) }
/// ```
#[derive(Debug)]
pub struct RedisStore {
    pub(super) connection: Connection,
    pub(super) keys: Keys,
    pub(super) scripts: Scripts,
}

impl RedisStore {
    /// Connects, and writes what [`check`](RedisStore::check) says as events of level `WARN` in the
    /// target `resilient`. A connection that is cut later is made anew by itself.
    ///
    /// # Errors
    ///
    /// [`RedisSetupError`]: settings that cannot work, no runtime, a server that cannot be reached.
    pub async fn connect(config: &RedisConfig) -> Result<Self, RedisSetupError> {
        let settings = config
            .settings()
            .map_err(|problems| RedisSetupError::Invalid { problems })?;
        let store = RedisStore {
            connection: Connection::lazy(&settings)?,
            keys: Keys::new(settings.prefix),
            scripts: Scripts::new(),
        };
        for advice in store.advice().await.map_err(unavailable)? {
            tracing::warn!(target: "resilient", %advice, "idempotency.store_advice");
        }
        Ok(store)
    }

    /// What the server is set to that loses records; nothing if it is fit for them.
    ///
    /// # Errors
    ///
    /// What the client said, if the server cannot be asked.
    pub async fn check(&self) -> Result<Vec<RedisAdvice>, StoreError> {
        self.advice().await.map_err(client)
    }

    async fn advice(&self) -> Result<Vec<RedisAdvice>, RedisError> {
        let mut pipeline = redis::pipe();
        pipeline.cmd("INFO");
        let (info,): (InfoDict,) = self.connection.send(&pipeline).await?;
        Ok(advice::of(&info))
    }

    async fn ask<T>(
        &self,
        id: &RecordId,
        script: &ScriptInvocation<'_>,
        read: impl FnOnce(Reply) -> Result<T, Unreadable>,
    ) -> Result<T, StoreError> {
        let unreadable = |why| StoreError::Unreadable {
            digest: id.to_string(),
            why,
        };
        match self.connection.run::<Reply>(script).await {
            Ok(reply) => read(reply).map_err(unreadable),
            Err(error) if error.code() == Some("WRONGTYPE") => Err(unreadable(error.to_string())),
            Err(error) => Err(client(error)),
        }
    }

    /// A script on the two keys of a record.
    fn on<'a>(&self, id: &RecordId, script: &'a redis::Script) -> ScriptInvocation<'a> {
        let mut invocation = script.key(self.keys.record(id));
        invocation.key(self.keys.answer(id));
        invocation
    }
}

impl Store for RedisStore {
    fn claim<'a>(&'a self, claim: &'a Claim) -> StoreFuture<'a, Claimed> {
        Box::pin(async move {
            let id = &claim.id;
            let mut script = self.on(id, &self.scripts.claim);
            script
                .key(self.keys.fence())
                .arg(owner(claim))
                .arg(millis(claim.lease))
                .arg(millis(claim.ttl))
                .arg(millis(claim.tombstone))
                .arg(claim.effects.code())
                .arg(id.scope().as_str())
                .arg(id.key().as_str())
                .arg(framed_fingerprint(claim.fingerprint.as_ref()));
            self.ask(id, &script, Reply::claimed).await
        })
    }

    fn renew<'a>(
        &'a self,
        id: &'a RecordId,
        fence: Fence,
        lease: Duration,
        checkpoint: Option<&'a str>,
    ) -> StoreFuture<'a, Fenced> {
        Box::pin(async move {
            let mut script = self.on(id, &self.scripts.renew);
            script.arg(fence.0).arg(millis(lease)).arg(checkpoint);
            self.ask(id, &script, Reply::fenced).await
        })
    }

    fn complete<'a>(
        &'a self,
        id: &'a RecordId,
        fence: Fence,
        finish: &'a Finish,
    ) -> StoreFuture<'a, Fenced> {
        Box::pin(async move {
            let mut script = self.on(id, &self.scripts.complete);
            script.arg(fence.0);
            end(&mut script, finish);
            self.ask(id, &script, Reply::fenced).await
        })
    }

    fn lapse<'a>(&'a self, id: &'a RecordId, fence: Fence) -> StoreFuture<'a, Fenced> {
        Box::pin(async move {
            let mut script = self.on(id, &self.scripts.lapse);
            script.arg(fence.0);
            self.ask(id, &script, Reply::fenced).await
        })
    }

    fn release<'a>(&'a self, id: &'a RecordId, fence: Fence) -> StoreFuture<'a, Fenced> {
        Box::pin(async move {
            let mut script = self.on(id, &self.scripts.release);
            script.arg(fence.0);
            self.ask(id, &script, Reply::fenced).await
        })
    }

    fn withdraw<'a>(&'a self, claim: &'a Claim) -> StoreFuture<'a, ()> {
        Box::pin(async move {
            let mut script = self.on(&claim.id, &self.scripts.withdraw);
            script.arg(owner(claim));
            let withdrawn = self.ask(&claim.id, &script, Reply::fenced).await;
            withdrawn.map(drop)
        })
    }

    fn find<'a>(&'a self, id: &'a RecordId) -> StoreFuture<'a, Option<Record>> {
        Box::pin(async move {
            let script = self.on(id, &self.scripts.find);
            self.ask(id, &script, Reply::record).await
        })
    }

    fn settle<'a>(
        &'a self,
        id: &'a RecordId,
        fence: Fence,
        finish: Option<&'a Finish>,
    ) -> StoreFuture<'a, Fenced> {
        Box::pin(async move {
            let mut script = self.on(id, &self.scripts.settle);
            script.arg(fence.0);
            if let Some(finish) = finish {
                end(&mut script, finish);
            }
            self.ask(id, &script, Reply::fenced).await
        })
    }

    fn remove<'a>(&'a self, id: &'a RecordId) -> StoreFuture<'a, bool> {
        Box::pin(async move {
            let mut pipeline = redis::pipe();
            pipeline.unlink(&[self.keys.record(id), self.keys.answer(id)]);
            let (removed,): (u32,) = self.connection.send(&pipeline).await.map_err(client)?;
            Ok(removed > 0)
        })
    }

    fn list<'a>(&'a self, filter: &'a Filter) -> StoreFuture<'a, Vec<Record>> {
        Box::pin(async move {
            let limit = filter.limit as usize;
            let mut found = Vec::new();
            let matches = |record: &Record| {
                let scope = filter.scope.as_ref();
                scope.is_none_or(|scope| scope == record.id.scope())
                    && filter.state.is_none_or(|state| state == record.state)
            };
            let see = |listed: Listed| {
                if matches(&listed.record) {
                    found.push(listed);
                }
                // Sorted once per as many, so that neither time nor memory runs away.
                if found.len() >= limit.saturating_mul(2).max(1024) {
                    keep_oldest(&mut found, limit);
                }
            };
            self.each(see).await.map_err(client)?;
            keep_oldest(&mut found, limit);
            Ok(found.into_iter().map(|listed| listed.record).collect())
        })
    }

    fn purge(&self, _batch: u32) -> StoreFuture<'_, Purged> {
        Box::pin(std::future::ready(Ok(Purged::default())))
    }

    fn backlog(&self) -> StoreFuture<'_, Backlog> {
        Box::pin(async move {
            let mut backlog = Backlog::default();
            let see = |Listed { record, .. }: Listed| match record.state {
                State::Running => {
                    backlog.running += 1;
                    backlog.oldest_running = backlog.oldest_running.max(record.age);
                }
                State::Uncertain => backlog.uncertain += 1,
                State::Completed | State::BodyDropped => {}
            };
            self.each(see).await.map_err(client)?;
            Ok(backlog)
        })
    }
}

fn owner(claim: &Claim) -> String {
    format!("{:032x}", claim.owner)
}

/// How a run ended, as the arguments that `finish` of the scripts reads.
fn end(script: &mut ScriptInvocation<'_>, finish: &Finish) {
    let (state, answer, resource) = match finish {
        Finish::Completed { answer, resource } => {
            (State::Completed, framed_answer(answer), resource.as_ref())
        }
        Finish::BodyDropped { resource } => (State::BodyDropped, Vec::new(), resource.as_ref()),
        Finish::Uncertain => (State::Uncertain, Vec::new(), None),
    };
    script.arg(state.code()).arg(answer);
    if let Some(resource) = resource {
        script.arg(&resource.kind).arg(&resource.id);
    }
}

fn keep_oldest(listed: &mut Vec<Listed>, limit: usize) {
    listed.sort_by(|a, b| {
        let by_id = || a.record.id.cmp(&b.record.id);
        a.claimed_at.cmp(&b.claimed_at).then_with(by_id)
    });
    listed.truncate(limit);
}

/// Whole milliseconds, rounded up, and no more than the scripts can reckon with.
fn millis(duration: Duration) -> u64 {
    let micros = duration.min(CENTURY).as_micros();
    u64::try_from(micros.div_ceil(1000)).unwrap_or(u64::MAX)
}

fn client(error: RedisError) -> StoreError {
    StoreError::unavailable("redis", error)
}
