//! The limiter as servers and calls use it.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use super::ask::{Asked, Inner};
use super::backend::Backend;
use super::config::{Limit, RateLimit, RateLimitSettings};
use super::counters::Counters;
use super::decision::Decision;
use super::error::{InvalidRateLimit, RateLimitError};
use super::lists::{Listed, Lists};
use super::memory::Memory;
use super::snapshot::RateLimiterSnapshot;
use super::store::Store;
use super::waiting::Waiting;
use crate::name::Name;
use crate::seam::clock::nanos;
use crate::seam::sync::{AtomicBool, AtomicU32, AtomicU64, Ordering};

/// A rate limiter in use. Cloning gives another handle to the same counts.
///
/// ```
/// # use resilient_core as resilient;
/// use resilient::rate_limit::{Limit, RateLimit, RateLimiter};
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let api = RateLimiter::in_memory(
///     RateLimit::named("api")
///         .limit(Limit::gcra("steady", 10, "1s"))
///         .max_wait("1s"),
/// )?;
///
/// // A server: refuse, and say in headers when to come back.
/// let decision = api.check("user-7", 10).await?;
/// assert!(decision.is_allowed());
///
/// // A client: wait for its turn.
/// api.acquire("user-7", 1).await?;
///
/// // Somebody else has a count of his own.
/// assert_eq!(api.peek("user-8", 1).await?.tightest().unwrap().remaining, 10);
/// # Ok(()) }
/// ```
#[derive(Clone)]
pub struct RateLimiter {
    pub(super) inner: Arc<Inner>,
}

impl RateLimiter {
    /// A limiter that counts in this process. Nothing runs in the background: keys that have their
    /// whole quota again are forgotten by those that come after.
    ///
    /// Time is that of tokio's clock, which tests can pause. Only where fixed windows begin comes
    /// from the wall clock, read once, here.
    ///
    /// # Errors
    ///
    /// [`InvalidRateLimit`] lists every setting that cannot work.
    #[allow(clippy::needless_pass_by_value, reason = "a limiter is made once")]
    pub fn in_memory(limit: RateLimit) -> Result<Self, InvalidRateLimit> {
        let settings = checked(&limit)?;
        let backend = Backend::Memory(Memory::new(&settings));
        Ok(RateLimiter::with(&settings, backend))
    }

    /// A limiter that counts in `store`.
    ///
    /// # Errors
    ///
    /// [`InvalidRateLimit`] lists every setting that cannot work.
    #[allow(clippy::needless_pass_by_value, reason = "a limiter is made once")]
    pub fn over(store: Arc<dyn Store>, limit: RateLimit) -> Result<Self, InvalidRateLimit> {
        let settings = checked(&limit)?;
        let backend = Backend::over(store, &settings.limits);
        Ok(RateLimiter::with(&settings, backend))
    }

    pub(super) fn with(settings: &RateLimitSettings, backend: Backend) -> Self {
        RateLimiter {
            inner: Arc::new(Inner {
                name: settings.name.clone(),
                unkeyed: settings.unkeyed,
                shadow: AtomicBool::new(settings.shadow),
                max_wait: AtomicU64::new(nanos(settings.max_wait)),
                max_waiting: AtomicU32::new(settings.max_waiting),
                backend,
                lists: Lists::default(),
                waiting: Waiting::default(),
                counters: Counters::new(),
            }),
        }
    }

    /// Its name.
    #[must_use]
    pub fn name(&self) -> &Name {
        &self.inner.name
    }

    /// Whether it refuses nothing and only counts; see [`RateLimit::shadow`].
    #[must_use]
    pub fn is_shadow(&self) -> bool {
        self.inner.is_shadow()
    }

    /// Takes `cost` from every limit of `key` if it fits all of them, and says what is left.
    ///
    /// What does not fit takes nothing. A cost of 0 takes nothing and is always allowed: it is a
    /// look. While others [wait](RateLimiter::acquire) for the key, what would overtake them does
    /// not fit (in memory; a store outside of the process does not know who waits).
    ///
    /// Cancel safe in memory; with another store, what is dropped may have been taken.
    ///
    /// # Errors
    ///
    /// [`CostUnsatisfiable`](RateLimitError::CostUnsatisfiable) for what can never fit,
    /// [`DenyListed`](RateLimitError::DenyListed), and
    /// [`Unavailable`](RateLimitError::Unavailable) if the store does not answer.
    pub async fn check(&self, key: &str, cost: u32) -> Result<Decision, RateLimitError> {
        let key = self.inner.own_key(key);
        match self.inner.lists.get(key) {
            Some(listed) => {
                self.inner.pass_listed(listed)?;
                return Ok(Decision::unlimited(cost));
            }
            None if cost == 0 => return self.inner.decide(key, cost, false).await,
            None => {}
        }
        let behind = self.inner.behind_others(key, cost);
        let decision = self.inner.decide(key, cost, behind.is_none()).await?;
        let decision = match behind {
            Some(denied) => decision.refused(&denied.limit, denied.time()),
            None => decision,
        };
        Ok(self.inner.counted(decision))
    }

    /// What [`check`](RateLimiter::check) would say now. Takes nothing and is not counted.
    pub async fn peek(&self, key: &str, cost: u32) -> Result<Decision, RateLimitError> {
        let key = self.inner.own_key(key);
        match self.inner.lists.get(key) {
            Some(Listed::Allowed) => Ok(Decision::unlimited(cost)),
            Some(Listed::Denied) => Err(self.inner.deny_listed()),
            None => self.inner.decide(key, cost, false).await,
        }
    }

    /// Takes `cost`, waiting up to the limiter's [`max_wait`](RateLimit::max_wait) for it.
    ///
    /// Who waits for one key is served in order. What cannot fit in time, counting those that wait
    /// already, fails at once. Dropping the future takes nothing (see [`check`](RateLimiter::check)
    /// for other stores) and lets the next one go ahead.
    ///
    /// The fastest way to ask: it says nothing about what is left.
    ///
    /// # Errors
    ///
    /// [`Limited`](RateLimitError::Limited),
    /// [`TooManyWaiting`](RateLimitError::TooManyWaiting), and those of
    /// [`check`](RateLimiter::check).
    pub async fn acquire(&self, key: &str, cost: u32) -> Result<(), RateLimitError> {
        let max_wait = self.inner.max_wait();
        match self.inner.ask_at_once(key, cost, max_wait) {
            Asked::Done(done) => done,
            Asked::NotYet(denied) => self.inner.wait_for(key, cost, max_wait, denied).await,
        }
    }

    /// The same, with a `max_wait` of its own.
    pub async fn acquire_within(
        &self,
        key: &str,
        cost: u32,
        max_wait: Duration,
    ) -> Result<(), RateLimitError> {
        match self.inner.ask_at_once(key, cost, max_wait) {
            Asked::Done(done) => done,
            Asked::NotYet(denied) => self.inner.wait_for(key, cost, max_wait, denied).await,
        }
    }

    /// The same without waiting, for code that is not async. `None` over a store outside of the
    /// process, which takes a while to answer.
    ///
    /// ```
    /// # use resilient_core as resilient;
    /// use resilient::rate_limit::{Limit, RateLimit, RateLimiter};
    ///
    /// let log = RateLimiter::in_memory(RateLimit::named("log").limit(Limit::gcra("slow", 1, "1h")))?;
    /// assert!(log.try_acquire("disk full", 1).is_some_and(|taken| taken.is_ok()));
    /// assert!(log.try_acquire("disk full", 1).is_some_and(|taken| taken.is_err()));
    /// # Ok::<(), resilient::rate_limit::InvalidRateLimit>(())
    /// ```
    pub fn try_acquire(&self, key: &str, cost: u32) -> Option<Result<(), RateLimitError>> {
        match self.inner.ask_at_once(key, cost, Duration::ZERO) {
            Asked::Done(done) => Some(done),
            Asked::NotYet(None) => self.inner.refuse_behind_others(key, cost),
            Asked::NotYet(Some(denied)) => Some(self.inner.refuse(denied, cost)),
        }
    }

    /// Gives back what `decision` took from `key`, for a request that turned out not to count.
    ///
    /// Only as far as it has not come back by itself: within the same window, and never below zero.
    /// Of one decision once: a second time would give back what others took.
    ///
    /// # Errors
    ///
    /// [`Unavailable`](RateLimitError::Unavailable) if the store does not answer.
    pub async fn refund(&self, key: &str, decision: Decision) -> Result<(), RateLimitError> {
        let inner = &*self.inner;
        let key = inner.own_key(key);
        let refunded = inner.backend.refund(&inner.name, key, &decision).await;
        refunded.map_err(|error| inner.unavailable(error))
    }

    /// Lets a key always through, uncounted.
    pub fn allow(&self, key: &str) {
        self.inner.lists.set(key, Some(Listed::Allowed));
    }

    /// Refuses a key always, uncounted, until [`unlist`](RateLimiter::unlist).
    pub fn deny(&self, key: &str) {
        self.inner.lists.set(key, Some(Listed::Denied));
    }

    /// Takes a key off both lists. What it had used before it was listed is still used.
    pub fn unlist(&self, key: &str) {
        self.inner.lists.set(key, None);
    }

    /// Changes the numbers while requests come. What is used stays used, as far as there is room
    /// for it; limits are the same by their names. (Only an [`unkeyed`](RateLimit::unkeyed) limiter
    /// that was a single GCRA and is no longer, or the other way around, begins anew.)
    ///
    /// # Errors
    ///
    /// [`InvalidRateLimit`] lists every setting that cannot work, and then nothing has changed. The
    /// name and [`unkeyed`](RateLimit::unkeyed) cannot change.
    #[allow(
        clippy::needless_pass_by_value,
        reason = "the same shape as making one"
    )]
    pub fn update(&self, limit: RateLimit) -> Result<(), InvalidRateLimit> {
        let settings = checked(&limit)?;
        let inner = &*self.inner;
        if settings.name != inner.name {
            let reason = format!("the limiter is called `{}`; make another one", inner.name);
            return Err(inner.invalid("name", &settings.name, reason));
        }
        if settings.unkeyed != inner.unkeyed {
            let reason = "whether keys share one count cannot change; make another limiter";
            return Err(inner.invalid("unkeyed", settings.unkeyed, reason));
        }
        inner.backend.reconfigure(&settings);
        inner.shadow.store(settings.shadow, Ordering::Relaxed);
        let max_wait = nanos(settings.max_wait);
        inner.max_wait.store(max_wait, Ordering::Relaxed);
        let max_waiting = settings.max_waiting;
        inner.max_waiting.store(max_waiting, Ordering::Relaxed);
        Ok(())
    }

    /// Gives one key limits of its own, in place of the limiter's.
    ///
    /// # Errors
    ///
    /// [`InvalidRateLimit`] lists every setting that cannot work, and then nothing has changed; an
    /// [`unkeyed`](RateLimit::unkeyed) limiter has no keys.
    pub fn set_limits_of(
        &self,
        key: &str,
        limits: impl IntoIterator<Item = Limit>,
    ) -> Result<(), InvalidRateLimit> {
        if self.inner.unkeyed {
            let reason = "no key has limits of its own where all share one count";
            return Err(self.inner.invalid("unkeyed", true, reason));
        }
        let named = RateLimit::named(&*self.inner.name);
        let settings = checked(&limits.into_iter().fold(named, RateLimit::limit))?;
        self.inner
            .backend
            .set_limits_of(key, Some(&settings.limits));
        Ok(())
    }

    /// Puts a key back under the limiter's limits.
    pub fn clear_limits_of(&self, key: &str) {
        self.inner.backend.set_limits_of(key, None);
    }

    /// What it has counted.
    #[must_use]
    pub fn snapshot(&self) -> RateLimiterSnapshot {
        let inner = &*self.inner;
        RateLimiterSnapshot {
            name: inner.name.clone(),
            keys: inner.backend.keys(),
            evicted: inner.backend.evicted(),
            waiting: inner.waiting.total(),
            shadow: inner.is_shadow(),
            counters: inner.counters.read(),
        }
    }
}

fn checked(limit: &RateLimit) -> Result<RateLimitSettings, InvalidRateLimit> {
    limit.settings().map_err(|problems| InvalidRateLimit {
        name: limit.name().to_owned(),
        problems,
    })
}

impl fmt::Debug for RateLimiter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RateLimiter")
            .field("name", &self.inner.name)
            .field("keys", &self.inner.backend.keys())
            .finish_non_exhaustive()
    }
}
