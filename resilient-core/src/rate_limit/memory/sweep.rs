//! Who takes out keys that are as good as new, and when.

use std::hash::RandomState;

use super::shard::Shard;
use crate::rate_limit::config::LimitSettings;
use crate::seam::clock::nanos;
use crate::seam::shard::Shards;
use crate::seam::sync::{AtomicU64, Lock, Ordering};

/// So much of a table is swept at a time: it takes some microseconds.
const SLICE: usize = 512;

/// However short the windows are, all shards are not swept more often than this.
const LEAST_ROUND: u64 = 1_000_000_000;

/// The pace of the sweep: one round through all shards in the time in which the slowest limit is as
/// good as new again, a slice of a table at a time.
///
/// Who comes late, because nobody came in between, finds several slices due, and so does the next:
/// after a rest every request sweeps one, until a whole round is done.
#[derive(Debug)]
#[repr(align(128))]
pub(super) struct Sweep {
    /// When the next slice is due.
    due: AtomicU64,
    round: AtomicU64,
    place: Lock<Place>,
}

/// How far this round has come.
#[derive(Debug, Default)]
struct Place {
    shard: usize,
    bucket: usize,
}

impl Sweep {
    pub(super) fn new(limits: &[LimitSettings], now: u64) -> Self {
        let round = round(limits);
        Sweep {
            due: AtomicU64::new(now.saturating_add(round)),
            round: AtomicU64::new(round),
            place: Lock::new(Place::default()),
        }
    }

    pub(super) fn reconfigure(&self, limits: &[LimitSettings]) {
        self.round.store(round(limits), Ordering::Relaxed);
    }

    /// The limits of one more key.
    pub(super) fn also(&self, limits: &[LimitSettings]) {
        self.round.fetch_max(round(limits), Ordering::Relaxed);
    }

    #[inline]
    pub(super) fn is_due(&self, now: u64) -> bool {
        now >= self.due.load(Ordering::Relaxed)
    }

    /// Sweeps one slice, unless somebody else is at it. Returns how many keys are gone.
    #[cold]
    pub(super) fn go_on(
        &self,
        shards: &Shards<Lock<Shard>>,
        hasher: &RandomState,
        now: u64,
    ) -> u64 {
        let Some(mut place) = self.place.try_lock() else {
            return 0;
        };
        let mut shard = shards.at(place.shard).lock();
        let buckets = shard.num_buckets();
        let end = place.bucket + SLICE;
        let gone = shard.sweep(place.bucket..end, now);
        if end < buckets {
            place.bucket = end;
        } else {
            shard.shrink(hasher);
            place.bucket = 0;
            place.shard = (place.shard + 1) % shards.len();
        }
        drop(shard);
        let slices = shards.len() * buckets.div_ceil(SLICE).max(1);
        self.put_off(now, slices);
        gone
    }

    /// The next of so many slices of a round is due.
    fn put_off(&self, now: u64, slices: usize) {
        let round = self.round.load(Ordering::Relaxed);
        let pace = round / u64::try_from(slices).unwrap_or(u64::MAX);
        let due = self.due.load(Ordering::Relaxed);
        let due = due.max(now.saturating_sub(round)).saturating_add(pace);
        self.due.store(due, Ordering::Relaxed);
    }
}

/// How long it takes the slowest limit to be as good as new.
fn round(limits: &[LimitSettings]) -> u64 {
    let slowest = limits.iter().map(|limit| nanos(limit.refill_time())).max();
    slowest.unwrap_or(0).max(LEAST_ROUND)
}
