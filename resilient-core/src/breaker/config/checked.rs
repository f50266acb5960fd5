//! A breaker's numbers, with the defaults filled in and what is wrong with them.

use std::time::Duration;

use super::Breaker;
use crate::breaker::settings::{
    BreakerSettings, ConsecutiveRule, Growth, RateRule, SlowRule, Window,
};
use crate::duration::GivenDuration;
use crate::invalid::{InvalidSetting, Problems};

const FAILURE_RATE: f64 = 0.7;
const MIN_ATTEMPTS: u32 = 20;
const WINDOW: Duration = Duration::from_secs(10);
/// More would be a mistake, and takes memory when all of them fail.
const LONGEST_COUNT: u32 = 1_000_000;
const CONSECUTIVE: u32 = 7;
const WITHIN: Duration = Duration::from_secs(60);
/// Of the default rule only: whoever asks for a number of failures in a row gets just that.
const SPANNING: Duration = Duration::from_secs(3);
const OPEN_FOR: Duration = Duration::from_secs(5);
const PROBES: u32 = 2;
const CLOSE_AFTER: u32 = 2;
const KEYS: u32 = 1_000;
/// Each takes one or two kilobytes.
const MOST_KEYS: u32 = 100_000;

impl Breaker {
    pub(super) fn checked(&self) -> Result<BreakerSettings, Vec<InvalidSetting>> {
        let mut check = Problems::of("breaker");
        // Without a rule by name there are both, as in the default.
        let has_rate =
            self.failure_rate.is_some() || self.consecutive.is_none() && !self.of_slow_calls;
        let has_run =
            self.consecutive.is_some() || self.failure_rate.is_none() && !self.of_slow_calls;
        if !has_rate && self.slow_calls.is_none() {
            for (setting, given) in [
                ("min_attempts", self.min_attempts.is_some()),
                ("window", self.window.is_some()),
                ("count_window", self.count_window.is_some()),
            ] {
                astray(&mut check, setting, given, "or_failure_rate");
            }
        }
        if !has_run {
            for (setting, given) in [
                ("within", self.within.is_some()),
                ("spanning", self.spanning.is_some()),
            ] {
                astray(&mut check, setting, given, "or_consecutive");
            }
        }
        let failure_rate = has_rate.then(|| self.threshold(&mut check));
        let slow_calls = self
            .slow_calls
            .as_ref()
            .map(|(share, longer_than)| slow_calls(&mut check, *share, longer_than));
        let (window, min_attempts) = if has_rate || slow_calls.is_some() {
            self.counted(&mut check)
        } else {
            (Window::Time(WINDOW), MIN_ATTEMPTS)
        };
        let consecutive = has_run.then(|| self.consecutive_rule(&mut check));
        let open_for = check.time("open_for", self.open_for.as_ref(), OPEN_FOR);
        let growth = self
            .growth
            .as_ref()
            .map(|(factor, max)| growth(&mut check, *factor, max, open_for));
        let settings = BreakerSettings {
            mode: self.mode,
            failure_rate: failure_rate.map(|threshold| RateRule {
                threshold,
                min_attempts,
                window,
            }),
            slow_calls: slow_calls.map(|(threshold, longer_than)| SlowRule {
                threshold,
                longer_than,
                min_attempts,
                window,
            }),
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
            keys: self.bounded_keys(&mut check),
        };
        check.or(settings)
    }

    fn threshold(&self, check: &mut Problems) -> f64 {
        share(
            check,
            "failure_rate",
            self.failure_rate.unwrap_or(FAILURE_RATE),
        )
    }

    /// Which attempts the rates count, and how many of them it takes.
    fn counted(&self, check: &mut Problems) -> (Window, u32) {
        let Some(count) = self.count_window else {
            let window = check.time("window", self.window.as_ref(), WINDOW);
            let min_attempts = check.at_least_one("min_attempts", self.min_attempts, MIN_ATTEMPTS);
            return (Window::Time(window), min_attempts);
        };
        let found_before = check.len();
        check.at_least_one("count_window", Some(count), count);
        if count > LONGEST_COUNT {
            check.add(
                "count_window",
                count,
                format!("a window holds at most {LONGEST_COUNT} attempts"),
            );
        }
        if let Some(window) = &self.window {
            check.add(
                "count_window",
                count,
                format!(
                    "the breaker has a `window` of {window}, too: write one of them, a time or a number of attempts"
                ),
            );
        }
        let is_good = check.len() == found_before;
        let most = MIN_ATTEMPTS.min(count.max(1));
        let min_attempts = check.at_least_one("min_attempts", self.min_attempts, most);
        if is_good && min_attempts > count {
            check.add(
                "min_attempts",
                min_attempts,
                format!("a `count_window` of {count} never holds so many: write at most {count}"),
            );
        }
        (Window::Count(count), min_attempts)
    }

    fn bounded_keys(&self, check: &mut Problems) -> u32 {
        let keys = check.at_least_one("keys", self.keys, KEYS);
        if keys > MOST_KEYS {
            check.add(
                "keys",
                keys,
                format!("at most {MOST_KEYS} keys have a breaker of their own"),
            );
        }
        keys
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

fn share(check: &mut Problems, setting: &'static str, share: f64) -> f64 {
    if !(share > 0.0 && share <= 1.0) {
        check.add(
            setting,
            share,
            "a share is above 0 and at most 1: write 0.7 for 70 %",
        );
    }
    share
}

fn slow_calls(
    check: &mut Problems,
    threshold: f64,
    longer_than: &GivenDuration,
) -> (f64, Duration) {
    let threshold = share(check, "slow_calls", threshold);
    let longer_than = check.time("slow_calls", Some(longer_than), Duration::MAX);
    (threshold, longer_than)
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
