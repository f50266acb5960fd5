//! What a breaker knows at one moment.

use super::BreakerState;

/// What a breaker knows at one moment, for a dashboard or an operator.
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
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct BreakerSnapshot {
    /// What it does with calls. A breaker whose open time is over is open until a call makes it
    /// half-open.
    pub state: BreakerState,
    /// How often the state has changed or been reset; wraps around.
    pub generation: u32,
    /// Failures in the failure rate's window; without a failure rate, in the current run.
    pub failures: u64,
    /// Attempts in the failure rate's window; without a failure rate, as many as failures.
    pub attempts: u64,
    /// Bodies that panicked since the breaker was made. A panic is no verdict on the dependency,
    /// unless it is a probe's.
    pub panics: u64,
}
