//! Successes that nobody has dated yet.

use crate::seam::shard::Shards;
use crate::seam::sync::{AtomicU64, Ordering};

const COUNT_BITS: u32 = 40;
const COUNT_MASK: u64 = (1 << COUNT_BITS) - 1;
const GENERATION_MASK: u64 = !COUNT_MASK;

/// A counter per thread or so, each beside the generation it counts for.
///
/// The generation shares the word with the count, so that a result of an older generation can
/// never slip into the count of a newer one, however long its thread was held up.
#[derive(Debug)]
pub(crate) struct Tally {
    shards: Shards<AtomicU64>,
}

impl Tally {
    pub(crate) fn new(generation: u32) -> Self {
        Tally {
            shards: Shards::new(|_, _| AtomicU64::new(empty(generation))),
        }
    }

    /// For models, whose number of shards must not depend on the machine, and for counters of which
    /// there are many.
    pub(crate) fn with_shards(generation: u32, shards: usize) -> Self {
        Tally {
            shards: Shards::with_count(shards, |_, _| AtomicU64::new(empty(generation))),
        }
    }

    /// Counts one; `false`, and nothing counted, if `generation` is not the current one.
    ///
    /// Only the low 24 bits of a generation are compared.
    #[inline]
    pub(crate) fn add(&self, generation: u32) -> bool {
        let shard = self.shards.own();
        let mut seen = shard.load(Ordering::Relaxed);
        loop {
            if seen & GENERATION_MASK != empty(generation) {
                return false;
            }
            if seen & COUNT_MASK == COUNT_MASK {
                return true;
            }
            match shard.compare_exchange_weak(seen, seen + 1, Ordering::AcqRel, Ordering::Relaxed) {
                Ok(_) => return true,
                Err(current) => seen = current,
            }
        }
    }

    /// Takes what has been counted.
    pub(crate) fn drain(&self) -> u64 {
        self.shards
            .iter()
            .filter(|shard| shard.load(Ordering::Relaxed) & COUNT_MASK != 0)
            .map(take)
            .sum()
    }

    /// Takes what has been counted, and makes whoever counts later see what this thread wrote
    /// before: writing each shard, even an empty one, is what orders the two.
    pub(crate) fn drain_in_order(&self) -> u64 {
        self.shards.iter().map(take).sum()
    }

    /// Forgets what has been counted and counts for `generation` from now on.
    pub(crate) fn restart(&self, generation: u32) {
        for shard in self.shards.iter() {
            // A store would do, but `loom` lets a compare-exchange succeed on what it replaced.
            shard.swap(empty(generation), Ordering::AcqRel);
        }
    }
}

fn take(shard: &AtomicU64) -> u64 {
    shard.fetch_and(GENERATION_MASK, Ordering::AcqRel) & COUNT_MASK
}

fn empty(generation: u32) -> u64 {
    u64::from(generation) << COUNT_BITS
}

#[cfg(test)]
#[cfg(not(loom))]
mod tests {
    use super::*;

    #[test]
    fn counts_until_drained() {
        let tally = Tally::new(1);
        assert_eq!(tally.drain(), 0);
        assert!(tally.add(1));
        assert!(tally.add(1));
        assert_eq!(tally.drain(), 2);
        assert!(tally.add(1));
        assert_eq!(tally.drain_in_order(), 1);
        assert_eq!(tally.drain_in_order(), 0);
    }

    #[test]
    fn a_stale_result_is_not_counted() {
        let tally = Tally::new(1);
        assert!(tally.add(1));
        tally.restart(2);
        assert!(!tally.add(1));
        assert_eq!(tally.drain(), 0);
        assert!(tally.add(2));
        assert_eq!(tally.drain(), 1);
    }

    #[test]
    fn a_generation_beyond_24_bits_still_counts() {
        let tally = Tally::new(u32::MAX);
        assert!(tally.add(u32::MAX));
        tally.restart(u32::MAX.wrapping_add(1));
        assert!(!tally.add(u32::MAX));
        assert!(tally.add(0));
        assert_eq!(tally.drain(), 1);
    }

    #[test]
    fn nothing_is_lost_between_threads() {
        let tally = Tally::new(3);
        let taken = std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| (0..10_000).for_each(|_| assert!(tally.add(3))));
            }
            (0..100).map(|_| tally.drain()).sum::<u64>()
        });
        assert_eq!(taken + tally.drain(), 40_000);
    }
}
