//! What passes between a breaker and a call.

use std::num::{NonZeroU32, NonZeroU64};

use super::BreakerState;

/// An admission: under which generation, and in which half-open slot.
///
/// `probe << 32 | generation`, where `probe` is the slot's number or [`NO_PROBE`]: never zero, so
/// that a call has room for "no ticket". One word, because two halves that are written one by one
/// and read together make the processor wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use = "an admission that is never recorded holds its half-open slot until the lease ends"]
pub(crate) struct Ticket(NonZeroU64);

/// The first slot has the next number.
pub(super) const NO_PROBE: NonZeroU32 = NonZeroU32::MIN;

/// 2^32: what lifts a number into the upper half of the word.
const HIGH: NonZeroU64 = NonZeroU64::MIN.saturating_add(u32::MAX as u64);

impl Ticket {
    pub(super) fn new(generation: u32) -> Self {
        Ticket::of_probe(generation, NO_PROBE)
    }

    pub(super) fn of_probe(generation: u32, probe: NonZeroU32) -> Self {
        Ticket(NonZeroU64::from(probe).saturating_mul(HIGH) | u64::from(generation))
    }

    #[allow(clippy::cast_possible_truncation)] // the lower half
    pub(super) fn generation(self) -> u32 {
        self.0.get() as u32
    }

    pub(super) fn probe(self) -> Option<NonZeroU32> {
        NonZeroU32::new(self.slot()).filter(|_| self.is_probe())
    }

    fn slot(self) -> u32 {
        (self.0.get() >> 32) as u32
    }

    /// Whether this is one of the few calls of a half-open breaker: it makes one attempt, with no
    /// retry.
    pub(crate) fn is_probe(self) -> bool {
        self.slot() != NO_PROBE.get()
    }
}

/// What an outcome is to the breaker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// The dependency answered.
    Success,
    /// It did, and took longer than the rule of slow calls allows.
    SlowSuccess,
    /// The dependency failed.
    Failure,
    /// It did, and took as long.
    SlowFailure,
    /// Says nothing about the dependency: a probe gives its slot back.
    Neutral,
    /// The body panicked: a failure of a probe, otherwise counted apart.
    Panicked,
}

impl Verdict {
    /// The same of an attempt that took too long. What counts nowhere does not count here either.
    pub(crate) fn slowed(self) -> Self {
        match self {
            Verdict::Success => Verdict::SlowSuccess,
            Verdict::Failure => Verdict::SlowFailure,
            other => other,
        }
    }
}

/// A call that was not admitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Refusal {
    pub(crate) state: BreakerState,
    /// After how many nanoseconds trying again makes sense; [`u64::MAX`] for a state an operator forced
    /// without an end.
    pub(crate) retry_in: u64,
}
