//! The numbers of a budget, as they are written and as they are checked.

use std::time::Duration;

use crate::duration::{GivenDuration, IntoDuration};
use crate::invalid::{InvalidSetting, Problems};

/// The smallest share a budget tells from zero; the engines count in units of it.
const SMALLEST_SHARE: f64 = 1e-9;

/// A thousand retries for every single answer: more than that limits nothing.
const MOST_RATIO: f64 = 1000.0;

const DEFAULT_RATIO: f64 = 0.3;
const DEFAULT_WINDOW: Duration = Duration::from_secs(10);
const DEFAULT_FLOOR: u32 = 3;
const DEFAULT_REFILL_PER_SUCCESS: f64 = 0.1;
const DEFAULT_REFILL_EVERY: Duration = Duration::from_secs(10);

/// How many retries a dependency's calls may spend together.
///
/// There are two kinds. [`Budget::ratio`] follows the traffic of the last seconds and is the
/// default (0.3 over 10 s, and 3 more); [`Budget::tokens`] is a bucket that successes fill.
/// Setters never fail; what cannot work is reported by [`Budget::settings`], and so by registering.
///
/// ```
/// # use resilient_core as resilient;
/// use std::time::Duration;
/// use resilient::budget::{Budget, BudgetSettings};
///
/// assert_eq!(
///     Budget::ratio(0.1).window("30s").floor(5).settings().unwrap(),
///     BudgetSettings::Ratio { ratio: 0.1, window: Duration::from_secs(30), floor: 5 },
/// );
///
/// let problems = Budget::ratio(f64::NAN).settings().unwrap_err();
/// assert_eq!(problems[0].setting, "ratio");
/// ```
#[derive(Clone, Debug)]
pub struct Budget {
    kind: Kind,
    window: Option<GivenDuration>,
    floor: Option<u32>,
    refill_per_success: Option<f64>,
    refill_every: Option<GivenDuration>,
}

#[derive(Clone, Copy, Debug)]
enum Kind {
    Ratio(f64),
    Tokens(u32),
    Unlimited,
}

impl Budget {
    /// In any `window`: retries <= `ratio` * attempts answered + `floor`.
    ///
    /// An attempt is answered when it succeeds or fails for good (`Permanent`): both prove the
    /// dependency alive. `ratio` is 0 to 1000, and exact to nine decimal places. A call that is
    /// dropped before the retry it paid for was sent is paid back.
    ///
    /// The window moves on by a tenth of its length at a time, so what is remembered spans between
    /// 9/10 of it and all of it.
    ///
    /// ```
    /// # use resilient_core as resilient;
    /// use resilient::budget::Budget;
    ///
    /// assert!(Budget::ratio(0.2).window("10s").floor(3).settings().is_ok());
    /// ```
    #[must_use]
    pub fn ratio(ratio: f64) -> Self {
        Budget::of(Kind::Ratio(ratio))
    }

    /// A bucket of `max` tokens that starts full. A retry takes one token, a first attempt
    /// none; a success puts back [`refill_per_success`](Budget::refill_per_success), and so does
    /// time: one token per [`refill_every`](Budget::refill_every).
    ///
    /// Like [`Budget::ratio`], `Permanent` counts as a success here. `max` is 1 or more.
    ///
    /// ```
    /// # use resilient_core as resilient;
    /// use resilient::budget::Budget;
    ///
    /// assert!(Budget::tokens(100).refill_per_success(0.1).settings().is_ok());
    /// assert!(Budget::tokens(0).settings().is_err());
    /// ```
    #[must_use]
    pub fn tokens(max: u32) -> Self {
        Budget::of(Kind::Tokens(max))
    }

    /// No limit: only `max` of each call's retry policy holds retries back.
    ///
    /// ```
    /// # use resilient_core as resilient;
    /// use resilient::budget::{Budget, BudgetSettings};
    ///
    /// assert_eq!(Budget::unlimited().settings().unwrap(), BudgetSettings::Unlimited);
    /// ```
    #[must_use]
    pub fn unlimited() -> Self {
        Budget::of(Kind::Unlimited)
    }

    fn of(kind: Kind) -> Self {
        Budget {
            kind,
            window: None,
            floor: None,
            refill_per_success: None,
            refill_every: None,
        }
    }

