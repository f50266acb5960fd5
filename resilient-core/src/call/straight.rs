//! The attempt that nothing stands in the way of, in one piece.
//!
//! It asks what [`Call::admit`] asks, in the same order, and goes on while every answer is the one
//! that most calls get. When one is not, nothing has happened, and [`Call::admit`] asks again.

use super::phase::Phase;
use super::{Call, Held, PlanRef, Shown};
use crate::bulkhead::BulkheadHandle;
use crate::context::{Holds, NOBODY, stack};
use crate::seam::clock::Moment;
use crate::throttle::ThrottleHandle;

impl Call {
    /// Begins a first attempt with nothing around it and nobody listening; its body is to be polled
    /// next.
    #[inline]
    pub(super) fn goes_straight(&mut self) -> bool {
        let PlanRef::Site(plan) = self.plan else {
            return false;
        };
        let is_first = matches!(self.phase, Phase::Fresh) && self.frame.attempt == 1;
        let is_alone = stack::is_empty() && self.frame.inherited == Moment::NEVER;
        if !is_first || !is_alone || self.span.is_some() {
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
        stack::push(&self.frame, holds, &mut self.credentials);
        true
    }
}
