//! A sliding window of time.

use std::time::Duration;

use crate::seam::clock::{Moment, nanos};

const COUNT: usize = 10;

/// Good and bad outcomes of the last `window`, forgotten a tenth of it at a time.
///
/// The newest tenth is still filling, so what is remembered spans between 9/10 of the window and
/// all of it. Time that seems to run backwards (two threads that read the clock in one order and
/// count in the other) counts into the newest tenth.
#[derive(Clone, Debug)]
pub(crate) struct Buckets {
    width: u64,
    /// When the newest bucket began; `None` while nothing has been counted.
    started: Option<Moment>,
    newest: usize,
    good: [u64; COUNT],
    bad: [u64; COUNT],
    sums: (u64, u64),
}

impl Buckets {
    pub(crate) fn new(window: Duration) -> Self {
        Buckets {
            width: (nanos(window) / COUNT as u64).max(1),
            started: None,
            newest: 0,
            good: [0; COUNT],
            bad: [0; COUNT],
            sums: (0, 0),
        }
    }

    /// A tenth of the window: how stale a count may become before it blurs the picture.
    pub(crate) fn width(&self) -> Duration {
        Duration::from_nanos(self.width)
    }

    /// Counts outcomes that happened now.
    pub(crate) fn record(&mut self, now: Moment, good: u64, bad: u64) {
        self.turn(now);
        self.add_to(self.newest, good, bad);
    }

    /// Counts successes that happened some time between `from` and `now`: evenly, so that a long
    /// stretch of old ones does not hide what is happening now. The share that is older than the
    /// window is not counted.
    pub(crate) fn spread(&mut self, from: Moment, now: Moment, good: u64) {
        let started = self.turn(now);
        let elapsed = now.nanos_since(from);
        if elapsed <= self.width {
            self.add_to(self.newest, good, 0);
            return;
        }
        let before = |moment: Moment| share(good, moment.nanos_since(from), elapsed);
        let mut end = now;
        for age in 0..COUNT {
            let start = Moment::from_bits(
                started
                    .to_bits()
                    .saturating_sub(self.width.saturating_mul(age as u64)),
            )
            .min(end);
            self.add_to(self.index(age), before(end) - before(start), 0);
            end = start;
        }
    }

    /// The bad ones that are still remembered, as of the last time that was counted.
    pub(crate) fn bad(&self) -> u64 {
        self.sums.1
    }

    /// What happened in the window that ends now, good and bad.
    pub(crate) fn totals(&mut self, now: Moment) -> (u64, u64) {
        if self.started.is_some() {
            self.turn(now);
        }
        self.sums
    }

    /// Forgets outcomes that were counted as bad at `then`, unless that is forgotten already.
    pub(crate) fn take_back(&mut self, then: Moment, bad: u64) {
        let Some(started) = self.started else {
            return;
        };
        let age = started.nanos_since(then).div_ceil(self.width);
        if age >= COUNT as u64 {
            return;
        }
        let index = self.index(usize::try_from(age).unwrap_or(0));
        let bad = bad.min(self.bad[index]);
        self.bad[index] -= bad;
        self.sums.1 -= bad;
    }

    /// Totals of what will still be remembered after each further turn, longest first, as of the
    /// last time that was counted.
    pub(crate) fn outlooks(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        let mut left = self.sums;
        (0..COUNT).rev().map(move |age| {
            let outlook = left;
            let index = self.index(age);
            left = (left.0 - self.good[index], left.1 - self.bad[index]);
            outlook
        })
    }

    pub(crate) fn clear(&mut self) {
        *self = Buckets {
            width: self.width,
            ..Buckets::new(Duration::ZERO)
        };
    }

    /// The same counts in a window of another length.
    pub(crate) fn with_window(&self, window: Duration) -> Self {
        let mut other = Buckets::new(window);
        if let Some(started) = self.started {
            for age in (0..COUNT).rev() {
                let index = self.index(age);
                let back = self.width.saturating_mul(age as u64);
                let then = Moment::from_bits(started.to_bits().saturating_sub(back));
                other.record(then, self.good[index], self.bad[index]);
            }
        }
        other
    }

    fn add_to(&mut self, index: usize, good: u64, bad: u64) {
        self.good[index] += good;
        self.bad[index] += bad;
        self.sums.0 += good;
        self.sums.1 += bad;
    }

    fn index(&self, age: usize) -> usize {
        (self.newest + COUNT - age) % COUNT
    }

    /// Makes the newest bucket the one `now` falls into, and says when it began.
    fn turn(&mut self, now: Moment) -> Moment {
        let started = *self.started.get_or_insert(now);
        let passed = now.nanos_since(started);
        if passed < self.width {
            return started;
        }
        let turns = passed / self.width;
        for _ in 0..turns.min(COUNT as u64) {
            self.newest = (self.newest + 1) % COUNT;
            self.sums.0 -= std::mem::take(&mut self.good[self.newest]);
            self.sums.1 -= std::mem::take(&mut self.bad[self.newest]);
        }
        let started = started.plus_nanos(turns * self.width);
        self.started = Some(started);
        started
    }
}

/// `part / whole` of `count`, rounded down; shares of a growing part add up to the whole count.
fn share(count: u64, part: u64, whole: u64) -> u64 {
    let share = u128::from(count) * u128::from(part.min(whole)) / u128::from(whole.max(1));
    u64::try_from(share).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests;
