//! Before an attempt may run: its backoff, the breaker, the throttle, the rate limiter, the bulkhead.

use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use super::phase::{Phase, QueueEnd};
use super::{Call, Shown};
use crate::breaker::{Refusal, Ticket, Verdict};
use crate::bulkhead::{Acquired, BulkheadHandle};
use crate::context::{Limit, stack};
use crate::seam::clock::{self, Moment, nanos};
use crate::seam::timer::Timer;
use crate::telemetry;
use crate::throttle::{Shed, ThrottleHandle};

/// Immediate retries in a row after which the task lets others run.
const YIELD_EVERY: u32 = 32;

impl Call {
    /// Ready when the body may run (`true`) or may not (`false`, and the phase tells why).
    #[inline]
    pub(super) fn admit(&mut self, mut timer: Pin<&mut Timer>, cx: &mut Context<'_>) -> Poll<bool> {
        match self.phase {
            Phase::New => {
                self.prepare();
                self.phase = Phase::Fresh;
            }
            Phase::Backoff | Phase::Yielding => ready!(self.wait(timer.as_mut(), cx)),
            _ => {}
        }
        if matches!(self.phase, Phase::Fresh | Phase::AtOnce) {
            ready!(self.ask(timer.as_mut(), cx));
        }
        if matches!(self.phase, Phase::Waiting) {
            ready!(self.wait_for_turn(timer.as_mut(), cx));
        }
        if matches!(self.phase, Phase::Queued { .. }) {
            ready!(self.wait_in_queue(timer, cx));
        }
        let admitted = self.is_running();
        // From here on the retry counts as sent.
        self.held.token &= !admitted;
        Poll::Ready(admitted)
    }

