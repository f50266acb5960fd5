//! Limits that processes share, counted by Redis.

use std::sync::Arc;

use redis::{Script, ScriptInvocation};
use resilient_core::rate_limit::{Ask, Decision, LimitSettings, Store, StoreError, StoreFuture};
use tokio::time::Instant;

use super::config::RedisLimits;
use super::counts::RedisLimitCounter;
use super::denials::Denials;
use super::outage::{NOT_IN_REDIS, Outage};
use super::reading::Found;
use super::refund::full_at;
use super::scripts::Scripts;
use super::share::LocalShares;
use super::subject::Subject;
use super::words::words;
use crate::RedisSetupError;
use crate::redis::{Connection, Guarded, NoAnswer, Why};

const DEFAULT_PREFIX: &str = "rl:";

/// Rate limits that processes share, counted by Redis 6 or Valkey 7 and later.
///
/// - A decision is one script on one slot: all limits of a subject agree or none counts anything. Time
///   is the server's, in microseconds; the clocks of the processes do not matter.
/// - One server, or the primary behind one name; this is no client of a cluster.
/// - Every key expires once its limit is as good as new. One without a time to live, or with one that
///   is too long, gets the right one at the next request.
/// - A key that is evicted for lack of memory begins anew: `maxmemory-policy noeviction` prevents that,
///   or enough memory.
/// - Redis answers before its replicas know. After a failover the last requests may not be counted, and
///   what the clock of the server before said counts for no more than one window, or one full bucket.
/// - When Redis does not answer within the [timeout](RedisLimits::timeout), [`Outage`] says what
///   becomes of the request, and Redis is left alone for a second; one request then tries again. The
///   first such failure is told as an event of level `WARN` in the target `resilient`.
/// - A refusal is [repeated without asking](RedisLimits::deny_cache).
/// - Limits are the same by name and kind. A changed quota counts what was used before; a changed
///   window of a counter may begin anew.
/// - A sliding log keeps an entry of about a hundred bytes for each unit of cost.
///
/// ```no_run
/// use std::sync::Arc;
/// use resilient_core::rate_limit::{Limit, RateLimit, RateLimiter};
/// use resilient_store::{RedisConfig, RedisLimitStore, RedisLimits};
///
/// # async fn start() -> Result<(), Box<dyn std::error::Error>> {
/// let limits = RedisLimits::over(RedisConfig::at("redis://127.0.0.1:6379"));
/// let store = RedisLimitStore::over(&limits)?;
/// let counter = store.counter();
/// let api = RateLimiter::over(
///     Arc::new(store),
///     RateLimit::named("api")
///         .limit(Limit::gcra("burst", 5, "1s"))
///         .limit(Limit::sliding_counter("hourly", 100, "1h")),
/// )?;
/// let decision = api.check("user-7", 1).await?;
/// println!("{} {:?}", decision.is_allowed(), counter.counts());
/// # Ok(()) }
/// ```
#[derive(Debug)]
pub struct RedisLimitStore {
    redis: Guarded,
    prefix: String,
    scripts: Scripts,
    denials: Option<Denials>,
    outage: WithoutRedis,
    counter: RedisLimitCounter,
}

/// What is done when there is no answer.
#[derive(Debug)]
enum WithoutRedis {
    Open,
    Closed,
    Share(LocalShares),
}

impl RedisLimitStore {
    /// A store. Redis need not be there yet: it is connected to when it is first asked.
    ///
    /// # Errors
    ///
    /// [`RedisSetupError`]: settings that cannot work, or no tokio runtime.
    pub fn over(limits: &RedisLimits) -> Result<Self, RedisSetupError> {
        let settings = limits.settings()?;
        let connection = Connection::lazy(&settings.redis)?;
        let prefix = settings.redis.prefix;
        Ok(RedisLimitStore {
            redis: Guarded::new(connection, settings.timeout),
            prefix: prefix.unwrap_or_else(|| DEFAULT_PREFIX.to_owned()),
            scripts: Scripts::new(),
            denials: settings.deny_cache.then(Denials::default),
            outage: match settings.outage {
                Outage::Open => WithoutRedis::Open,
                Outage::Closed => WithoutRedis::Closed,
                Outage::LocalShare(processes) => {
                    WithoutRedis::Share(LocalShares::one_of(processes))
                }
            },
            counter: RedisLimitCounter::default(),
        })
    }

    /// Reads what became of the decisions, also after the store went into a limiter.
    pub fn counter(&self) -> RedisLimitCounter {
        self.counter.clone()
    }

