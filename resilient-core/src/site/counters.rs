//! What came of the calls of one site.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::seam::shard::Shards;
use crate::seam::sync;
use crate::snapshot::SiteCounters;

/// What came of the calls of one site. Successes are counted by each thread for itself; whatever
/// else happens costs more than a shared counter.
#[derive(Debug)]
pub(crate) struct Counters {
    successes: Shards<sync::AtomicU64>,
    others: [AtomicU64; 7],
}

/// What is counted beside successes.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Counted {
    Failure,
    Rejection,
    Abandoned,
    Retry,
    Hedge,
    Timeout,
    Fallback,
}

impl Counters {
    pub(crate) fn new() -> Self {
        Counters {
            successes: Shards::new(|_, _| sync::AtomicU64::new(0)),
            others: Default::default(),
        }
    }

    #[inline]
    pub(crate) fn success(&self) {
        self.successes.own().fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn count(&self, what: Counted) {
        self.others[what as usize].fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn read(&self) -> SiteCounters {
        let other = |what: Counted| self.others[what as usize].load(Ordering::Relaxed);
        let shards = self.successes.iter();
        SiteCounters {
            successes: shards.map(|shard| shard.load(Ordering::Relaxed)).sum(),
            failures: other(Counted::Failure),
            rejections: other(Counted::Rejection),
            abandoned: other(Counted::Abandoned),
            retries: other(Counted::Retry),
            hedges: other(Counted::Hedge),
            timeouts: other(Counted::Timeout),
            fallbacks: other(Counted::Fallback),
        }
    }
}
