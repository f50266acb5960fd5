//! Before an attempt may run: its backoff, the breaker, the throttle, the bulkhead.

use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use super::phase::{Phase, QueueEnd};
use super::{Call, Shown};
use crate::breaker::{Refusal, Ticket, Verdict};
use crate::bulkhead::{Acquired, BulkheadHandle};
use crate::context::{Limit, NOBODY, stack};
use crate::seam::clock::{self, Moment, nanos};
use crate::seam::timer::Timer;
use crate::telemetry;
use crate::throttle::Shed;

/// Immediate retries in a row after which the task lets others run.
const YIELD_EVERY: u32 = 32;

impl Call {
    /// Ready when the body may run (`true`) or may not (`false`, and the phase tells why).
    pub(super) fn admit(&mut self, mut timer: Pin<&mut Timer>, cx: &mut Context<'_>) -> Poll<bool> {
        match self.phase {
            Phase::Backoff => {
                if !timer.is_armed() {
                    timer.as_mut().arm(self.decided.plus_nanos(self.delay));
                }
                ready!(timer.as_mut().poll(cx));
                self.phase = Phase::Fresh;
            }
            Phase::Yielding => {
                self.phase = Phase::Fresh;
                cx.waker().wake_by_ref();
                return Poll::Pending;
            }
            _ => {}
        }
        if matches!(self.phase, Phase::Fresh | Phase::AtOnce)
            && let Err(cause) = ready!(self.ask(timer.as_mut(), cx))
        {
            self.phase = cause;
        }
        if matches!(self.phase, Phase::Queued { .. })
            && let Err(cause) = ready!(self.wait_in_queue(timer, cx))
        {
            self.phase = cause;
        }
        // From here on the retry counts as sent.
        self.held.token &= !self.is_running();
        Poll::Ready(self.is_running())
    }

    /// Immediate retries must not keep the task from yielding.
    pub(super) fn again_at_once(&mut self) {
        let yields = self.frame.attempt.is_multiple_of(YIELD_EVERY);
        self.phase = if yields {
            Phase::Yielding
        } else {
            Phase::AtOnce
        };
    }

    /// Asks the clock, the breaker, the throttle, then the bulkhead.
    fn ask(&mut self, mut timer: Pin<&mut Timer>, cx: &mut Context<'_>) -> Poll<Result<(), Phase>> {
        // Else the clock was read when the attempt was decided on.
        if !matches!(self.phase, Phase::AtOnce) {
            ready!(self.still_in_time(timer.as_mut(), cx))?;
        }
        self.pass_breaker()?;
        self.pass_throttle()?;
        self.phase = self.enter_bulkhead(timer, cx)?;
        Poll::Ready(Ok(()))
    }

    fn still_in_time(
        &self,
        timer: Pin<&mut Timer>,
        cx: &mut Context<'_>,
    ) -> Poll<Result<(), Phase>> {
        if !self.frame.is_over() {
            return Poll::Ready(Ok(()));
        }
        self.time_is_over(timer, cx).map(Err)
    }

    /// The call's time was over before its body ran.
    fn time_is_over(&self, timer: Pin<&mut Timer>, cx: &mut Context<'_>) -> Poll<Phase> {
        let own = self.frame.deadline.known_end();
        if own.is_none_or(|own| own >= self.frame.inherited) {
            ready!(self.give_way(timer, cx));
        }
        Poll::Ready(Phase::NoTime)
    }

    fn pass_breaker(&mut self) -> Result<(), Phase> {
        let Some(breaker) = self.plan.breaker() else {
            return Ok(());
        };
        match self.ticket {
            Some(_) if !breaker.may_continue(self.ticket) => {
                return Err(refused(breaker.refusal()));
            }
            Some(_) if self.held.admission => return Ok(()),
            None if stack::holds_breaker(breaker.id()) => return Ok(()),
            _ => {}
        }
        let timeout = self.attempt_timeout();
        let ticket = self
            .inside_span(|| breaker.admit(timeout))
            .map_err(refused)?;
        self.frame.set_breaker(breaker.id());
        self.ticket = Some(ticket);
        self.held.admission = true;
        Ok(())
    }

    /// Sheds the attempt, if the dependency accepts too few. A probe has to be sent to be of use, and
    /// a call inside another one was let through with that.
    fn pass_throttle(&mut self) -> Result<(), Phase> {
        let Some(plan) = self.plan.get() else {
            return Ok(());
        };
        let throttle = plan.throttle.as_ref().filter(|throttle| throttle.is_on());
        self.shown = match throttle {
            Some(throttle) if stack::holds_throttle(throttle.id()) => Shown::AsPartOfAnother,
            _ => Shown::Itself,
        };
        let is_probe = self.ticket.is_some_and(Ticket::is_probe);
        let Some(throttle) = throttle.filter(|_| self.shown == Shown::Itself && !is_probe) else {
            return Ok(());
        };
        throttle.admit(&plan.random).map_err(|Shed { percent }| {
            self.inside_span(|| telemetry::shed(throttle.name(), percent));
            Phase::Shed { percent }
        })
    }

