//! What a user writes about a breaker.

use std::time::Duration;

use super::settings::{BreakerSettings, ConsecutiveRule, Growth, OnTransition, Per, RateRule};
use super::transition::Transition;
use crate::duration::{GivenDuration, IntoDuration};
use crate::invalid::{InvalidSetting, Problems};

const FAILURE_RATE: f64 = 0.7;
const MIN_ATTEMPTS: u32 = 20;
const WINDOW: Duration = Duration::from_secs(10);
const CONSECUTIVE: u32 = 5;
const WITHIN: Duration = Duration::from_secs(60);
/// Of the default rule only: whoever asks for a number of failures in a row gets just that.
const SPANNING: Duration = Duration::from_secs(3);
const OPEN_FOR: Duration = Duration::from_secs(5);
const PROBES: u32 = 2;
const CLOSE_AFTER: u32 = 2;

/// When a breaker opens, for how long, and how it closes again.
///
/// Setters never fail; [`settings`](Breaker::settings), which registering calls, reports
/// everything that is wrong at once.
///
/// There are two rules. [`failure_rate`](Breaker::failure_rate) judges the share of failures in a
/// sliding window, [`consecutive`](Breaker::consecutive) failures in a row; together, the second
/// one judges while the first has seen too few attempts to say anything. `Breaker::default()` has
/// both: at least 70 % failures of at least 20 attempts in 10 seconds, and with fewer attempts 5
/// failures in a row within a minute that span at least 3 seconds; its numbers can be set one by
/// one. A breaker that is made of one rule has that rule alone, and a number of the other is an
/// error. A rule is judged on every outcome that counts, successes included, and its threshold is
/// reached by "at least".
///
/// ```
/// # use resilient_core as resilient;
/// use resilient::breaker::Breaker;
///
/// let by_run = Breaker::consecutive(5).within("10s").open_for("30s").close_after(2);
/// assert!(by_run.settings().is_ok());
///
/// let by_rate = Breaker::failure_rate(0.5).min_attempts(10).window("30s");
/// assert!(by_rate.settings().is_ok());
///
/// let wrong = Breaker::failure_rate(50.0).open_for("30");
/// assert_eq!(wrong.settings().unwrap_err().len(), 2);
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
#[must_use = "a breaker does nothing until it is registered"]
pub struct Breaker {
    disabled: bool,
    failure_rate: Option<f64>,
    min_attempts: Option<u32>,
    window: Option<GivenDuration>,
    consecutive: Option<u32>,
    within: Option<GivenDuration>,
    spanning: Option<GivenDuration>,
    open_for: Option<GivenDuration>,
    growth: Option<(f64, GivenDuration)>,
    probes: Option<u32>,
    close_after: Option<u32>,
    count_throttled: Option<bool>,
    drop_counts_after: Option<GivenDuration>,
    per: Option<Per>,
    on_transition: Option<OnTransition>,
}

impl Breaker {
    /// Opens after `failures` in a row: at least 1.
    ///
    /// A success ends the run. Without [`within`](Breaker::within) the failures must lie within
    /// 60 seconds.
    ///
    /// ```
    /// # use resilient_core as resilient;
    /// use resilient::breaker::Breaker;
    ///
    /// let breaker = Breaker::consecutive(5).within("10s");
    /// assert_eq!(breaker.settings().unwrap().failure_rate, None);
    /// ```
    pub fn consecutive(failures: u32) -> Self {
        Breaker {
            consecutive: Some(failures),
            ..Breaker::default()
        }
    }

    /// Opens when at least this share of the attempts in the window failed: above 0, at most 1.
    ///
    /// ```
    /// # use resilient_core as resilient;
    /// use resilient::breaker::Breaker;
    ///
    /// let breaker = Breaker::failure_rate(0.5).min_attempts(10).window("30s");
    /// assert_eq!(breaker.settings().unwrap().consecutive, None);
    /// ```
    pub fn failure_rate(share: f64) -> Self {
        Breaker {
            failure_rate: Some(share),
            ..Breaker::default()
        }
    }

    /// Admits every call and counts nothing.
    ///
    /// ```
    /// # use resilient_core as resilient;
    /// use resilient::breaker::Breaker;
    ///
    /// assert!(!Breaker::disabled().settings().unwrap().enabled);
    /// ```
    pub fn disabled() -> Self {
        Breaker {
            disabled: true,
            ..Breaker::default()
        }
    }

