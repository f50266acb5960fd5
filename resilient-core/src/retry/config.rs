//! The numbers of a retry policy, as given and as checked.

use std::time::Duration;

use super::jitter::Jitter;
use crate::duration::{GivenDuration, IntoDuration};
use crate::invalid::{InvalidSetting, Problems};

/// Beyond this every cap is reached in one step or two.
const LARGEST_FACTOR: f64 = 1000.0;

/// A retry policy. What is not set takes the default of [`RetrySettings`].
///
/// Setters never fail: what cannot work is reported when the policy is registered, all at once.
///
/// ```
/// # use resilient_core as resilient;
/// use resilient::retry::{Jitter, Retry};
/// use std::time::Duration;
///
/// let retry = Retry::max(4).base("100ms").cap("20s").jitter(Jitter::Equal);
/// assert_eq!(retry.settings().unwrap().base, Duration::from_millis(100));
///
/// let wrong = Retry::max(0).base("100").factor(0.5).settings().unwrap_err();
/// assert_eq!(wrong.len(), 3);
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
#[must_use]
#[expect(
    clippy::struct_field_names,
    reason = "`Retry-After` is the name of the header"
)]
pub struct Retry {
    max: Option<u32>,
    base: Option<GivenDuration>,
    cap: Option<GivenDuration>,
    factor: Option<f64>,
    jitter: Option<Jitter>,
    retry_after_cap: Option<GivenDuration>,
}

impl Retry {
    /// At most `max` attempts, the first one included; 1 or more.
    ///
    /// ```
    /// # use resilient_core as resilient;
    /// use resilient::retry::Retry;
    ///
    /// assert_eq!(Retry::max(4).settings().unwrap().max, 4);
    /// ```
    pub fn max(max: u32) -> Self {
        Retry {
            max: Some(max),
            ..Retry::default()
        }
    }

    /// One attempt and no retry.
    ///
    /// ```
    /// # use resilient_core as resilient;
    /// use resilient::retry::Retry;
    ///
    /// assert_eq!(Retry::never().settings().unwrap().max, 1);
    /// ```
    pub fn never() -> Self {
        Retry::max(1)
    }

    /// The wait before the first retry, before jitter. `"0s"` means no waiting at all between
    /// attempts, not even a timer's tick.
    ///
    /// ```
    /// # use resilient_core as resilient;
    /// use resilient::retry::Retry;
    /// use std::time::Duration;
    ///
    /// let settings = Retry::max(3).base("50ms").settings().unwrap();
    /// assert_eq!(settings.base, Duration::from_millis(50));
    /// ```
    pub fn base(mut self, base: impl IntoDuration) -> Self {
        self.base = Some(base.into_duration());
        self
    }

    /// The longest wait, jitter included; not shorter than the base. Waits that the dependency
    /// asks for are bounded by [`retry_after_cap`](Retry::retry_after_cap) instead.
    ///
    /// ```
    /// # use resilient_core as resilient;
    /// use resilient::retry::Retry;
    /// use std::time::Duration;
    ///
    /// let settings = Retry::max(3).cap("1m").settings().unwrap();
    /// assert_eq!(settings.cap, Duration::from_secs(60));
    /// ```
    pub fn cap(mut self, cap: impl IntoDuration) -> Self {
        self.cap = Some(cap.into_duration());
        self
    }

    /// What each wait is multiplied by to make the next: 1 (always the same) to 1000.
    ///
    /// ```
    /// # use resilient_core as resilient;
    /// use resilient::retry::Retry;
    ///
    /// assert_eq!(Retry::max(3).factor(1.5).settings().unwrap().factor, 1.5);
    /// assert!(Retry::max(3).factor(f64::NAN).settings().is_err());
    /// ```
    pub fn factor(mut self, factor: f64) -> Self {
        self.factor = Some(factor);
        self
    }

