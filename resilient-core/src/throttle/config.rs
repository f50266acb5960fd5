//! The numbers of a throttle, as they are written and as they are checked.

use std::time::Duration;

use crate::duration::{GivenDuration, IntoDuration};
use crate::invalid::{InvalidSetting, Problems};

const DEFAULT_WINDOW: Duration = Duration::from_secs(120);
const DEFAULT_MAX_REJECTION: f64 = 0.9;

/// A thousand attempts for every one that is accepted: more than that sheds nothing.
const MOST_MULTIPLIER: f64 = 1000.0;

/// How much may be asked of a dependency for what it accepts.
///
/// Setters never fail; what cannot work is reported by [`Throttle::settings`], and so by
/// registering. A dependency has no throttle unless one is written.
///
/// ```
/// # use resilient_core as resilient;
/// use std::time::Duration;
/// use resilient::Dependency;
/// use resilient::throttle::{Throttle, ThrottleSettings};
///
/// let throttle = Throttle::accepts(2.0).window("2min").max_rejection(0.9);
/// assert_eq!(throttle.settings().unwrap(), ThrottleSettings {
///     multiplier: 2.0,
///     window: Duration::from_secs(120),
///     max_rejection: 0.9,
/// });
/// assert!(Dependency::named("search").throttle(throttle).settings().is_ok());
///
/// let problems = Throttle::accepts(0.5).window("0s").settings().unwrap_err();
/// assert_eq!(problems.len(), 2);
/// ```
#[derive(Clone, Debug)]
pub struct Throttle {
    multiplier: f64,
    window: Option<GivenDuration>,
    max_rejection: Option<f64>,
}

impl Throttle {
    /// Up to `multiplier` attempts for every one the dependency accepts, 1 to 1000; usually 2.
    ///
    /// An attempt is shed with the probability
    ///
    /// ```text
    /// max(0, (requests - multiplier * accepts) / (requests + 1))
    /// ```
    ///
    /// over the attempts of the last [`window`](Throttle::window), as in *Site Reliability
    /// Engineering* (Beyer et al., O'Reilly 2016), chapter 21, "Handling Overload", under
    /// "Client-Side Throttling": <https://sre.google/sre-book/handling-overload/>.
    ///
    /// `accepts` are the attempts that were answered: `Success`, or `Permanent`, which proves the
    /// dependency at work as well. `requests` are those, and every attempt that failed (`Transient`,
    /// `Throttled`, `Fault`), ran out of its own time, or was shed. An attempt that is still running
    /// is not counted, or a burst would be taken for an overload; neither is an `Ignored` one, one
    /// that never ran, one whose caller lost interest, or one inside a call that is counted itself.
    ///
    /// With 2, as many attempts are wasted on a dependency in trouble as it accepts, and its
    /// recovery is seen at once; nearer to 1 less is wasted, and more is shed over a few failures
    /// that mean nothing. With 1, every failure sheds.
    ///
    /// ```
    /// # use resilient_core as resilient;
    /// use resilient::throttle::Throttle;
    ///
    /// assert!(Throttle::accepts(1.1).settings().is_ok());
    /// assert!(Throttle::accepts(f64::NAN).settings().is_err());
    /// ```
    #[must_use]
    pub fn accepts(multiplier: f64) -> Self {
        Throttle {
            multiplier,
            window: None,
            max_rejection: None,
        }
    }

    /// How far back it looks, longer than zero; default 2 min.
    ///
    /// The window moves on by a tenth of its length at a time, so what is remembered spans between
    /// 9/10 of it and all of it.
    #[must_use]
    pub fn window(mut self, window: impl IntoDuration) -> Self {
        self.window = Some(window.into_duration());
        self
    }

    /// The largest probability with which an attempt is shed, above 0 and up to 1; default 0.9.
    ///
    /// What is not shed is how a recovery is noticed: with 0.9 that is a tenth of the attempts,
    /// however long the dependency was down.
    #[must_use]
    pub fn max_rejection(mut self, probability: f64) -> Self {
        self.max_rejection = Some(probability);
        self
    }

    /// The checked numbers, defaults filled in.
    ///
    /// # Errors
    ///
    /// Everything that cannot work, at once: a multiplier below 1, above 1000 or not a number, a
    /// window that is no duration or zero, a largest probability that is not above 0 and up to 1.
    pub fn settings(&self) -> Result<ThrottleSettings, Vec<InvalidSetting>> {
        let mut problems = Problems::of("throttle");
        if !(1.0..=MOST_MULTIPLIER).contains(&self.multiplier) {
            problems.add(
                "accepts",
                self.multiplier,
                format!(
                    "write a number from 1 to {MOST_MULTIPLIER}; below 1 even a dependency that \
                     accepts everything would lose calls"
                ),
            );
        }
        let max_rejection = self.max_rejection.unwrap_or(DEFAULT_MAX_REJECTION);
        if !(max_rejection > 0.0 && max_rejection <= 1.0) {
            problems.add(
                "max_rejection",
                max_rejection,
                "write a number above 0 and up to 1; to shed nothing leave out the throttle",
            );
        }
        let window = problems.time("window", self.window.as_ref(), DEFAULT_WINDOW);
        problems.or(ThrottleSettings {
            multiplier: self.multiplier,
            window,
            max_rejection,
        })
    }
}

/// The numbers of a throttle after they were checked.
///
/// ```
/// # use resilient_core as resilient;
/// use resilient::throttle::Throttle;
///
/// let settings = Throttle::accepts(2.0).settings().unwrap();
/// assert_eq!(settings.max_rejection, 0.9);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ThrottleSettings {
    /// Attempts for every one that is accepted, 1 to 1000.
    pub multiplier: f64,
    /// How far back it looks.
    pub window: Duration,
    /// The largest probability with which an attempt is shed, above 0 and up to 1.
    pub max_rejection: f64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_work_is_said_all_at_once() {
        let of = Throttle::accepts;
        let rows: [(Throttle, &[&str]); 11] = [
            (of(2.0), &[]),
            (of(1.0).max_rejection(1.0), &[]),
            (of(1000.0).max_rejection(1e-9).window("1ms"), &[]),
            (of(0.99), &["accepts"]),
            (of(-2.0), &["accepts"]),
            (of(f64::INFINITY), &["accepts"]),
            (of(f64::NAN), &["accepts"]),
            (of(2.0).max_rejection(0.0), &["max_rejection"]),
            (of(2.0).max_rejection(1.1), &["max_rejection"]),
            (of(2.0).window("2"), &["window"]),
            (
                of(0.0).window("0s").max_rejection(f64::NAN),
                &["accepts", "max_rejection", "window"],
            ),
        ];
        for (throttle, expected) in rows {
            let problems = throttle.settings().err().unwrap_or_default();
            let found: Vec<_> = problems.iter().map(|problem| problem.setting).collect();
            assert_eq!(found, expected, "{throttle:?}");
            assert!(problems.iter().all(|problem| problem.policy == "throttle"));
        }
    }
}
