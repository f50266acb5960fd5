//! Token buckets, exact for any rate.

use super::{Cell, Charge, Engine};

/// A bucket of `burst` tokens into which `quota` tokens fall in each window, evenly.
///
/// In its cell stands when the bucket will be full: whole nanoseconds, and a fraction of one in
/// parts of the quota. One token is `window / quota` nanoseconds, so in these parts nothing is ever
/// rounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TokenBucket {
    pub(super) quota: u32,
    pub(super) window: u64,
    pub(super) burst: u32,
}

impl TokenBucket {
    pub(crate) fn new(quota: u32, window: u64, burst: u32) -> Self {
        TokenBucket {
            quota: quota.max(1),
            window,
            burst: burst.max(1),
        }
    }

    /// How long until it is full, in parts of a nanosecond.
    fn lacking(self, cell: &Cell, now: u64) -> u128 {
        match cell.at().checked_sub(now) {
            None => 0,
            Some(nanos) => u128::from(nanos) * u128::from(self.quota) + u128::from(cell.count),
        }
    }

    /// The time in which so many tokens fall, in parts of a nanosecond.
    fn time_for(self, tokens: u32) -> u128 {
        u128::from(tokens) * u128::from(self.window)
    }

    /// Whole nanoseconds, rounded up.
    fn nanos(self, parts: u128) -> u64 {
        u64::try_from(parts.div_ceil(u128::from(self.quota))).unwrap_or(u64::MAX)
    }

    /// A bucket that is full so long after `now`.
    fn full_in(self, parts: u128, now: u64) -> Cell {
        let quota = u128::from(self.quota);
        let nanos = u64::try_from(parts / quota).unwrap_or(u64::MAX);
        let fraction = u32::try_from(parts % quota).unwrap_or(0);
        Cell::new(now.saturating_add(nanos), fraction, 0)
    }
}

impl Engine<Cell> for TokenBucket {
    fn wait(&self, cell: &Cell, cost: u32, now: u64) -> u64 {
        let lacking = self.lacking(cell, now) + self.time_for(cost);
        match lacking.saturating_sub(self.time_for(self.burst)) {
            0 => 0,
            parts => self.nanos(parts),
        }
    }

    fn take(&self, cell: &mut Cell, cost: u32, now: u64) {
        let lacking = self.lacking(cell, now) + self.time_for(cost);
        *cell = self.full_in(lacking, now);
    }

    fn refundable_until(&self, cell: &Cell, now: u64) -> u64 {
        now.saturating_add(self.nanos(self.lacking(cell, now)))
    }

    fn refund(&self, cell: &mut Cell, charge: Charge, now: u64) {
        let owed = u128::from(charge.until.saturating_sub(now)) * u128::from(self.quota);
        let back = self.time_for(charge.cost).min(owed);
        let lacking = self.lacking(cell, now).saturating_sub(back);
        *cell = self.full_in(lacking, now);
    }

    fn used(&self, cell: &Cell, now: u64) -> u32 {
        let tokens = self.lacking(cell, now).div_ceil(u128::from(self.window));
        u32::try_from(tokens).unwrap_or(u32::MAX)
    }

    fn reset(&self, cell: &Cell, now: u64) -> u64 {
        self.nanos(self.lacking(cell, now))
    }
}
