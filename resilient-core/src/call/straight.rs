//! The attempt that nothing stands in the way of, in one piece.
//!
//! It asks what [`Call::admit`] asks, in the same order, and goes on while every answer is the one
//! that most calls get. When one is not, nothing has happened, and [`Call::admit`] asks again.
//!
//! What it writes to the thread's stack of calls it takes from registers and not from the call: the
//! processor would wait for what was written a moment ago.

use super::phase::Phase;
use super::{Call, Held, PlanRef, Shown};
use crate::bulkhead::BulkheadHandle;
use crate::context::{Holds, NOBODY, stack};
use crate::telemetry;
use crate::throttle::ThrottleHandle;

impl Call {
    /// Begins a first attempt with nothing around it and nobody listening; its body is to be polled
    /// next.
    #[inline]
    pub(super) fn goes_straight(&mut self) -> bool {
        let PlanRef::Site(plan) = self.plan else {
            return false;
        };
        if !matches!(self.phase, Phase::New) || !stack::is_empty() || !telemetry::is_silent() {
            return false;
        }
        #[cfg(feature = "faults")]
        if plan.may_fault() {
            return false;
        }
        let breaker = self.plan.breaker();
        let ticket = match breaker.map(|breaker| breaker.admit_at_once()) {
            Some(None) => return false,
            Some(ticket) => ticket,
            None => None,
        };
        let throttle = plan.throttle.as_deref();
        if throttle.is_some_and(ThrottleHandle::is_on) {
            return false;
        }
        let bulkhead = plan.bulkhead.as_deref();
        if !bulkhead.is_none_or(BulkheadHandle::takes_one) {
            return false;
        }
        let holds = Holds {
            breaker: breaker.map_or(NOBODY, |breaker| breaker.id()),
            bulkhead: bulkhead.map_or(NOBODY, BulkheadHandle::id),
            throttle: throttle.map_or(NOBODY, ThrottleHandle::id),
        };
        self.ticket = ticket;
        self.held = Held {
            admission: ticket.is_some(),
            permit: bulkhead.is_some(),
            token: false,
        };
        self.shown = Shown::Itself;
        self.phase = Phase::Running;
        self.polling = true;
        let frame = plan.first_frame();
        stack::push(&frame, holds, &mut self.credentials);
        self.frame = frame;
        true
    }
}
