//! What passes between a breaker and a call.

use std::num::NonZeroU32;
use std::time::Duration;

use super::BreakerState;

/// An admission: under which generation, and in which half-open slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use = "an admission that is never recorded holds its half-open slot until the lease ends"]
pub(crate) struct Ticket {
    pub(super) generation: u32,
    /// The slot's number, or [`NO_PROBE`]: never zero, so that a call has room for "no ticket".
    probe: NonZeroU32,
}

/// The first slot has the next number.
pub(super) const NO_PROBE: NonZeroU32 = NonZeroU32::MIN;

impl Ticket {
    pub(super) fn new(generation: u32) -> Self {
        Ticket::of_probe(generation, NO_PROBE)
    }

    pub(super) fn of_probe(generation: u32, probe: NonZeroU32) -> Self {
        Ticket { generation, probe }
    }

    pub(super) fn probe(self) -> Option<NonZeroU32> {
        self.is_probe().then_some(self.probe)
    }

    /// Whether this is one of the few calls of a half-open breaker: it makes one attempt, with no
    /// retry and no hedge.
    pub(crate) fn is_probe(self) -> bool {
        self.probe != NO_PROBE
    }
}

/// What an outcome is to the breaker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// The dependency answered.
    Success,
    /// The dependency failed.
    Failure,
    /// Says nothing about the dependency: a probe gives its slot back.
    Neutral,
    /// The body panicked: a failure of a probe, otherwise counted apart.
    Panicked,
}

/// A call that was not admitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Refusal {
    pub(crate) state: BreakerState,
    /// When trying again makes sense; [`Duration::MAX`] for a state an operator forced without an
    /// end.
    pub(crate) retry_in: Duration,
}
