//! What passes between a breaker and a call.

use std::time::Duration;

use super::BreakerState;

/// An admission: under which generation, and in which half-open slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use = "an admission that is never recorded holds its half-open slot until the lease ends"]
pub(crate) struct Ticket {
    pub(super) generation: u32,
    pub(super) probe: Option<u32>,
}

impl Ticket {
    /// Whether this is one of the few calls of a half-open breaker: it makes one attempt, with no
    /// retry and no hedge.
    pub(crate) fn is_probe(self) -> bool {
        self.probe.is_some()
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