    /// Waits for the end of the backoff.
    #[inline(never)]
    fn wait(&mut self, mut timer: Pin<&mut Timer>, cx: &mut Context<'_>) -> Poll<()> {
        if matches!(self.phase, Phase::Yielding) {
            self.phase = Phase::Fresh;
            cx.waker().wake_by_ref();
            return Poll::Pending;
        }
        if !timer.is_armed() {
            timer.as_mut().arm(self.decided.plus_nanos(self.delay));
        }
        ready!(timer.as_mut().poll(cx));
        self.phase = Phase::Fresh;
        Poll::Ready(())
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

    /// Asks the clock, the breaker, the throttle, the rate limiter, then the bulkhead; the phase tells
    /// how that ended.
    #[inline]
    fn ask(&mut self, mut timer: Pin<&mut Timer>, cx: &mut Context<'_>) -> Poll<()> {
        // Else the clock was read when the attempt was decided on.
        if matches!(self.phase, Phase::Fresh) && self.frame.is_over() {
            return self.end_too_late(timer, cx);
        }
        if self.pass_breaker() && self.pass_throttle() && self.pass_rate_limit(timer.as_mut()) {
            self.enter_bulkhead(timer.as_mut(), cx);
        }
        Poll::Ready(())
    }

    /// The call's time was over before its body ran.
    #[cold]
    pub(super) fn end_too_late(
        &mut self,
        timer: Pin<&mut Timer>,
        cx: &mut Context<'_>,
    ) -> Poll<()> {
        if self.is_cut_from_outside() {
            ready!(self.give_way(timer, cx));
        }
        self.phase = Phase::NoTime;
        Poll::Ready(())
    }

    /// Whether the call's time ends with that of a call around it.
    fn is_cut_from_outside(&self) -> bool {
        let own = self.frame.deadline.known_end();
        own.is_none_or(|own| own >= self.frame.inherited)
    }

    #[inline]
    fn pass_breaker(&mut self) -> bool {
        let Some(breaker) = self.plan.breaker() else {
            return true;
        };
        if stack::has_no_frames()
            && !self.is_probe()
            && let Some(ticket) = breaker.admit_at_once()
        {
            if !self.held.admission {
                self.ticket = Some(ticket);
                self.held.admission = true;
            }
            return true;
        }
        let asked = self.ask_breaker();
        asked
            .map_err(|refusal| self.phase = Phase::refused(refusal))
            .is_ok()
    }

    #[inline(never)]
    fn ask_breaker(&mut self) -> Result<(), Refusal> {
        let Some(breaker) = self.plan.breaker() else {
            return Ok(());
        };
        match self.ticket {
            Some(_) if !breaker.may_continue(self.ticket) => return Err(breaker.refusal()),
            Some(_) if self.held.admission => return Ok(()),
            None if stack::holds_breaker(breaker.id()) => return Ok(()),
            _ => {}
        }
        let timeout = self.attempt_timeout();
        self.ticket = Some(self.inside_span(|| breaker.admit(timeout))?);
        self.held.admission = true;
        Ok(())
    }

    #[inline]
    pub(super) fn is_probe(&self) -> bool {
        self.ticket.is_some_and(Ticket::is_probe)
    }

    #[inline]
    fn pass_throttle(&mut self) -> bool {
        self.shown = Shown::Itself;
        let throttle = self.plan.get().and_then(|plan| plan.throttle.as_deref());
        !throttle.is_some_and(ThrottleHandle::is_on) || self.ask_throttle()
    }

    /// Sheds the attempt, if the dependency accepts too few. A probe has to be sent to be of use, and
    /// a call inside another one was let through with that.
    #[inline(never)]
    fn ask_throttle(&mut self) -> bool {
        let Some(plan) = self.plan.get() else {
            return true;
        };
        let Some(throttle) = &plan.throttle else {
            return true;
        };
        if stack::holds_throttle(throttle.id()) {
            self.shown = Shown::AsPartOfAnother;
            return true;
        }
        if self.is_probe() {
            return true;
        }
        match throttle.admit(&plan.random) {
            Ok(()) => true,
            Err(Shed { percent }) => {
                self.inside_span(|| telemetry::shed(throttle.name(), percent));
                self.phase = Phase::Shed { percent };
                false
            }
        }
    }

    /// Takes a permit, or a place in the queue.
    #[inline]
    pub(super) fn enter_bulkhead(&mut self, timer: Pin<&mut Timer>, cx: &mut Context<'_>) {
        self.phase = Phase::Running;
        let Some(bulkhead) = self.plan.get().and_then(|plan| plan.bulkhead.as_deref()) else {
            return;
        };
        if !stack::has_no_frames() && stack::holds_bulkhead(bulkhead.id()) {
            return;
        }
        match bulkhead.try_acquire() {
            Acquired::Granted => self.held.permit = true,
            Acquired::Full => self.phase = Phase::Full { waited: 0 },
            Acquired::Queue => self.phase = self.enqueue(timer, cx),
        }
    }

    #[inline(never)]
    fn enqueue(&mut self, timer: Pin<&mut Timer>, cx: &mut Context<'_>) -> Phase {
        let bulkhead = self.plan.get().and_then(|plan| plan.bulkhead.as_deref());
        let Some(bulkhead) = bulkhead else {
            return Phase::Running;
        };
        let Ok(waiter) = bulkhead.enqueue(cx.waker()) else {
            return Phase::Full { waited: 0 };
        };
        let now = clock::now();
        let (until, ends) = queue_end(bulkhead, now, self.frame.end(now).0);
        timer.arm(until);
        Phase::Queued { waiter, ends }
    }

    #[inline(never)]
    fn wait_in_queue(&mut self, mut timer: Pin<&mut Timer>, cx: &mut Context<'_>) -> Poll<()> {
        let bulkhead = self.plan.get().and_then(|plan| plan.bulkhead.as_deref());
        let (Phase::Queued { waiter, ends }, Some(bulkhead)) = (&mut self.phase, bulkhead) else {
            return Poll::Ready(());
        };
        let (granted, ends) = (bulkhead.poll_granted(waiter, cx).is_ready(), *ends);
        if !granted {
            ready!(timer.as_mut().poll(cx));
        }
        // Or served in the last moment, or polled late.
        let is_over = if granted {
            self.frame.is_over()
        } else {
            ends == QueueEnd::Call
        };
        if is_over && self.is_cut_from_outside() {
            ready!(self.give_way(timer, cx));
        }
        if is_over || !granted {
            let ended = if is_over {
                Phase::NoTime
            } else {
                let waited = bulkhead.max_wait().map_or(0, nanos);
                Phase::Full { waited }
            };
            self.leave_queue();
            self.phase = ended;
            return Poll::Ready(());
        }
        self.held.permit = true;
        self.phase = self.still_admitted();
        Poll::Ready(())
    }

    /// The breaker may have opened while the attempt stood in the queue, or waited for its turn.
    pub(super) fn still_admitted(&self) -> Phase {
        match (self.plan.breaker(), self.ticket) {
            (Some(breaker), Some(ticket)) if !breaker.may_start(ticket, self.attempt_timeout()) => {
                Phase::refused(breaker.refusal())
            }
            _ => Phase::Running,
        }
    }

    fn attempt_timeout(&self) -> Option<Duration> {
        let timeout = self.plan.get()?.timeout();
        (!Limit::of(timeout).is_none()).then(|| Duration::from_nanos(timeout))
    }

    fn leave_queue(&mut self) {
        let bulkhead = self.plan.get().and_then(|plan| plan.bulkhead.as_deref());
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
        if matches!(self.phase, Phase::Waiting) {
            self.leave_line();
        }
        if std::mem::take(&mut self.held.token)
            && let Some(budget) = self.plan.get().and_then(|plan| plan.budget.as_ref())
        {
            budget.refund(self.decided);
        }
    }

    /// The attempt is over, and what its copies in other tasks shared with it.
    #[inline]
    pub(super) fn release_permit(&mut self) {
        self.credentials.end_lease();
        if std::mem::take(&mut self.held.permit)
            && let Some(bulkhead) = self.plan.get().and_then(|plan| plan.bulkhead.as_deref())
        {
            bulkhead.release();
        }
    }

    /// Tells the breaker about the attempt, or about the call, and leaves it.
    pub(super) fn report(&mut self, verdict: Verdict, now: Option<Moment>) {
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
