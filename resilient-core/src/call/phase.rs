//! Where a call stands.

use crate::breaker::{BreakerState, Refusal, Verdict};
use crate::bulkhead::Waiter;
use crate::context::Cut;
use crate::seam::clock::Moment;

/// Where a call stands, with what only matters there.
///
/// One flat list in two words, since every call in progress holds one. Why an attempt has no
/// outcome is part of it.
#[derive(Debug)]
pub(super) enum Phase {
    /// The call has begun with nothing around it and nobody listening, and has looked at nothing
    /// else.
    New,
    /// The next attempt is to be admitted.
    Fresh,
    /// The same, and since the attempt before it no time has passed.
    AtOnce,
    /// The task lets others run before the next attempt.
    Yielding,
    /// The next attempt waits for the end of its backoff.
    Backoff,
    /// The next attempt waits for its turn with the rate limiter, no longer than the timer runs.
    Waiting,
    /// The next attempt waits for a permit, no longer than the timer runs.
    Queued { waiter: Waiter, ends: QueueEnd },
    /// The body runs and has not been pending.
    Running,
    /// The body has been pending since `start`; the timer runs for the limit that comes first.
    Limited { start: Moment, cut: Cut },
    /// The attempt ended without an outcome: a limit of so many nanoseconds cut the running
    /// body.
    Cut {
        length: u64,
        cut: Cut,
        /// What that says about the dependency.
        verdict: Verdict,
    },
    /// The attempt ended without an outcome: a fault was injected.
    #[cfg(feature = "faults")]
    Injected,
    /// The attempt was not admitted: the call's time was over before the body ran.
    NoTime,
    /// The attempt was not admitted: the breaker refused it, for so many nanoseconds.
    Refused { state: BreakerState, retry_in: u64 },
    /// The attempt was not admitted: the throttle sheds so many of a hundred.
    Shed { percent: u8 },
    /// The attempt was not admitted: the rate limiter refused it, for the reason that the call keeps.
    RateLimited,
    /// The attempt was not admitted: the bulkhead had no permit for it, after so many
    /// nanoseconds in the queue.
    Full { waited: u64 },
    /// The attempt was not admitted: a name was not found.
    Missing,
    /// The call is over.
    Done,
}

impl Phase {
    #[inline]
    pub(super) fn refused(refusal: Refusal) -> Self {
        Phase::Refused {
            state: refusal.state,
            retry_in: refusal.retry_in,
        }
    }
}

/// Which limit a wait in the queue runs into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum QueueEnd {
    MaxWait,
    Call,
}
