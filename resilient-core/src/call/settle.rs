//! The seam between a call and the user's types.

use super::Call;
use super::outcome::{FromRejection, Judge, Outcome, by_trait, rejected};
use super::phase::Phase;
use super::verdict::Next;
use crate::class::{Class, Classify};
use crate::classify::with_rules;
use crate::rejection::Rejection;
use crate::site::Plan;

/// Takes what an attempt came back with, and leaves the call's outcome in its place, or nothing if
/// there is another attempt. In place, because outcomes are large and moving them is what a ready
/// call would spend most of its time on.
///
/// `last` holds the last outcome while the call goes on. The error type and that of `last` have
/// names of their own, because `R::Failure` or `J::Kept` anywhere else would be one more place to
/// tell that `R` is no `Result` or `J` no judge of it.
#[inline]
#[allow(
    clippy::needless_pass_by_value,
    reason = "the expansion passes unit structs"
)]
pub fn settle<R, E, J, X, K>(
    call: &mut Call,
    out: &mut Option<R>,
    last: &mut Option<K>,
    judge: J,
    reject: X,
) where
    R: Outcome<Failure = E>,
    J: Judge<R, E, Kept = K>,
    X: Fn(Rejection) -> E,
{
    if let Some(outcome) = out {
        if is_plain_success::<R, E, J>(outcome) {
            return call.succeeded(SUCCESS);
        }
        let (class, kind) = call.classify(&judge, outcome);
        if call.finished(class, kind) {
            *last = out
                .take()
                .and_then(|outcome| judge.keep(outcome, R::into_failure));
        }
        return;
    }
    match call.after_none(last.is_some()) {
        Next::Attempt => {}
        Next::LastOutcome => {
            *out = last
                .take()
                .map(|kept| judge.give_back(kept, R::from_failure));
        }
        Next::Rejection(rejection) => *out = Some(R::from_failure(reject(rejection))),
    }
}

/// [`settle`] for a site that names no rule of its own: by the error type's [`Classify`] and
/// [`FromRejection`].
///
/// Two bounds on one type instead of two rules: the compiler looks into what an annotated function
/// passes here anew for each of them.
#[inline]
pub fn settle_by_traits<R, E>(call: &mut Call, out: &mut Option<R>, last: &mut Option<E>)
where
    R: Outcome<Failure = E>,
    E: Classify + FromRejection,
{
    settle(call, out, last, by_trait::<E>(), rejected::<E>);
}

/// Like [`settle`], for a site that has one attempt.
#[inline]
#[allow(
    clippy::needless_pass_by_value,
    reason = "the expansion passes unit structs"
)]
pub fn finish<R, E, J, X>(call: &mut Call, out: Option<R>, judge: J, reject: X) -> R
where
    R: Outcome<Failure = E>,
    J: Judge<R, E>,
    X: Fn(Rejection) -> E,
{
    if let Some(outcome) = out {
        if is_plain_success::<R, E, J>(&outcome) {
            call.succeeded(SUCCESS);
        } else {
            let (class, kind) = call.classify(&judge, &outcome);
            call.finished(class, kind);
        }
        outcome
    } else {
        R::from_failure(reject(call.rejected()))
    }
}

/// The word for what succeeded without a doubt.
const SUCCESS: &str = Class::Success.kind();

/// Whether an outcome is a success, whatever the judge would say.
#[inline]
fn is_plain_success<R, E, J>(outcome: &R) -> bool
where
    R: Outcome<Failure = E>,
    J: Judge<R, E>,
{
    !J::DOUBTS_SUCCESS && outcome.failure().is_none()
}

impl Call {
    /// What the caller of a site with one attempt is told.
    fn rejected(&mut self) -> Rejection {
        match self.after_none(false) {
            Next::Rejection(rejection) => rejection,
            Next::Attempt | Next::LastOutcome => self.rejection(&Phase::NoTime),
        }
    }

    /// Classifies with the dependency's own meaning of statuses and I/O errors, if it has one.
    #[inline]
    pub(super) fn classify<R, E, J>(&self, judge: &J, outcome: &R) -> (Class, &'static str)
    where
        R: Outcome<Failure = E>,
        J: Judge<R, E>,
    {
        if is_plain_success::<R, E, J>(outcome) {
            return (Class::Success, SUCCESS);
        }
        let failure = outcome.failure();
        match self.plan.get().and_then(Plan::rules) {
            Some(rules) => with_rules(&rules, || judge.judge(outcome, failure)),
            None => judge.judge(outcome, failure),
        }
    }
}
