//! What a site does instead of failing.

use std::ops::ControlFlow;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use pin_project_lite::pin_project;

use super::outcome::{Judge, Outcome};
use super::{Call, PlanRef};
use crate::class::Class;
use crate::context::{Lent, Limit, stack};
use crate::rejection::Rejection;
use crate::seam::clock::{self, nanos};
use crate::seam::timer::Timer;
use crate::site::Counted;
use crate::telemetry;

/// Decides about an outcome at the very end of a call: `Continue` with the error if the fallback is
/// to run, which it is for every error but a permanent one, an answer; `Break` with the outcome
/// otherwise.
#[inline]
#[allow(
    clippy::needless_pass_by_value,
    reason = "the expansion passes unit structs"
)]
pub fn fall_back<R, E, J>(call: &Call, out: R, judge: J) -> ControlFlow<R, E>
where
    R: Outcome<Failure = E>,
    J: Judge<R, E>,
{
    if matches!(call.plan, PlanRef::Bare) || out.failure().is_none() {
        return ControlFlow::Break(out);
    }
    let (class, kind) = call.classify(&judge, &out);
    if class == Class::Permanent {
        return ControlFlow::Break(out);
    }
    call.count(Counted::Fallback);
    call.inside_span(|| telemetry::fallback(kind));
    match R::split(out) {
        Ok(outcome) => ControlFlow::Break(outcome),
        Err(failure) => ControlFlow::Continue(failure),
    }
}

/// Tells how the fallback ended, beside what the call had ended with before.
#[inline]
pub fn fell_back<R: Outcome>(call: &Call, out: &R) {
    let failed = out.failure().is_some();
    call.inside_span(|| telemetry::fell_back(failed));
}

/// The time of a fallback, `fallback(timeout = ..)`.
///
/// # Panics
///
/// If it is zero: a compile error, because this runs in a constant.
pub const fn fallback_time(time: Duration) -> Duration {
    assert!(
        !time.is_zero(),
        "`timeout` of a fallback must be greater than zero; leave it out, or name a longer constant"
    );
    time
}

/// The fallback for so long, from where it is first pending; `None` if that was not enough, and the
/// fallback is dropped.
#[inline]
pub fn in_time<F: Future>(fallback: F, time: Duration) -> InTime<F> {
    InTime {
        fallback: Some(fallback),
        lent: stack::begin(Limit::of(nanos(time))),
        timer: Timer::default(),
    }
}

/// What a fallback with a time of its own ends the call with, told like [`fell_back`]. The error it
/// was called for is gone with it, so one that ran out of time leaves a rejection.
#[inline]
#[allow(
    clippy::needless_pass_by_value,
    reason = "the expansion passes unit structs"
)]
pub fn fell_back_in_time<R, E, X>(call: &Call, out: Option<R>, time: Duration, reject: X) -> R
where
    R: Outcome<Failure = E>,
    X: Fn(Rejection) -> E,
{
    if let Some(out) = out {
        fell_back(call, &out);
        return out;
    }
    call.inside_span(telemetry::fell_back_too_late);
    R::from_failure(reject(Rejection::TimedOut { after: time }))
}

pin_project! {
    /// The future of [`in_time`].
    #[derive(Debug)]
    #[must_use = "futures do nothing unless polled"]
    pub struct InTime<F> {
        #[pin]
        fallback: Option<F>,
        // What calls inside it see: they end with it.
        lent: Lent,
        #[pin]
        timer: Timer,
    }
}

impl<F: Future> Future for InTime<F> {
    type Output = Option<F::Output>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let mut this = self.project();
        let Some(fallback) = this.fallback.as_mut().as_pin_mut() else {
            return Poll::Ready(None);
        };
        let polled = {
            let _inside = stack::enter(this.lent);
            fallback.poll(cx)
        };
        if let Poll::Ready(outcome) = polled {
            return Poll::Ready(Some(outcome));
        }
        if !this.timer.is_armed() {
            let end = this.lent.frame.timeout.end(clock::now());
            this.timer.as_mut().arm(end);
        }
        ready!(this.timer.poll(cx));
        // Now, and not when whoever awaits this gets to it.
        this.fallback.set(None);
        Poll::Ready(None)
    }
}
