//! Attempts measured on many threads, joined into one limit.

use std::time::Duration;

use super::config::AdaptiveSettings;
use super::limit::Limit;
use super::samples::Samples;
use crate::seam::clock::{self, Moment};
use crate::seam::shard::Shards;
use crate::seam::sync::{AtomicBool, AtomicU64, Lock, MutexGuard, Ordering};

/// The measuring side of a bulkhead. Idle, and nothing but one load to whoever asks, while the limit
/// is a fixed one.
///
/// A sample goes into a window of the thread's own, behind a lock that no other thread wants but
/// for a moment at the end of a window. Then one thread joins them.
#[derive(Debug)]
pub(in crate::bulkhead) struct Meter {
    on: AtomicBool,
    samples: Shards<Lock<Samples>>,
    /// When the window may end.
    due: AtomicU64,
    limit: Lock<Option<Limit>>,
}

/// Whoever has it is the one to move the limit.
pub(in crate::bulkhead) struct Moving<'a> {
    _held: MutexGuard<'a, Option<Limit>>,
}

impl Meter {
    pub(in crate::bulkhead) fn new(settings: Option<AdaptiveSettings>) -> Self {
        Meter::with(settings, Shards::new(|_, _| Lock::default()))
    }

    /// With so many shards, whatever the machine has.
    #[cfg(test)]
    pub(in crate::bulkhead) fn with_shards(
        settings: Option<AdaptiveSettings>,
        shards: usize,
    ) -> Self {
        Meter::with(settings, Shards::with_count(shards, |_, _| Lock::default()))
    }

    fn with(settings: Option<AdaptiveSettings>, samples: Shards<Lock<Samples>>) -> Self {
        Meter {
            on: AtomicBool::new(settings.is_some()),
            samples,
            due: AtomicU64::new(0),
            limit: Lock::new(settings.map(|settings| Limit::new(settings, clock::now()))),
        }
    }

    pub(in crate::bulkhead) fn is_on(&self) -> bool {
        self.on.load(Ordering::Relaxed)
    }

    /// Takes one sample: an attempt that was answered after so long, or dropped. `inflight` is asked
    /// how many attempts there are beside it, if that may make a difference under `limit`.
    pub(in crate::bulkhead) fn take(
        &self,
        answered: Option<Duration>,
        limit: u64,
        inflight: impl FnOnce() -> u64,
    ) {
        let mut samples = self.samples.own().lock();
        match answered {
            Some(latency) => samples.answered(latency),
            None => samples.dropped(),
        }
        if samples.inflight.saturating_mul(2) < limit {
            samples.inflight = samples.inflight.max(inflight());
        }
    }

    /// Ends the window if it is time, before the sample is taken that is to be the first of the next
    /// one. Returns the limit to be set, which nobody else can move while
    /// the other half of what is returned is held.
    pub(in crate::bulkhead) fn end_window(&self, now: Moment) -> Option<(u32, Moving<'_>)> {
        let due = self.due.load(Ordering::Relaxed);
        if now.to_bits() < due {
            return None;
        }
        // One thread is enough; the others go on.
        let never = Moment::NEVER.to_bits();
        self.due
            .compare_exchange(due, never, Ordering::Relaxed, Ordering::Relaxed)
            .ok()?;
        let mut guard = self.limit.lock();
        let limit = guard.as_mut()?;
        for samples in self.samples.iter() {
            limit.gather(std::mem::take(&mut *samples.lock()));
        }
        let opens = limit.is_empty();
        let ended = limit.end_window(now);
        let next = if opens || ended {
            now.plus(limit.settings().window)
        } else {
            now
        };
        self.due.store(next.to_bits(), Ordering::Relaxed);
        let moved = limit.get();
        ended.then_some((moved, Moving { _held: guard }))
    }

    /// Goes by other numbers, or stops. The limit stays, if it moved by itself before.
    pub(in crate::bulkhead) fn reconfigure(
        &self,
        settings: Option<AdaptiveSettings>,
    ) -> (Option<u32>, Moving<'_>) {
        let mut guard = self.limit.lock();
        match (settings, &mut *guard) {
            (None, _) => *guard = None,
            (Some(settings), Some(limit)) => limit.reconfigure(settings),
            (Some(settings), None) => {
                for samples in self.samples.iter() {
                    *samples.lock() = Samples::default();
                }
                *guard = Some(Limit::new(settings, clock::now()));
            }
        }
        self.on.store(guard.is_some(), Ordering::Relaxed);
        self.due.store(0, Ordering::Relaxed);
        (guard.as_ref().map(Limit::get), Moving { _held: guard })
    }
}
