//! The share of bad outcomes in a window, by the list.

use crate::breaker::{RateRule, Window};
use crate::seam::clock::Moment;
use crate::window::reference::{LastSoMany, LastTime};

/// The share of bad ones among the outcomes of a window.
#[derive(Clone, Debug)]
pub(super) struct Share {
    rule: RateRule,
    window: Remembered,
}

#[derive(Clone, Debug)]
enum Remembered {
    Time(LastTime),
    Count(LastSoMany),
}

impl Share {
    pub(super) fn new(rule: RateRule) -> Self {
        let window = match rule.window {
            Window::Time(window) => Remembered::Time(LastTime::new(window)),
            Window::Count(count) => Remembered::Count(LastSoMany::new(count)),
        };
        Share { rule, window }
    }

    pub(super) fn record(&mut self, bad: bool, now: Moment) {
        match &mut self.window {
            Remembered::Time(window) => window.record(now, u64::from(!bad), u64::from(bad)),
            Remembered::Count(window) => window.record(bad),
        }
    }

    pub(super) fn good_since(&mut self, from: Moment, now: Moment, count: u64) {
        match &mut self.window {
            Remembered::Time(window) => window.spread(from, now, count),
            Remembered::Count(window) => (0..count).for_each(|_| window.record(false)),
        }
    }

    /// Bad ones and all.
    pub(super) fn counts(&mut self, now: Moment) -> (u64, u64) {
        let (good, bad) = match &mut self.window {
            Remembered::Time(window) => window.totals(now),
            Remembered::Count(window) => window.totals(),
        };
        (bad, good + bad)
    }

    pub(super) fn has_enough(&mut self, now: Moment) -> bool {
        self.counts(now).1 >= u64::from(self.rule.min_attempts)
    }

    #[allow(clippy::cast_precision_loss)]
    pub(super) fn is_reached(&mut self, now: Moment) -> bool {
        let (bad, all) = self.counts(now);
        self.has_enough(now) && bad as f64 / all as f64 >= self.rule.threshold
    }

    /// Whether it was closed for a whole window.
    pub(super) fn is_full(&self, since: Moment, now: Moment) -> bool {
        match (&self.window, self.rule.window) {
            (Remembered::Count(window), Window::Count(length)) => {
                window.recorded() > u64::from(length)
            }
            (_, Window::Time(length)) => now.since(since) >= length,
            _ => unreachable!("the window is of the rule's kind"),
        }
    }

    pub(super) fn reconfigure(&mut self, rule: RateRule) {
        match (&mut self.window, rule.window) {
            (Remembered::Time(window), Window::Time(length)) => {
                if self.rule.window != rule.window {
                    window.resize(length);
                }
            }
            (Remembered::Count(window), Window::Count(length)) => window.resize(length),
            _ => *self = Share::new(rule),
        }
        self.rule = rule;
    }

    pub(super) fn clear(&mut self) {
        match &mut self.window {
            Remembered::Time(window) => window.clear(),
            Remembered::Count(window) => window.clear(),
        }
    }
}

pub(super) fn reconfigured(share: Option<Share>, rule: Option<RateRule>) -> Option<Share> {
    let rule = rule?;
    let Some(mut share) = share else {
        return Some(Share::new(rule));
    };
    share.reconfigure(rule);
    Some(share)
}
