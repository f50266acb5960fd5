//! Limits that processes share, counted by Redis.

use std::sync::Arc;
use std::time::Duration;

use resilient_core::rate_limit::{Ask, Decision, Store, StoreError, StoreFuture};
use tokio::time::{Instant, timeout_at};

use super::config::RedisLimits;
use super::counts::RedisLimitCounter;
use super::denials::Denials;
use super::holdings::{Holdings, Next, Refill, serves};
use super::outage::{NOT_IN_REDIS, Outage};
use super::share::LocalShares;
use super::subject::Subject;
use super::there::{There, takes};
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
/// - A refusal is [repeated without asking](RedisLimits::deny_cache); for keys that are asked for very
///   often a process can [take a batch](RedisLimits::reserve) and hand it out by itself.
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
    there: There,
    timeout: Duration,
    denials: Option<Denials>,
    holdings: Option<Holdings>,
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
            there: There::new(
                Guarded::new(connection, settings.timeout),
                prefix.unwrap_or_else(|| DEFAULT_PREFIX.to_owned()),
            ),
            timeout: settings.timeout,
            denials: settings.deny_cache.then(Denials::default),
            holdings: settings.reserve.map(Holdings::of_batches),
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

    /// Gives back what this process [took in advance](RedisLimits::reserve) and has not handed out:
    /// before it ends, or when others need it more. Returns how much that was.
    ///
    /// Cancel safe: what is not given back is lost until its window ends, as if the process had been
    /// killed.
    ///
    /// # Errors
    ///
    /// [`StoreError`]: Redis did not answer. The rest is lost.
    ///
    /// ```no_run
    /// use std::sync::Arc;
    /// use resilient_core::rate_limit::{Limit, RateLimit, RateLimiter};
    /// use resilient_store::{RedisConfig, RedisLimitStore, RedisLimits};
    ///
    /// # async fn run() -> Result<(), Box<dyn std::error::Error>> {
    /// let limits = RedisLimits::over(RedisConfig::at("redis://127.0.0.1:6379")).reserve(100);
    /// let store = Arc::new(RedisLimitStore::over(&limits)?);
    /// let tenants = RateLimit::named("tenants").limit(Limit::fixed("hourly", 100_000, "1h"));
    /// let tenants = RateLimiter::over(store.clone(), tenants)?;
    /// // .. serve, and when told to end:
    /// store.give_back().await?;
    /// # Ok(()) }
    /// ```
    pub async fn give_back(&self) -> Result<u64, StoreError> {
        let Some(holdings) = &self.holdings else {
            return Ok(0);
        };
        let mut given_back = 0;
        for rest in holdings.drain(Instant::now()) {
            let (subject, limits) = (&rest.subject, &rest.limits);
            let refunded = self
                .there
                .refund(subject, limits, rest.left, &rest.decision);
            refunded.await.map_err(|missing| self.failed(missing))?;
            given_back += u64::from(rest.left);
        }
        Ok(given_back)
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
        let Some(holdings) = self.holdings.as_ref().filter(|_| serves(ask)) else {
            if let Some(denial) = self.known_denial(&subject, ask) {
                return Ok(denial);
            }
            return self.decide_alone(subject, ask).await;
        };
        if takes(ask) {
            return self.decide_from(holdings, subject, ask).await;
        }
        match holdings.take(&subject, ask, Instant::now()) {
            Some(held) => Ok(held),
            None => self.decide_alone(subject, ask).await,
        }
    }

    async fn decide_alone(&self, subject: Subject, ask: &Ask<'_>) -> Result<Decision, NoAnswer> {
        let decision = self.there.decide(&subject, ask).await?;
        self.decided(subject, ask, &decision);
        Ok(decision)
    }

    /// Hands out what is held, or asks for a batch, or waits for the one that somebody asks for.
    async fn decide_from(
        &self,
        holdings: &Holdings,
        subject: Subject,
        ask: &Ask<'_>,
    ) -> Result<Decision, NoAnswer> {
        let patience = Instant::now() + self.timeout;
        loop {
            let now = Instant::now();
            if let Some(held) = holdings.take(&subject, ask, now) {
                self.counter.counters().handed_out.add();
                return Ok(held);
            }
            if let Some(denial) = self.known_denial(&subject, ask) {
                return Ok(denial);
            }
            match holdings.next(subject, ask, now) {
                Next::Others(awaited) => {
                    // Nothing is ever released: it ends by being closed.
                    if timeout_at(patience, awaited.acquire()).await.is_err() {
                        return self.decide_alone(subject, ask).await;
                    }
                }
                Next::Own(refill) => {
                    if let Some(decision) = self.refill(refill, subject, ask).await? {
                        return Ok(decision);
                    }
                }
            }
        }
    }

    /// Asks for a batch. None, if the request has to be looked at anew.
    async fn refill(
        &self,
        refill: Refill<'_>,
        subject: Subject,
        ask: &Ask<'_>,
    ) -> Result<Option<Decision>, NoAnswer> {
        let asked = Instant::now();
        let (needed, wanted, longest) = (refill.needed, refill.wanted, refill.longest());
        let batch = self
            .there
            .reserve(&subject, ask, needed, wanted, longest)
            .await?;
        self.decided(subject, ask, &batch.decision);
        if batch.granted == 0 {
            return Ok(Some(batch.decision));
        }
        let in_advance = u64::from(batch.granted.saturating_sub(needed));
        self.counter.counters().reserved.add_all(in_advance);
        Ok(refill.fill(ask, batch, asked, Instant::now()))
    }

    fn decided(&self, subject: Subject, ask: &Ask<'_>, decision: &Decision) {
        self.counter.counters().decided.add();
        if let Some(denials) = &self.denials
            && takes(ask)
        {
            denials.learn(subject, ask.limits, decision, Instant::now());
        }
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

    fn failed(&self, missing: NoAnswer) -> StoreError {
        self.count(&missing);
        StoreError::new(missing)
    }
}

impl Store for RedisLimitStore {
    fn decide<'a>(&'a self, ask: Ask<'a>) -> StoreFuture<'a, Decision> {
        Box::pin(async move {
            let subject = Subject::new(ask.limiter, ask.key);
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
            if let Some(denials) = &self.denials {
                denials.forget(&subject);
            }
            let is_held = self
                .holdings
                .as_ref()
                .is_some_and(|all| all.put_back(&subject, &ask, decision, Instant::now()));
            if is_held {
                return Ok(());
            }
            let refunded = self
                .there
                .refund(&subject, ask.limits, ask.cost, decision)
                .await;
            if let Some(denials) = &self.denials {
                denials.forget(&subject);
            }
            refunded.map_err(|missing| self.failed(missing))
        })
    }
}
