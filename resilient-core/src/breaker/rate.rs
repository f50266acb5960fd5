//! The share of bad outcomes in a sliding window.

use std::time::Duration;

use super::settings::{RateRule, Window};
use crate::seam::clock::Moment;
use crate::window::{Buckets, Latest};

/// What a rate rule has counted: failures, or slow calls.
#[derive(Debug)]
pub(crate) struct Rate {
    rule: RateRule,
    counted: Counted,
    /// At least so many more bad outcomes must come before their share can be too large, whatever
    /// good ones come and whatever is forgotten; zero if that is not known.
    slack: u64,
}

#[derive(Debug)]
enum Counted {
    Time(Buckets),
    Count(Latest),
}

impl Rate {
    pub(crate) fn new(rule: RateRule) -> Self {
        let counted = match rule.window {
            Window::Time(window) => Counted::Time(Buckets::new(window)),
            Window::Count(attempts) => Counted::Count(Latest::new(attempts)),
        };
        Rate {
            rule,
            counted,
            slack: 0,
        }
    }

    pub(crate) fn record(&mut self, now: Moment, bad: bool) {
        match &mut self.counted {
            Counted::Time(window) => window.record(now, u64::from(!bad), u64::from(bad)),
            Counted::Count(window) if bad => window.bad(),
            Counted::Count(window) => window.good(1),
        }
        if bad {
            self.slack = match self.slack.checked_sub(1) {
                Some(slack) => slack,
                None => self.measure_slack(),
            };
        }
    }

    /// Good outcomes only add to it, and no window begins with more bad ones than the newest part of
    /// this one holds.
    fn measure_slack(&self) -> u64 {
        let min = u64::from(self.rule.min_attempts);
        let slack = |(good, bad): (u64, u64)| self.room(bad, (good + bad).max(min));
        match &self.counted {
            Counted::Time(window) => window.outlooks().map(slack).min().unwrap_or(0),
            Counted::Count(window) => slack(window.totals()),
        }
    }

    /// Good outcomes some time since `from`, one after the other: since no bad one came between
    /// them, their order is known as well as it matters.
    pub(crate) fn good_since(&mut self, from: Moment, now: Moment, count: u64) {
        match &mut self.counted {
            Counted::Time(window) => window.spread(from, now, count),
            Counted::Count(window) => window.good(count),
        }
    }

    /// Bad ones and all in the window.
    pub(crate) fn counts(&mut self, now: Moment) -> (u64, u64) {
        let (good, bad) = match &mut self.counted {
            Counted::Time(window) => window.totals(now),
            Counted::Count(window) => window.totals(),
        };
        (bad, good + bad)
    }

    /// So many more bad outcomes come to nothing, or more.
    #[inline]
    pub(crate) fn slack(&self) -> u64 {
        self.slack
    }

    /// Whether the window holds enough to be judged.
    pub(crate) fn can_judge(&mut self, now: Moment) -> bool {
        self.counts(now).1 >= u64::from(self.rule.min_attempts)
    }

    /// Bad ones and all, once their share is too large.
    pub(crate) fn tripped(&mut self, now: Moment) -> Option<(u64, u64)> {
        if self.slack > 0 {
            return None;
        }
        let (bad, attempts) = self.counts(now);
        let tripped =
            attempts >= u64::from(self.rule.min_attempts) && self.is_too_large(bad, attempts);
        tripped.then_some((bad, attempts))
    }

    /// Whether some number of good outcomes, now or after old outcomes have left the window, could
    /// be the one on which the rule trips: by completing the minimum, or by being judged after
    /// older good ones are gone. If not, they need only be counted. (From a window of so many
    /// attempts a good one never pushes out more good than it brings.)
    pub(crate) fn could_trip_on_good(&self) -> bool {
        if self.slack > 0 {
            return false;
        }
        let could_trip = |(good, bad): (u64, u64)| {
            self.is_too_large(bad, (good + bad).max(u64::from(self.rule.min_attempts)))
        };
        match &self.counted {
            // No outlook has more bad ones than there are now, or fewer attempts than the minimum.
            Counted::Time(window) => {
                self.is_too_large(window.bad(), u64::from(self.rule.min_attempts))
                    && window.outlooks().any(could_trip)
            }
            Counted::Count(window) => could_trip(window.totals()),
        }
    }

    /// How long good outcomes may wait for a date without blurring the picture.
    pub(crate) fn grain(&self) -> Duration {
        match &self.counted {
            Counted::Time(window) => window.width(),
            Counted::Count(_) => Duration::MAX,
        }
    }

    /// Whether a whole window has passed since `since`, when it began empty: its time, or more
    /// attempts than it holds.
    pub(crate) fn is_renewed(&self, since: Moment, now: Moment) -> bool {
        match (&self.counted, self.rule.window) {
            (Counted::Count(window), _) => window.has_slid(),
            (_, Window::Time(window)) => now.since(since) >= window,
            (_, Window::Count(_)) => false,
        }
    }

    pub(crate) fn clear(&mut self) {
        match &mut self.counted {
            Counted::Time(window) => window.clear(),
            Counted::Count(window) => window.clear(),
        }
        self.slack = 0;
    }

    /// Goes by other numbers. The counts stay, unless the window is one of another kind.
    pub(crate) fn reconfigure(&mut self, rule: RateRule) {
        match (&mut self.counted, rule.window) {
            (Counted::Time(window), Window::Time(length)) if self.rule.window != rule.window => {
                *window = window.with_window(length);
            }
            (Counted::Time(_), Window::Time(_)) => {}
            (Counted::Count(window), Window::Count(length)) => window.resize(length),
            _ => *self = Rate::new(rule),
        }
        self.rule = rule;
        self.slack = 0;
    }

    // A division of whole numbers is rounded to the nearest number there is, and so is the
    // threshold someone wrote: 14 of 20 is exactly 0.7. Counts beyond 2^53 do not occur.
    #[allow(clippy::cast_precision_loss)]
    fn is_too_large(&self, bad: u64, attempts: u64) -> bool {
        bad as f64 / attempts as f64 >= self.rule.threshold
    }

    // How many bad ones fit below the threshold. One less, because here something may be rounded.
    #[allow(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss
    )]
    fn room(&self, bad: u64, attempts: u64) -> u64 {
        let room = attempts as f64 * self.rule.threshold - bad as f64;
        (room as u64).saturating_sub(1)
    }
}
