//! What came of the requests.

use crate::seam::shard::Shards;
use crate::seam::sync::{AtomicU64, Ordering};

/// What came of the requests to one limiter, counted by each thread for itself.
#[derive(Debug)]
pub(super) struct Counters {
    counts: Shards<[AtomicU64; Counted::ALL]>,
}

/// What is counted.
#[derive(Clone, Copy, Debug)]
pub(super) enum Counted {
    Allowed,
    Denied,
    WouldDeny,
    CostUnsatisfiable,
    AllowListed,
    DenyListed,
    TooManyWaiting,
    Waited,
    StoreErrors,
}

impl Counted {
    const ALL: usize = Counted::StoreErrors as usize + 1;
}

/// What came of the requests to one limiter since it was made. Looks ([`RateLimiter::peek`] and a
/// cost of 0) are not counted.
///
/// [`RateLimiter::peek`]: super::RateLimiter::peek
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct RateLimiterCounters {
    /// Those that fitted, those that waited for it included.
    pub allowed: u64,
    /// Those that did not fit and were refused.
    pub denied: u64,
    /// Those that did not fit and passed, because the limiter is in shadow mode.
    pub would_deny: u64,
    /// Those that cost more than a limit ever allows.
    pub cost_unsatisfiable: u64,
    /// Those of keys that are always let through.
    pub allow_listed: u64,
    /// Those of keys that never are.
    pub deny_listed: u64,
    /// Those that were refused because as many waited as may.
    pub too_many_waiting: u64,
    /// Those that waited for their turn and got it.
    pub waited: u64,
    /// Those that the store gave no answer to.
    pub store_errors: u64,
}

impl Counters {
    pub(super) fn new() -> Self {
        Counters {
            counts: Shards::new(|_, _| std::array::from_fn(|_| AtomicU64::new(0))),
        }
    }

    #[inline]
    pub(super) fn count(&self, what: Counted) {
        self.counts.own()[what as usize].fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn read(&self) -> RateLimiterCounters {
        let sum = |what: Counted| {
            let shards = self.counts.iter();
            shards
                .map(|shard| shard[what as usize].load(Ordering::Relaxed))
                .sum()
        };
        RateLimiterCounters {
            allowed: sum(Counted::Allowed),
            denied: sum(Counted::Denied),
            would_deny: sum(Counted::WouldDeny),
            cost_unsatisfiable: sum(Counted::CostUnsatisfiable),
            allow_listed: sum(Counted::AllowListed),
            deny_listed: sum(Counted::DenyListed),
            too_many_waiting: sum(Counted::TooManyWaiting),
            waited: sum(Counted::Waited),
            store_errors: sum(Counted::StoreErrors),
        }
    }
}
