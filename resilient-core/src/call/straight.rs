//! The attempt that nothing stands in the way of, and the one that only an open breaker does, each in
//! one piece: how it begins. How it ends is in `end`.
//!
//! It asks what [`Call::admit`] asks, in the same order, and goes on while every answer is the one
//! that most calls get. When one is not, nothing has happened, and [`Call::admit`] asks again.
//!
//! What it writes to the thread's stack of calls it takes from registers and not from the call: the
//! processor would wait for what was written a moment ago.

mod end;

pub(super) use end::NotStraight;

use super::phase::Phase;
use super::{Call, Held, Shown};
use crate::breaker::BreakerHandle;
use crate::bulkhead::BulkheadHandle;
use crate::context::stack;
use crate::rejection::Rejection;
use crate::seam::clock::{self, Moment};
use crate::site::Counted;
use crate::telemetry;
use crate::throttle::ThrottleHandle;

/// How far the straight way leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Straight {
    /// The body is to be polled.
    ToTheBody,
    /// The breaker has refused the attempt.
    ToTheBreaker,
    /// Nowhere: nothing has happened.
    No,
}

impl Call {
    /// Begins a first attempt, or a retry without a pause, with nothing around it and nobody
    /// listening.
    #[inline]
    pub(super) fn goes_straight(&mut self) -> Straight {
        let Some(plan) = self.plan.alone() else {
            return Straight::No;
        };
        let is_new = matches!(self.phase, Phase::New);
        if !is_new && !self.is_plain() || !stack::has_no_frames() {
            return Straight::No;
        }
        if plan.limiting.is_some() {
            return Straight::No;
        }
        #[cfg(feature = "faults")]
        if plan.may_fault() {
            return Straight::No;
        }
        let breaker = plan.breaker.as_deref();
        let ticket = match breaker.map(BreakerHandle::admit_at_once) {
            Some(None) => return runs_into(breaker, &mut self.phase),
            Some(ticket) => ticket,
            None => None,
        };
        if plan.throttle.as_deref().is_some_and(ThrottleHandle::is_on) {
            return Straight::No;
        }
        let bulkhead = plan.bulkhead.as_deref();
        if !bulkhead.is_none_or(BulkheadHandle::takes_one) {
            return Straight::No;
        }
        let holds = plan.holds();
        self.ticket = ticket;
        self.held = Held {
            admission: ticket.is_some(),
            permit: bulkhead.is_some(),
            token: false,
        };
        self.shown = Shown::Itself;
        self.phase = Phase::Running;
        self.polling = true;
        if is_new {
            let frame = plan.first_frame();
            stack::push(&frame, holds, &mut self.credentials);
            self.frame = frame;
        } else {
            stack::push(&self.frame, holds, &mut self.credentials);
        }
        Straight::ToTheBody
    }

    /// Whether the next attempt is the first, or follows the one before at once, and has nothing
    /// from before but its number: no clock to look at, no place with the breaker, and no listener.
    fn is_plain(&self) -> bool {
        let is_timeless = match self.phase {
            Phase::Fresh => self.frame.attempt == 1 && self.frame.inherited == Moment::NEVER,
            Phase::AtOnce => true,
            _ => false,
        };
        is_timeless && !self.held.admission && !self.is_probe()
    }

    /// What the caller is told of a first attempt that the breaker refused before it had anything to
    /// give back.
    #[inline]
    pub(super) fn turned_away(&mut self) -> Option<Rejection> {
        let Phase::Refused { state, retry_in } = self.phase else {
            return None;
        };
        let has_nothing = self.held == Held::default() && self.plan.span().is_none();
        if !has_nothing || self.frame.attempt > 1 {
            return None;
        }
        let rejection = self.refusal(state, retry_in)?;
        self.phase = Phase::Done;
        self.frame.attempt = 0;
        self.count(Counted::Rejection);
        telemetry::call_rejected(&rejection);
        Some(rejection)
    }
}

/// A breaker that does not admit every call refuses this one, unless it has to look closer. A retry
/// has more to give back.
#[inline]
fn runs_into(breaker: Option<&BreakerHandle>, phase: &mut Phase) -> Straight {
    if matches!(phase, Phase::AtOnce) {
        return Straight::No;
    }
    let Some(refusal) = breaker.and_then(|breaker| breaker.refuses(clock::now)) else {
        return Straight::No;
    };
    *phase = Phase::refused(refusal);
    Straight::ToTheBreaker
}
