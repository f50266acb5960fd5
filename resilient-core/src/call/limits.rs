//! The body under its limits: one timer for timeout and deadline, armed at the first pending.

use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tracing::span;

use super::Call;
use super::phase::Phase;
use crate::context::{Cut, stack};
use crate::seam::clock::{self, Moment, nanos};
use crate::seam::timer::Timer;

/// A timer that fires later than this, or than half its length, tells of a frozen machine.
const LATE: Duration = Duration::from_millis(100);

/// The body is being polled.
pub(super) struct Inside<'a> {
    polling: &'a mut bool,
    // Dropped in this order: off the stack, then out of the span.
    _frame: stack::Entered<'a>,
    _span: Option<span::Entered<'a>>,
}

impl Inside<'_> {
    /// The body came back. Without this it panicked.
    pub(super) fn leave(self) {
        *self.polling = false;
    }
}

impl Call {
    pub(super) fn is_running(&self) -> bool {
        matches!(self.phase, Phase::Running | Phase::Limited { .. })
    }

    pub(super) fn enter(&mut self) -> Inside<'_> {
        self.polling = true;
        Inside {
            polling: &mut self.polling,
            _frame: stack::enter(&mut self.frame),
            _span: self.span.as_ref().map(|span| span.enter()),
        }
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
