//! The share of failures in a sliding window.

use std::time::Duration;

use super::settings::RateRule;
use crate::seam::clock::Moment;
use crate::window::Buckets;

/// The window of a rate rule.
#[derive(Debug)]
pub(crate) struct FailureRate {
    rule: RateRule,
    window: Buckets,
}

impl FailureRate {
    pub(crate) fn new(rule: RateRule) -> Self {
        FailureRate {
            rule,
            window: Buckets::new(rule.window),
        }
    }

    pub(crate) fn failed(&mut self, now: Moment) {
        self.window.record(now, 0, 1);
    }

    pub(crate) fn succeeded(&mut self, now: Moment) {
        self.window.record(now, 1, 0);
    }

    /// Successes that happened some time since `from`.
    pub(crate) fn succeeded_since(&mut self, from: Moment, now: Moment, count: u64) {
        self.window.spread(from, now, count);
    }

    /// Failures and attempts in the window.
    pub(crate) fn counts(&mut self, now: Moment) -> (u64, u64) {
        let (good, bad) = self.window.totals(now);
        (bad, good + bad)
    }

    /// Whether the window holds enough to be judged.
    pub(crate) fn can_judge(&mut self, now: Moment) -> bool {
        self.counts(now).1 >= u64::from(self.rule.min_attempts)
    }

    /// Failures and attempts, once their share is too large.
    pub(crate) fn tripped(&mut self, now: Moment) -> Option<(u64, u64)> {
        let (failures, attempts) = self.counts(now);
        let tripped =
            attempts >= u64::from(self.rule.min_attempts) && self.is_too_large(failures, attempts);
        tripped.then_some((failures, attempts))
    }

    /// Whether some number of successes, now or after old outcomes have left the window, could be
    /// the outcome on which the rule trips: by completing the minimum, or by being judged after
    /// older successes are gone. If not, successes need only be counted.
    pub(crate) fn could_trip_on_success(&self) -> bool {
        self.window.outlooks().any(|(good, bad)| {
            self.is_too_large(bad, (good + bad).max(u64::from(self.rule.min_attempts)))
        })
    }

    pub(crate) fn window(&self) -> Duration {
        self.rule.window
    }

    pub(crate) fn grain(&self) -> Duration {
        self.window.width()
    }

    pub(crate) fn clear(&mut self) {
        self.window.clear();
    }

    /// Goes by other numbers; the counts stay.
    pub(crate) fn reconfigure(&mut self, rule: RateRule) {
        if rule.window != self.rule.window {
            self.window = self.window.with_window(rule.window);
        }
        self.rule = rule;
    }

    // A division of whole numbers is rounded to the nearest number there is, and so is the
    // threshold someone wrote: 14 of 20 is exactly 0.7. Counts beyond 2^53 do not occur.
    #[allow(clippy::cast_precision_loss)]
    fn is_too_large(&self, failures: u64, attempts: u64) -> bool {
        failures as f64 / attempts as f64 >= self.rule.threshold
    }
}
