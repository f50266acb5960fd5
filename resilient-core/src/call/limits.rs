//! The body under its limits: one timer for timeout and deadline, armed at the first pending.

use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

#[cfg(feature = "faults")]
use super::fault::{Suffered, suffer};
use super::phase::Phase;
use super::straight::Straight;
use super::{Call, Shown};
use crate::breaker::{BreakerHandle, Verdict};
use crate::bulkhead::BulkheadHandle;
use crate::context::{Cut, Holds, NOBODY, stack};
use crate::seam::clock::{self, Moment, nanos};
use crate::seam::timer::Timer;
use crate::throttle::ThrottleHandle;

/// A timer that fires later than this, or than half its length, tells of a frozen machine.
const LATE: Duration = Duration::from_millis(100);

/// How long a call leaves it to the one around it to end both. That one's timer was due at the
/// same moment.
const GIVE_WAY: Duration = Duration::from_millis(10);

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
        self.call.step_outside();
    }
}

impl Call {
    #[inline]
    pub(super) fn is_running(&self) -> bool {
        matches!(self.phase, Phase::Running | Phase::Limited { .. })
    }

    /// Ready when the body is to be polled (`Some`) or must not be (`None`, and the phase tells
    /// why).
    pub(super) fn enter(
        &mut self,
        mut timer: Pin<&mut Timer>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Inside<'_>>> {
        if !self.is_running() {
            match self.goes_straight() {
                Straight::ToTheBody => return Poll::Ready(Some(Inside { call: self })),
                Straight::ToTheBreaker => return Poll::Ready(None),
                Straight::No => {}
            }
            let admitted = ready!(self.admit(timer.as_mut(), cx));
            if !admitted {
                return Poll::Ready(None);
            }
            #[cfg(feature = "faults")]
            {
                self.fault = self.draw_fault();
            }
        }
        #[cfg(feature = "faults")]
        match suffer(&mut self.fault, cx) {
            Suffered::Nothing => {}
            Suffered::Pending => {
                ready!(self.keep_limits(timer, cx));
                return Poll::Ready(None);
            }
            Suffered::Error => {
                self.phase = Phase::Injected;
                return Poll::Ready(None);
            }
        }
        Poll::Ready(Some(self.step_inside()))
    }

    /// What a call inside the body need not ask for again.
    #[inline(never)]
    fn holds(&self) -> Holds {
        let Some(plan) = self.plan.get() else {
            return Holds::NOTHING;
        };
        let breaker = self.plan.breaker().filter(|_| self.held.admission);
        let bulkhead = plan.bulkhead.as_deref().filter(|_| self.held.permit);
        let throttle = self.counting_throttle();
        Holds {
            breaker: breaker.map_or(NOBODY, BreakerHandle::id),
            bulkhead: bulkhead.map_or(NOBODY, BulkheadHandle::id),
            throttle: throttle.map_or(NOBODY, ThrottleHandle::id),
        }
    }

    /// What it holds once more, where that is all there is.
    #[inline]
    fn holds_all(&self) -> Option<Holds> {
        let plan = self.plan.alone()?;
        let all = self.held.admission == plan.breaker.is_some()
            && self.held.permit == plan.bulkhead.is_some()
            && self.shown == Shown::Itself;
        all.then(|| plan.holds())
    }

    /// The body is polled next.
    #[inline]
    pub(super) fn step_inside(&mut self) -> Inside<'_> {
        let holds = self.holds_all().unwrap_or_else(|| self.holds());
        if let Some(span) = self.plan.span() {
            span.span()
                .with_subscriber(|(id, subscriber)| subscriber.enter(id));
        }
        stack::push(&self.frame, holds, &mut self.credentials);
        self.polling = true;
        Inside { call: self }
    }

    /// The body has been polled. Not inlined, because it would be in every annotated function.
    #[inline(never)]
    fn step_outside(&mut self) {
        stack::pop(&mut self.frame, &mut self.credentials);
        if let Some(span) = self.plan.span() {
            span.span()
                .with_subscriber(|(id, subscriber)| subscriber.exit(id));
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
            if cut == Cut::Inherited {
                ready!(self.give_way(timer.as_mut(), cx));
            }
            self.phase = self.cut_by(cut, start, timer.armed_for());
        }
        Poll::Ready(())
    }

    /// The inherited limit has passed. Pending at first, if it is the own limit of a call that is
    /// polling this one: that call must be the one to end, because it knows whether its dependency
    /// failed and whether to retry, and it drops this one. Ready if it does not, because its body
    /// blocks the thread.
    pub(super) fn give_way(&self, mut timer: Pin<&mut Timer>, cx: &mut Context<'_>) -> Poll<()> {
        let limit = self.frame.inherited;
        let gives_way = timer.is_armed() && timer.armed_for() > limit;
        if !gives_way {
            if !stack::is_cut_by(limit) {
                return Poll::Ready(());
            }
            timer.as_mut().arm(clock::now().plus(GIVE_WAY));
        }
        timer.poll(cx)
    }

    fn start_clocks(&mut self, timer: Pin<&mut Timer>) {
        let Some(plan) = self.plan.get() else { return };
        let nobody_counts = plan.breaker.is_none() && plan.budget.is_none() && !plan.follows_load();
        if nobody_counts && !self.frame.is_limited() {
            // Whatever was waited for before, the body has all the time there is.
            timer.arm(Moment::NEVER);
            return;
        }
        timer.arm(self.started().1);
    }

    /// The body was pending for the first time: starts every clock. Now, and when it is cut.
    pub(super) fn started(&mut self) -> (Moment, Moment) {
        let now = clock::now();
        if let Some(plan) = self.plan.get() {
            if let Some(breaker) = self.plan.breaker() {
                breaker.tick(now);
            }
            if let Some(budget) = &plan.budget {
                budget.tick(now);
            }
            if let Some(throttle) = &plan.throttle {
                throttle.tick(now);
            }
        }
        let (until, cut) = self.frame.cut(now);
        self.phase = Phase::Limited { start: now, cut };
        (now, until)
    }

    pub(super) fn cut_by(&self, cut: Cut, start: Moment, until: Moment) -> Phase {
        let now = clock::now();
        let length = match (cut, self.plan.get()) {
            (Cut::Timeout, Some(plan)) => plan.timeout(),
            (Cut::Deadline, Some(plan)) => plan.deadline(),
            _ => nanos(until.since(start)),
        };
        let tolerance = LATE.max(Duration::from_nanos(length / 2));
        let verdict = if cut == Cut::Inherited || now.since(until) > tolerance {
            // Not its own limit, or the machine must have stood still.
            Verdict::Neutral
        } else {
            self.slowed_after(now.since(start), Verdict::Failure)
        };
        Phase::Cut {
            length,
            cut,
            verdict,
        }
    }
}
