//! Sliding windows, from two counts.

use super::{Cell, Charge, Engine};

/// At most `quota` in the last window, taking it that what was counted in the aligned window before
/// this one came evenly.
///
/// In its cell stand when the aligned window began, the count in it, and that of the one before.
/// All sums are in units of a count times the window, so that no part of a count is lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SlidingCounter {
    pub(super) quota: u32,
    pub(super) window: u64,
}

/// The two windows at one moment.
struct Windows {
    start: u64,
    count: u32,
    before: u32,
    /// How much of the window before is still within the last window.
    overlap: u64,
}

impl SlidingCounter {
    fn at(self, cell: &Cell, now: u64) -> Windows {
        let now = now.max(cell.at());
        let start = (now - now % self.window).max(cell.at());
        let (count, before) = match start - cell.at() {
            0 => (cell.count, cell.second),
            age if age == self.window => (0, cell.count),
            _ => (0, 0),
        };
        Windows {
            start,
            count,
            before,
            overlap: self.window.saturating_sub(now - start),
        }
    }

    /// So much, counted wholly.
    fn whole(self, count: u32) -> u128 {
        u128::from(count) * u128::from(self.window)
    }

    /// What counts now.
    fn weighed(self, windows: &Windows) -> u128 {
        self.whole(windows.count) + u128::from(windows.before) * u128::from(windows.overlap)
    }

    /// How much of a window with so many may overlap, if so many more must fit.
    fn overlap_for(self, before: u32, others: u32) -> u64 {
        let room = self.whole(self.quota.saturating_sub(others));
        let overlap = room / u128::from(before.max(1));
        u64::try_from(overlap).map_or(self.window, |overlap| overlap.min(self.window))
    }
}

impl Engine<Cell> for SlidingCounter {
    fn wait(&self, cell: &Cell, cost: u32, now: u64) -> u64 {
        let windows = self.at(cell, now);
        if self.weighed(&windows) + self.whole(cost) <= self.whole(self.quota) {
            return 0;
        }
        let together = windows.count.saturating_add(cost);
        if together <= self.quota {
            windows.overlap - self.overlap_for(windows.before, together)
        } else {
            // Not in this window; in the next, this one is the one before.
            let overlap = self.overlap_for(windows.count, cost);
            windows.overlap.saturating_add(self.window - overlap)
        }
    }

    fn take(&self, cell: &mut Cell, cost: u32, now: u64) {
        let windows = self.at(cell, now);
        let count = windows.count.saturating_add(cost);
        *cell = Cell::new(windows.start, count, windows.before);
    }

    fn refundable_until(&self, cell: &Cell, now: u64) -> u64 {
        self.at(cell, now).start.saturating_add(self.window)
    }

    fn refund(&self, cell: &mut Cell, charge: Charge, now: u64) {
        let windows = self.at(cell, now);
        if (windows.start..charge.until).contains(&charge.at) && now < charge.until {
            let count = windows.count.saturating_sub(charge.cost);
            *cell = Cell::new(windows.start, count, windows.before);
        }
    }

    fn used(&self, cell: &Cell, now: u64) -> u32 {
        let weighed = self.weighed(&self.at(cell, now));
        u32::try_from(weighed.div_ceil(u128::from(self.window))).unwrap_or(u32::MAX)
    }

    fn reset(&self, cell: &Cell, now: u64) -> u64 {
        let windows = self.at(cell, now);
        match (windows.count, windows.before) {
            (0, 0) => 0,
            (0, _) => windows.overlap,
            _ => windows.overlap.saturating_add(self.window),
        }
    }
}
