//! What a ledger has seen.

use std::sync::atomic::{AtomicU64, Ordering};

/// What a [`Ledger`](super::Ledger) has seen since it was made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Counts {
    /// Runs that were begun.
    pub executions: u64,
    /// Of these, in place of one that fell silent: its lease had lapsed.
    pub takeovers: u64,
    /// Of these, in place of one that said it had failed.
    pub retried: u64,
    /// Repeats that were given the kept answer.
    pub replays: u64,
    /// Repeats that were refused while the first was at work.
    pub conflicts: u64,
    /// Keys that came with another payload.
    pub reused: u64,
    /// Runs that became uncertain, as far as this ledger did or met it.
    pub uncertain: u64,
    /// Runs whose lease went to another owner.
    pub lease_lost: u64,
    /// Runs that failed, where the next one may run.
    pub failed: u64,
    /// Runs that did nothing, so that the next one may run.
    pub released: u64,
    /// Steps the store did not do.
    pub store_errors: u64,
    /// Runs without protection, because the store was not available.
    pub bypassed: u64,
}

macro_rules! counters {
    ($($name:ident),*) => {
        /// The same, while counting.
        #[derive(Debug, Default)]
        pub(super) struct Counters {
            $(pub(super) $name: Counter,)*
        }

        impl Counters {
            pub(super) fn read(&self) -> Counts {
                Counts { $($name: self.$name.0.load(Ordering::Relaxed),)* }
            }
        }
    };
}

counters!(
    executions,
    takeovers,
    retried,
    replays,
    conflicts,
    reused,
    uncertain,
    lease_lost,
    failed,
    released,
    store_errors,
    bypassed
);

#[derive(Debug, Default)]
pub(super) struct Counter(AtomicU64);

impl Counter {
    pub(super) fn add(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}
