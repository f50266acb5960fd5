//! The limiter as servers and calls use it.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use super::backend::Backend;
use super::config::{Limit, RateLimit, RateLimitSettings};
use super::counters::{Counted, Counters};
use super::decision::Decision;
use super::error::{InvalidRateLimit, RateLimitError};
use super::lists::{Listed, Lists};
use super::memory::{Decided, Denied, Memory};
use super::snapshot::RateLimiterSnapshot;
use super::store::Store;
use super::waiting::Waiting;
use crate::invalid::InvalidSetting;
use crate::name::Name;
use crate::seam::clock::nanos;
use crate::seam::sync::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use crate::telemetry;

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

pub(super) struct Inner {
    pub(super) name: Name,
    unkeyed: bool,
    shadow: AtomicBool,
    max_wait: AtomicU64,
    pub(super) max_waiting: AtomicU32,
    pub(super) backend: Backend,
    lists: Lists,
    pub(super) waiting: Waiting,
    pub(super) counters: Counters,
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
    /// for it; limits are the same by their names.
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

/// What came of asking at once.
enum Asked {
    Done(Result<(), RateLimitError>),
    /// It may fit later, or others wait, or the store takes a while to answer.
    NotYet(Option<Denied>),
}

impl Inner {
    fn max_wait(&self) -> Duration {
        Duration::from_nanos(self.max_wait.load(Ordering::Relaxed))
    }

    /// Everything that needs no waiting. In the usual case, that it fits, that is all; the others
    /// are kept out of its way.
    #[inline]
    fn ask_at_once(&self, key: &str, cost: u32, max_wait: Duration) -> Asked {
        let key = self.own_key(key);
        if (!self.lists.is_empty() || self.waiting.total() > 0)
            && let Some(asked) = self.not_the_usual(key)
        {
            return asked;
        }
        match self.backend.take_at_once(key, cost) {
            Some(Ok(())) => {
                self.count(Counted::Allowed);
                Asked::Done(Ok(()))
            }
            Some(Err(denied)) => self.denied_at_once(denied, cost, max_wait),
            None => Asked::NotYet(None),
        }
    }

    /// What becomes of a key that is listed, or that others wait for.
    #[cold]
    fn not_the_usual(&self, key: &str) -> Option<Asked> {
        if let Some(listed) = self.lists.get(key) {
            return Some(Asked::Done(self.pass_listed(listed)));
        }
        (!self.waiting.ahead(key).is_empty()).then_some(Asked::NotYet(None))
    }

    #[cold]
    fn denied_at_once(&self, denied: Denied, cost: u32, max_wait: Duration) -> Asked {
        if self.has_no_time(&denied, max_wait) {
            Asked::Done(self.refuse(denied, cost))
        } else {
            Asked::NotYet(Some(denied))
        }
    }

