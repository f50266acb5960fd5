//! What a breaker knows at one moment.

use std::time::Duration;

use super::{BreakerState, Reason};

/// What a breaker knows at one moment, for a dashboard or an operator.
///
/// Where it has breakers of [keys](super::BreakerControl::key) behind it, the counts are those of all of
/// them and its own together; the state is its own, that of calls without a key.
///
/// ```
/// # use resilient_core as resilient;
/// use resilient::breaker::BreakerState;
/// use resilient::{Dependency, Registry};
///
/// let registry = Registry::new();
/// registry.register(Dependency::named("payment"))?;
/// let snapshot = registry.breaker("payment")?.snapshot();
/// assert_eq!(snapshot.state, BreakerState::Closed);
/// assert_eq!((snapshot.failures, snapshot.attempts, snapshot.panics), (0, 0, 0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct BreakerSnapshot {
    /// What it does with calls. A breaker whose open time is over is open until a call makes it
    /// half-open.
    pub state: BreakerState,
    /// How often the state has changed or been reset; wraps around.
    pub generation: u32,
    /// Why an operator forced the state, if that was said.
    pub reason: Option<Reason>,
    /// How long a forced state still lasts; `None` for one without an end, and for the others.
    pub forced_for: Option<Duration>,
    /// Failures in the failure rate's window; without a failure rate, in the current run.
    pub failures: u64,
    /// Slow attempts in the window; none without the rule of slow calls.
    pub slow: u64,
    /// Attempts in the window; without one, as many as failures.
    pub attempts: u64,
    /// Bodies that panicked since the breaker was made. A panic is no verdict on the dependency,
    /// unless it is a probe's.
    pub panics: u64,
    /// Calls since the breaker was made that it admitted because it only observed, and would have
    /// refused as open. (Half-open it would have refused some, too: those beside the probes.)
    pub would_have_refused: u64,
    /// How many keys have a breaker of their own now. Those that were not called for long are not among
    /// them.
    pub keys: u32,
    /// How many of these do not admit every call.
    pub keys_refusing: u32,
}
