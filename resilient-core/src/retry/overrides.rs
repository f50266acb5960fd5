//! What one annotated function changes in a retry policy.

use std::time::Duration;

use super::config::{RetrySettings, is_valid_factor};
use super::jitter::Jitter;

/// The fields that `retry(..)` at one function sets, merged over its dependency's.
///
/// Its builder functions are `const`, so that a site is a `static` and a wrong constant is a
/// compile error there.
///
/// ```
/// # use resilient_core as resilient;
/// use resilient::retry::{Jitter, RetryOverrides, RetrySettings};
///
/// static SITE: RetryOverrides = RetryOverrides::new().max(4).jitter(Jitter::None);
///
/// let merged = SITE.over(RetrySettings::default());
/// assert_eq!((merged.max, merged.jitter), (4, Jitter::None));
/// assert_eq!(merged.base, RetrySettings::default().base);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[must_use]
pub struct RetryOverrides {
    /// Attempts in all, the first one included.
    pub max: Option<u32>,
    /// The wait before the first retry, before jitter.
    pub base: Option<Duration>,
    /// The longest wait, jitter included.
    pub cap: Option<Duration>,
    /// What each wait is multiplied by to make the next.
    pub factor: Option<f64>,
    /// How chance spreads the waits.
    pub jitter: Option<Jitter>,
    /// The longest wait the dependency may ask for.
    pub retry_after_cap: Option<Duration>,
}

impl RetryOverrides {
    /// Nothing changed.
    ///
    /// ```
    /// # use resilient_core as resilient;
    /// use resilient::retry::{RetryOverrides, RetrySettings};
    ///
    /// let settings = RetrySettings::default();
    /// assert_eq!(RetryOverrides::new().over(settings), settings);
    /// ```
    pub const fn new() -> Self {
        RetryOverrides {
            max: None,
            base: None,
            cap: None,
            factor: None,
            jitter: None,
            retry_after_cap: None,
        }
    }

    /// Attempts in all, the first one included.
    ///
    /// # Panics
    ///
    /// With zero; a compile error in a `static` or `const`.
    ///
    /// ```
    /// # use resilient_core as resilient;
    /// use resilient::retry::RetryOverrides;
    ///
    /// assert_eq!(RetryOverrides::new().max(4).max, Some(4));
    /// ```
    pub const fn max(mut self, max: u32) -> Self {
        assert!(max >= 1, "`max` counts the first attempt: write 1 or more");
        self.max = Some(max);
        self
    }

    /// The wait before the first retry, before jitter.
    ///
    /// ```
    /// # use resilient_core as resilient;
    /// use resilient::retry::RetryOverrides;
    /// use std::time::Duration;
    ///
    /// const BASE: Duration = Duration::from_millis(50);
    /// assert_eq!(RetryOverrides::new().base(BASE).base, Some(BASE));
    /// ```
    pub const fn base(mut self, base: Duration) -> Self {
        self.base = Some(base);
        self
    }

    /// The longest wait, jitter included.
    ///
    /// ```
    /// # use resilient_core as resilient;
    /// use resilient::retry::RetryOverrides;
    /// use std::time::Duration;
    ///
    /// const CAP: Duration = Duration::from_secs(1);
    /// assert_eq!(RetryOverrides::new().cap(CAP).cap, Some(CAP));
    /// ```
    pub const fn cap(mut self, cap: Duration) -> Self {
        self.cap = Some(cap);
        self
    }

    /// What each wait is multiplied by to make the next.
    ///
    /// # Panics
    ///
    /// Outside 1 to 1000; a compile error in a `static` or `const`.
    ///
    /// ```
    /// # use resilient_core as resilient;
    /// use resilient::retry::RetryOverrides;
    ///
    /// assert_eq!(RetryOverrides::new().factor(1.5).factor, Some(1.5));
    /// ```
    pub const fn factor(mut self, factor: f64) -> Self {
        assert!(
            is_valid_factor(factor),
            "`factor` multiplies each wait: write a number from 1 to 1000"
        );
        self.factor = Some(factor);
        self
    }

    /// How chance spreads the waits.
    ///
    /// ```
    /// # use resilient_core as resilient;
    /// use resilient::retry::{Jitter, RetryOverrides};
    ///
    /// assert_eq!(RetryOverrides::new().jitter(Jitter::Equal).jitter, Some(Jitter::Equal));
    /// ```
    pub const fn jitter(mut self, jitter: Jitter) -> Self {
        self.jitter = Some(jitter);
        self
    }

    /// The longest wait the dependency may ask for.
    ///
    /// ```
    /// # use resilient_core as resilient;
    /// use resilient::retry::RetryOverrides;
    /// use std::time::Duration;
    ///
    /// const CAP: Duration = Duration::from_secs(10);
    /// assert_eq!(RetryOverrides::new().retry_after_cap(CAP).retry_after_cap, Some(CAP));
    /// ```
    pub const fn retry_after_cap(mut self, cap: Duration) -> Self {
        self.retry_after_cap = Some(cap);
        self
    }

    /// Whether the field of this name is set here.
    #[cfg(feature = "runtime")]
    pub(crate) fn sets(self, field: &str) -> bool {
        match field {
            "max" => self.max.is_some(),
            "base" => self.base.is_some(),
            "cap" => self.cap.is_some(),
            "factor" => self.factor.is_some(),
            "jitter" => self.jitter.is_some(),
            "retry_after_cap" => self.retry_after_cap.is_some(),
            _ => false,
        }
    }

    /// `settings` with the fields set here instead of its own.
    ///
    /// ```
    /// # use resilient_core as resilient;
    /// use resilient::retry::{RetryOverrides, RetrySettings};
    ///
    /// assert_eq!(RetryOverrides::new().max(7).over(RetrySettings::default()).max, 7);
    /// ```
    pub fn over(self, settings: RetrySettings) -> RetrySettings {
        RetrySettings {
            max: self.max.unwrap_or(settings.max),
            base: self.base.unwrap_or(settings.base),
            cap: self.cap.unwrap_or(settings.cap),
            factor: self.factor.unwrap_or(settings.factor),
            jitter: self.jitter.unwrap_or(settings.jitter),
            retry_after_cap: self.retry_after_cap.or(settings.retry_after_cap),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_field_wins_over_the_settings_alone() {
        let settings = RetrySettings::default();
        let second = Duration::from_secs(1);
        let new = RetryOverrides::new();
        for (overrides, expected) in [
            (new, settings),
            (new.max(9), RetrySettings { max: 9, ..settings }),
            (
                new.base(second),
                RetrySettings {
                    base: second,
                    ..settings
                },
            ),
            (
                new.cap(second),
                RetrySettings {
                    cap: second,
                    ..settings
                },
            ),
            (
                new.factor(3.0),
                RetrySettings {
                    factor: 3.0,
                    ..settings
                },
            ),
            (
                new.jitter(Jitter::Equal),
                RetrySettings {
                    jitter: Jitter::Equal,
                    ..settings
                },
            ),
            (
                new.retry_after_cap(second),
                RetrySettings {
                    retry_after_cap: Some(second),
                    ..settings
                },
            ),
        ] {
            assert_eq!(overrides.over(settings), expected, "{overrides:?}");
        }
    }
}
