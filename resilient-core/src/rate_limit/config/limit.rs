//! One limit.

use std::time::Duration;

use crate::duration::{GivenDuration, IntoDuration};
use crate::invalid::Problems;
use crate::name::Name;

/// Times are counted in nanoseconds since 1970 in 64 bits; this leaves room for the longest wait.
const MOST_WINDOW: Duration = Duration::from_secs(3_650 * 86_400);

/// The longest time in which a burst may come back.
const MOST_REFILL: Duration = Duration::from_secs(36_500 * 86_400);

/// A log keeps 16 bytes for each request of a key.
const MOST_LOGGED: u32 = 100_000;

/// GCRA rounds the time between two requests up to whole nanoseconds; from here on that is less
/// than a thousandth.
const LEAST_INTERVAL_NANOS: u128 = 1_000;

/// So much in so long, and how that is counted.
///
/// | kind | counts | a key costs | at the edge of a window |
/// |---|---|---|---|
/// | [`fixed`](Limit::fixed) | one number per window | 16 bytes | twice the quota can pass within moments |
/// | [`sliding_counter`](Limit::sliding_counter) | two windows, the older one in proportion | 16 bytes | the quota, as far as requests came evenly |
/// | [`sliding_log`](Limit::sliding_log) | every request | 16 bytes for each | exactly the quota, in any window |
/// | [`token_bucket`](Limit::token_bucket) | tokens that come back evenly, exactly | 16 bytes | no edges: `burst`, and then evenly |
/// | [`gcra`](Limit::gcra) | the same in one word | 16 bytes | no edges: `burst`, and then evenly |
///
/// ```
/// # use resilient_core as resilient;
/// use resilient::rate_limit::{Limit, RateLimit};
///
/// let limit = Limit::gcra("steady", 30, "60s").burst(16);
/// assert!(RateLimit::named("api").limit(limit).settings().is_ok());
/// ```
#[derive(Clone, Debug)]
pub struct Limit {
    name: String,
    algorithm: Algorithm,
    quota: u32,
    window: GivenDuration,
    burst: Option<u32>,
}

/// How a limit counts; see the table at [`Limit`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Algorithm {
    /// See [`Limit::fixed`].
    Fixed,
    /// See [`Limit::sliding_counter`].
    SlidingCounter,
    /// See [`Limit::sliding_log`].
    SlidingLog,
    /// See [`Limit::token_bucket`].
    TokenBucket,
    /// See [`Limit::gcra`].
    Gcra,
}

impl Algorithm {
    /// A word for it: `fixed`, `sliding_counter`, `sliding_log`, `token_bucket` or `gcra`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Algorithm::Fixed => "fixed",
            Algorithm::SlidingCounter => "sliding_counter",
            Algorithm::SlidingLog => "sliding_log",
            Algorithm::TokenBucket => "token_bucket",
            Algorithm::Gcra => "gcra",
        }
    }

    const fn is_bucket(self) -> bool {
        matches!(self, Algorithm::TokenBucket | Algorithm::Gcra)
    }
}

impl Limit {
    /// At most `quota` in each window. Windows lie end to end from the start of 1970 (UTC), so
    /// that all processes agree on them without talking to each other.
    ///
    /// The cheapest to explain. Twice the quota can pass in a short time around the edge of two
    /// windows: the last moments of one and the first of the next. Where that matters take one of
    /// the others.
    #[must_use]
    pub fn fixed(name: impl Into<String>, quota: u32, window: impl IntoDuration) -> Self {
        Limit::of(Algorithm::Fixed, name, quota, window)
    }

    /// At most `quota` in the last `window`, as far as two counts can tell: what was counted in the
    /// window before, in proportion to how much of it lies within the last `window`, and what was
    /// counted in this one. Computed exactly, never rounded.
    #[must_use]
    pub fn sliding_counter(name: impl Into<String>, quota: u32, window: impl IntoDuration) -> Self {
        Limit::of(Algorithm::SlidingCounter, name, quota, window)
    }

    /// At most `quota` in any `window`, exactly. Remembers when each request came, so `quota` is
    /// 100 000 at the most.
    #[must_use]
    pub fn sliding_log(name: impl Into<String>, quota: u32, window: impl IntoDuration) -> Self {
        Limit::of(Algorithm::SlidingLog, name, quota, window)
    }

    /// A bucket of [`burst`](Limit::burst) tokens that starts full; `quota` tokens come back in
    /// each `window`, evenly, and a request takes as many as it costs. Exact for any numbers.
    #[must_use]
    pub fn token_bucket(name: impl Into<String>, quota: u32, window: impl IntoDuration) -> Self {
        Limit::of(Algorithm::TokenBucket, name, quota, window)
    }

    /// The same bucket by the generic cell rate algorithm (ITU-T I.371): all that is kept is when
    /// it will be full again. The time in which one token comes back is rounded up to whole
    /// nanoseconds and must be a microsecond or more.
    #[must_use]
    pub fn gcra(name: impl Into<String>, quota: u32, window: impl IntoDuration) -> Self {
        Limit::of(Algorithm::Gcra, name, quota, window)
    }

