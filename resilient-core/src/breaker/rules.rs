//! The rules that open a closed breaker, as one.

use std::time::Duration;

use super::consecutive::Consecutive;
use super::rate::Rate;
use super::settings::{BreakerSettings, SlowRule};
use super::transition::Rule;
use crate::seam::clock::Moment;

/// What has been counted, by every rule there is.
#[derive(Debug)]
pub(crate) struct Rules {
    failure_rate: Option<Rate>,
    slow_calls: Option<Rate>,
    consecutive: Option<Consecutive>,
}

/// A rule that says "open".
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Tripped {
    pub(crate) rule: Rule,
    pub(crate) failures: u64,
    pub(crate) attempts: u64,
}

impl Tripped {
    /// The last of `attempts` probes says so.
    pub(crate) fn by_probe(rule: Rule, attempts: u64) -> Self {
        Tripped {
            rule,
            failures: 1,
            attempts,
        }
    }
}

/// What is in the windows, or in the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Counts {
    pub(crate) failures: u64,
    pub(crate) slow: u64,
    pub(crate) attempts: u64,
}

impl Rules {
    pub(crate) fn new(settings: &BreakerSettings) -> Self {
        Rules {
            failure_rate: settings.failure_rate.map(Rate::new),
            slow_calls: settings.slow_calls.map(|rule| Rate::new(rule.rate())),
            consecutive: settings.consecutive.map(Consecutive::new),
        }
    }

    pub(crate) fn failed(&mut self, now: Moment, slow: bool) {
        self.record_rates(now, true, slow);
        if let Some(run) = &mut self.consecutive {
            run.failed(now);
        }
    }

    pub(crate) fn succeeded(&mut self, now: Moment, slow: bool) {
        self.record_rates(now, false, slow);
        self.end_run();
    }

    fn record_rates(&mut self, now: Moment, failed: bool, slow: bool) {
        if let Some(rate) = &mut self.failure_rate {
            rate.record(now, failed);
        }
        if let Some(rate) = &mut self.slow_calls {
            rate.record(now, slow);
        }
    }

    fn end_run(&mut self) {
        if let Some(run) = &mut self.consecutive {
            run.succeeded();
        }
    }

    /// Successes some time since `from`, while none could change anything but the counts.
    pub(crate) fn succeeded_since(&mut self, from: Moment, now: Moment, count: u64) {
        for rate in self.rates_mut() {
            rate.good_since(from, now, count);
        }
    }

    /// Failures in a row are the rule only while the failure rate cannot judge: under load five of
    /// them happen by chance.
    pub(crate) fn judge(&mut self, now: Moment) -> Option<Tripped> {
        let tripped = tripped(&mut self.failure_rate, Rule::FailureRate, now)
            .or_else(|| tripped(&mut self.slow_calls, Rule::SlowCallRate, now));
        let Some(run) = self.consecutive.as_mut().filter(|_| tripped.is_none()) else {
            return tripped;
        };
        let rate = self.failure_rate.as_mut();
        if rate.is_some_and(|rate| rate.can_judge(now)) {
            return None;
        }
        let failures = run.tripped(now)?;
        Some(Tripped {
            rule: Rule::Consecutive,
            failures,
            attempts: failures,
        })
    }

    /// Whether a failure that was not slow opens nothing and leaves [`Rules::heed_success`] as it is,
    /// as far as that can be told at a glance.
    #[inline]
    pub(crate) fn outlast_failure(&self) -> bool {
        let run = self.consecutive.as_ref();
        let failures = self.failure_rate.as_ref();
        let slow = self.slow_calls.as_ref();
        run.is_none_or(Consecutive::goes_on)
            && failures.is_none_or(|rate| rate.slack() > 1)
            && slow.is_none_or(|rate| rate.slack() > 0)
    }

    /// Whether a success may do more than add to a count.
    pub(crate) fn heed_success(&self) -> bool {
        // The cheap question first: after a failure it is mostly the answer, too.
        self.consecutive
            .as_ref()
            .is_some_and(Consecutive::is_running)
            || self.rates().any(Rate::could_trip_on_good)
    }

    /// Whether a success counts at all.
    pub(crate) fn count_success(&self) -> bool {
        self.rates().next().is_some()
    }

    /// As far as they are counted.
    pub(crate) fn counts(&mut self, now: Moment) -> Counts {
        let failed = self.failure_rate.as_mut().map(|rate| rate.counts(now));
        let slow = self.slow_calls.as_mut().map(|rate| rate.counts(now));
        let run = self.consecutive.as_mut().map_or(0, |run| run.len(now));
        Counts {
            failures: failed.map_or(run, |(failures, _)| failures),
            slow: slow.map_or(0, |(slow, _)| slow),
            attempts: failed.or(slow).map_or(run, |(_, attempts)| attempts),
        }
    }

    /// Whether nothing is counted.
    pub(crate) fn are_empty(&mut self, now: Moment) -> bool {
        let run = self.consecutive.as_mut().map_or(0, |run| run.len(now));
        run == 0 && self.rates_mut().all(|rate| rate.counts(now).1 == 0)
    }

    /// Whether the breaker, closed since `since`, has been so for as long as any rule looks back.
    pub(crate) fn are_renewed(&self, since: Moment, now: Moment) -> bool {
        let run = self.consecutive.as_ref();
        run.is_none_or(|run| now.since(since) >= run.within())
            && self.rates().all(|rate| rate.is_renewed(since, now))
    }

    /// How long successes may wait for a date without blurring the picture.
    pub(crate) fn grain(&self) -> Duration {
        self.rates().map(Rate::grain).min().unwrap_or(Duration::MAX)
    }

    pub(crate) fn clear(&mut self) {
        for rate in self.rates_mut() {
            rate.clear();
        }
        self.end_run();
    }

    /// Goes by other numbers; counts stay where a rule stays.
    pub(crate) fn reconfigure(&mut self, settings: &BreakerSettings) {
        let slow_calls = settings.slow_calls.as_ref().map(SlowRule::rate);
        for (rate, rule) in [
            (&mut self.failure_rate, settings.failure_rate),
            (&mut self.slow_calls, slow_calls),
        ] {
            *rate = match (rate.take(), rule) {
                (Some(mut rate), Some(rule)) => {
                    rate.reconfigure(rule);
                    Some(rate)
                }
                (_, rule) => rule.map(Rate::new),
            };
        }
        self.consecutive = match (self.consecutive.take(), settings.consecutive) {
            (Some(mut run), Some(rule)) => {
                run.reconfigure(rule);
                Some(run)
            }
            (_, rule) => rule.map(Consecutive::new),
        };
    }

    fn rates(&self) -> impl Iterator<Item = &Rate> {
        [&self.failure_rate, &self.slow_calls].into_iter().flatten()
    }

    fn rates_mut(&mut self) -> impl Iterator<Item = &mut Rate> {
        [&mut self.failure_rate, &mut self.slow_calls]
            .into_iter()
            .flatten()
    }
}

fn tripped(rate: &mut Option<Rate>, rule: Rule, now: Moment) -> Option<Tripped> {
    let (failures, attempts) = rate.as_mut()?.tripped(now)?;
    Some(Tripped {
        rule,
        failures,
        attempts,
    })
}
