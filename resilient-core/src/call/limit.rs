//! The body under its limits: one timer for timeout and deadline, armed at the first pending.

use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tracing::span;

use super::{Call, Phase};
use crate::context::stack;
use crate::seam::clock;
use crate::seam::clock::Moment;
use crate::seam::timer::Timer;

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
        matches!(self.phase, Phase::Running | Phase::Limited)
    }

    pub(super) fn enter(&mut self) -> Inside<'_> {
        self.polling = true;
        Inside {
            polling: &mut self.polling,
            _frame: stack::enter(&mut self.frame),
            _span: (!self.span.is_disabled()).then(|| self.span.enter()),
        }
    }

    /// After the body was pending: ready if a limit cuts it.
    pub(super) fn keep_limits(
        &mut self,
        mut timer: Pin<&mut Timer>,
        cx: &mut Context<'_>,
    ) -> Poll<()> {
        if self.phase == Phase::Running {
            self.phase = Phase::Limited;
            self.start_clocks(timer.as_mut());
        }
        if self.until == Moment::NEVER {
            return Poll::Pending;
        }
        ready!(timer.poll(cx));
        self.phase = Phase::Over;
        Poll::Ready(())
    }

    fn start_clocks(&mut self, timer: Pin<&mut Timer>) {
        self.until = Moment::NEVER;
        let Some(plan) = self.plan.get() else { return };
        if plan.breaker.is_none() && plan.budget.is_none() && !self.has_limit() {
            return;
        }
        let now = clock::now();
        if let Some(breaker) = &plan.breaker {
            breaker.tick(now);
        }
        if let Some(budget) = &plan.budget {
            budget.tick(now);
        }
        (self.until, self.cut) = self.frame.cut(|| now);
        if self.until != Moment::NEVER {
            timer.arm(self.until);
        }
    }

    /// How long the limit was that the timer was armed for.
    pub(super) fn limit_length(&self) -> Duration {
        use crate::context::Cut;
        let start = match self.cut {
            Cut::Timeout => self.frame.attempt_start,
            Cut::Deadline | Cut::Inherited => self.frame.call_start.or(self.frame.attempt_start),
        };
        start.map_or(Duration::ZERO, |start| self.until.since(start))
    }

    /// Whether the timer fired so late that the machine must have stood still: then the cut says
    /// nothing about the dependency.
    pub(super) fn fired_late(&self, now: Moment) -> bool {
        let tolerance = Duration::from_millis(100).max(self.limit_length() / 2);
        now.since(self.until) > tolerance
    }
}
