//! A breaker in the hands of an operator.

use std::fmt;
use std::time::Duration;

use super::handle::BreakerHandle;
use super::{BreakerKey, BreakerSnapshot, BreakerState, Reason};
use crate::seam::clock::now;
use crate::seam::sync::Arc;

/// A breaker in the hands of an operator: its state, and the levers to force it.
///
/// A forced state stays until it is lifted or its time is over; it comes before everything the
/// breaker would do by itself. Results of calls that were admitted before a change count nowhere.
/// With [`because`](BreakerControl::because) the others learn why.
///
/// Where calls name one of many, with `breaker(key = ..)`, what is done here is done to the breakers of
/// all keys, and to those that are still to come; [`key`](BreakerControl::key) is for one of them. Who
/// came last is right: to lift a state here is to lift those of single keys, too.
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
    key: Option<BreakerKey>,
    reason: Option<Reason>,
}

impl BreakerControl {
    pub(crate) fn of(handle: &Arc<BreakerHandle>) -> Self {
        BreakerControl {
            handle: handle.clone(),
            key: None,
            reason: None,
        }
    }

    /// The one of many that calls with this `key` go through.
    ///
    /// Looking at a key that has no breaker of its own, as none before its first call and none after a
    /// long rest, shows a new one. Changing its state makes one, as a call would.
    ///
    /// ```
    /// # use resilient_core as resilient;
    /// use resilient::breaker::BreakerState;
    /// use resilient::{Dependency, Registry};
    ///
    /// let registry = Registry::new();
    /// registry.register(Dependency::named("orders"))?;
    /// let orders = registry.breaker("orders")?;
    /// orders.key("shard-7").because("it is moved").force_open();
    /// assert_eq!(orders.key("shard-7").state(), BreakerState::ForcedOpen);
    /// assert_eq!(orders.key("shard-8").state(), BreakerState::Closed);
    /// assert_eq!(orders.snapshot().keys_refusing, 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use = "a breaker in hand changes nothing by itself"]
    pub fn key(&self, key: impl fmt::Display) -> Self {
        BreakerControl {
            key: Some(BreakerKey::new(key.to_string())),
            ..self.clone()
        }
    }

    /// The keys that have a breaker of their own now, in the order of their texts.
    ///
    /// ```
    /// # use resilient_core as resilient;
    /// use resilient::{Dependency, Registry};
    ///
    /// let registry = Registry::new();
    /// registry.register(Dependency::named("orders"))?;
    /// let orders = registry.breaker("orders")?;
    /// orders.key("shard-7").force_open();
    /// let open = orders.keys().into_iter().filter(|key| !orders.key(key).state().admits_all());
    /// assert_eq!(open.map(|key| key.to_string()).collect::<Vec<_>>(), ["shard-7"]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn keys(&self) -> Vec<BreakerKey> {
        self.handle.keys()
    }

    /// The breaker to look at.
    fn seen(&self) -> Arc<BreakerHandle> {
        match &self.key {
            Some(key) => self.handle.look_at(key),
            None => self.handle.clone(),
        }
    }

    /// The breaker to change. Looked up each time, since that of a key comes and goes.
    fn changed(&self) -> Arc<BreakerHandle> {
        match &self.key {
            Some(key) => self.handle.of_key(key),
            None => self.handle.clone(),
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
            reason: Reason::new(reason),
            ..self.clone()
        }
    }

    /// What the breaker does with calls now. Reading it takes no probe's slot; a breaker whose
    /// open time is over stays open until a call makes it half-open.
    pub fn state(&self) -> BreakerState {
        self.seen().state()
    }

    /// State and counts now.
    pub fn snapshot(&self) -> BreakerSnapshot {
        self.seen().snapshot(now())
    }

    /// Refuses every call until lifted.
    pub fn force_open(&self) {
        self.changed().force_open(None, self.reason.clone());
    }

    /// Refuses every call for `time`.
    pub fn force_open_for(&self, time: Duration) {
        self.changed().force_open(Some(time), self.reason.clone());
    }

    /// Admits every call until lifted; outcomes are counted but not judged.
    pub fn force_closed(&self) {
        self.changed().force_closed(None, self.reason.clone());
    }

    /// Admits every call for `time`.
    pub fn force_closed_for(&self, time: Duration) {
        self.changed().force_closed(Some(time), self.reason.clone());
    }

    /// Admits every call and counts nothing, until lifted.
    pub fn disable(&self) {
        self.changed().disable(None, self.reason.clone());
    }

    /// Admits every call and counts nothing for `time`.
    pub fn disable_for(&self, time: Duration) {
        self.changed().disable(Some(time), self.reason.clone());
    }

    /// Admits every call and only announces when the breaker would have opened, until lifted.
    ///
    /// It goes through open and half-open as it would, except that every call is a probe then, and
    /// counts in [`would_have_refused`](BreakerSnapshot::would_have_refused) what it would have
    /// refused.
    pub fn observe(&self) {
        self.changed().observe(None, self.reason.clone());
    }

    /// Admits every call and only announces for `time`.
    pub fn observe_for(&self, time: Duration) {
        self.changed().observe(Some(time), self.reason.clone());
    }

    /// Ends a forced state: half-open after one that refused calls, else closed; observing or
    /// disabled, if that is how it was registered.
    pub fn lift(&self) {
        self.changed().lift(self.reason.as_ref());
    }

    /// Closes the breaker, forgets everything it has counted, and ends a forced state. One that is
    /// registered as observing or disabled is that again.
    pub fn reset(&self) {
        self.changed().reset(self.reason.as_ref());
    }
}
