//! What one limit knows of one key, in two words.

use std::num::NonZeroU64;

/// A time and two counts; what they mean is up to the engine. The default one is as good as new.
///
/// The time is kept plus one, and so never zero: what is stored for a key needs that to tell a
/// cell from a list of them without a third word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Cell {
    at: NonZeroU64,
    pub(super) count: u32,
    pub(super) second: u32,
}

impl Cell {
    pub(super) fn new(at: u64, count: u32, second: u32) -> Self {
        Cell {
            at: NonZeroU64::MIN.saturating_add(at),
            count,
            second,
        }
    }

    /// What [`Gcra`](super::Gcra) keeps.
    pub(crate) fn full_at(nanos: u64) -> Self {
        Cell::new(nanos, 0, 0)
    }

    pub(super) fn at(&self) -> u64 {
        self.at.get() - 1
    }
}

impl Default for Cell {
    fn default() -> Self {
        Cell::new(0, 0, 0)
    }
}
