//! What an operator turns off while a storm lasts: retries and hedges.

use std::sync::Arc;
// Shared with no engine, so never a model checker's.
use std::sync::atomic::{AtomicBool, Ordering};

/// The safest levers in a storm: with retries and hedges off, every call is one request, and what a
/// dependency gets to do is what its callers really want.
///
/// For all of a registry by [`Registry::levers`](crate::Registry::levers), for one dependency by
/// [`Registry::levers_of`](crate::Registry::levers_of). A call site may retry while every lever that
/// stands over it is on: its registry's, and that of each dependency it names. They act at the next
/// decision of every call, those in progress included, and change nothing that is registered.
///
/// Cloning gives another handle to the same levers.
///
/// ```
/// # use resilient_core as resilient;
/// use resilient::{Dependency, Registry};
///
/// let registry = Registry::new();
/// registry.register(Dependency::named("payment"))?;
/// let payment = registry.levers_of("payment")?;
/// payment.set_retries(false);
/// assert!(!payment.retries() && payment.hedges());
/// assert!(registry.levers().retries(), "other dependencies retry as before");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Levers {
    off: Arc<Off>,
}

#[derive(Debug, Default)]
struct Off {
    retries: AtomicBool,
    hedges: AtomicBool,
}

impl Levers {
    /// Turns retries off (`false`) or on again (`true`). A failure is then the call's outcome, and
    /// `retry.stopped` gives the reason `off`.
    pub fn set_retries(&self, on: bool) {
        self.off.retries.store(!on, Ordering::Relaxed);
    }

    /// Turns further copies of slow attempts off (`false`) or on again (`true`). Copies that run
    /// already go on.
    pub fn set_hedges(&self, on: bool) {
        self.off.hedges.store(!on, Ordering::Relaxed);
    }

    /// Whether retries are on, as far as this lever is concerned.
    #[must_use]
    pub fn retries(&self) -> bool {
        !self.off.retries.load(Ordering::Relaxed)
    }

    /// Whether hedges are on, as far as this lever is concerned.
    #[must_use]
    pub fn hedges(&self) -> bool {
        !self.off.hedges.load(Ordering::Relaxed)
    }
}
