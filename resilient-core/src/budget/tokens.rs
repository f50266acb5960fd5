//! The budget that successes fill.

use std::time::Duration;

use crate::seam::clock::{Moment, nanos};
use crate::seam::sync::{AtomicU64, Lock, Ordering};

/// One token; the bucket counts billionths, so that a tenth of one is exact and the largest bucket
/// still fits its word.
const TOKEN: u64 = 1_000_000_000;

/// A share, checked to be neither negative nor huge, in billionths.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the cast saturates, and what was checked fits"
)]
pub(super) fn billionths(share: f64) -> u64 {
    (share * 1e9).round() as u64
}

/// A bucket of tokens. What successes put in is one exchange without a lock, and nothing at all
/// while it is full.
#[derive(Debug)]
pub(super) struct Tokens {
    level: AtomicU64,
    full: AtomicU64,
    per_success: AtomicU64,
    /// How long time takes to put one in; changed by who has the lock.
    every: AtomicU64,
    /// Up to when time has been paid for. It only grows, and by what time has earned only under the
    /// lock, so that nothing is paid for twice.
    since: AtomicU64,
    paying: Lock<()>,
}

impl Tokens {
    /// A full bucket.
    pub(super) fn new(max: u32, per_success: f64, every: Duration, now: Moment) -> Self {
        let full = u64::from(max) * TOKEN;
        Tokens {
            level: AtomicU64::new(full),
            full: AtomicU64::new(full),
            per_success: AtomicU64::new(billionths(per_success)),
            every: AtomicU64::new(nanos(every).max(1)),
            since: AtomicU64::new(now.to_bits()),
            paying: Lock::new(()),
        }
    }

    /// Other numbers. The tokens stay, as far as they fit; time that has passed is paid for by the
    /// numbers it passed under, and by those of a size that it filled.
    pub(super) fn reconfigure(&self, max: u32, per_success: f64, every: Duration, now: Moment) {
        self.catch_up(now);
        let full = u64::from(max) * TOKEN;
        {
            let _paying = self.paying.lock();
            let every = nanos(every).max(1);
            if every != self.every.load(Ordering::Relaxed) {
                self.paid_until(now);
                self.every.store(every, Ordering::Relaxed);
            }
        }
        self.per_success
            .store(billionths(per_success), Ordering::Relaxed);
        self.full.store(full, Ordering::Relaxed);
        self.change(|level| (level > full).then_some(full));
    }

    /// Fills it up.
    pub(super) fn fill(&self) {
        self.level
            .store(self.full.load(Ordering::Relaxed), Ordering::Relaxed);
    }

    /// A success puts its part in.
    #[inline]
    pub(super) fn succeeded(&self) {
        let full = self.full.load(Ordering::Relaxed);
        if self.level.load(Ordering::Relaxed) < full {
            self.put_share();
        }
    }

    fn put_share(&self) {
        self.put(self.per_success.load(Ordering::Relaxed));
    }

    /// Takes one token, if there is a whole one.
    pub(super) fn try_spend(&self, now: Moment) -> bool {
        self.catch_up(now);
        let full = self.full.load(Ordering::Relaxed);
        // A success that read a larger size before it changed may have filled beyond this one.
        self.change(|level| level.min(full).checked_sub(TOKEN))
    }

    /// Puts back a whole token.
    pub(super) fn refund(&self) {
        self.put(TOKEN);
    }

    /// How many whole tokens there are.
    pub(super) fn left(&self, now: Moment) -> u64 {
        self.catch_up(now);
        let full = self.full.load(Ordering::Relaxed);
        self.level.load(Ordering::Relaxed).min(full) / TOKEN
    }

    /// Puts in what time has earned. A full bucket earns nothing, so that the first retry after a
    /// quiet hour is not paid for by that hour.
    fn catch_up(&self, now: Moment) {
        let full = self.full.load(Ordering::Relaxed);
        if self.level.load(Ordering::Relaxed) >= full {
            self.paid_until(now);
        } else if self.earned(now) > 0 {
            self.pay(now);
        }
    }

    #[cold]
    fn pay(&self, now: Moment) {
        let _paying = self.paying.lock();
        let earned = self.earned(now);
        if earned == 0 {
            return;
        }
        let paid = earned.saturating_mul(self.every.load(Ordering::Relaxed));
        self.paid_until(self.since().plus_nanos(paid));
        self.put(earned.saturating_mul(TOKEN));
        if self.level.load(Ordering::Relaxed) >= self.full.load(Ordering::Relaxed) {
            self.paid_until(now);
        }
    }

    /// Tokens that time has earned since it was last paid for.
    fn earned(&self, now: Moment) -> u64 {
        let passed = now.nanos_since(self.since());
        let every = self.every.load(Ordering::Relaxed);
        // Mostly none, which is known without a division.
        if passed < every { 0 } else { passed / every }
    }

    fn since(&self) -> Moment {
        Moment::from_bits(self.since.load(Ordering::Relaxed))
    }

    fn paid_until(&self, moment: Moment) {
        self.since.fetch_max(moment.to_bits(), Ordering::Relaxed);
    }

    fn put(&self, amount: u64) {
        let full = self.full.load(Ordering::Relaxed);
        self.change(|level| {
            let more = level.saturating_add(amount).min(full);
            (more > level).then_some(more)
        });
    }

    /// Changes the level in one exchange; `false` if `to` wants no change.
    fn change(&self, to: impl Fn(u64) -> Option<u64>) -> bool {
        let mut level = self.level.load(Ordering::Relaxed);
        while let Some(next) = to(level) {
            match self.level.compare_exchange_weak(
                level,
                next,
                Ordering::Relaxed,
                Ordering::Relaxed,
            ) {
                Ok(_) => return true,
                Err(now) => level = now,
            }
        }
        false
    }
}
