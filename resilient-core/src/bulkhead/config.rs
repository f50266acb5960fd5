//! The numbers of a bulkhead, as they are written and as they are checked.

use std::time::Duration;

use super::adaptive::{Adaptive, AdaptiveSettings};
use crate::duration::{GivenDuration, IntoDuration};
use crate::invalid::InvalidSetting;

/// How many attempts may be under way at a time, and who may wait for a place.
///
/// Left out, a dependency has a bulkhead of 64 without a queue. Setters never fail; what cannot
/// work is reported by [`Bulkhead::settings`], and so by registering.
///
/// ```
/// # use resilient_core as resilient;
/// use std::time::Duration;
/// use resilient::bulkhead::Bulkhead;
///
/// let bulkhead = Bulkhead::max_concurrent(10).max_queue(20).max_wait("1s");
/// let settings = bulkhead.settings().unwrap();
/// assert_eq!(settings.max_concurrent, 10);
/// assert_eq!(settings.max_queue, 20);
/// assert_eq!(settings.max_wait, Some(Duration::from_secs(1)));
///
/// let problems = Bulkhead::max_concurrent(0).settings().unwrap_err();
/// assert_eq!(problems[0].setting, "max_concurrent");
/// ```
#[derive(Clone, Debug, Default)]
pub struct Bulkhead {
    limit: Option<usize>,
    adaptive: Option<Adaptive>,
    places: Option<usize>,
    wait: Option<GivenDuration>,
}

impl Bulkhead {
    /// At most `limit` attempts at a time, 1 or more; exactly that many, never one more.
    ///
    /// `usize::MAX` is the same as [`Bulkhead::unlimited`]. Limits above 2^40 - 1 are counted as
    /// that number: so many attempts fit into no machine's memory.
    #[must_use]
    pub fn max_concurrent(limit: usize) -> Self {
        Bulkhead {
            limit: Some(limit),
            ..Bulkhead::default()
        }
    }

    /// A limit that follows by itself what the dependency can do, see [`Adaptive`].
    ///
    /// At any time it is as exact as a fixed one: a permit more or less is all that changes. Only
    /// here do attempts that had to wait for their outcome cost a clock reading more.
    ///
    /// ```
    /// # use resilient_core as resilient;
    /// use resilient::bulkhead::{Adaptive, Bulkhead};
    ///
    /// let bulkhead = Bulkhead::adaptive(Adaptive::aimd(4..=100)).max_queue(50).max_wait("1s");
    /// assert!(bulkhead.settings().is_ok());
    ///
    /// let wrong = Adaptive::aimd(0..=100).backoff(1.5);
    /// assert_eq!(Bulkhead::adaptive(wrong).settings().unwrap_err().len(), 2);
    /// ```
    #[must_use]
    pub fn adaptive(adaptive: Adaptive) -> Self {
        Bulkhead {
            adaptive: Some(adaptive),
            ..Bulkhead::default()
        }
    }

    /// No limit: every attempt is let through, and still counted.
    ///
    /// ```
    /// # use resilient_core as resilient;
    /// use resilient::bulkhead::Bulkhead;
    ///
    /// let settings = Bulkhead::unlimited().settings().unwrap();
    /// assert_eq!(settings.max_concurrent, usize::MAX);
    /// ```
    #[must_use]
    pub fn unlimited() -> Self {
        Bulkhead::max_concurrent(usize::MAX)
    }

    /// How many attempts may wait for a place; 0, the default, refuses at once what finds none.
    ///
    /// Attempts that wait are served in the order in which they came, and before any newcomer.
    #[must_use]
    pub fn max_queue(mut self, places: usize) -> Self {
        self.places = Some(places);
        self
    }

    /// How long an attempt may wait in the queue, longer than zero.
    ///
    /// Left out, it waits until the call's deadline. Needs a queue, see [`Bulkhead::max_queue`].
    #[must_use]
    pub fn max_wait(mut self, wait: impl IntoDuration) -> Self {
        self.wait = Some(wait.into_duration());
        self
    }

