//! What is announced when a breaker changes state.

use std::fmt;
use std::time::Duration;

use super::{BreakerKey, BreakerState, Reason};
use crate::name::Name;

/// One change of a breaker's state.
///
/// Each change is announced exactly once, in order. While a breaker only observes, `from` and
/// `to` are both [`BreakerState::Observing`], and the rest says when it would have opened, why,
/// and for how long: once per opening.
///
/// ```
/// # use resilient_core as resilient;
/// use resilient::breaker::{Breaker, BreakerState};
///
/// let breaker = Breaker::consecutive(5).on_transition(|transition| {
///     if transition.to == BreakerState::Open {
///         eprintln!("{} is down: {}", transition.dependency, transition.rule);
///     }
/// });
/// # assert!(breaker.settings().is_ok());
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Transition {
    /// The dependency the breaker guards.
    pub dependency: Name,
    /// Which of many it is, of a breaker that is one of them.
    pub key: Option<BreakerKey>,
    /// The state before.
    pub from: BreakerState,
    /// The state after.
    pub to: BreakerState,
    /// Why.
    pub rule: Rule,
    /// The failures the rule saw: in its window, in the run, or among the probes; of the rule of
    /// slow calls, the slow attempts.
    pub failures: u64,
    /// The attempts the rule saw: in its window, in the run, or among the probes.
    pub attempts: u64,
    /// Counts the breaker's changes: results of calls admitted before this one no longer count.
    pub generation: u32,
    /// How long calls will be refused or a forced state will last: `None` when that is not known,
    /// and in states without an end.
    pub lasts: Option<Duration>,
    /// What the operator said who made the change; when a forced state comes to its end, who made
    /// that one.
    pub reason: Option<Reason>,
}

/// Why a breaker changed its state.
///
/// ```
/// # use resilient_core as resilient;
/// use resilient::breaker::Rule;
///
/// assert_eq!(Rule::FailureRate.to_string(), "failure_rate");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Rule {
    /// Too large a share of the attempts in the window failed.
    FailureRate,
    /// Too large a share of the attempts in the window were slow.
    SlowCallRate,
    /// Too many attempts in a row failed.
    Consecutive,
    /// The open time is over: probes are admitted.
    OpenElapsed,
    /// A probe failed.
    ProbeFailed,
    /// A probe succeeded, but took longer than the rule of slow calls allows.
    ProbeSlow,
    /// Enough probes succeeded.
    ProbesSucceeded,
    /// An operator forced a state.
    Forced,
    /// An operator lifted a forced state.
    Lifted,
    /// A forced state came to its end.
    Expired,
    /// An operator reset the breaker.
    Reset,
    /// New settings switched the breaker on or off, or to observing.
    Reconfigured,
}

impl Rule {
    /// The word for this rule in events and metrics.
    ///
    /// ```
    /// # use resilient_core as resilient;
    /// use resilient::breaker::Rule;
    ///
    /// assert_eq!(Rule::ProbesSucceeded.as_str(), "probes_succeeded");
    /// ```
    pub const fn as_str(self) -> &'static str {
        match self {
            Rule::FailureRate => "failure_rate",
            Rule::SlowCallRate => "slow_call_rate",
            Rule::Consecutive => "consecutive",
            Rule::OpenElapsed => "open_elapsed",
            Rule::ProbeFailed => "probe_failed",
            Rule::ProbeSlow => "probe_slow",
            Rule::ProbesSucceeded => "probes_succeeded",
            Rule::Forced => "forced",
            Rule::Lifted => "lifted",
            Rule::Expired => "expired",
            Rule::Reset => "reset",
            Rule::Reconfigured => "reconfigured",
        }
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

#[cfg(feature = "serde")]
impl serde::Serialize for Rule {
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(self.as_str())
    }
}
