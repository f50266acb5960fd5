//! Counts in this process for whichever limiters ask.

mod counts;
#[cfg(test)]
#[cfg(not(loom))]
mod tests;

use std::hash::RandomState;

use super::decision::Decision;
use super::epoch::Epoch;
use super::error::StoreError;
use super::store::{Ask, Store, StoreFuture};
use crate::name::Name;
use crate::seam::sync::Lock;

use counts::Counts;

/// Counts in this process, which are never forgotten before their time: for a store that has to do
/// without its server for a while.
///
/// Unlike [`RateLimiter::in_memory`](super::RateLimiter::in_memory), it serves any number of limiters
/// and takes the limits of a key from each question. A limit is the same by limiter, key, its name and
/// its kind; under other numbers what was used stays used, as far as there is room for it. And when
/// there is no room for one more key, that key is refused, where a limiter in memory lets another one
/// go.
///
/// Behind one lock, so it is not the fastest.
///
/// ```
/// # use resilient_core as resilient;
/// use std::sync::Arc;
/// use resilient::rate_limit::{Limit, LocalStore, RateLimit, RateLimiter};
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let store = Arc::new(LocalStore::at_most(1_000));
/// let limit = RateLimit::named("api").limit(Limit::fixed("daily", 5, "1d"));
/// let api = RateLimiter::over(store, limit)?;
/// assert!(api.check("user-7", 5).await?.is_allowed());
/// assert!(!api.check("user-7", 1).await?.is_allowed());
/// # Ok(()) }
/// ```
#[derive(Debug)]
pub struct LocalStore {
    most: usize,
    counts: Lock<Counts>,
    hasher: RandomState,
    epoch: Epoch,
}

/// Why a [`LocalStore`] does not decide.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LocalStoreError {
    /// As many limits of keys are counted as may be, and all of them are still used.
    #[error(
        "{most} limits of keys are counted already, and forgetting one would give its quota back (allow more, or limit by something that clients cannot make up)"
    )]
    Full {
        /// How many may be.
        most: usize,
    },
    /// The request costs more than a limit ever allows.
    #[error("a cost of {cost} never fits `{limit}`, which allows {capacity} at once")]
    NeverFits {
        /// The limit.
        limit: Name,
        /// What was asked for.
        cost: u32,
        /// The most it allows at once.
        capacity: u32,
    },
}

impl LocalStore {
    /// A store of so many counts: one for each limit of each key, of 100 to 200 bytes and the text of
    /// the key.
    #[must_use]
    pub fn at_most(counts: u32) -> Self {
        LocalStore::at(counts, Epoch::read())
    }

    fn at(most: u32, epoch: Epoch) -> Self {
        LocalStore {
            most: usize::try_from(most).unwrap_or(usize::MAX),
            counts: Lock::new(Counts::default()),
            hasher: RandomState::new(),
            epoch,
        }
    }

    fn decide_now(&self, ask: &Ask<'_>) -> Result<Decision, LocalStoreError> {
        let too_small = ask.limits.iter().find(|limit| ask.cost > limit.capacity());
        if let Some(limit) = too_small {
            return Err(LocalStoreError::NeverFits {
                limit: limit.name.clone(),
                cost: ask.cost,
                capacity: limit.capacity(),
            });
        }
        let mut counts = self.counts.lock();
        // Under the lock, so that time does not run backwards for a key.
        let now = self.epoch.now();
        counts.decide(ask, &self.hasher, self.most, now)
    }
}

impl Store for LocalStore {
    fn decide<'a>(&'a self, ask: Ask<'a>) -> StoreFuture<'a, Decision> {
        Box::pin(async move { self.decide_now(&ask).map_err(StoreError::new) })
    }

    fn refund<'a>(&'a self, ask: Ask<'a>, decision: &'a Decision) -> StoreFuture<'a, ()> {
        Box::pin(async move {
            let mut counts = self.counts.lock();
            counts.refund(&ask, decision, &self.hasher, self.epoch.now());
            Ok(())
        })
    }
}