    /// For [`Budget::ratio`]: how far back it looks, longer than zero; default 10 s.
    #[must_use]
    pub fn window(mut self, window: impl IntoDuration) -> Self {
        self.window = Some(window.into_duration());
        self
    }

    /// For [`Budget::ratio`]: retries per window that need no traffic to pay for them; default 3.
    #[must_use]
    pub fn floor(mut self, retries: u32) -> Self {
        self.floor = Some(retries);
        self
    }

    /// For [`Budget::tokens`]: how much of a token a success puts back, 0 to the size of the
    /// bucket, exact to nine decimal places; default 0.1.
    #[must_use]
    pub fn refill_per_success(mut self, tokens: f64) -> Self {
        self.refill_per_success = Some(tokens);
        self
    }

    /// For [`Budget::tokens`]: the time after which one token comes back even if nothing succeeds,
    /// longer than zero; default 10 s. Without it an empty bucket could stay empty for ever.
    #[must_use]
    pub fn refill_every(mut self, time: impl IntoDuration) -> Self {
        self.refill_every = Some(time.into_duration());
        self
    }

    /// The checked numbers, defaults filled in.
    ///
    /// # Errors
    ///
    /// Everything that cannot work, at once: shares that are negative, not finite or out of range,
    /// an empty bucket, times that are no duration or zero, settings of the other kind.
    pub fn settings(&self) -> Result<BudgetSettings, Vec<InvalidSetting>> {
        let mut problems = Problems::of("budget");
        let settings = match self.kind {
            Kind::Ratio(ratio) => {
                problems.check_share("ratio", ratio, MOST_RATIO);
                problems.refuse_token_settings(self, "`Budget::ratio`");
                BudgetSettings::Ratio {
                    ratio,
                    window: problems.time("window", self.window.as_ref(), DEFAULT_WINDOW),
                    floor: self.floor.unwrap_or(DEFAULT_FLOOR),
                }
            }
            Kind::Tokens(max) => {
                let refill_per_success = self
                    .refill_per_success
                    .unwrap_or(DEFAULT_REFILL_PER_SUCCESS);
                if max == 0 {
                    problems.add("tokens", max, "would never allow a retry; write 1 or more");
                } else {
                    problems.check_share("refill_per_success", refill_per_success, f64::from(max));
                }
                problems.refuse_ratio_settings(self, "`Budget::tokens`");
                BudgetSettings::Tokens {
                    max,
                    refill_per_success,
                    refill_every: problems.time(
                        "refill_every",
                        self.refill_every.as_ref(),
                        DEFAULT_REFILL_EVERY,
                    ),
                }
            }
            Kind::Unlimited => {
                problems.refuse_ratio_settings(self, "`Budget::unlimited`");
                problems.refuse_token_settings(self, "`Budget::unlimited`");
                BudgetSettings::Unlimited
            }
        };
        problems.or(settings)
    }
}

impl Default for Budget {
    fn default() -> Self {
        Budget::ratio(DEFAULT_RATIO)
    }
}

impl Problems {
    fn check_share(&mut self, setting: &'static str, share: f64, most: f64) {
        if !(0.0..=most).contains(&share) {
            self.add(setting, share, format!("write a number from 0 to {most}"));
        } else if share > 0.0 && share < SMALLEST_SHARE {
            self.add(
                setting,
                share,
                "too small to count; write 0, or 0.000000001 or more",
            );
        }
    }

    fn refuse_ratio_settings(&mut self, budget: &Budget, kind: &str) {
        if let Some(window) = &budget.window {
            self.refuse("window", window, kind, "`Budget::ratio`");
        }
        if let Some(floor) = budget.floor {
            self.refuse("floor", floor, kind, "`Budget::ratio`");
        }
    }

    fn refuse_token_settings(&mut self, budget: &Budget, kind: &str) {
        if let Some(refill) = budget.refill_per_success {
            self.refuse("refill_per_success", refill, kind, "`Budget::tokens`");
        }
        if let Some(every) = &budget.refill_every {
            self.refuse("refill_every", every, kind, "`Budget::tokens`");
        }
    }

    fn refuse(
        &mut self,
        setting: &'static str,
        value: impl std::fmt::Display,
        kind: &str,
        other: &str,
    ) {
        self.add(
            setting,
            value,
            format!("{kind} has no such setting; leave it out, or write {other}"),
        );
    }
}