    /// Boxed: whoever has not to wait need not carry the place for it around.
    fn wait_for<'a>(
        &'a self,
        key: &'a str,
        cost: u32,
        max_wait: Duration,
        denied: Option<Denied>,
    ) -> Pin<Box<impl Future<Output = Result<(), RateLimitError>> + Send + use<'a>>> {
        Box::pin(self.ask_or_wait(self.own_key(key), cost, max_wait, denied))
    }

    /// Refuses what would overtake those that wait; nothing, if it is the store that is waited for.
    fn refuse_behind_others(&self, key: &str, cost: u32) -> Option<Result<(), RateLimitError>> {
        let key = self.own_key(key);
        match self.behind_others(key, cost) {
            Some(denied) => Some(self.refuse(denied, cost)),
            None => match self.backend.take_at_once(key, cost)? {
                Ok(()) => {
                    self.count(Counted::Allowed);
                    Some(Ok(()))
                }
                Err(denied) => Some(self.refuse(denied, cost)),
            },
        }
    }

    /// What all share is counted under one key, whatever the caller says.
    #[inline]
    fn own_key<'key>(&self, key: &'key str) -> &'key str {
        if self.unkeyed { "" } else { key }
    }

    pub(super) fn is_shadow(&self) -> bool {
        self.shadow.load(Ordering::Relaxed)
    }

    #[inline]
    pub(super) fn count(&self, what: Counted) {
        self.counters.count(what);
    }

    fn pass_listed(&self, listed: Listed) -> Result<(), RateLimitError> {
        match listed {
            Listed::Allowed => {
                self.count(Counted::AllowListed);
                Ok(())
            }
            Listed::Denied => {
                self.count(Counted::DenyListed);
                Err(self.deny_listed())
            }
        }
    }

    async fn decide(&self, key: &str, cost: u32, charge: bool) -> Result<Decision, RateLimitError> {
        if let Some(decided) = self.backend.decide_at_once(key, cost, charge) {
            return self.decided(decided, cost, charge);
        }
        // Boxed, as above.
        let decides = self.backend.decide(&self.name, key, cost, charge);
        let decided = Box::pin(decides).await;
        let decided = decided.map_err(|error| self.unavailable(error))?;
        self.decided(decided, cost, charge)
    }

    fn decided(
        &self,
        decided: Decided,
        cost: u32,
        charge: bool,
    ) -> Result<Decision, RateLimitError> {
        decided.or_else(|never| match (self.is_shadow(), charge) {
            (true, _) => Ok(Decision::never(cost)),
            (false, true) => Err(self.unsatisfiable(cost, never)),
            (false, false) => Err(self.never_fits(cost, never)),
        })
    }

    /// How long what would overtake those that wait had to wait, if there are any.
    fn behind_others(&self, key: &str, cost: u32) -> Option<Denied> {
        let ahead = self.waiting.ahead(key);
        if ahead.is_empty() {
            return None;
        }
        let denied = self.backend.behind(key, &ahead, cost).err()?;
        denied.wait.is_some().then_some(denied)
    }

    /// Counts a decision, and lets pass what is only watched.
    fn counted(&self, decision: Decision) -> Decision {
        if decision.is_allowed() {
            self.count(Counted::Allowed);
            return decision;
        }
        let limit = decision.tightest();
        let wait = decision.retry_after().unwrap_or_default();
        self.did_not_fit(limit.as_ref().map_or("", |limit| &**limit.name), wait);
        if self.is_shadow() {
            decision.shadowed()
        } else {
            decision
        }
    }

    /// Counts and tells what does not fit.
    pub(super) fn did_not_fit(&self, limit: &str, wait: Duration) {
        let shadow = self.is_shadow();
        let counted = if shadow {
            Counted::WouldDeny
        } else {
            Counted::Denied
        };
        self.count(counted);
        telemetry::rate_limited(&self.name, limit, wait, shadow);
    }

    fn deny_listed(&self) -> RateLimitError {
        RateLimitError::DenyListed {
            limiter: self.name.clone(),
        }
    }

    /// Counts what can never fit.
    pub(super) fn unsatisfiable(&self, cost: u32, never: Denied) -> RateLimitError {
        self.count(Counted::CostUnsatisfiable);
        self.never_fits(cost, never)
    }

    fn never_fits(&self, cost: u32, never: Denied) -> RateLimitError {
        RateLimitError::CostUnsatisfiable {
            limiter: self.name.clone(),
            limit: never.limit,
            cost,
            capacity: never.capacity,
        }
    }

    pub(super) fn unavailable(&self, source: super::StoreError) -> RateLimitError {
        self.count(Counted::StoreErrors);
        RateLimitError::Unavailable {
            limiter: self.name.clone(),
            source,
        }
    }

    fn invalid(
        &self,
        setting: &'static str,
        value: impl fmt::Display,
        reason: impl Into<String>,
    ) -> InvalidRateLimit {
        InvalidRateLimit {
            name: self.name.to_string(),
            problems: vec![InvalidSetting::new("rate_limit", setting, value, reason)],
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
