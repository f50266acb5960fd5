//! What a site does instead of failing.

use std::ops::ControlFlow;

use super::outcome::{Judge, Outcome};
use super::{Call, PlanRef};
use crate::class::Class;
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
