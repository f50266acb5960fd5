//! The budget as calls use it.

use std::fmt;
use std::time::Duration;

use super::config::BudgetSettings;
use super::ratio::Ratio;
use super::tokens::Tokens;
use crate::seam::clock::{self, Moment};
use crate::seam::sync::{AtomicU32, AtomicU64, Lock, Ordering};
use crate::window::Tally;

const UNLIMITED: u32 = 0;
const RATIO: u32 = 1;
const TOKENS: u32 = 2;

/// The tally is never restarted for a new breaker state here, so it has one generation.
const GENERATION: u32 = 0;

/// One budget, shared by all calls on its dependency.
///
/// Holds the engines of both kinds, so that a change of kind needs no exchange of pointers under
/// the calls that use it. Aligned so that the counters of the `Arc` around it do not share a cache
/// line with the words that every attempt reads.
#[repr(align(128))]
pub(crate) struct BudgetHandle {
    kind: AtomicU32,
    /// Answers nobody has dated yet; only of the ratio kind.
    answered: Tally,
    /// When [`BudgetHandle::tick`] next counts them in.
    fold_at: AtomicU64,
    ratio: Lock<Ratio>,
    tokens: Tokens,
}

impl BudgetHandle {
    /// Nothing spent.
    pub(crate) fn new(settings: BudgetSettings) -> Self {
        BudgetHandle::with_tally(settings, Tally::new(GENERATION))
    }

    /// For models, whose number of shards must not depend on the machine.
    #[cfg(loom)]
    pub(super) fn with_shards(settings: BudgetSettings, shards: usize) -> Self {
        BudgetHandle::with_tally(settings, Tally::with_shards(GENERATION, shards))
    }

    fn with_tally(settings: BudgetSettings, answered: Tally) -> Self {
        let now = clock::now();
        // The engine that is not in use takes any numbers.
        let mut ratio = Ratio::new(0.0, Duration::ZERO, 0, now);
        let mut tokens = Tokens::new(1, 0.0, Duration::MAX, now);
        match settings {
            BudgetSettings::Unlimited => {}
            BudgetSettings::Ratio {
                ratio: share,
                window,
                floor,
            } => ratio = Ratio::new(share, window, floor, now),
            BudgetSettings::Tokens {
                max,
                refill_per_success,
                refill_every,
            } => tokens = Tokens::new(max, refill_per_success, refill_every, now),
        }
        BudgetHandle {
            kind: AtomicU32::new(kind(settings)),
            answered,
            fold_at: AtomicU64::new(0),
            ratio: Lock::new(ratio),
            tokens,
        }
    }

    /// An attempt, first or not, succeeded or failed for good. Reads no clock and takes no lock;
    /// writes nothing into a full bucket.
    #[inline]
    pub(crate) fn answered(&self) {
        match self.kind.load(Ordering::Relaxed) {
            RATIO => {
                self.answered.add(GENERATION);
            }
            TOKENS => self.tokens.succeeded(),
            _ => {}
        }
    }

    /// Pays for one retry; `false` if nothing is left.
    ///
    /// Whoever paid and then does not send gives it back with [`BudgetHandle::refund`].
    pub(crate) fn try_spend(&self, now: Moment) -> bool {
        match self.kind.load(Ordering::Relaxed) {
            RATIO => {
                let mut ratio = self.ratio.lock();
                ratio.fold(now, self.answered.drain());
                ratio.try_spend(now)
            }
            TOKENS => self.tokens.try_spend(now),
            _ => true,
        }
    }

    /// Gives back what [`BudgetHandle::try_spend`] took at the moment `spent`, because it was never
    /// sent: the call was dropped, cut or refused meanwhile.
    pub(crate) fn refund(&self, spent: Moment) {
        match self.kind.load(Ordering::Relaxed) {
            RATIO => self.ratio.lock().refund(spent),
            TOKENS => self.tokens.refund(),
            _ => {}
        }
    }

    /// A clock reading is at hand: counts in the answers that nobody has dated, once per tenth of
    /// the window.
    pub(crate) fn tick(&self, now: Moment) {
        let fold_at = self.fold_at.load(Ordering::Relaxed);
        if now.to_bits() < fold_at || self.kind.load(Ordering::Relaxed) != RATIO {
            return;
        }
        // One thread is enough; the others go on.
        let claimed =
            self.fold_at
                .compare_exchange(fold_at, u64::MAX, Ordering::Relaxed, Ordering::Relaxed);
        if claimed.is_ok() {
            let mut ratio = self.ratio.lock();
            ratio.fold(now, self.answered.drain());
            let next = now.plus(ratio.patience());
            self.fold_at.store(next.to_bits(), Ordering::Relaxed);
        }
    }

    /// How many retries could be made now; `None` is any number.
    pub(crate) fn available(&self, now: Moment) -> Option<u64> {
        match self.kind.load(Ordering::Relaxed) {
            RATIO => {
                let mut ratio = self.ratio.lock();
                ratio.fold(now, self.answered.drain());
                Some(ratio.left(now))
            }
            TOKENS => Some(self.tokens.left(now)),
            _ => None,
        }
    }

    /// Takes other numbers while running. Counts and tokens stay; of the other kind it starts
    /// anew, with an empty window or a full bucket.
    pub(crate) fn reconfigure(&self, settings: BudgetSettings) {
        let mut engine = self.ratio.lock();
        let same_kind = kind(settings) == self.kind.load(Ordering::Relaxed);
        match settings {
            BudgetSettings::Unlimited => {}
            BudgetSettings::Ratio {
                ratio,
                window,
                floor,
            } => {
                if same_kind {
                    engine.reconfigure(ratio, window, floor);
                } else {
                    self.answered.drain();
                    *engine = Ratio::new(ratio, window, floor, clock::now());
                }
                self.fold_at.store(0, Ordering::Relaxed);
            }
            BudgetSettings::Tokens {
                max,
                refill_per_success,
                refill_every,
            } => {
                self.tokens
                    .reconfigure(max, refill_per_success, refill_every, clock::now());
                if !same_kind {
                    self.tokens.fill();
                }
            }
        }
        self.kind.store(kind(settings), Ordering::Relaxed);
    }
}

impl fmt::Debug for BudgetHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BudgetHandle")
            .field("kind", &self.kind)
            .finish_non_exhaustive()
    }
}

fn kind(settings: BudgetSettings) -> u32 {
    match settings {
        BudgetSettings::Unlimited => UNLIMITED,
        BudgetSettings::Ratio { .. } => RATIO,
        BudgetSettings::Tokens { .. } => TOKENS,
    }
}