    /// How chance spreads the waits.
    ///
    /// ```
    /// # use resilient_core as resilient;
    /// use resilient::retry::{Jitter, Retry};
    ///
    /// let settings = Retry::max(3).jitter(Jitter::None).settings().unwrap();
    /// assert_eq!(settings.jitter, Jitter::None);
    /// ```
    pub fn jitter(mut self, jitter: Jitter) -> Self {
        self.jitter = Some(jitter);
        self
    }

    /// The longest wait the dependency may ask for (`Retry-After`); when it asks for more the
    /// call ends at once with its answer. Not set: what is left of the deadline, and 60 s
    /// without one.
    ///
    /// ```
    /// # use resilient_core as resilient;
    /// use resilient::retry::Retry;
    /// use std::time::Duration;
    ///
    /// let settings = Retry::max(3).retry_after_cap("10s").settings().unwrap();
    /// assert_eq!(settings.retry_after_cap, Some(Duration::from_secs(10)));
    /// ```
    pub fn retry_after_cap(mut self, cap: impl IntoDuration) -> Self {
        self.retry_after_cap = Some(cap.into_duration());
        self
    }

    /// The checked numbers, defaults filled in.
    ///
    /// # Errors
    ///
    /// Everything that cannot work, not only the first.
    ///
    /// ```
    /// # use resilient_core as resilient;
    /// use resilient::retry::{Retry, RetrySettings};
    ///
    /// assert_eq!(Retry::default().settings(), Ok(RetrySettings::default()));
    /// let wrong = Retry::max(3).cap("20").settings().unwrap_err();
    /// assert_eq!(wrong[0].to_string(), "retry.cap = 20: `20` has no unit: write `20s` or `20ms`");
    /// ```
    pub fn settings(&self) -> Result<RetrySettings, Vec<InvalidSetting>> {
        let defaults = RetrySettings::default();
        let mut problems = Problems::of("retry");
        let mut settings = RetrySettings {
            max: self.max.unwrap_or(defaults.max),
            base: problems.duration("base", self.base.as_ref(), defaults.base),
            cap: problems.duration("cap", self.cap.as_ref(), defaults.cap),
            factor: self.factor.unwrap_or(defaults.factor),
            jitter: self.jitter.unwrap_or(defaults.jitter),
            retry_after_cap: self
                .retry_after_cap
                .as_ref()
                .map(|given| problems.duration("retry_after_cap", Some(given), Duration::ZERO)),
        };
        if settings.max == 0 {
            problems.add("max", 0, "the first attempt counts: write 1 or more");
        }
        if !is_valid_factor(settings.factor) {
            problems.add(
                "factor",
                settings.factor,
                format!("write a number from 1 to {LARGEST_FACTOR}"),
            );
        }
        if settings.cap < settings.base {
            match (&self.base, &self.cap) {
                (Some(_), None) => settings.cap = settings.base,
                (None, Some(_)) => settings.base = settings.cap,
                _ => problems.add(
                    "cap",
                    format_args!("{:?}", settings.cap),
                    format!(
                        "is shorter than the base ({:?}): raise it or lower the base",
                        settings.base
                    ),
                ),
            }
        }
        problems.or(settings)
    }
}

/// Whether a number can be a [`Retry::factor`].
pub(super) const fn is_valid_factor(factor: f64) -> bool {
    // NaN is in no range.
    factor >= 1.0 && factor <= LARGEST_FACTOR
}

/// The checked numbers of a retry policy.
///
/// The default makes 3 attempts with waits of 600 ms doubling up to 5 s, equal jitter: long
/// enough to outlast the restart of a server, see `docs/storm.md`.
///
/// ```
/// # use resilient_core as resilient;
/// use resilient::retry::RetrySettings;
/// use std::time::Duration;
///
/// let settings = RetrySettings::default();
/// assert_eq!((settings.max, settings.cap), (3, Duration::from_secs(5)));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RetrySettings {
    /// Attempts in all, the first one included.
    pub max: u32,
    /// The wait before the first retry, before jitter.
    pub base: Duration,
    /// The longest wait, jitter included.
    pub cap: Duration,
    /// What each wait is multiplied by to make the next.
    pub factor: f64,
    /// How chance spreads the waits.
    pub jitter: Jitter,
    /// The longest wait the dependency may ask for; `None` is what is left of the deadline, and
    /// 60 s without one.
    pub retry_after_cap: Option<Duration>,
}

