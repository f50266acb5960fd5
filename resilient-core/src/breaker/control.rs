//! A breaker in the hands of an operator.

use std::time::Duration;

use super::handle::BreakerHandle;
use super::{BreakerSnapshot, BreakerState};
use crate::seam::clock::now;
use crate::seam::sync::Arc;

/// A breaker in the hands of an operator: its state, and the levers to force it.
///
/// A forced state stays until it is lifted or its time is over; it comes before everything the
/// breaker would do by itself. Results of calls that were admitted before a change count nowhere.
///
/// ```
/// # use resilient_core as resilient;
/// use resilient::breaker::BreakerState;
/// use resilient::{Dependency, Registry};
/// use std::time::Duration;
///
/// let registry = Registry::new();
/// registry.register(Dependency::named("payment"))?;
/// let breaker = registry.breaker("payment")?;
/// breaker.force_open_for(Duration::from_secs(600));
/// assert_eq!(breaker.state(), BreakerState::ForcedOpen);
/// breaker.reset();
/// assert_eq!(breaker.state(), BreakerState::Closed);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct BreakerControl(Arc<BreakerHandle>);

impl BreakerControl {
    pub(crate) fn of(handle: &Arc<BreakerHandle>) -> Self {
        BreakerControl(handle.clone())
    }

    /// What the breaker does with calls now. Reading it takes no probe's slot; a breaker whose
    /// open time is over stays open until a call makes it half-open.
    pub fn state(&self) -> BreakerState {
        self.0.state()
    }

    /// State and counts now.
    pub fn snapshot(&self) -> BreakerSnapshot {
        self.0.snapshot(now())
    }

    /// Refuses every call until lifted.
    pub fn force_open(&self) {
        self.0.force_open(None);
    }

    /// Refuses every call for `time`.
    pub fn force_open_for(&self, time: Duration) {
        self.0.force_open(Some(time));
    }

    /// Admits every call until lifted; outcomes are counted but not judged.
    pub fn force_closed(&self) {
        self.0.force_closed(None);
    }

    /// Admits every call for `time`.
    pub fn force_closed_for(&self, time: Duration) {
        self.0.force_closed(Some(time));
    }

    /// Admits every call and counts nothing, until lifted.
    pub fn disable(&self) {
        self.0.disable(None);
    }

    /// Admits every call and counts nothing for `time`.
    pub fn disable_for(&self, time: Duration) {
        self.0.disable(Some(time));
    }

    /// Admits every call and only announces when the breaker would have opened, until lifted.
    pub fn observe(&self) {
        self.0.observe(None);
    }

    /// Admits every call and only announces for `time`.
    pub fn observe_for(&self, time: Duration) {
        self.0.observe(Some(time));
    }

    /// Ends a forced state: half-open after one that refused calls, else closed.
    pub fn lift(&self) {
        self.0.lift();
    }

    /// Closes the breaker, forgets everything it has counted, and ends a forced state.
    pub fn reset(&self) {
        self.0.reset();
    }
}
