//! The generic cell rate algorithm.

use super::{Cell, Charge, Engine};

/// A bucket of `burst` that gets one back every `interval`.
///
/// All it knows is when the bucket will be full again, in the algorithm's words the theoretical
/// arrival time of the next cell; the bucket is full from then on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Gcra {
    /// Nanoseconds, rounded up: never more than the quota passes.
    pub(crate) interval: u64,
    pub(crate) burst: u32,
}

impl Gcra {
    pub(crate) fn new(quota: u32, window: u64, burst: u32) -> Self {
        Gcra {
            interval: window.div_ceil(u64::from(quota.max(1))),
            burst: burst.max(1),
        }
    }

    /// The time in which so many come back.
    fn time_for(self, count: u32) -> u64 {
        self.interval.saturating_mul(u64::from(count))
    }

    /// Full at this moment, if `cost` is taken; or else how long until that fits.
    pub(crate) fn full_at_with(self, full_at: u64, cost: u32, now: u64) -> Result<u64, u64> {
        let then = full_at.max(now).saturating_add(self.time_for(cost));
        match then.saturating_sub(self.time_for(self.burst).saturating_add(now)) {
            0 => Ok(then),
            wait => Err(wait),
        }
    }

    /// Full at this moment after a charge is given back.
    pub(crate) fn full_at_without(self, full_at: u64, charge: Charge, now: u64) -> u64 {
        let owed = charge.until.saturating_sub(now);
        let back = self.time_for(charge.cost).min(owed);
        full_at.saturating_sub(back)
    }

    pub(crate) fn used_at(self, full_at: u64, now: u64) -> u32 {
        let lacking = full_at.saturating_sub(now).div_ceil(self.interval.max(1));
        u32::try_from(lacking).unwrap_or(u32::MAX)
    }
}

impl Engine<Cell> for Gcra {
    fn wait(&self, cell: &Cell, cost: u32, now: u64) -> u64 {
        self.full_at_with(cell.at(), cost, now).err().unwrap_or(0)
    }

    fn take(&self, cell: &mut Cell, cost: u32, now: u64) {
        let full_at = cell.at().max(now).saturating_add(self.time_for(cost));
        *cell = Cell::new(full_at, 0, 0);
    }

    fn refundable_until(&self, cell: &Cell, _: u64) -> u64 {
        cell.at()
    }

    fn refund(&self, cell: &mut Cell, charge: Charge, now: u64) {
        *cell = Cell::new(self.full_at_without(cell.at(), charge, now), 0, 0);
    }

    fn used(&self, cell: &Cell, now: u64) -> u32 {
        self.used_at(cell.at(), now)
    }

    fn reset(&self, cell: &Cell, now: u64) -> u64 {
        cell.at().saturating_sub(now)
    }
}