impl Default for RetrySettings {
    fn default() -> Self {
        RetrySettings {
            max: 3,
            base: Duration::from_millis(600),
            cap: Duration::from_secs(5),
            factor: 2.0,
            jitter: Jitter::Equal,
            retry_after_cap: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_set_is_the_default() {
        assert_eq!(Retry::default().settings(), Ok(RetrySettings::default()));
    }

    #[test]
    fn every_setter_sets() {
        let settings = Retry::max(4)
            .base("100ms")
            .cap(Duration::from_secs(20))
            .factor(3.0)
            .jitter(Jitter::Decorrelated)
            .retry_after_cap(String::from("1m"))
            .settings();
        let expected = RetrySettings {
            max: 4,
            base: Duration::from_millis(100),
            cap: Duration::from_secs(20),
            factor: 3.0,
            jitter: Jitter::Decorrelated,
            retry_after_cap: Some(Duration::from_secs(60)),
        };
        assert_eq!(settings, Ok(expected));
    }

    #[test]
    fn extreme_numbers_that_work() {
        for retry in [
            Retry::max(1),
            Retry::max(u32::MAX),
            Retry::max(3).base("0s"),
            Retry::max(3).cap("0s"),
            Retry::max(3).base(Duration::MAX).cap(Duration::MAX),
            Retry::max(3).base("10s"),
            Retry::max(3).factor(1.0),
            Retry::max(3).factor(1000.0),
            Retry::max(3).retry_after_cap("0s"),
        ] {
            assert!(retry.settings().is_ok(), "{retry:?}");
        }
    }

    #[test]
    fn a_default_gives_way_to_what_was_given() {
        let long = Retry::max(3).base("10s").settings().expect("it works");
        assert_eq!(long.cap, Duration::from_secs(10));
        let short = Retry::max(3).cap("50ms").settings().expect("it works");
        assert_eq!(short.base, Duration::from_millis(50));
    }

    // case D04, F01
    #[test]
    fn numbers_that_cannot_work() {
        let base = Retry::max(3);
        for (retry, setting) in [
            (Retry::max(0), "max"),
            (base.clone().base(""), "base"),
            (base.clone().base("100"), "base"),
            (base.clone().cap("-1s"), "cap"),
            (base.clone().base("10s").cap("1s"), "cap"),
            (base.clone().retry_after_cap("1 parsec"), "retry_after_cap"),
            (base.clone().factor(f64::NAN), "factor"),
            (base.clone().factor(f64::INFINITY), "factor"),
            (base.clone().factor(f64::NEG_INFINITY), "factor"),
            (base.clone().factor(0.0), "factor"),
            (base.clone().factor(0.5), "factor"),
            (base.clone().factor(-2.0), "factor"),
            (base.clone().factor(1e308), "factor"),
        ] {
            let problems = retry.settings().expect_err("a number cannot work");
            let named: Vec<_> = problems.iter().map(|problem| problem.setting).collect();
            assert_eq!(named, [setting], "{retry:?}");
            assert_eq!(problems[0].policy, "retry");
        }
    }

    #[test]
    fn all_problems_are_reported_at_once() {
        let problems = Retry::max(0)
            .base("soon")
            .cap("5")
            .factor(0.0)
            .retry_after_cap("later")
            .settings()
            .expect_err("nothing works");
        assert_eq!(problems.len(), 5, "{problems:?}");
    }
}
