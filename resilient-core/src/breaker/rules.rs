//! The rules that open a closed breaker, as one.

use std::time::Duration;

use super::consecutive::Consecutive;
use super::failure_rate::FailureRate;
use super::settings::BreakerSettings;
use super::transition::Rule;
use crate::seam::clock::Moment;

/// What has been counted, by every rule there is.
#[derive(Debug)]
pub(crate) struct Rules {
    failure_rate: Option<FailureRate>,
    consecutive: Option<Consecutive>,
}

/// A rule that says "open".
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Tripped {
    pub(crate) rule: Rule,
    pub(crate) failures: u64,
    pub(crate) attempts: u64,
}

impl Rules {
    pub(crate) fn new(settings: &BreakerSettings) -> Self {
        Rules {
            failure_rate: settings.failure_rate.map(FailureRate::new),
            consecutive: settings.consecutive.map(Consecutive::new),
        }
    }

    pub(crate) fn failed(&mut self, now: Moment) {
        if let Some(rate) = &mut self.failure_rate {
            rate.failed(now);
        }
        if let Some(run) = &mut self.consecutive {
            run.failed(now);
        }
    }

    pub(crate) fn succeeded(&mut self, now: Moment) {
        if let Some(rate) = &mut self.failure_rate {
            rate.succeeded(now);
        }
        self.end_run();
    }

    fn end_run(&mut self) {
        if let Some(run) = &mut self.consecutive {
            run.succeeded();
        }
    }

    /// Successes some time since `from`, while none could change anything but the counts.
    pub(crate) fn succeeded_since(&mut self, from: Moment, now: Moment, count: u64) {
        if let Some(rate) = &mut self.failure_rate
            && count > 0
        {
            rate.succeeded_since(from, now, count);
        }
    }

    /// Failures in a row are the rule only while the rate cannot judge: under load five of them
    /// happen by chance.
    pub(crate) fn judge(&mut self, now: Moment) -> Option<Tripped> {
        if let Some(rate) = &mut self.failure_rate
            && rate.can_judge(now)
        {
            let (failures, attempts) = rate.tripped(now)?;
            return Some(Tripped {
                rule: Rule::FailureRate,
                failures,
                attempts,
            });
        }
        let failures = self.consecutive.as_mut()?.tripped(now)?;
        Some(Tripped {
            rule: Rule::Consecutive,
            failures,
            attempts: failures,
        })
    }

    /// Whether a success may do more than add to a count.
    pub(crate) fn heed_success(&self) -> bool {
        // The cheap question first: after a failure it is mostly the answer, too.
        self.consecutive
            .as_ref()
            .is_some_and(Consecutive::is_running)
            || self
                .failure_rate
                .as_ref()
                .is_some_and(FailureRate::could_trip_on_success)
    }

    /// Whether a success counts at all.
    pub(crate) fn count_success(&self) -> bool {
        self.failure_rate.is_some()
    }

    /// Failures and attempts as far as they are counted.
    pub(crate) fn counts(&mut self, now: Moment) -> (u64, u64) {
        if let Some(rate) = &mut self.failure_rate {
            return rate.counts(now);
        }
        let run = self.consecutive.as_mut().map_or(0, |run| run.len(now));
        (run, run)
    }

    /// The longest time any rule looks back.
    pub(crate) fn memory(&self) -> Duration {
        let rate = self.failure_rate.as_ref().map(FailureRate::window);
        let run = self.consecutive.as_ref().map(Consecutive::within);
        rate.max(run).unwrap_or_default()
    }

    /// How long successes may wait for a date without blurring the picture.
    pub(crate) fn grain(&self) -> Duration {
        self.failure_rate
            .as_ref()
            .map_or(Duration::MAX, FailureRate::grain)
    }

    pub(crate) fn clear(&mut self) {
        if let Some(rate) = &mut self.failure_rate {
            rate.clear();
        }
        self.end_run();
    }

    /// Goes by other numbers; counts stay where a rule stays.
    pub(crate) fn reconfigure(&mut self, settings: &BreakerSettings) {
        self.failure_rate = match (self.failure_rate.take(), settings.failure_rate) {
            (Some(mut rate), Some(rule)) => {
                rate.reconfigure(rule);
                Some(rate)
            }
            (_, rule) => rule.map(FailureRate::new),
        };
        self.consecutive = match (self.consecutive.take(), settings.consecutive) {
            (Some(mut run), Some(rule)) => {
                run.reconfigure(rule);
                Some(run)
            }
            (_, rule) => rule.map(Consecutive::new),
        };
    }
}
