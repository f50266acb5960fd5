//! What became of the decisions.

use std::sync::Arc;

use crate::counter::Counter;

/// What a [`RedisLimitStore`](super::RedisLimitStore) did since it was made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct RedisLimitCounts {
    /// Decisions that Redis made.
    pub decided: u64,
    /// Refusals without asking Redis, because it had refused the same shortly before.
    pub denied_here: u64,
    /// Requests that were let through without asking Redis, out of a
    /// [batch](super::RedisLimits::reserve).
    pub handed_out: u64,
    /// What was taken in advance, beyond what the requests that asked for it needed.
    pub reserved: u64,
    /// Times that Redis did not answer in time, or could not.
    pub errors: u64,
    /// Times that Redis was not asked, because it had not answered shortly before.
    pub skipped: u64,
    /// Requests that were let through without a decision: [`Outage::Open`](super::Outage::Open).
    pub opened: u64,
    /// Requests that got an error: [`Outage::Closed`](super::Outage::Closed), and what a local share
    /// can never hold.
    pub closed: u64,
    /// Decisions against a [local share](super::Outage::LocalShare).
    pub shared: u64,
}

/// Reads the [`RedisLimitCounts`] of a store, wherever that has gone.
#[derive(Clone, Debug, Default)]
pub struct RedisLimitCounter {
    counters: Arc<Counters>,
}

#[derive(Debug, Default)]
pub(super) struct Counters {
    pub(super) decided: Counter,
    pub(super) denied_here: Counter,
    pub(super) handed_out: Counter,
    pub(super) reserved: Counter,
    pub(super) errors: Counter,
    pub(super) skipped: Counter,
    pub(super) opened: Counter,
    pub(super) closed: Counter,
    pub(super) shared: Counter,
}

impl RedisLimitCounter {
    /// The numbers at this moment.
    pub fn counts(&self) -> RedisLimitCounts {
        let counters = &self.counters;
        RedisLimitCounts {
            decided: counters.decided.get(),
            denied_here: counters.denied_here.get(),
            handed_out: counters.handed_out.get(),
            reserved: counters.reserved.get(),
            errors: counters.errors.get(),
            skipped: counters.skipped.get(),
            opened: counters.opened.get(),
            closed: counters.closed.get(),
            shared: counters.shared.get(),
        }
    }

    pub(super) fn counters(&self) -> &Counters {
        &self.counters
    }
}