    /// The checked numbers, defaults filled in.
    ///
    /// # Errors
    ///
    /// Everything that cannot work, at once: a limit of 0, adaptive bounds that are empty or allow
    /// it, other numbers of [`Adaptive`] out of their range, a `max_wait` that is no duration, that is
    /// zero, or that has no queue to wait in.
    pub fn settings(&self) -> Result<BulkheadSettings, Vec<InvalidSetting>> {
        let defaults = BulkheadSettings::default();
        let mut problems = Vec::new();

        let adaptive = self.adaptive.as_ref().map(Adaptive::settings).transpose();
        let adaptive = adaptive.unwrap_or_else(|found| {
            problems.extend(found);
            None
        });
        let max_concurrent = adaptive.map_or_else(
            || self.limit.unwrap_or(defaults.max_concurrent),
            |adaptive| usize::try_from(adaptive.initial).unwrap_or(usize::MAX),
        );
        if max_concurrent == 0 {
            problems.push(InvalidSetting::new(
                "bulkhead",
                "max_concurrent",
                max_concurrent,
                "would refuse every call; write a limit of 1 or more, or `Bulkhead::unlimited()` for none",
            ));
        }
        let max_queue = self.places.unwrap_or(defaults.max_queue);
        let max_wait = match &self.wait {
            None => defaults.max_wait,
            Some(given) => match check_wait(given, max_queue) {
                Ok(wait) => Some(wait),
                Err(reason) => {
                    problems.push(InvalidSetting::new("bulkhead", "max_wait", given, reason));
                    None
                }
            },
        };

        if problems.is_empty() {
            Ok(BulkheadSettings {
                max_concurrent,
                max_queue,
                max_wait,
                adaptive,
            })
        } else {
            Err(problems)
        }
    }
}

fn check_wait(given: &GivenDuration, max_queue: usize) -> Result<Duration, String> {
    let wait = given.get().map_err(ToString::to_string)?;
    if wait.is_zero() {
        return Err(
            "is no time to wait; leave out `max_wait` and `max_queue` to refuse at once".to_owned(),
        );
    }
    if max_queue == 0 {
        return Err(
            "nothing waits while `max_queue` is 0; add `.max_queue(n)` or leave out `max_wait`"
                .to_owned(),
        );
    }
    Ok(wait)
}

/// The numbers of a bulkhead after they were checked.
///
/// ```
/// # use resilient_core as resilient;
/// use resilient::bulkhead::BulkheadSettings;
///
/// let defaults = BulkheadSettings::default();
/// assert_eq!((defaults.max_concurrent, defaults.max_queue), (64, 0));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BulkheadSettings {
    /// Attempts at a time, 1 or more; `usize::MAX` is no limit. Of an adaptive limit, the one it
    /// starts with.
    pub max_concurrent: usize,
    /// Attempts that may wait; 0 refuses at once.
    pub max_queue: usize,
    /// How long an attempt may wait; `None` is until the call's deadline.
    pub max_wait: Option<Duration>,
    /// What moves the limit, if anything does.
    pub adaptive: Option<AdaptiveSettings>,
}