    /// Adds the rule of [`consecutive`](Breaker::consecutive), for as long as the failure rate's
    /// window holds fewer than [`min_attempts`](Breaker::min_attempts).
    ///
    /// ```
    /// # use resilient_core as resilient;
    /// use resilient::breaker::Breaker;
    ///
    /// let breaker = Breaker::failure_rate(0.5).or_consecutive(5).within("10s");
    /// let settings = breaker.settings().unwrap();
    /// assert!(settings.failure_rate.is_some() && settings.consecutive.is_some());
    /// ```
    pub fn or_consecutive(mut self, failures: u32) -> Self {
        self.consecutive = Some(failures);
        self
    }

    /// Adds the rule of [`failure_rate`](Breaker::failure_rate), which then judges alone once its
    /// window holds [`min_attempts`](Breaker::min_attempts).
    ///
    /// ```
    /// # use resilient_core as resilient;
    /// use resilient::breaker::Breaker;
    ///
    /// let breaker = Breaker::consecutive(5).within("10s").or_failure_rate(0.5);
    /// let settings = breaker.settings().unwrap();
    /// assert!(settings.failure_rate.is_some() && settings.consecutive.is_some());
    /// ```
    pub fn or_failure_rate(mut self, share: f64) -> Self {
        self.failure_rate = Some(share);
        self
    }

    /// How many attempts the window must hold before the failure rate is judged: at least 1,
    /// default 20. Probes are judged whatever this is.
    ///
    /// ```
    /// # use resilient_core as resilient;
    /// use resilient::breaker::Breaker;
    ///
    /// let settings = Breaker::failure_rate(0.5).min_attempts(50).settings().unwrap();
    /// assert_eq!(settings.failure_rate.unwrap().min_attempts, 50);
    /// ```
    pub fn min_attempts(mut self, attempts: u32) -> Self {
        self.min_attempts = Some(attempts);
        self
    }

    /// How far back attempts count for the failure rate: default 10 seconds. The window moves in
    /// tenths of its length.
    ///
    /// ```
    /// # use resilient_core as resilient;
    /// use resilient::breaker::Breaker;
    ///
    /// let settings = Breaker::failure_rate(0.5).window("1min").settings().unwrap();
    /// assert_eq!(settings.failure_rate.unwrap().window.as_secs(), 60);
    /// ```
    pub fn window(mut self, window: impl IntoDuration) -> Self {
        self.window = Some(window.into_duration());
        self
    }

    /// How far back failures in a row count: default 60 seconds.
    ///
    /// ```
    /// # use resilient_core as resilient;
    /// use resilient::breaker::Breaker;
    ///
    /// let settings = Breaker::consecutive(5).within("10s").settings().unwrap();
    /// assert_eq!(settings.consecutive.unwrap().within.as_secs(), 10);
    /// ```
    pub fn within(mut self, within: impl IntoDuration) -> Self {
        self.within = Some(within.into_duration());
        self
    }

    /// How far apart the first and the last of the failures in a row must be, so that one bad
    /// moment that hits many calls at once is not taken for a broken dependency. Shorter than
    /// [`within`](Breaker::within); default zero, of `Breaker::default()` 3 seconds.
    ///
    /// ```
    /// # use resilient_core as resilient;
    /// use resilient::breaker::Breaker;
    ///
    /// let settings = Breaker::consecutive(5).spanning("3s").settings().unwrap();
    /// assert_eq!(settings.consecutive.unwrap().spanning.as_secs(), 3);
    /// ```
    pub fn spanning(mut self, spanning: impl IntoDuration) -> Self {
        self.spanning = Some(spanning.into_duration());
        self
    }

    /// How long calls are refused before probes are admitted: default 5 seconds. Each opening
    /// takes this time give or take up to 20 %, so that many processes do not probe in step.
    ///
    /// ```
    /// # use resilient_core as resilient;
    /// use resilient::breaker::Breaker;
    ///
    /// let settings = Breaker::consecutive(5).open_for("30s").settings().unwrap();
    /// assert_eq!(settings.open_for.as_secs(), 30);
    /// ```
    pub fn open_for(mut self, open_for: impl IntoDuration) -> Self {
        self.open_for = Some(open_for.into_duration());
        self
    }

