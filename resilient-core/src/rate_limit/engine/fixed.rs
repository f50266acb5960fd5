//! Fixed windows.

use super::{Cell, Charge, Engine};

/// At most `quota` in each window; windows begin at whole multiples of their length.
///
/// In its cell stand when the window began and the count in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Fixed {
    pub(super) quota: u32,
    pub(super) window: u64,
}

impl Fixed {
    /// When the window of now began, and what is counted in it.
    fn current(self, cell: &Cell, now: u64) -> (u64, u32) {
        let start = (now - now % self.window).max(cell.at());
        let count = if start == cell.at() { cell.count } else { 0 };
        (start, count)
    }

    fn end(self, cell: &Cell, now: u64) -> u64 {
        self.current(cell, now).0.saturating_add(self.window)
    }
}

impl Engine<Cell> for Fixed {
    fn wait(&self, cell: &Cell, cost: u32, now: u64) -> u64 {
        let (_, count) = self.current(cell, now);
        if count.saturating_add(cost) <= self.quota {
            0
        } else {
            self.end(cell, now).saturating_sub(now)
        }
    }

    fn take(&self, cell: &mut Cell, cost: u32, now: u64) {
        let (start, count) = self.current(cell, now);
        *cell = Cell::new(start, count.saturating_add(cost), 0);
    }

    fn refundable_until(&self, cell: &Cell, now: u64) -> u64 {
        self.end(cell, now)
    }

    fn refund(&self, cell: &mut Cell, charge: Charge, now: u64) {
        let (start, count) = self.current(cell, now);
        if (start..charge.until).contains(&charge.at) && now < charge.until {
            *cell = Cell::new(start, count.saturating_sub(charge.cost), 0);
        }
    }

    fn used(&self, cell: &Cell, now: u64) -> u32 {
        self.current(cell, now).1
    }

    fn reset(&self, cell: &Cell, now: u64) -> u64 {
        match self.current(cell, now) {
            (_, 0) => 0,
            _ => self.end(cell, now).saturating_sub(now),
        }
    }
}
