//! The budget that follows the traffic.

use std::time::Duration;

use super::tokens::billionths;
use crate::seam::clock::Moment;
use crate::window::Buckets;

const WHOLE: u128 = 1_000_000_000;

/// Retries in the window <= `ratio` * attempts answered in the window + `floor`.
///
/// Whole billionths instead of floats: 0.29 * 100 must be 29, not a little less.
#[derive(Debug)]
pub(super) struct Ratio {
    billionths: u64,
    floor: u32,
    length: Duration,
    /// Answered attempts are the good ones, retries the bad ones.
    window: Buckets,
    folded: Moment,
}

impl Ratio {
    /// Empty, as of `now`.
    pub(super) fn new(ratio: f64, window: Duration, floor: u32, now: Moment) -> Self {
        Ratio {
            billionths: billionths(ratio),
            floor,
            length: window,
            window: Buckets::new(window),
            folded: now,
        }
    }

    /// Other numbers, the same counts.
    pub(super) fn reconfigure(&mut self, ratio: f64, window: Duration, floor: u32) {
        self.billionths = billionths(ratio);
        self.floor = floor;
        if window != self.length {
            self.length = window;
            self.window = self.window.with_window(window);
        }
    }

    /// How long undated answers may wait to be counted in without blurring the picture.
    pub(super) fn patience(&self) -> Duration {
        self.window.width()
    }

    /// Counts attempts that were answered some time since it was last called.
    pub(super) fn fold(&mut self, now: Moment, answered: u64) {
        if answered > 0 {
            self.window.spread(self.folded, now, answered);
        }
        self.folded = self.folded.max(now);
    }

    /// Counts one retry, if there is one left.
    pub(super) fn try_spend(&mut self, now: Moment) -> bool {
        let left = self.left(now) > 0;
        if left {
            self.window.record(now, 0, 1);
        }
        left
    }

    /// Takes back a retry that was counted at `spent`.
    pub(super) fn refund(&mut self, spent: Moment) {
        self.window.take_back(spent, 1);
    }

    /// How many retries could be made now.
    pub(super) fn left(&mut self, now: Moment) -> u64 {
        let (answered, retries) = self.window.totals(now);
        let earned = u128::from(answered) * u128::from(self.billionths) / WHOLE;
        let allowed = earned + u128::from(self.floor);
        u64::try_from(allowed.saturating_sub(u128::from(retries))).unwrap_or(u64::MAX)
    }
}