    /// Makes each open time `factor` times the one before, `max` at most, until the breaker has
    /// been closed for a whole window: `open_for * factor^n` for the n-th opening in a row, then
    /// the jitter of [`open_for`](Breaker::open_for). Default: no growth.
    ///
    /// ```
    /// # use resilient_core as resilient;
    /// use resilient::breaker::Breaker;
    ///
    /// let breaker = Breaker::consecutive(5).open_for("5s").growth(2.0, "1min");
    /// assert!(breaker.settings().is_ok());
    /// ```
    pub fn growth(mut self, factor: f64, max: impl IntoDuration) -> Self {
        self.growth = Some((factor, max.into_duration()));
        self
    }

    /// How many probes run at a time while half-open: at least 1, default 2.
    ///
    /// A probe that has not ended one second after its attempt's timeout (without a timeout: after
    /// [`open_for`](Breaker::open_for)) has lost its place to the next one, and its outcome no
    /// longer counts. So give calls that may take longer than the open time a timeout, or none of
    /// them will ever close the breaker.
    ///
    /// ```
    /// # use resilient_core as resilient;
    /// use resilient::breaker::Breaker;
    ///
    /// let settings = Breaker::consecutive(5).probes(1).settings().unwrap();
    /// assert_eq!(settings.probes, 1);
    /// ```
    pub fn probes(mut self, probes: u32) -> Self {
        self.probes = Some(probes);
        self
    }

    /// How many successful probes close the breaker: at least 1, default 2.
    ///
    /// ```
    /// # use resilient_core as resilient;
    /// use resilient::breaker::Breaker;
    ///
    /// let settings = Breaker::consecutive(5).close_after(3).settings().unwrap();
    /// assert_eq!(settings.close_after, 3);
    /// ```
    pub fn close_after(mut self, successes: u32) -> Self {
        self.close_after = Some(successes);
        self
    }

    /// Whether a throttled attempt (HTTP 429) is a failure. By default it is not counted at all:
    /// a dependency that asks for patience works.
    ///
    /// ```
    /// # use resilient_core as resilient;
    /// use resilient::breaker::Breaker;
    ///
    /// let settings = Breaker::consecutive(5).count_throttled(true).settings().unwrap();
    /// assert!(settings.count_throttled);
    /// ```
    pub fn count_throttled(mut self, count: bool) -> Self {
        self.count_throttled = Some(count);
        self
    }

    /// A call that is dropped counts as a failure if its attempt had run longer than this, so that
    /// impatient callers do not hide a dependency that hangs. Default: half of the attempt's
    /// timeout; without a timeout a dropped call never counts.
    ///
    /// ```
    /// # use resilient_core as resilient;
    /// use resilient::breaker::Breaker;
    ///
    /// let settings = Breaker::consecutive(5).drop_counts_after("2s").settings().unwrap();
    /// assert_eq!(settings.drop_counts_after.unwrap().as_secs(), 2);
    /// ```
    pub fn drop_counts_after(mut self, age: impl IntoDuration) -> Self {
        self.drop_counts_after = Some(age.into_duration());
        self
    }

    /// Whether each attempt (the default) or each call as a whole is admitted and judged.
    ///
    /// ```
    /// # use resilient_core as resilient;
    /// use resilient::breaker::{Breaker, Per};
    ///
    /// let settings = Breaker::consecutive(5).per(Per::Call).settings().unwrap();
    /// assert_eq!(settings.per, Per::Call);
    /// ```
    pub fn per(mut self, per: Per) -> Self {
        self.per = Some(per);
        self
    }

    /// Calls `listener` once for every change of state, in order.
    ///
    /// It runs in the task whose outcome or admission made the change, or in one that was already
    /// telling an earlier one. It may use the same breaker; it should not block. A panic in it is
    /// caught and changes nothing. A later call of this setter replaces the listener.
    ///
    /// ```
    /// # use resilient_core as resilient;
    /// use resilient::breaker::Breaker;
    ///
    /// let breaker = Breaker::consecutive(5)
    ///     .on_transition(|transition| println!("{} -> {}", transition.from, transition.to));
    /// # assert!(breaker.settings().is_ok());
    /// ```
    pub fn on_transition(mut self, listener: impl Fn(&Transition) + Send + Sync + 'static) -> Self {
        self.on_transition = Some(OnTransition::new(listener));
        self
    }

