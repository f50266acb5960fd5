//! What a run may have done when nobody knows how it ended.

/// What a run does outside the store, and so whether it may run again when nobody knows how it
/// ended: its lease lapsed, it panicked, or it failed without an answer.
///
/// There is no default: only whoever wrote the run knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Effects {
    /// None that would be noticed twice. It may run again.
    None,
    /// All of them are asked for under a key derived from this one
    /// ([`Execution::derived_key`](super::Execution::derived_key)), so whoever does them recognises
    /// the repeat. It may run again.
    Keyed,
    /// Some cannot be repeated. It never runs again by itself: the record becomes
    /// [`Uncertain`](super::State::Uncertain) until someone finds out.
    Unkeyed,
}

impl Effects {
    /// Whether a run that ended nobody knows how may run again.
    pub fn may_repeat(self) -> bool {
        !matches!(self, Effects::Unkeyed)
    }

    /// The number it is stored as.
    pub fn code(self) -> u8 {
        match self {
            Effects::None => 0,
            Effects::Keyed => 1,
            Effects::Unkeyed => 2,
        }
    }

    /// The effects of a number; an unknown one is taken for the strictest.
    pub fn from_code(code: u8) -> Self {
        match code {
            0 => Effects::None,
            1 => Effects::Keyed,
            _ => Effects::Unkeyed,
        }
    }
}
