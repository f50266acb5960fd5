//! The numbers of a hedge, as given and as checked.

use std::time::Duration;

use crate::duration::{GivenDuration, IntoDuration};
use crate::invalid::{InvalidSetting, Problems};

/// When an attempt is slow enough for another copy, and how many there may be.
///
/// Registered with a dependency, these are the numbers of every `hedge` at a call site that does
/// not say its own; a site without `hedge` makes no copies.
///
/// ```
/// # use resilient_core as resilient;
/// use resilient::hedge::Hedge;
///
/// assert_eq!(Hedge::after("50ms").max(3).settings().unwrap().max, 3);
/// assert_eq!(Hedge::after("50").max(1).settings().unwrap_err().len(), 2);
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
#[must_use]
pub struct Hedge {
    after: Option<GivenDuration>,
    quantile: Option<f64>,
    floor: Option<GivenDuration>,
    max: Option<u32>,
}

impl Hedge {
    /// Another copy each time so much has passed: zero starts all copies at once, as soon as the
    /// first is not ready by itself.
    ///
    /// ```
    /// # use resilient_core as resilient;
    /// use resilient::hedge::{Hedge, HedgeAfter};
    /// use std::time::Duration;
    ///
    /// let settings = Hedge::after("50ms").settings().unwrap();
    /// assert_eq!(settings.after, HedgeAfter::Fixed(Duration::from_millis(50)));
    /// ```
    pub fn after(after: impl IntoDuration) -> Self {
        Hedge {
            after: Some(after.into_duration()),
            ..Hedge::default()
        }
    }

    /// Another copy once the attempt takes longer than this share of the recent successful ones:
    /// between 0 and 1, say 0.95.
    ///
    /// Each call site looks at its own last 128 successes, and makes no copies before it has seen
    /// 20. An attempt that lost against its copy counts with the time it had run by then, since
    /// otherwise the hedges would make the quantile, and so themselves, ever earlier.
    ///
    /// ```
    /// # use resilient_core as resilient;
    /// use resilient::hedge::Hedge;
    ///
    /// assert!(Hedge::after_quantile(0.99).settings().is_ok());
    /// assert!(Hedge::after_quantile(99.0).settings().is_err());
    /// ```
    pub fn after_quantile(quantile: f64) -> Self {
        Hedge {
            quantile: Some(quantile),
            ..Hedge::default()
        }
    }

    /// The shortest time before a copy, however fast the recent attempts were: default 10 ms. Of
    /// no effect on a fixed time.
    ///
    /// ```
    /// # use resilient_core as resilient;
    /// use resilient::hedge::{Hedge, HedgeAfter};
    /// use std::time::Duration;
    ///
    /// let settings = Hedge::after_quantile(0.9).floor("2ms").settings().unwrap();
    /// let floor = Duration::from_millis(2);
    /// assert_eq!(settings.after, HedgeAfter::Quantile { quantile: 0.9, floor });
    /// ```
    pub fn floor(mut self, floor: impl IntoDuration) -> Self {
        self.floor = Some(floor.into_duration());
        self
    }

    /// How many copies an attempt may have, the first one included: at least 2, which is the
    /// default.
    ///
    /// ```
    /// # use resilient_core as resilient;
    /// use resilient::hedge::Hedge;
    ///
    /// assert_eq!(Hedge::after("50ms").settings().unwrap().max, 2);
    /// ```
    pub fn max(mut self, max: u32) -> Self {
        self.max = Some(max);
        self
    }

    /// The numbers with defaults filled in.
    ///
    /// # Errors
    ///
    /// Everything that cannot work, not only the first.
    ///
    /// ```
    /// # use resilient_core as resilient;
    /// use resilient::hedge::{Hedge, HedgeSettings};
    ///
    /// assert_eq!(Hedge::default().settings(), Ok(HedgeSettings::default()));
    /// ```
    pub fn settings(&self) -> Result<HedgeSettings, Vec<InvalidSetting>> {
        let mut problems = Problems::of("hedge");
        let floor = problems.duration("floor", self.floor.as_ref(), FLOOR);
        let quantile = self.quantile.unwrap_or(QUANTILE);
        let settings = HedgeSettings {
            after: match &self.after {
                Some(_) => {
                    HedgeAfter::Fixed(problems.duration("after", self.after.as_ref(), floor))
                }
                None => HedgeAfter::Quantile { quantile, floor },
            },
            max: self.max.unwrap_or(MAX),
        };
        if !is_valid_quantile(quantile) {
            problems.add("after", quantile, "write a quantile between 0 and 1");
        }
        if settings.max < 2 {
            problems.add(
                "max",
                settings.max,
                "the first copy counts: write 2 or more",
            );
        }
        problems.or(settings)
    }
}

pub(super) const QUANTILE: f64 = 0.95;
pub(super) const FLOOR: Duration = Duration::from_millis(10);
const MAX: u32 = 2;

/// Whether a share of attempts can be the mark between fast and slow ones.
pub(super) const fn is_valid_quantile(quantile: f64) -> bool {
    // NaN is in no range.
    quantile > 0.0 && quantile < 1.0
}

/// When an attempt is slow enough for another copy.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum HedgeAfter {
    /// After so much time.
    Fixed(Duration),
    /// When it takes longer than this share of the recent successes did, and longer than `floor`.
    Quantile {
        /// Between 0 and 1.
        quantile: f64,
        /// The shortest time before a copy.
        floor: Duration,
    },
}

/// The checked numbers of a hedge.
///
/// The default makes a second copy after the 95th percentile, at least 10 ms.
///
/// ```
/// # use resilient_core as resilient;
/// use resilient::hedge::HedgeSettings;
///
/// assert_eq!(HedgeSettings::default().max, 2);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HedgeSettings {
    /// When an attempt is slow enough for another copy.
    pub after: HedgeAfter,
    /// How many copies an attempt may have, the first one included.
    pub max: u32,
}

impl Default for HedgeSettings {
    fn default() -> Self {
        HedgeSettings {
            after: HedgeAfter::Quantile {
                quantile: QUANTILE,
                floor: FLOOR,
            },
            max: MAX,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_that_cannot_work() {
        for (hedge, setting) in [
            (Hedge::after("soon"), "after"),
            (Hedge::after("50"), "after"),
            (Hedge::after("50ms").max(0), "max"),
            (Hedge::after("50ms").max(1), "max"),
            (Hedge::after_quantile(0.0), "after"),
            (Hedge::after_quantile(1.0), "after"),
            (Hedge::after_quantile(-0.5), "after"),
            (Hedge::after_quantile(f64::NAN), "after"),
            (Hedge::after_quantile(0.9).floor("5"), "floor"),
        ] {
            let problems = hedge.settings().expect_err("a number cannot work");
            let named: Vec<_> = problems.iter().map(|problem| problem.setting).collect();
            assert_eq!(named, [setting], "{hedge:?}");
            assert_eq!(problems[0].policy, "hedge");
        }
    }

    #[test]
    fn extreme_numbers_that_work() {
        for hedge in [
            Hedge::after("0s"),
            Hedge::after(Duration::MAX),
            Hedge::after("1ms").max(u32::MAX),
            Hedge::after_quantile(f64::MIN_POSITIVE).floor("0s"),
            Hedge::after_quantile(0.999_999),
        ] {
            assert!(hedge.settings().is_ok(), "{hedge:?}");
        }
    }
}
