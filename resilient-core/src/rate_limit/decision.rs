//! What a limiter says to a request.

use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::config::LimitSettings;
use super::engine::Charge;
use crate::name::Name;

/// What a limiter says to a request, with everything that headers need.
///
/// | header | from |
/// |---|---|
/// | `X-RateLimit-Limit`, `-Remaining` | [`quota`](LimitState::quota) and [`remaining`](LimitState::remaining) of the [`tightest`](Decision::tightest) limit |
/// | `X-RateLimit-Reset` | its [`reset_at`](LimitState::reset_at) |
/// | `RateLimit-Policy` | `quota` and [`window`](LimitState::window) of each limit |
/// | `RateLimit` | `remaining` and [`available_in`](LimitState::available_in) of each limit |
/// | `Retry-After` | [`retry_after_secs`](Decision::retry_after_secs) |
///
/// ```
/// # use resilient_core as resilient;
/// use resilient::rate_limit::{Limit, RateLimit, RateLimiter};
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let api = RateLimiter::in_memory(
///     RateLimit::named("api")
///         .limit(Limit::gcra("burst", 5, "1s"))
///         .limit(Limit::sliding_counter("hourly", 100, "1h")),
/// )?;
/// let decision = api.check("user-7", 5).await?;
/// assert!(decision.is_allowed());
/// assert_eq!(&**decision.tightest().unwrap().name, "burst");
///
/// let refused = api.check("user-7", 1).await?;
/// assert!(!refused.is_allowed());
/// assert_eq!(refused.retry_after_secs(), Some(1));
/// let violated: Vec<_> = refused.violated().map(|limit| &**limit.name).collect();
/// assert_eq!(violated, ["burst"]);
/// # Ok(()) }
/// ```
#[derive(Clone, Debug)]
pub struct Decision {
    limits: Arc<[LimitSettings]>,
    readings: Vec<Reading>,
    verdict: Verdict,
    cost: u32,
    at: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    Allowed,
    Shadowed,
    Refused,
}

/// What a store says about one limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reading {
    /// How much is left of the limit's capacity, after this request if it was allowed.
    pub remaining: u32,
    /// How long until all of it is left again, if nothing more is asked for.
    pub reset_after: Duration,
    /// How long until the request would fit this limit; zero, if it does or did.
    pub retry_after: Duration,
    /// Until when the request can be given back, on the store's own clock.
    pub refundable_until: u64,
}

/// One limit, as a request has left it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LimitState<'a> {
    /// The limit's name.
    pub name: &'a Name,
    /// The most that can be left: [`LimitSettings::capacity`].
    pub quota: u32,
    /// The time the quota is for: [`LimitSettings::refill_time`].
    pub window: Duration,
    /// How much is left, never more than `quota`.
    pub remaining: u32,
    /// How long until all of it is left again, if nothing more is asked for; zero if it is.
    pub reset_after: Duration,
    /// How long until the request would fit this limit; zero, if it does or did.
    pub retry_after: Duration,
}

impl LimitState<'_> {
    /// Whether the request did not fit this limit.
    #[must_use]
    pub fn is_violated(&self) -> bool {
        !self.retry_after.is_zero()
    }

    /// How long until more is available: for a request that did not fit, until it would; else until
    /// everything is. Never later than `Retry-After`.
    #[must_use]
    pub fn available_in(&self) -> Duration {
        if self.is_violated() {
            self.retry_after
        } else {
            self.reset_after
        }
    }

    /// The second since 1970 from which all of it is left again, rounded up; `now` is the wall
    /// clock of whoever reads it.
    ///
    /// ```
    /// # use resilient_core as resilient;
    /// use std::time::{Duration, UNIX_EPOCH};
    /// use resilient::rate_limit::{Limit, RateLimit, RateLimiter};
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let api = RateLimiter::in_memory(RateLimit::named("api").limit(Limit::gcra("slow", 1, "60s")))?;
    /// let decision = api.check("user-7", 1).await?;
    /// let now = UNIX_EPOCH + Duration::from_secs(1_000);
    /// assert_eq!(decision.tightest().unwrap().reset_at(now), 1_060);
    /// # Ok(()) }
    /// ```
    #[must_use]
    pub fn reset_at(&self, now: SystemTime) -> u64 {
        let now = now.duration_since(UNIX_EPOCH).unwrap_or_default();
        whole_secs(now.saturating_add(self.reset_after))
    }
}

