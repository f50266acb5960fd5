//! The free permits, split over shards so that threads do not fight over one word.

use crate::seam::shard::Shards;
use crate::seam::sync::{AtomicU64, Ordering, handshake};

/// A shard's word is `version << 40 | free`.
const FREE_BITS: u32 = 40;
const FREE: u64 = (1 << FREE_BITS) - 1;
const VERSION: u64 = 1 << FREE_BITS;

/// More permits than any machine has memory for attempts, and the most a shard can count.
pub(super) const MOST_PERMITS: u64 = FREE;

/// Free permits. Their number over all shards, plus those held, never exceeds [`MOST_PERMITS`],
/// so a shard cannot overflow into its version.
///
/// A permit goes back to the shard of the thread that returns it, wherever it came from: the
/// permits of a small limit move to the threads that use them.
#[derive(Debug)]
pub(super) struct Permits {
    shards: Shards<AtomicU64>,
}

impl Permits {
    /// `free` permits over as many shards as threads can run at once.
    pub(super) fn new(free: u64) -> Self {
        Permits {
            shards: Shards::new(|index, count| AtomicU64::new(share(free, index, count))),
        }
    }

    /// `free` permits over `count` shards.
    #[cfg(test)]
    pub(super) fn with_count(count: usize, free: u64) -> Self {
        Permits {
            shards: Shards::with_count(count, |index, count| {
                AtomicU64::new(share(free, index, count))
            }),
        }
    }

    /// Takes one permit; `false` only if there was a moment at which none was free.
    #[inline]
    pub(super) fn take(&self) -> bool {
        self.take_own() || self.take_from_any()
    }

    /// Takes one of those that this thread finds first.
    #[inline]
    pub(super) fn take_own(&self) -> bool {
        take_from(self.shards.own()).is_ok()
    }

    /// Visits all shards until it gets a permit or has seen all of them empty at once.
    ///
    /// One round proves little: while it looks at the last shard, a permit may come back to the
    /// first. Returning a permit raises the version of its shard, so two rounds that read the
    /// same words saw all shards empty at the moment between. A round that reads other words than
    /// the one before tells of a permit that came back meanwhile: somebody always gets on.
    #[cold]
    fn take_from_any(&self) -> bool {
        let mut before = None;
        loop {
            let mut versions = 0u64;
            for shard in self.shards.own_first() {
                match take_from(shard) {
                    Ok(()) => return true,
                    Err(Empty(word)) => versions = versions.wrapping_add(word),
                }
            }
            if before == Some(versions) {
                return false;
            }
            before = Some(versions);
        }
    }

    /// Takes as many as it finds in one round, `most` at the most, and says how many.
    ///
    /// May miss a permit that moves from one shard to another meanwhile: only for who will be
    /// told when it comes back.
    pub(super) fn take_up_to(&self, most: u64) -> u64 {
        let mut taken = 0;
        for shard in self.shards.own_first() {
            if taken == most {
                break;
            }
            taken += take_up_to(shard, most - taken);
        }
        taken
    }

    /// Gives one permit back. What this thread loads next, it loads after that in the eyes of all
    /// threads: half of the handshake of [`super::handle`].
    #[inline]
    pub(super) fn give(&self) {
        self.shards.own().fetch_add(VERSION + 1, Ordering::SeqCst);
        handshake();
    }

    /// Adds `count` permits that did not exist before.
    pub(super) fn add(&self, count: u64) {
        self.shards
            .own()
            .fetch_add(VERSION + count, Ordering::SeqCst);
    }

    /// How many are free; only a rough number while others take and give.
    pub(super) fn free(&self) -> u64 {
        self.shards
            .iter()
            .map(|shard| shard.load(Ordering::Relaxed) & FREE)
            .fold(0, u64::saturating_add)
    }
}

/// The word of a shard without a free permit: nothing but its version.
struct Empty(u64);

#[inline]
fn take_from(shard: &AtomicU64) -> Result<(), Empty> {
    let mut word = shard.load(Ordering::SeqCst);
    while word & FREE != 0 {
        match shard.compare_exchange_weak(word, word - 1, Ordering::SeqCst, Ordering::SeqCst) {
            Ok(_) => return Ok(()),
            Err(now) => word = now,
        }
    }
    Err(Empty(word))
}

fn take_up_to(shard: &AtomicU64, most: u64) -> u64 {
    let mut word = shard.load(Ordering::SeqCst);
    loop {
        let taken = most.min(word & FREE);
        if taken == 0 {
            return 0;
        }
        match shard.compare_exchange_weak(word, word - taken, Ordering::SeqCst, Ordering::SeqCst) {
            Ok(_) => return taken,
            Err(now) => word = now,
        }
    }
}

/// The part of `total` that the shard at `index` of `count` starts with.
fn share(total: u64, index: usize, count: usize) -> u64 {
    let (index, count) = (index as u64, count as u64);
    total / count + u64::from(index < total % count)
}