    /// The numbers with defaults filled in.
    ///
    /// # Errors
    ///
    /// Everything that cannot work, all at once.
    ///
    /// ```
    /// # use resilient_core as resilient;
    /// use resilient::breaker::Breaker;
    ///
    /// let errors = Breaker::consecutive(0).probes(0).settings().unwrap_err();
    /// assert_eq!(errors[0].setting, "consecutive");
    /// assert_eq!(errors[1].setting, "probes");
    /// ```
    pub fn settings(&self) -> Result<BreakerSettings, Vec<InvalidSetting>> {
        let mut check = Problems::of("breaker");
        // Without a rule by name there are both, as in the default.
        let has_rate = self.failure_rate.is_some() || self.consecutive.is_none();
        let has_run = self.consecutive.is_some() || self.failure_rate.is_none();
        let failure_rate = if has_rate {
            Some(self.rate_rule(&mut check))
        } else {
            astray(
                &mut check,
                "min_attempts",
                self.min_attempts.is_some(),
                "or_failure_rate",
            );
            astray(
                &mut check,
                "window",
                self.window.is_some(),
                "or_failure_rate",
            );
            None
        };
        let consecutive = if has_run {
            Some(self.consecutive_rule(&mut check))
        } else {
            astray(
                &mut check,
                "within",
                self.within.is_some(),
                "or_consecutive",
            );
            astray(
                &mut check,
                "spanning",
                self.spanning.is_some(),
                "or_consecutive",
            );
            None
        };
        let open_for = check.time("open_for", self.open_for.as_ref(), OPEN_FOR);
        let growth = self
            .growth
            .as_ref()
            .map(|(factor, max)| growth(&mut check, *factor, max, open_for));
        let settings = BreakerSettings {
            enabled: !self.disabled,
            failure_rate,
            consecutive,
            open_for,
            growth,
            probes: check.at_least_one("probes", self.probes, PROBES),
            close_after: check.at_least_one("close_after", self.close_after, CLOSE_AFTER),
            count_throttled: self.count_throttled.unwrap_or(false),
            drop_counts_after: self
                .drop_counts_after
                .as_ref()
                .map(|given| check.duration("drop_counts_after", Some(given), Duration::ZERO)),
            per: self.per.unwrap_or_default(),
            on_transition: self.on_transition.clone(),
        };
        check.or(settings)
    }

    fn rate_rule(&self, check: &mut Problems) -> RateRule {
        let threshold = self.failure_rate.unwrap_or(FAILURE_RATE);
        if !(threshold > 0.0 && threshold <= 1.0) {
            check.add(
                "failure_rate",
                threshold,
                "a share is above 0 and at most 1: write 0.7 for 70 %",
            );
        }
        RateRule {
            threshold,
            min_attempts: check.at_least_one("min_attempts", self.min_attempts, MIN_ATTEMPTS),
            window: check.time("window", self.window.as_ref(), WINDOW),
        }
    }

    fn consecutive_rule(&self, check: &mut Problems) -> ConsecutiveRule {
        let failures = check.at_least_one("consecutive", self.consecutive, CONSECUTIVE);
        let found_before = check.len();
        let within = check.time("within", self.within.as_ref(), WITHIN);
        let spanning = match &self.spanning {
            Some(given) => check.duration("spanning", Some(given), Duration::ZERO),
            None if self.consecutive.is_none() => SPANNING.min(within / 2),
            None => Duration::ZERO,
        };
        if check.len() == found_before && spanning >= within {
            check.add(
                "spanning",
                format_args!("{spanning:?}"),
                format!("failures within {within:?} span less than that: write a shorter time, or a longer `within`"),
            );
        }
        ConsecutiveRule {
            failures,
            within,
            spanning,
        }
    }
}

fn growth(check: &mut Problems, factor: f64, max: &GivenDuration, open_for: Duration) -> Growth {
    if !(factor >= 1.0 && factor.is_finite()) {
        check.add(
            "growth",
            factor,
            "a factor is a finite number of at least 1: write 2.0 to double the open time",
        );
    }
    let given = max;
    let max = check.duration("growth", Some(given), open_for);
    if given.get().is_ok() && max < open_for {
        check.add(
            "growth",
            given,
            format!("the longest open time is not shorter than `open_for`, {open_for:?}"),
        );
    }
    Growth { factor, max }
}

/// Refuses a number of a rule that the breaker does not have.
fn astray(check: &mut Problems, setting: &'static str, given: bool, adds_rule: &'static str) {
    if given {
        let reason = format!(
            "the breaker has no such rule: add it with `{adds_rule}(..)`, or leave this out"
        );
        check.add(setting, "..", reason);
    }
}

#[cfg(test)]
mod tests;