impl Default for BulkheadSettings {
    fn default() -> Self {
        BulkheadSettings {
            max_concurrent: 64,
            max_queue: 0,
            max_wait: None,
            adaptive: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // case C08
    #[test]
    fn c08_what_cannot_work_is_an_error_that_says_what_to_write() {
        let limit = Bulkhead::max_concurrent;
        let aimd = |bounds| Adaptive::aimd(bounds);
        let vegas = |bounds| Adaptive::vegas(bounds);
        let gradient = |bounds| Adaptive::gradient(bounds);
        let adaptive = Bulkhead::adaptive;
        let empty = std::ops::RangeInclusive::new(9, 3);
        let rows: [(Bulkhead, &[(&str, &str)]); 24] = [
            (Bulkhead::default(), &[]),
            (limit(1), &[]),
            (limit(usize::MAX), &[]),
            (limit(u32::MAX as usize).max_queue(usize::MAX), &[]),
            (limit(0), &[("max_concurrent", "unlimited()")]),
            (limit(3).max_wait("1s"), &[("max_wait", ".max_queue(n)")]),
            (
                limit(3).max_queue(2).max_wait("0s"),
                &[("max_wait", "leave out")],
            ),
            (limit(3).max_queue(2).max_wait("5"), &[("max_wait", "")]),
            (
                limit(0).max_queue(2).max_wait("-1s"),
                &[("max_concurrent", "or more"), ("max_wait", "")],
            ),
            (adaptive(aimd(1..=1)), &[]),
            (adaptive(vegas(30..=u32::MAX).smoothing(0.5)), &[]),
            (adaptive(aimd(0..=9)), &[("aimd", "1 or more")]),
            (adaptive(vegas(empty)), &[("vegas", "least..=most")]),
            (adaptive(aimd(3..=9).initial(2)), &[("initial", "3..=9")]),
            (
                adaptive(aimd(3..=9).backoff(1.0)),
                &[("backoff", "below 1")],
            ),
            (
                adaptive(vegas(3..=9).backoff(f64::NAN)),
                &[("backoff", "above 0")],
            ),
            (
                adaptive(aimd(3..=9).smoothing(0.5)),
                &[("smoothing", "Adaptive::vegas")],
            ),
            (
                adaptive(vegas(3..=9).smoothing(1.5)),
                &[("smoothing", "up to 1")],
            ),
            (
                adaptive(gradient(1..=9).smoothing(1.0).tolerance(1.0).queue(1)),
                &[],
            ),
            (
                adaptive(gradient(0..=9).smoothing(0.0).tolerance(0.9).queue(0)),
                &[
                    ("gradient", "1 or more"),
                    ("smoothing", "above 0"),
                    ("tolerance", "1 or more"),
                    ("queue", "at least 1"),
                ],
            ),
            (
                adaptive(gradient(1..=9).tolerance(f64::INFINITY)),
                &[("tolerance", "1 or more")],
            ),
            (
                adaptive(aimd(1..=9).smoothing(0.5).queue(4)),
                &[
                    ("smoothing", "or `Adaptive::gradient`"),
                    ("queue", "write `Adaptive::gradient`"),
                ],
            ),
            (
                adaptive(vegas(1..=9).tolerance(2.0)),
                &[("tolerance", "`Adaptive::vegas` has no such")],
            ),
            (
                adaptive(vegas(0..=9).window("0s").initial(0)).max_wait("1s"),
                &[("vegas", ""), ("window", ""), ("max_wait", ".max_queue(n)")],
            ),
        ];
        for (bulkhead, expected) in rows {
            let problems = bulkhead.settings().err().unwrap_or_default();
            let found: Vec<_> = problems.iter().map(|problem| problem.setting).collect();
            let wanted: Vec<_> = expected.iter().map(|(setting, _)| *setting).collect();
            assert_eq!(found, wanted, "{bulkhead:?}");
            for (problem, (_, reason)) in problems.iter().zip(expected) {
                assert_eq!(problem.policy, "bulkhead");
                assert!(problem.reason.contains(reason), "{problem}");
            }
        }
    }

    #[test]
    fn defaults_are_filled_in() {
        assert_eq!(
            Bulkhead::default().settings(),
            Ok(BulkheadSettings::default())
        );
        assert_eq!(
            Bulkhead::max_concurrent(2).max_queue(7).settings(),
            Ok(BulkheadSettings {
                max_concurrent: 2,
                max_queue: 7,
                ..BulkheadSettings::default()
            })
        );
    }
}
