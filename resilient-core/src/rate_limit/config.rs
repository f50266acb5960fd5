//! The numbers of a rate limiter, as they are written and as they are checked.

mod limit;
#[cfg(test)]
mod tests;

use std::collections::HashSet;
use std::time::Duration;

pub use limit::{Algorithm, Limit, LimitSettings};

use crate::duration::{GivenDuration, IntoDuration};
use crate::invalid::{InvalidSetting, Problems};
use crate::name::Name;

/// Each limit is looked at in every decision, and told in headers.
const MOST_LIMITS: usize = 8;

const DEFAULT_MAX_WAITING: u32 = 100;
const DEFAULT_MAX_KEYS: u32 = 1_000_000;

/// How much each key may ask for: one limit, or several that all have to agree.
///
/// | part | default |
/// |---|---|
/// | limits | none: at least one must be written, at most 8 |
/// | who shares a count | every key has its own |
/// | `max_wait` | zero: what does not fit is refused at once |
/// | `max_waiting` | 100 that wait for one key |
/// | `max_keys` | 1 000 000 in memory |
/// | `shadow` | off: what does not fit is refused |
///
/// Setters never fail: what cannot work is reported by [`RateLimit::settings`], all at once, and so
/// by making a limiter.
///
/// ```
/// # use resilient_core as resilient;
/// use resilient::rate_limit::{Limit, RateLimit};
///
/// let api = RateLimit::named("api")
///     .limit(Limit::fixed("burst", 5, "1s"))
///     .limit(Limit::sliding_counter("hourly", 100, "1h"))
///     .max_wait("200ms");
/// assert!(api.settings().is_ok());
///
/// let wrong = RateLimit::named("a p i").limit(Limit::fixed("burst", 0, "0s"));
/// assert_eq!(wrong.settings().unwrap_err().len(), 3);
/// ```
#[derive(Clone, Debug)]
pub struct RateLimit {
    name: String,
    limits: Vec<Limit>,
    unkeyed: bool,
    max_wait: Option<GivenDuration>,
    max_waiting: Option<u32>,
    max_keys: Option<u32>,
    shadow: bool,
}

impl RateLimit {
    /// A limiter without a limit yet. Names have 1 to 128 letters, digits, `.`, `_` and `-`.
    #[must_use]
    pub fn named(name: impl Into<String>) -> Self {
        RateLimit {
            name: name.into(),
            limits: Vec::new(),
            unkeyed: false,
            max_wait: None,
            max_waiting: None,
            max_keys: None,
            shadow: false,
        }
    }

    /// Adds a limit. A request passes if it fits all of them, and then counts in all; one that does
    /// not fit counts in none.
    #[must_use]
    pub fn limit(mut self, limit: Limit) -> Self {
        self.limits.push(limit);
        self
    }

    /// One count for all keys: the key of a request is not looked at. With a single
    /// [`Limit::gcra`] in memory this is the fastest limiter there is, one exchange of one word.
    #[must_use]
    pub fn unkeyed(mut self) -> Self {
        self.unkeyed = true;
        self
    }

    /// How long [`RateLimiter::acquire`](super::RateLimiter::acquire) may wait for its turn; zero,
    /// which is the default, refuses at once.
    #[must_use]
    pub fn max_wait(mut self, time: impl IntoDuration) -> Self {
        self.max_wait = Some(time.into_duration());
        self
    }

    /// How many may wait for one key, 1 or more; default 100.
    #[must_use]
    pub fn max_waiting(mut self, requests: u32) -> Self {
        self.max_waiting = Some(requests);
        self
    }

    /// How many keys are remembered in memory, 1 or more; default 1 000 000.
    ///
    /// A key is forgotten once it has its whole quota again, so this counts the keys of about one
    /// window. When there are more, each new key takes the place of one that had used little;
    /// `evicted` in the snapshot counts those. As keys are spread over up to 64 tables there may be
    /// as many more. Stores outside of the process do not use this.
    #[must_use]
    pub fn max_keys(mut self, keys: u32) -> Self {
        self.max_keys = Some(keys);
        self
    }

    /// Whether what does not fit is only counted (`would_deny`) and let through: to try numbers on
    /// real traffic.
    #[must_use]
    pub fn shadow(mut self, on: bool) -> Self {
        self.shadow = on;
        self
    }

    /// The name as it was given.
    #[cfg(feature = "runtime")]
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// The checked numbers, defaults filled in.
    ///
    /// # Errors
    ///
    /// Everything that cannot work, at once: names that are none or are there twice, no limit or
    /// more than 8, quotas and bursts of 0, windows that are no duration, zero, no whole number of
    /// milliseconds or beyond ten years, and settings of another kind of limit.
    pub fn settings(&self) -> Result<RateLimitSettings, Vec<InvalidSetting>> {
        let mut problems = Problems::of("rate_limit");
        let name = problems.name("name", &self.name);
        let limits = self.limit_settings(&mut problems);
        let max_wait = problems.duration("max_wait", self.max_wait.as_ref(), Duration::ZERO);
        let max_waiting =
            problems.at_least_one("max_waiting", self.max_waiting, DEFAULT_MAX_WAITING);
        let max_keys = problems.at_least_one("max_keys", self.max_keys, DEFAULT_MAX_KEYS);
        match (name, limits) {
            (Some(name), Some(limits)) => problems.or(RateLimitSettings {
                name,
                limits,
                unkeyed: self.unkeyed,
                max_wait,
                max_waiting,
                max_keys,
                shadow: self.shadow,
            }),
            _ => Err(problems.into_found()),
        }
    }

    fn limit_settings(&self, problems: &mut Problems) -> Option<Vec<LimitSettings>> {
        if self.limits.is_empty() {
            problems.add("limit", 0, "write at least one limit");
        }
        if self.limits.len() > MOST_LIMITS {
            let reason = format!("write at most {MOST_LIMITS} limits");
            problems.add("limit", self.limits.len(), reason);
        }
        let settings: Vec<_> = self
            .limits
            .iter()
            .map(|limit| limit.settings(problems))
            .collect();
        let mut seen = HashSet::new();
        for limit in &self.limits {
            if !seen.insert(limit.name()) {
                let reason = "there are two limits of this name; give each its own";
                problems.add("limit", format_args!("{:?}", limit.name()), reason);
            }
        }
        settings.into_iter().collect()
    }
}

/// The numbers of a rate limiter after they were checked.
///
/// ```
/// # use resilient_core as resilient;
/// use resilient::rate_limit::{Limit, RateLimit};
///
/// let settings = RateLimit::named("api").limit(Limit::gcra("steady", 10, "1s")).settings()?;
/// assert_eq!(settings.max_keys, 1_000_000);
/// assert_eq!(&*settings.limits[0].name, "steady");
/// # Ok::<(), Vec<resilient::invalid::InvalidSetting>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RateLimitSettings {
    /// The limiter's name.
    pub name: Name,
    /// 1 to 8 limits of different names.
    pub limits: Vec<LimitSettings>,
    /// Whether all keys share one count.
    pub unkeyed: bool,
    /// How long a request may wait for its turn.
    pub max_wait: Duration,
    /// How many may wait for one key, 1 or more.
    pub max_waiting: u32,
    /// How many keys are remembered in memory, 1 or more.
    pub max_keys: u32,
    /// Whether what does not fit is let through and only counted.
    pub shadow: bool,
}