    /// The refusal that such a request got shortly before.
    fn known_denial(&self, subject: &Subject, ask: &Ask<'_>) -> Option<Decision> {
        if !takes(ask) {
            return None;
        }
        let denials = self.denials.as_ref()?;
        let denial = denials.find(subject, ask.limits, ask.cost, Instant::now())?;
        self.counter.counters().denied_here.add();
        Some(denial)
    }

    async fn decide_there(&self, subject: Subject, ask: &Ask<'_>) -> Result<Decision, NoAnswer> {
        let word = if takes(ask) { "take" } else { "look" };
        let limits = ask.limits.iter().map(|limit| (limit, 0));
        let script = self.invocation(&self.scripts.decide, &subject, ask.cost, word, limits);
        let found: Found = self.redis.ask(|redis| redis.run(&script)).await?;
        self.counter.counters().decided.add();
        let decision = found.decision(ask);
        if let Some(denials) = &self.denials
            && takes(ask)
        {
            denials.learn(subject, ask.limits, &decision, Instant::now());
        }
        Ok(decision)
    }

    async fn decide_here(&self, ask: &Ask<'_>, missing: NoAnswer) -> Result<Decision, StoreError> {
        self.count(&missing);
        let counters = self.counter.counters();
        let decided = match &self.outage {
            WithoutRedis::Open => {
                counters.opened.add();
                // No limit was looked at, so none is told of.
                let no_limits = Arc::new([]);
                return Ok(Decision::new(
                    no_limits,
                    Vec::new(),
                    true,
                    ask.cost,
                    NOT_IN_REDIS,
                ));
            }
            WithoutRedis::Closed => Err(StoreError::new(missing)),
            WithoutRedis::Share(shares) => shares.decide(ask).await,
        };
        match decided {
            Ok(_) => counters.shared.add(),
            Err(_) => counters.closed.add(),
        }
        decided
    }

    fn count(&self, missing: &NoAnswer) {
        match missing.why {
            Why::LeftAlone => self.counter.counters().skipped.add(),
            Why::Late(_) | Why::Failed(_) => self.counter.counters().errors.add(),
        }
        if missing.is_news {
            let error = missing.to_string();
            tracing::warn!(target: "resilient", error, "rate_limit.store_unavailable");
        }
    }

    async fn refund_there(
        &self,
        subject: &Subject,
        ask: &Ask<'_>,
        decision: &Decision,
    ) -> Result<(), NoAnswer> {
        let charged = |limit| full_at(decision, limit).map(|full_at| (limit, full_at));
        let limits = ask.limits.iter().filter_map(charged);
        let at = decision.decided_at().to_string();
        let script = self.invocation(&self.scripts.refund, subject, ask.cost, &at, limits);
        self.redis.ask(|redis| redis.run(&script)).await
    }

    /// A script on limits of a subject, each with a time that the script wants to know.
    fn invocation<'a, 'limits>(
        &self,
        script: &'a Script,
        subject: &Subject,
        cost: u32,
        word: &str,
        limits: impl Iterator<Item = (&'limits LimitSettings, u64)>,
    ) -> ScriptInvocation<'a> {
        let mut invocation = script.prepare_invoke();
        invocation.arg(cost).arg(word);
        for (limit, full_at) in limits {
            invocation.key(subject.key_of(&self.prefix, limit));
            for word in words(limit, cost, full_at) {
                invocation.arg(word);
            }
        }
        invocation
    }
}

impl Store for RedisLimitStore {
    fn decide<'a>(&'a self, ask: Ask<'a>) -> StoreFuture<'a, Decision> {
        Box::pin(async move {
            let subject = Subject::new(ask.limiter, ask.key);
            if let Some(denial) = self.known_denial(&subject, &ask) {
                return Ok(denial);
            }
            match self.decide_there(subject, &ask).await {
                Ok(decision) => Ok(decision),
                Err(missing) => self.decide_here(&ask, missing).await,
            }
        })
    }

    /// What was decided while Redis did not answer is not given back: Redis did not count it.
    fn refund<'a>(&'a self, ask: Ask<'a>, decision: &'a Decision) -> StoreFuture<'a, ()> {
        Box::pin(async move {
            if decision.decided_at() == NOT_IN_REDIS {
                return Ok(());
            }
            let subject = Subject::new(ask.limiter, ask.key);
            let refunded = self.refund_there(&subject, &ask, decision).await;
            if let Some(denials) = &self.denials {
                denials.forget(&subject);
            }
            refunded.map_err(|missing| {
                self.count(&missing);
                StoreError::new(missing)
            })
        })
    }
}

/// Whether a request wants to have something.
fn takes(ask: &Ask<'_>) -> bool {
    ask.charge && ask.cost > 0
}
