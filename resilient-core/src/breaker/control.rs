//! A breaker in the hands of an operator.

use std::time::Duration;

use super::handle::BreakerHandle;
use super::{BreakerSnapshot, BreakerState, Reason};
use crate::seam::clock::now;
use crate::seam::sync::Arc;

/// A breaker in the hands of an operator: its state, and the levers to force it.
///
/// A forced state stays until it is lifted or its time is over; it comes before everything the
/// breaker would do by itself. Results of calls that were admitted before a change count nowhere.
/// With [`because`](BreakerControl::because) the others learn why.
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
/// breaker.because("new database").force_open_for(Duration::from_secs(600));
/// assert_eq!(breaker.state(), BreakerState::ForcedOpen);
/// breaker.reset();
/// assert_eq!(breaker.state(), BreakerState::Closed);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct BreakerControl {
    handle: Arc<BreakerHandle>,
    reason: Option<Reason>,
}

impl BreakerControl {
    pub(crate) fn of(handle: &Arc<BreakerHandle>) -> Self {
        BreakerControl {
            handle: handle.clone(),
            reason: None,
        }
    }

    /// The same breaker, with a reason for what is done through the one that is returned.
    ///
    /// It is told with the change of state, in the message of every call that is refused
    /// meanwhile, and in [`snapshot`](BreakerControl::snapshot). An empty text is none.
    ///
    /// ```
    /// # use resilient_core as resilient;
    /// use resilient::{Dependency, Registry};
    ///
    /// let registry = Registry::new();
    /// registry.register(Dependency::named("payment"))?;
    /// let breaker = registry.breaker("payment")?;
    /// breaker.because("new database").force_open();
    /// assert_eq!(breaker.snapshot().reason.as_deref(), Some("new database"));
    /// breaker.because("it is there").lift();
    /// assert_eq!(breaker.snapshot().reason, None);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use = "a reason by itself changes nothing"]
    pub fn because(&self, reason: impl Into<Box<str>>) -> Self {
        BreakerControl {
            handle: self.handle.clone(),
            reason: Reason::new(reason),
        }
    }

    /// What the breaker does with calls now. Reading it takes no probe's slot; a breaker whose
    /// open time is over stays open until a call makes it half-open.
    pub fn state(&self) -> BreakerState {
        self.handle.state()
    }

    /// State and counts now.
    pub fn snapshot(&self) -> BreakerSnapshot {
        self.handle.snapshot(now())
    }

    /// Refuses every call until lifted.
    pub fn force_open(&self) {
        self.handle.force_open(None, self.reason.clone());
    }

    /// Refuses every call for `time`.
    pub fn force_open_for(&self, time: Duration) {
        self.handle.force_open(Some(time), self.reason.clone());
    }

    /// Admits every call until lifted; outcomes are counted but not judged.
    pub fn force_closed(&self) {
        self.handle.force_closed(None, self.reason.clone());
    }

    /// Admits every call for `time`.
    pub fn force_closed_for(&self, time: Duration) {
        self.handle.force_closed(Some(time), self.reason.clone());
    }

    /// Admits every call and counts nothing, until lifted.
    pub fn disable(&self) {
        self.handle.disable(None, self.reason.clone());
    }

    /// Admits every call and counts nothing for `time`.
    pub fn disable_for(&self, time: Duration) {
        self.handle.disable(Some(time), self.reason.clone());
    }

    /// Admits every call and only announces when the breaker would have opened, until lifted.
    ///
    /// It goes through open and half-open as it would, except that every call is a probe then, and
    /// counts in [`would_have_refused`](BreakerSnapshot::would_have_refused) what it would have
    /// refused.
    pub fn observe(&self) {
        self.handle.observe(None, self.reason.clone());
    }

    /// Admits every call and only announces for `time`.
    pub fn observe_for(&self, time: Duration) {
        self.handle.observe(Some(time), self.reason.clone());
    }

    /// Ends a forced state: half-open after one that refused calls, else closed; observing or
    /// disabled, if that is how it was registered.
    pub fn lift(&self) {
        self.handle.lift(self.reason.clone());
    }

    /// Closes the breaker, forgets everything it has counted, and ends a forced state. One that is
    /// registered as observing or disabled is that again.
    pub fn reset(&self) {
        self.handle.reset(self.reason.clone());
    }
}
