//! Failures in a row.

use std::collections::VecDeque;
use std::time::Duration;

use super::settings::ConsecutiveRule;
use crate::seam::clock::Moment;

/// Into how many parts the past of a run is divided where it must be remembered at length.
const MARKS: u32 = 64;

/// The failures since the last success.
#[derive(Debug)]
pub(crate) struct Consecutive {
    rule: ConsecutiveRule,
    /// The latest failures, no more than the rule asks for.
    latest: VecDeque<Moment>,
    /// Failures at least a 64th of `within` apart, from the first one on: how long ago the run
    /// began must be known even if thousands of failures came since.
    marks: VecDeque<Moment>,
    /// How far apart these are.
    grain: Duration,
}

impl Consecutive {
    pub(crate) fn new(rule: ConsecutiveRule) -> Self {
        Consecutive {
            grain: rule.within / MARKS,
            rule,
            latest: VecDeque::new(),
            marks: VecDeque::new(),
        }
    }

    pub(crate) fn failed(&mut self, now: Moment) {
        self.forget(now);
        self.latest.push_back(now);
        if self.latest.len() > self.rule.failures as usize {
            self.latest.pop_front();
        }
        let grain = self.grain;
        if self
            .marks
            .back()
            .is_none_or(|mark| now.since(*mark) >= grain)
        {
            self.marks.push_back(now);
        }
    }

    /// Ends the run.
    pub(crate) fn succeeded(&mut self) {
        self.latest.clear();
        self.marks.clear();
    }

    /// Whether a success would change anything.
    pub(crate) fn is_running(&self) -> bool {
        !self.latest.is_empty()
    }

    /// Whether there is a run, and still is one and no longer than that after another failure.
    #[inline]
    pub(crate) fn goes_on(&self) -> bool {
        self.is_running() && self.latest.len() + 1 < self.rule.failures as usize
    }

    /// How many failures make the run, once it is long enough.
    pub(crate) fn tripped(&mut self, now: Moment) -> Option<u64> {
        self.forget(now);
        let (first, last) = (self.marks.front()?, self.latest.back()?);
        let long_enough = self.latest.len() >= self.rule.failures as usize
            && last.since(*first) >= self.rule.spanning;
        long_enough.then_some(self.latest.len() as u64)
    }

    /// How many of the failures the rule would count now, up to the number it asks for.
    pub(crate) fn len(&mut self, now: Moment) -> u64 {
        self.forget(now);
        self.latest.len() as u64
    }

    pub(crate) fn within(&self) -> Duration {
        self.rule.within
    }

    /// Goes by other numbers; the run stays.
    pub(crate) fn reconfigure(&mut self, rule: ConsecutiveRule) {
        self.grain = rule.within / MARKS;
        self.rule = rule;
        let too_many = self.latest.len().saturating_sub(rule.failures as usize);
        self.latest.drain(..too_many);
    }

    fn forget(&mut self, now: Moment) {
        for times in [&mut self.latest, &mut self.marks] {
            while times
                .front()
                .is_some_and(|time| now.since(*time) >= self.rule.within)
            {
                times.pop_front();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_run_is_remembered_in_little_space() {
        let mut run = Consecutive::new(ConsecutiveRule {
            failures: 5,
            within: Duration::from_secs(60),
            spanning: Duration::from_secs(59),
        });
        for millis in 0..58_000 {
            run.failed(Moment::at_millis(millis));
        }
        assert_eq!(run.tripped(Moment::at_millis(58_000)), None);
        assert!(run.latest.len() == 5 && run.marks.len() <= 1 + MARKS as usize);
        run.failed(Moment::at_millis(59_000));
        assert_eq!(run.tripped(Moment::at_millis(59_000)), Some(5));
    }
}