/// The numbers of a budget after they were checked.
///
/// ```
/// # use resilient_core as resilient;
/// use std::time::Duration;
/// use resilient::budget::BudgetSettings;
///
/// assert_eq!(
///     BudgetSettings::default(),
///     BudgetSettings::Ratio { ratio: 0.3, window: Duration::from_secs(10), floor: 3 },
/// );
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum BudgetSettings {
    /// See [`Budget::ratio`].
    Ratio {
        /// Retries per attempt answered, 0 to 1000.
        ratio: f64,
        /// How far back it looks, longer than zero.
        window: Duration,
        /// Retries per window that nobody pays for.
        floor: u32,
    },
    /// See [`Budget::tokens`].
    Tokens {
        /// The size of the bucket, 1 or more.
        max: u32,
        /// How much of a token a success puts back, 0 to `max`.
        refill_per_success: f64,
        /// The time in which one token comes back by itself, longer than zero.
        refill_every: Duration,
    },
    /// See [`Budget::unlimited`].
    Unlimited,
}

impl Default for BudgetSettings {
    fn default() -> Self {
        BudgetSettings::Ratio {
            ratio: DEFAULT_RATIO,
            window: DEFAULT_WINDOW,
            floor: DEFAULT_FLOOR,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // case I04
    #[test]
    fn i04_what_cannot_work_is_an_error() {
        let (ratio, tokens) = (Budget::ratio, Budget::tokens);
        let rows: Vec<(Budget, &[&str])> = vec![
            (Budget::default(), &[]),
            (Budget::unlimited(), &[]),
            (ratio(0.0).floor(0), &[]),
            (ratio(-0.0), &[]),
            (ratio(1.5), &[]),
            (ratio(1000.0).window("1ms"), &[]),
            (ratio(1e-9).window(Duration::MAX).floor(u32::MAX), &[]),
            (tokens(1), &[]),
            (
                tokens(u32::MAX).refill_per_success(f64::from(u32::MAX)),
                &[],
            ),
            (tokens(5).refill_per_success(0.0).refill_every("1ns"), &[]),
            (ratio(f64::NAN), &["ratio"]),
            (ratio(f64::INFINITY), &["ratio"]),
            (ratio(f64::NEG_INFINITY), &["ratio"]),
            (ratio(-0.1), &["ratio"]),
            (ratio(1000.1), &["ratio"]),
            (ratio(1e-10), &["ratio"]),
            (ratio(f64::MIN_POSITIVE), &["ratio"]),
            (ratio(0.2).window("0s"), &["window"]),
            (ratio(-1.0).window("10"), &["ratio", "window"]),
            (ratio(0.2).refill_per_success(0.1), &["refill_per_success"]),
            (ratio(0.2).refill_every("1s"), &["refill_every"]),
            (tokens(0), &["tokens"]),
            (tokens(3).refill_per_success(3.1), &["refill_per_success"]),
            (tokens(3).refill_per_success(-1.0), &["refill_per_success"]),
            (
                tokens(3).refill_per_success(f64::NAN).refill_every("0s"),
                &["refill_per_success", "refill_every"],
            ),
            (tokens(3).floor(1).window("1s"), &["window", "floor"]),
            (Budget::unlimited().floor(1), &["floor"]),
        ];
        for (budget, expected) in rows {
            let problems = budget.settings().err().unwrap_or_default();
            let mut found: Vec<_> = problems.iter().map(|problem| problem.setting).collect();
            let mut expected = expected.to_vec();
            found.sort_unstable();
            expected.sort_unstable();
            assert_eq!(found, expected, "{budget:?}");
            assert!(problems.iter().all(|problem| problem.policy == "budget"));
            assert!(problems.iter().all(|problem| !problem.reason.is_empty()));
        }
    }

    #[test]
    fn defaults_are_filled_in() {
        assert_eq!(Budget::default().settings(), Ok(BudgetSettings::default()));
        assert_eq!(
            Budget::tokens(100).settings(),
            Ok(BudgetSettings::Tokens {
                max: 100,
                refill_per_success: 0.1,
                refill_every: Duration::from_secs(10),
            })
        );
    }
}
