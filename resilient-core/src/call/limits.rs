//! The body under its limits: one timer for timeout and deadline, armed at the first pending.

use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use super::Call;
use super::phase::Phase;
use crate::context::{Cut, stack};
use crate::seam::clock::{self, Moment, nanos};
use crate::seam::timer::Timer;

/// A timer that fires later than this, or than half its length, tells of a frozen machine.
const LATE: Duration = Duration::from_millis(100);

/// The body is being polled.
///
/// One word, since the future of every annotated function is compiled with it.
pub(super) struct Inside<'a> {
    call: &'a mut Call,
}

impl Inside<'_> {
    /// The body came back. Without this it panicked.
    pub(super) fn leave(self) {
        self.call.polling = false;
    }
}

impl Drop for Inside<'_> {
    fn drop(&mut self) {
        stack::pop(&mut self.call.frame);
        if let Some(span) = &self.call.span {
            span.with_subscriber(|(id, subscriber)| subscriber.exit(id));
        }
    }
}

impl Call {
    pub(super) fn is_running(&self) -> bool {
        matches!(self.phase, Phase::Running | Phase::Limited { .. })
    }

    /// Ready when the body is to be polled (`Some`) or must not be (`None`, and the phase tells
    /// why).
    pub(super) fn enter(
        &mut self,
        timer: Pin<&mut Timer>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Inside<'_>>> {
        if !self.is_running() && !ready!(self.admit(timer, cx)) {
            return Poll::Ready(None);
        }
        if let Some(span) = &self.span {
            span.with_subscriber(|(id, subscriber)| subscriber.enter(id));
        }
        stack::push(&mut self.frame);
        self.polling = true;
        Poll::Ready(Some(Inside { call: self }))
    }

    /// After the body was pending: ready if a limit cuts it.
    pub(super) fn keep_limits(
        &mut self,
        mut timer: Pin<&mut Timer>,
        cx: &mut Context<'_>,
    ) -> Poll<()> {
        if matches!(self.phase, Phase::Running) {
            self.start_clocks(timer.as_mut());
        }
        ready!(timer.as_mut().poll(cx));
        if let Phase::Limited { start, cut } = self.phase {
            self.phase = self.cut_by(cut, start, timer.armed_for());
        }
        Poll::Ready(())
    }

    fn start_clocks(&mut self, timer: Pin<&mut Timer>) {
        let Some(plan) = self.plan.get() else { return };
        if plan.breaker.is_none() && plan.budget.is_none() && !self.frame.is_limited() {
            // Whatever was waited for before, the body has all the time there is.
            timer.arm(Moment::NEVER);
            return;
        }
        let now = clock::now();
        if let Some(breaker) = &plan.breaker {
            breaker.tick(now);
        }
        if let Some(budget) = &plan.budget {
            budget.tick(now);
        }
        let (until, cut) = self.frame.cut(now);
        timer.arm(until);
        self.phase = Phase::Limited { start: now, cut };
    }

    fn cut_by(&self, cut: Cut, start: Moment, until: Moment) -> Phase {
        let length = match (cut, self.plan.get()) {
            (Cut::Timeout, Some(plan)) => plan.timeout(),
            (Cut::Deadline, Some(plan)) => plan.deadline(),
            _ => nanos(until.since(start)),
        };
        let tolerance = LATE.max(Duration::from_nanos(length / 2));
        Phase::Cut {
            length,
            cut,
            late: clock::now().since(until) > tolerance,
        }
    }
}