impl Decision {
    /// For stores: what they found, in the order of `limits`.
    ///
    /// `at` is when it was decided, on the store's own clock.
    #[must_use]
    pub fn new(
        limits: Arc<[LimitSettings]>,
        readings: Vec<Reading>,
        allowed: bool,
        cost: u32,
        at: u64,
    ) -> Self {
        Decision {
            limits,
            readings,
            verdict: if allowed {
                Verdict::Allowed
            } else {
                Verdict::Refused
            },
            cost,
            at,
        }
    }

    /// No limit applies.
    pub(super) fn unlimited(cost: u32) -> Self {
        Decision::new(Arc::new([]), Vec::new(), true, cost, 0)
    }

    /// It fits no limit, ever.
    pub(super) fn never(cost: u32) -> Self {
        Decision::new(Arc::new([]), Vec::new(), false, cost, 0)
    }

    /// The same for somebody who would overtake others: it fits `limit` after so long.
    pub(super) fn refused(mut self, limit: &Name, wait: Duration) -> Self {
        self.verdict = Verdict::Refused;
        let both = self.limits.iter().zip(&mut self.readings);
        for (own, reading) in both {
            if own.name == *limit {
                reading.retry_after = reading.retry_after.max(wait);
            }
        }
        self
    }

    /// The same in shadow mode: nothing is refused.
    pub(super) fn shadowed(mut self) -> Self {
        if self.verdict == Verdict::Refused {
            self.verdict = Verdict::Shadowed;
        }
        self
    }

    /// Whether the request may go on.
    #[must_use]
    pub fn is_allowed(&self) -> bool {
        self.verdict != Verdict::Refused
    }

    /// Whether the request goes on only because the limiter is in shadow mode.
    #[must_use]
    pub fn would_be_denied(&self) -> bool {
        self.verdict == Verdict::Shadowed
    }

    /// What was asked for.
    #[must_use]
    pub fn cost(&self) -> u32 {
        self.cost
    }

    /// When it was decided, on the store's own clock: for stores that give something back.
    #[must_use]
    pub fn decided_at(&self) -> u64 {
        self.at
    }

    /// Every limit that was asked, in the order in which they were written; none for a key that is
    /// always let through.
    pub fn limits(&self) -> impl Iterator<Item = LimitState<'_>> {
        let both = self.limits.iter().zip(&self.readings);
        both.map(|(limit, reading)| LimitState {
            name: &limit.name,
            quota: limit.capacity(),
            window: limit.refill_time(),
            remaining: reading.remaining.min(limit.capacity()),
            reset_after: reading.reset_after,
            retry_after: reading.retry_after,
        })
    }

    /// The limits that the request did not fit.
    pub fn violated(&self) -> impl Iterator<Item = LimitState<'_>> {
        self.limits().filter(LimitState::is_violated)
    }

    /// The limit to show where only one can be: the one that keeps the request out for longest, or
    /// else the one of which least is left, and of several such the one that takes longest to reset.
    #[must_use]
    pub fn tightest(&self) -> Option<LimitState<'_>> {
        self.limits().max_by_key(|limit| {
            let left = std::cmp::Reverse(limit.remaining);
            (limit.retry_after, left, limit.reset_after)
        })
    }

    /// How long until the request would fit every limit, if nothing else is asked for; `None`, if it
    /// does or did.
    #[must_use]
    pub fn retry_after(&self) -> Option<Duration> {
        self.violated().map(|limit| limit.retry_after).max()
    }

    /// [`retry_after`](Decision::retry_after) in whole seconds, rounded up and so never 0: who waits
    /// for so long fits.
    #[must_use]
    pub fn retry_after_secs(&self) -> Option<u64> {
        self.retry_after().map(whole_secs)
    }

    /// Whether the request took anything of any limit.
    pub(super) fn took_something(&self) -> bool {
        self.verdict == Verdict::Allowed && self.cost > 0
    }

    /// What the request took of a limit, if it took anything.
    pub(super) fn charge_of(&self, limit: &LimitSettings) -> Option<Charge> {
        if !self.took_something() {
            return None;
        }
        let place = self.limits.iter().position(|own| own.name == limit.name)?;
        Some(Charge {
            cost: self.cost,
            at: self.at,
            until: self.readings.get(place)?.refundable_until,
        })
    }
}

/// Rounded up: whoever waits that long must not be early.
fn whole_secs(time: Duration) -> u64 {
    let more = u64::from(time.subsec_nanos() > 0);
    time.as_secs().saturating_add(more)
}
