//! Chance from a seed: `SplitMix64` (Steele, Lea, Flood 2014).

use std::cell::Cell;

pub(crate) struct Random(Cell<u64>);

impl Random {
    pub(crate) fn seeded(seed: u64) -> Self {
        Random(Cell::new(seed))
    }

    fn next(&self) -> u64 {
        let state = self.0.get().wrapping_add(0x9e37_79b9_7f4a_7c15);
        self.0.set(state);
        let mixed = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// From zero up to but not including `end`.
    pub(crate) fn below(&self, end: u64) -> u64 {
        self.next() % end
    }

    /// True `of` times in `all`.
    pub(crate) fn chance(&self, of: u64, all: u64) -> bool {
        self.below(all) < of
    }

    pub(crate) fn one_of<T: Copy>(&self, all: &[T]) -> Option<T> {
        let end = u64::try_from(all.len()).ok().filter(|end| *end > 0)?;
        all.get(usize::try_from(self.below(end)).ok()?).copied()
    }
}