    fn of(
        algorithm: Algorithm,
        name: impl Into<String>,
        quota: u32,
        window: impl IntoDuration,
    ) -> Self {
        Limit {
            name: name.into(),
            algorithm,
            quota,
            window: window.into_duration(),
            burst: None,
        }
    }

    /// For [`Limit::token_bucket`] and [`Limit::gcra`]: how much may be asked for at once after a
    /// rest, 1 or more; default the quota. (What others call `max_burst` or extra burst does not
    /// count the first request: it is one less.)
    #[must_use]
    pub fn burst(mut self, burst: u32) -> Self {
        self.burst = Some(burst);
        self
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// The checked numbers; nothing, if its name is none.
    pub(super) fn settings(&self, problems: &mut Problems) -> Option<LimitSettings> {
        let before = problems.len();
        let name = problems.name("limit", &self.name);
        let quota = problems.at_least_one("quota", Some(self.quota), 1);
        let window = self.check_window(problems);
        let burst = self.check_burst(problems);
        if problems.len() == before {
            self.check_rate(problems, window, burst);
        }
        Some(LimitSettings {
            name: name?,
            algorithm: self.algorithm,
            quota,
            window,
            burst,
        })
    }

    fn check_window(&self, problems: &mut Problems) -> Duration {
        let window = problems.time("window", Some(&self.window), Duration::from_secs(1));
        if window > MOST_WINDOW {
            problems.add("window", &self.window, "write ten years or less");
        } else if !window.subsec_nanos().is_multiple_of(1_000_000) {
            let reason = "write whole milliseconds, which every store can count";
            problems.add("window", &self.window, reason);
        }
        window
    }

    fn check_burst(&self, problems: &mut Problems) -> u32 {
        match self.burst {
            None => self.quota,
            Some(burst) if self.algorithm.is_bucket() => {
                problems.at_least_one("burst", Some(burst), 1)
            }
            Some(burst) => {
                let reason = format!(
                    "`Limit::{}` has no such setting; leave it out, or write `Limit::gcra`",
                    self.algorithm.as_str()
                );
                problems.add("burst", burst, reason);
                burst
            }
        }
    }

    /// What only the numbers together show.
    fn check_rate(&self, problems: &mut Problems, window: Duration, burst: u32) {
        let interval = window.as_nanos() / u128::from(self.quota.max(1));
        if self.algorithm == Algorithm::Gcra && interval < LEAST_INTERVAL_NANOS {
            let reason = "more than one in a microsecond: write `Limit::token_bucket`, which is \
                          exact for any rate";
            problems.add("quota", self.quota, reason);
        }
        if self.algorithm.is_bucket()
            && interval.saturating_mul(u128::from(burst)) > MOST_REFILL.as_nanos()
        {
            let reason = "would need more than a hundred years to come back; write a smaller one";
            problems.add("burst", burst, reason);
        }
        if self.algorithm == Algorithm::SlidingLog && self.quota > MOST_LOGGED {
            let reason = format!(
                "each request of each key would be remembered: write {MOST_LOGGED} or less, or \
                 `Limit::sliding_counter`"
            );
            problems.add("quota", self.quota, reason);
        }
    }
}

/// The numbers of one limit after they were checked.
///
/// ```
/// # use resilient_core as resilient;
/// use resilient::rate_limit::{Limit, RateLimit};
/// use std::time::Duration;
///
/// let settings = RateLimit::named("api").limit(Limit::gcra("steady", 10, "1s").burst(3)).settings()?;
/// assert_eq!(settings.limits[0].capacity(), 3);
/// assert_eq!(settings.limits[0].refill_time(), Duration::from_millis(300));
/// # Ok::<(), Vec<resilient::invalid::InvalidSetting>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LimitSettings {
    /// Its name, for headers and messages.
    pub name: Name,
    /// How it counts.
    pub algorithm: Algorithm,
    /// How much is allowed in each `window`, 1 or more.
    pub quota: u32,
    /// The window, whole milliseconds.
    pub window: Duration,
    /// How much may be asked for at once after a rest, 1 or more; the quota, of a limit that knows
    /// no bursts.
    pub burst: u32,
}

impl LimitSettings {
    /// The most that one request can cost: more never fits.
    #[must_use]
    pub const fn capacity(&self) -> u32 {
        if self.algorithm.is_bucket() {
            self.burst
        } else {
            self.quota
        }
    }

    /// The time in which all of [`capacity`](LimitSettings::capacity) is allowed once: the window,
    /// or for a bucket with a `burst` of its own the time in which that comes back.
    ///
    /// Capacity and this time together are what the limit promises, as in the header
    /// `RateLimit-Policy: "name";q=<capacity>;w=<this>`.
    #[must_use]
    pub fn refill_time(&self) -> Duration {
        if self.capacity() == self.quota {
            return self.window;
        }
        let nanos = self
            .window
            .as_nanos()
            .saturating_mul(u128::from(self.capacity()))
            .div_ceil(u128::from(self.quota.max(1)));
        Duration::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX))
    }
}