    /// Takes a permit, or a place in the queue.
    fn enter_bulkhead(
        &mut self,
        mut timer: Pin<&mut Timer>,
        cx: &mut Context<'_>,
    ) -> Result<Phase, Phase> {
        let Some(bulkhead) = self.plan.get().and_then(|plan| plan.bulkhead.as_ref()) else {
            return Ok(Phase::Running);
        };
        if stack::holds_bulkhead(bulkhead.id()) {
            return Ok(Phase::Running);
        }
        match bulkhead.try_acquire() {
            Acquired::Granted => {
                self.frame.set_bulkhead(bulkhead.id());
                self.held.permit = true;
                Ok(Phase::Running)
            }
            Acquired::Full => Err(Phase::Full { waited: 0 }),
            Acquired::Queue => {
                let waiter = bulkhead
                    .enqueue(cx.waker())
                    .map_err(|_full| Phase::Full { waited: 0 })?;
                let now = clock::now();
                let (until, ends) = queue_end(bulkhead, now, self.frame.end(now).0);
                timer.as_mut().arm(until);
                Ok(Phase::Queued { waiter, ends })
            }
        }
    }

    fn wait_in_queue(
        &mut self,
        mut timer: Pin<&mut Timer>,
        cx: &mut Context<'_>,
    ) -> Poll<Result<(), Phase>> {
        let Some(bulkhead) = self.plan.get().and_then(|plan| plan.bulkhead.as_ref()) else {
            return Poll::Ready(Ok(()));
        };
        let Phase::Queued { waiter, ends } = &mut self.phase else {
            return Poll::Ready(Ok(()));
        };
        let (granted, ends) = (bulkhead.poll_granted(waiter, cx).is_ready(), *ends);
        let refused = if granted {
            // Served in the last moment, or polled late.
            ready!(self.still_in_time(timer, cx)).err()
        } else {
            ready!(timer.as_mut().poll(cx));
            Some(match ends {
                QueueEnd::Call => ready!(self.time_is_over(timer, cx)),
                QueueEnd::MaxWait => Phase::Full {
                    waited: bulkhead.max_wait().map_or(0, nanos),
                },
            })
        };
        if let Some(cause) = refused {
            self.leave_queue();
            return Poll::Ready(Err(cause));
        }
        self.frame.set_bulkhead(bulkhead.id());
        self.held.permit = true;
        self.phase = Phase::Running;
        Poll::Ready(self.still_admitted())
    }

    /// The breaker may have opened while the attempt stood in the queue.
    fn still_admitted(&self) -> Result<(), Phase> {
        match (self.plan.breaker(), self.ticket) {
            (Some(breaker), Some(ticket)) if !breaker.may_start(ticket, self.attempt_timeout()) => {
                Err(refused(breaker.refusal()))
            }
            _ => Ok(()),
        }
    }

    fn attempt_timeout(&self) -> Option<Duration> {
        let timeout = self.plan.get()?.timeout();
        (!Limit::of(timeout).is_none()).then(|| Duration::from_nanos(timeout))
    }

    fn leave_queue(&mut self) {
        let bulkhead = self.plan.get().and_then(|plan| plan.bulkhead.as_ref());
        let Some(bulkhead) = bulkhead else { return };
        if let Phase::Queued { waiter, .. } = std::mem::replace(&mut self.phase, Phase::Fresh) {
            bulkhead.abandon(waiter);
        }
    }

    /// Gives back what an attempt that did not end by itself was given.
    pub(super) fn hand_back(&mut self) {
        self.release_permit();
        if matches!(self.phase, Phase::Queued { .. }) {
            self.leave_queue();
        }
        if std::mem::take(&mut self.held.token)
            && let Some(budget) = self.plan.get().and_then(|plan| plan.budget.as_ref())
        {
            budget.refund(self.decided);
        }
    }

    pub(super) fn release_permit(&mut self) {
        self.frame.set_bulkhead(NOBODY);
        if std::mem::take(&mut self.held.permit)
            && let Some(bulkhead) = self.plan.get().and_then(|plan| plan.bulkhead.as_ref())
        {
            bulkhead.release();
        }
    }

    /// Tells the breaker about the attempt, or about the call, and leaves it.
    pub(super) fn report(&mut self, verdict: Verdict, now: Option<Moment>) {
        self.frame.set_breaker(NOBODY);
        if !std::mem::take(&mut self.held.admission) {
            return;
        }
        if let (Some(ticket), Some(breaker)) = (self.ticket, self.plan.breaker()) {
            self.inside_span(|| match now {
                Some(now) => breaker.record_at(ticket, verdict, now),
                None => breaker.record(ticket, verdict),
            });
        }
    }
}

fn queue_end(bulkhead: &BulkheadHandle, now: Moment, call_ends: Moment) -> (Moment, QueueEnd) {
    match bulkhead.max_wait().map(|max_wait| now.plus(max_wait)) {
        Some(until) if until < call_ends => (until, QueueEnd::MaxWait),
        _ => (call_ends, QueueEnd::Call),
    }
}

fn refused(refusal: Refusal) -> Phase {
    Phase::Refused {
        state: refusal.state,
        retry_in: nanos(refusal.retry_in),
    }
}
