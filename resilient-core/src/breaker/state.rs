//! What a breaker does with the next call.

use std::fmt;

/// What a breaker does with the next call.
///
/// ```
/// # use resilient_core as resilient;
/// use resilient::breaker::BreakerState;
///
/// assert_eq!(BreakerState::HalfOpen.to_string(), "half-open");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum BreakerState {
    /// Calls run and their outcomes are judged.
    Closed,
    /// Calls are refused until the open time is over.
    Open,
    /// A few calls run as probes, the others are refused.
    HalfOpen,
    /// Calls are refused because an operator said so.
    ForcedOpen,
    /// Calls run because an operator said so; outcomes are counted but not judged.
    ForcedClosed,
    /// Calls run and nothing is counted.
    Disabled,
    /// Calls run, outcomes are judged, and what the breaker would have done is only announced.
    Observing,
}

impl BreakerState {
    /// The word for this state in messages, events and metrics.
    ///
    /// ```
    /// # use resilient_core as resilient;
    /// use resilient::breaker::BreakerState;
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

    /// Whether every call runs in this state.
    ///
    /// ```
    /// # use resilient_core as resilient;
    /// use resilient::breaker::BreakerState;
    ///
    /// assert!(BreakerState::Observing.admits_all());
    /// assert!(!BreakerState::HalfOpen.admits_all());
    /// ```
    pub const fn admits_all(self) -> bool {
        matches!(
            self,
            BreakerState::Closed
                | BreakerState::ForcedClosed
                | BreakerState::Disabled
                | BreakerState::Observing
        )
    }
}

impl fmt::Display for BreakerState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

#[cfg(feature = "serde")]
impl serde::Serialize for BreakerState {
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(self.as_str())
    }
}
