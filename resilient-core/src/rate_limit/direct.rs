//! One bucket for everybody, in one word.

use super::engine::{Charge, Gcra};
use crate::seam::sync::{AtomicU64, Ordering};

/// A bucket that all callers share: when it will be full is a word that they exchange without a
/// lock.
///
/// Its numbers are words of their own. Who reads them while they change may decide one last time by
/// one number of before and one of after.
#[derive(Debug)]
pub(super) struct Direct {
    full_at: Alone,
    /// Zero, if the limit is not of this kind and counted elsewhere.
    interval: AtomicU64,
    burst: AtomicU64,
}

/// On cache lines of its own: the numbers beside it hardly ever change, and whoever reads them must
/// not wait for the line that all are writing to.
#[derive(Debug)]
#[repr(align(128))]
struct Alone(AtomicU64);

impl Direct {
    /// A full bucket; without numbers, one that is not used.
    pub(super) fn new(gcra: Option<Gcra>) -> Self {
        let direct = Direct {
            full_at: Alone(AtomicU64::new(0)),
            interval: AtomicU64::new(0),
            burst: AtomicU64::new(1),
        };
        direct.set(gcra);
        direct
    }

    fn set(&self, gcra: Option<Gcra>) {
        if let Some(gcra) = gcra {
            self.burst.store(u64::from(gcra.burst), Ordering::Relaxed);
        }
        let interval = gcra.map_or(0, |gcra| gcra.interval);
        self.interval.store(interval, Ordering::Relaxed);
    }

    /// Its numbers; nothing, if it is not used.
    #[inline]
    pub(super) fn gcra(&self) -> Option<Gcra> {
        match self.interval.load(Ordering::Relaxed) {
            0 => None,
            interval => Some(Gcra {
                interval,
                burst: u32::try_from(self.burst.load(Ordering::Relaxed)).unwrap_or(u32::MAX),
            }),
        }
    }

    /// When it will be full.
    pub(super) fn full_at(&self) -> u64 {
        self.full_at.0.load(Ordering::Relaxed)
    }

    /// Other numbers. As many stay used, as far as there is room for them.
    pub(super) fn reconfigure(&self, gcra: Option<Gcra>, now: u64) {
        let before = self.gcra();
        self.set(gcra);
        let (Some(before), Some(after)) = (before, gcra) else {
            return;
        };
        if before == after {
            return;
        }
        self.change(|full_at| {
            let used = before.used_at(full_at, now).min(after.burst);
            after.full_at_with(0, used, now).unwrap_or(now)
        });
    }

    /// Takes `cost` and says when it will be full; or else how long until it fits.
    #[inline]
    pub(super) fn take(&self, gcra: Gcra, cost: u32, now: u64) -> Result<u64, u64> {
        let mut full_at = self.full_at.0.load(Ordering::Relaxed);
        loop {
            let then = gcra.full_at_with(full_at, cost, now)?;
            match self.full_at.0.compare_exchange_weak(
                full_at,
                then,
                Ordering::Relaxed,
                Ordering::Relaxed,
            ) {
                Ok(_) => return Ok(then),
                Err(changed) => full_at = changed,
            }
        }
    }

    /// Gives a charge back.
    pub(super) fn refund(&self, gcra: Gcra, charge: Charge, now: u64) {
        self.change(|full_at| gcra.full_at_without(full_at, charge, now));
    }

    /// Changes when it will be full.
    fn change(&self, to: impl Fn(u64) -> u64) {
        let _ = self
            .full_at
            .0
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |full_at| {
                Some(to(full_at))
            });
    }
}
