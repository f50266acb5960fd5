//! What two counts say about the last window.

/// The counts of two aligned windows; times are microseconds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sliding {
    pub(super) quota: u32,
    pub(super) window: u64,
    pub(super) count: u32,
    pub(super) before: u32,
    /// How much of the window before is still within the last window.
    pub(super) overlap: u64,
}

impl Sliding {
    /// What counts, rounded up.
    pub(super) fn used(self) -> u32 {
        let weighed = u128::from(self.count) * u128::from(self.window)
            + u128::from(self.before) * u128::from(self.overlap);
        u32::try_from(weighed.div_ceil(u128::from(self.window))).unwrap_or(u32::MAX)
    }

    /// How long until `cost` fits, which does not fit now.
    pub(super) fn wait(self, cost: u32) -> u64 {
        let together = self.count.saturating_add(cost);
        if together <= self.quota {
            let overlap = self.overlap_for(self.before, together);
            return self.overlap.saturating_sub(overlap);
        }
        // Not in this window; in the next, this one is the one before.
        let overlap = self.overlap_for(self.count, cost);
        self.overlap + (self.window - overlap)
    }

    pub(super) fn reset(self) -> u64 {
        match (self.count, self.before) {
            (0, 0) => 0,
            (0, _) => self.overlap,
            _ => self.overlap + self.window,
        }
    }

    /// How much of a window with so many may overlap, if so many more must fit.
    fn overlap_for(self, before: u32, others: u32) -> u64 {
        let room = u128::from(self.quota.saturating_sub(others)) * u128::from(self.window);
        let overlap = room / u128::from(before.max(1));
        u64::try_from(overlap).map_or(self.window, |overlap| overlap.min(self.window))
    }
}
