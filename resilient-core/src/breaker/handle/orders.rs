//! What operators order of a breaker, and of all its keys.

use std::time::Duration;

use super::BreakerHandle;
use crate::breaker::Reason;
use crate::breaker::forced::ForcedKind;
use crate::seam::clock::{Moment, now};

impl BreakerHandle {
    /// Refuses every call, for a time or until lifted.
    pub(crate) fn force_open(&self, lasts: Option<Duration>, reason: Option<Reason>) {
        self.force(|_| ForcedKind::Open, lasts, reason);
    }

    /// Admits every call and goes on counting, for a time or until lifted.
    pub(crate) fn force_closed(&self, lasts: Option<Duration>, reason: Option<Reason>) {
        self.force(|_| ForcedKind::Closed, lasts, reason);
    }

    /// Admits every call and counts nothing, for a time or until lifted.
    pub(crate) fn disable(&self, lasts: Option<Duration>, reason: Option<Reason>) {
        self.force(|_| ForcedKind::Disabled, lasts, reason);
    }

    /// Admits every call and only announces when it would have opened, for a time or until lifted.
    pub(crate) fn observe(&self, lasts: Option<Duration>, reason: Option<Reason>) {
        self.force(ForcedKind::observing, lasts, reason);
    }

    fn force(
        &self,
        kind: impl FnOnce(Moment) -> ForcedKind,
        lasts: Option<Duration>,
        reason: Option<Reason>,
    ) {
        let now = now();
        self.locked(now, |engine| engine.force(kind(now), lasts, reason, now));
        self.lead(|engine, order, now| engine.obey(order, None, now));
    }

    /// Why an operator forced the state it is in, if that was said.
    #[cold]
    pub(crate) fn reason(&self) -> Option<Reason> {
        self.guarded.lock().engine.forced().0
    }

    /// Ends a forced state: half-open after one that refused calls, else closed.
    pub(crate) fn lift(&self, reason: Option<&Reason>) {
        let now = now();
        self.locked(now, |engine| engine.lift(reason.cloned(), now));
        self.lead(|engine, order, now| engine.obey(order, reason.cloned(), now));
    }

    /// Closes the breaker and forgets everything it has counted; ends a forced state.
    pub(crate) fn reset(&self, reason: Option<&Reason>) {
        let now = now();
        self.locked(now, |engine| engine.reset(reason.cloned(), now));
        self.lead(|engine, order, now| {
            engine.reset(reason.cloned(), now);
            engine.obey(order, None, now);
        });
    }
}
