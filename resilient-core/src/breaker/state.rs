//! What a breaker does with the calls that come.

use std::fmt;

/// The state of a breaker.
///
/// ```
/// use resilient_core::breaker::BreakerState;
///
/// assert_eq!(BreakerState::HalfOpen.to_string(), "half-open");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum BreakerState {
    /// Calls go through and are counted.
    Closed,
    /// Calls are refused at once, until the open time is over.
    Open,
    /// A few probes go through, and decide.
    HalfOpen,
    /// An operator has every call refused.
    ForcedOpen,
    /// An operator lets every call through; outcomes are counted and change nothing.
    ForcedClosed,
    /// Calls go through and nothing is counted.
    Disabled,
    /// Calls go through; what the breaker would have done is told and not done.
    Observing,
}

impl BreakerState {
    /// The state in a word, for messages and metrics.
    ///
    /// ```
    /// use resilient_core::breaker::BreakerState;
    ///
    /// assert_eq!(BreakerState::ForcedOpen.as_str(), "forced open");
    /// ```
    pub const fn as_str(self) -> &'static str {
        match self {
            BreakerState::Closed => "closed",
            BreakerState::Open => "open",
            BreakerState::HalfOpen => "half-open",
            BreakerState::ForcedOpen => "forced open",
            BreakerState::ForcedClosed => "forced closed",
            BreakerState::Disabled => "disabled",
            BreakerState::Observing => "observing",
        }
    }
}

impl fmt::Display for BreakerState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}
