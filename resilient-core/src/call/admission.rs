//! Before an attempt may run: its backoff, the breaker, the bulkhead.

use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use super::{Call, Phase};
use crate::breaker::{BreakerHandle, Refusal, Verdict};
use crate::bulkhead::{Acquired, BulkheadHandle};
use crate::context::{Cut, UNLIMITED, stack};
use crate::name::Name;
use crate::rejection::Rejection;
use crate::seam::clock::{self, Moment};
use crate::seam::timer::Timer;

/// Immediate retries in a row after which the task lets others run.
const YIELD_EVERY: u32 = 32;

impl Call {
    /// Ready when the body may run (`true`) or may not (`false`, with a rejection to tell why).
    pub(super) fn admit(&mut self, mut timer: Pin<&mut Timer>, cx: &mut Context<'_>) -> Poll<bool> {
        match self.phase {
            Phase::Backoff => {
                if !timer.is_armed() {
                    timer.as_mut().arm(self.until);
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
        if self.phase == Phase::Fresh {
            if !self.pass_breaker() || !self.ask_bulkhead(cx) {
                self.phase = Phase::Over;
                return Poll::Ready(false);
            }
            if self.phase == Phase::Queued {
                self.limit_queue(timer.as_mut());
            }
        }
        if self.phase == Phase::Queued && !ready!(self.wait_in_queue(timer, cx)) {
            self.phase = Phase::Over;
            return Poll::Ready(false);
        }
        self.phase = Phase::Running;
        self.frame.attempt_start = None;
        // From here on the retry counts as sent.
        self.holds_token = false;
        Poll::Ready(true)
    }

    /// Immediate retries must not keep the task from yielding.
    pub(super) fn again_at_once(&mut self) {
        let yields = self.frame.attempt.is_multiple_of(YIELD_EVERY);
        self.phase = if yields {
            Phase::Yielding
        } else {
            Phase::Fresh
        };
    }

    fn pass_breaker(&mut self) -> bool {
        if self.rejection.is_some() {
            return false;
        }
        if self.frame.inherited != Moment::NEVER && clock::now() >= self.frame.inherited {
            self.rejection = Some(Rejection::DeadlineExceeded {
                after: Duration::ZERO,
            });
            return false;
        }
        let Some(plan) = self.plan.get() else {
            return true;
        };
        let Some(breaker) = &plan.breaker else {
            return true;
        };
        if let Some(earlier) = self.ticket {
            if !breaker.may_continue(&earlier) {
                self.rejection = Some(refused(breaker, breaker.refusal()));
                return false;
            }
            if self.admitted {
                return true;
            }
        } else if stack::holds_breaker(breaker.id()) {
            return true;
        }
        match breaker.admit(self.attempt_timeout()) {
            Ok(ticket) => {
                self.ticket = Some(ticket);
                self.admitted = true;
                self.frame.breaker = Some(breaker.id());
                true
            }
            Err(refusal) => {
                self.rejection = Some(refused(breaker, refusal));
                false
            }
        }
    }

    fn attempt_timeout(&self) -> Option<Duration> {
        (self.frame.timeout != UNLIMITED).then(|| Duration::from_nanos(self.frame.timeout))
    }

    /// Takes a permit, or a place in the queue (then the phase says so).
    fn ask_bulkhead(&mut self, cx: &mut Context<'_>) -> bool {
        let Some(bulkhead) = self.plan.get().and_then(|plan| plan.bulkhead.as_ref()) else {
            return true;
        };
        if stack::holds_bulkhead(bulkhead.id()) {
            return true;
        }
        match bulkhead.try_acquire() {
            Acquired::Granted => {
                self.frame.bulkhead = Some(bulkhead.id());
                self.holds_permit = true;
                return true;
            }
            Acquired::Queue => {
                if let Ok(waiter) = bulkhead.enqueue(cx.waker()) {
                    self.waiter = Some(waiter);
                    self.phase = Phase::Queued;
                    return true;
                }
            }
            Acquired::Full => {}
        }
        self.rejection = Some(full(bulkhead, Duration::ZERO));
        false
    }

    fn limit_queue(&mut self, timer: Pin<&mut Timer>) {
        let now = clock::now();
        self.queued = now;
        (self.until, self.cut) = self.frame.end(|| now);
        let Some(bulkhead) = self.plan.get().and_then(|plan| plan.bulkhead.as_ref()) else {
            return;
        };
        if let Some(max_wait) = bulkhead.max_wait() {
            let give_up = now.plus(max_wait);
            if give_up < self.until {
                // The attempt's own limit stands for the queue's: the call's end is not reached.
                (self.until, self.cut) = (give_up, Cut::Timeout);
            }
        }
        timer.arm(self.until);
    }

    fn wait_in_queue(&mut self, timer: Pin<&mut Timer>, cx: &mut Context<'_>) -> Poll<bool> {
        let Some((plan, waiter)) = self.plan.get().zip(self.waiter.as_mut()) else {
            return Poll::Ready(false);
        };
        let Some(bulkhead) = &plan.bulkhead else {
            return Poll::Ready(false);
        };
        if bulkhead.poll_granted(waiter, cx).is_ready() {
            self.waiter = None;
            self.frame.bulkhead = Some(bulkhead.id());
            self.holds_permit = true;
            return Poll::Ready(self.still_admitted());
        }
        ready!(timer.poll(cx));
        let waited = clock::now().since(self.queued);
        let rejection = match self.cut {
            Cut::Timeout => full(bulkhead, waited),
            Cut::Deadline | Cut::Inherited => Rejection::DeadlineExceeded {
                after: self.since_start(),
            },
        };
        if let Some(waiter) = self.waiter.take() {
            bulkhead.abandon(waiter);
        }
        self.rejection = Some(rejection);
        Poll::Ready(false)
    }

    /// The breaker may have opened while the attempt stood in the queue.
    fn still_admitted(&mut self) -> bool {
        let breaker = self.plan.get().and_then(|plan| plan.breaker.as_ref());
        let (Some(breaker), Some(ticket)) = (breaker, self.ticket) else {
            return true;
        };
        if ticket.is_probe() || breaker.may_continue(&ticket) {
            return true;
        }
        self.rejection = Some(refused(breaker, breaker.refusal()));
        false
    }

    /// Gives back what an attempt that did not run was given.
    pub(super) fn hand_back(&mut self) {
        self.release_permit();
        let Some(plan) = self.plan.get() else { return };
        if let (Some(waiter), Some(bulkhead)) = (self.waiter.take(), &plan.bulkhead) {
            bulkhead.abandon(waiter);
        }
        if std::mem::take(&mut self.holds_token)
            && let Some(budget) = &plan.budget
        {
            budget.refund(clock::now());
        }
    }

    pub(super) fn release_permit(&mut self) {
        self.frame.bulkhead = None;
        if std::mem::take(&mut self.holds_permit)
            && let Some(bulkhead) = self.plan.get().and_then(|plan| plan.bulkhead.as_ref())
        {
            bulkhead.release();
        }
    }

    /// How long the call has been counting its time.
    pub(super) fn since_start(&self) -> Duration {
        self.frame
            .call_start
            .map_or(Duration::ZERO, |start| clock::now().since(start))
    }

    /// Tells the breaker about the attempt, or about the call, and leaves it.
    pub(super) fn report(&mut self, verdict: Verdict, now: Option<Moment>) {
        self.frame.breaker = None;
        let breaker = self.plan.get().and_then(|plan| plan.breaker.as_ref());
        if let (Some(ticket), Some(breaker), true) = (self.ticket, breaker, self.admitted) {
            self.admitted = false;
            match now {
                Some(now) => breaker.record_at(ticket, verdict, now),
                None => breaker.record(ticket, verdict),
            }
        }
    }
}

fn full(bulkhead: &BulkheadHandle, waited: Duration) -> Rejection {
    Rejection::BulkheadFull {
        dependency: Name::clone(bulkhead.name()),
        limit: u32::try_from(bulkhead.limit()).unwrap_or(u32::MAX),
        waited,
    }
}

fn refused(breaker: &BreakerHandle, refusal: Refusal) -> Rejection {
    Rejection::BreakerOpen {
        dependency: breaker.name().clone(),
        state: refusal.state,
        retry_in: refusal.retry_in,
    }
}
