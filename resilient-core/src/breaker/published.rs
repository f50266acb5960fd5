//! What calls read of a breaker without its lock.

use std::time::Duration;

use super::engine::View;
use super::settings::{BreakerSettings, Per};
use super::word::Word;
use crate::seam::clock::{Moment, nanos};
use crate::seam::sync::{AtomicBool, AtomicU64, Ordering};

/// No length of time a setting can have.
const UNSET: u64 = u64::MAX;

/// What calls read without the lock: on cache lines of its own, since the lock's line is written
/// by every failure.
#[repr(align(128))]
pub(super) struct Published {
    /// See [`BreakerHandle::id`](super::BreakerHandle::id).
    pub(super) id: u32,
    word: AtomicU64,
    /// [`View::until`]; zero for none.
    until: AtomicU64,
    next_tick: AtomicU64,
    drop_counts_after: AtomicU64,
    slow_after: AtomicU64,
    count_throttled: AtomicBool,
    per_call: AtomicBool,
}

impl Published {
    pub(super) fn new(id: u32, view: View) -> Self {
        Published {
            id,
            word: AtomicU64::new(view.word.to_bits()),
            until: AtomicU64::new(until_bits(view)),
            next_tick: AtomicU64::new(view.next_tick.to_bits()),
            drop_counts_after: AtomicU64::new(UNSET),
            slow_after: AtomicU64::new(UNSET),
            count_throttled: AtomicBool::new(false),
            per_call: AtomicBool::new(false),
        }
    }

    #[inline]
    pub(super) fn word(&self) -> Word {
        Word::from_bits(self.word.load(Ordering::Acquire))
    }

    pub(super) fn until(&self) -> Option<Moment> {
        let bits = self.until.load(Ordering::Acquire);
        (bits != 0).then_some(Moment::from_bits(bits))
    }

    /// Writes only what differs: readers of a word that is never written keep it in their cache.
    pub(super) fn publish(&self, view: View) {
        store_if_other(&self.until, until_bits(view));
        store_if_other(&self.next_tick, view.next_tick.to_bits());
        store_if_other(&self.word, view.word.to_bits());
    }

    /// Whether the engine is to be told the time by this thread: it wanted to be by `now`, and no
    /// other thread was faster.
    pub(super) fn takes_tick(&self, now: Moment) -> bool {
        let due = self.next_tick.load(Ordering::Relaxed);
        let never = Moment::NEVER.to_bits();
        now.to_bits() >= due
            && due != never
            && self
                .next_tick
                .compare_exchange(due, never, Ordering::Relaxed, Ordering::Relaxed)
                .is_ok()
    }

    /// Whether a throttled attempt is a failure.
    pub(super) fn count_throttled(&self) -> bool {
        self.count_throttled.load(Ordering::Relaxed)
    }

    /// How long an attempt must have run for its drop to be a failure, if that was set.
    pub(super) fn drop_counts_after(&self) -> Option<Duration> {
        time(&self.drop_counts_after)
    }

    /// How long an attempt takes that is not slow, if the breaker asks.
    pub(super) fn slow_after(&self) -> Option<Duration> {
        time(&self.slow_after)
    }

    /// What one verdict is about.
    pub(super) fn per(&self) -> Per {
        if self.per_call.load(Ordering::Relaxed) {
            Per::Call
        } else {
            Per::Attempt
        }
    }

    pub(super) fn publish_settings(&self, settings: &BreakerSettings) {
        let drop_counts_after = settings.drop_counts_after.map_or(UNSET, nanos);
        self.drop_counts_after
            .store(drop_counts_after, Ordering::Relaxed);
        let slow_after = settings
            .slow_calls
            .map_or(UNSET, |rule| nanos(rule.longer_than));
        self.slow_after.store(slow_after, Ordering::Relaxed);
        self.count_throttled
            .store(settings.count_throttled, Ordering::Relaxed);
        self.per_call
            .store(settings.per == Per::Call, Ordering::Relaxed);
    }
}

fn time(word: &AtomicU64) -> Option<Duration> {
    let nanos = word.load(Ordering::Relaxed);
    (nanos != UNSET).then(|| Duration::from_nanos(nanos))
}

fn until_bits(view: View) -> u64 {
    view.until.map_or(0, Moment::to_bits)
}

fn store_if_other(word: &AtomicU64, bits: u64) {
    if word.load(Ordering::Relaxed) != bits {
        word.store(bits, Ordering::Release);
    }
}
