//! The state a call looks at, in one word.

use super::BreakerState;

/// The state, what a success must do, and the generation: all that a call reads of a breaker that
/// is closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Word(u64);

const STATE_MASK: u64 = 0b111;
/// A success must be told to the engine: it ends a run, completes a minimum, or is a probe's.
const HEEDS_SUCCESS: u64 = 1 << 3;
/// A success counts towards some rule, but cannot change anything by itself.
const COUNTS_SUCCESS: u64 = 1 << 4;
/// A failure must be told to the engine.
const HEEDS_FAILURE: u64 = 1 << 5;
/// It only observes, and would refuse calls if it were enabled.
const WOULD_REFUSE: u64 = 1 << 6;
/// The state is one in which every call is admitted.
const ADMITS_ALL: u64 = 1 << 7;
const GENERATION_SHIFT: u32 = 32;

impl Word {
    pub(crate) fn new(state: BreakerState, generation: u32) -> Self {
        let number = match state {
            BreakerState::Closed => 0,
            BreakerState::Open => 1,
            BreakerState::HalfOpen => 2,
            BreakerState::ForcedOpen => 3,
            BreakerState::ForcedClosed => 4,
            BreakerState::Disabled => 5,
            BreakerState::Observing => 6,
        };
        Word(number | (u64::from(generation) << GENERATION_SHIFT))
            .with(ADMITS_ALL, state.admits_all())
    }

    pub(crate) fn heeding_successes(self, heeds: bool) -> Self {
        self.with(HEEDS_SUCCESS, heeds)
    }

    pub(crate) fn counting_successes(self, counts: bool) -> Self {
        self.with(COUNTS_SUCCESS, counts)
    }

    pub(crate) fn heeding_failures(self, heeds: bool) -> Self {
        self.with(HEEDS_FAILURE, heeds)
    }

    pub(crate) fn refusing_if_enabled(self, refuses: bool) -> Self {
        self.with(WOULD_REFUSE, refuses)
    }

    fn with(self, flag: u64, set: bool) -> Self {
        Word(if set { self.0 | flag } else { self.0 & !flag })
    }

    pub(crate) fn heeds_success(self) -> bool {
        self.0 & HEEDS_SUCCESS != 0
    }

    pub(crate) fn counts_success(self) -> bool {
        self.0 & COUNTS_SUCCESS != 0
    }

    pub(crate) fn heeds_failure(self) -> bool {
        self.0 & HEEDS_FAILURE != 0
    }

    pub(crate) fn would_refuse(self) -> bool {
        self.0 & WOULD_REFUSE != 0
    }

    pub(crate) fn admits_all(self) -> bool {
        self.0 & ADMITS_ALL != 0
    }

    /// Whether a call is admitted and nobody else is to know.
    pub(crate) fn admits_quietly(self) -> bool {
        self.0 & (ADMITS_ALL | WOULD_REFUSE) == ADMITS_ALL
    }

    pub(crate) fn state(self) -> BreakerState {
        match self.0 & STATE_MASK {
            1 => BreakerState::Open,
            2 => BreakerState::HalfOpen,
            3 => BreakerState::ForcedOpen,
            4 => BreakerState::ForcedClosed,
            5 => BreakerState::Disabled,
            6 => BreakerState::Observing,
            _ => BreakerState::Closed,
        }
    }

    pub(crate) fn generation(self) -> u32 {
        (self.0 >> GENERATION_SHIFT) as u32
    }

    pub(crate) fn to_bits(self) -> u64 {
        self.0
    }

    pub(crate) fn from_bits(bits: u64) -> Self {
        Word(bits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_state_survives_packing() {
        for state in [
            BreakerState::Closed,
            BreakerState::Open,
            BreakerState::HalfOpen,
            BreakerState::ForcedOpen,
            BreakerState::ForcedClosed,
            BreakerState::Disabled,
            BreakerState::Observing,
        ] {
            for generation in [0, 1, u32::MAX] {
                let word = Word::new(state, generation);
                assert!(!word.heeds_success() && !word.counts_success() && !word.heeds_failure());
                let word = word
                    .heeding_successes(true)
                    .counting_successes(true)
                    .heeding_failures(true)
                    .refusing_if_enabled(true);
                let word = Word::from_bits(word.to_bits());
                assert_eq!((word.state(), word.generation()), (state, generation));
                assert_eq!(word.admits_all(), state.admits_all());
                assert!(!word.admits_quietly());
                let quiet = word.refusing_if_enabled(false);
                assert_eq!(quiet.admits_quietly(), state.admits_all());
                assert!(word.heeds_success() && word.counts_success() && word.heeds_failure());
                assert!(word.would_refuse() && !word.refusing_if_enabled(false).would_refuse());
                assert!(!word.heeding_successes(false).heeds_success());
            }
        }
    }
}
