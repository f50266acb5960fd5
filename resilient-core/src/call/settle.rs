//! The seam between a call and the user's types.

use super::Call;
use super::outcome::{Judge, Outcome, Reject};
use super::phase::Phase;
use super::verdict::Unfinished;
use crate::class::Class;
use crate::classify::with_rules;
use crate::rejection::Rejection;
use crate::site::Plan;

/// Takes what an attempt came back with, and leaves the call's outcome in its place, or nothing if
/// there is another attempt. In place, because outcomes are large and moving them is what a ready
/// call would spend most of its time on.
///
/// `last` holds the last outcome while the call goes on. Its type has a name of its own, because
/// `J::Kept` in an argument would be one more place to tell that `J` is no judge of `R`.
#[inline]
#[allow(
    clippy::needless_pass_by_value,
    reason = "the expansion passes unit structs"
)]
pub fn settle<R, J, X, K>(
    call: &mut Call,
    out: &mut Option<R>,
    last: &mut Option<K>,
    judge: J,
    reject: X,
) where
    R: Outcome,
    J: Judge<R, Kept = K>,
    X: Reject<R>,
{
    if let Some(outcome) = out {
        let (class, kind) = call.classify(&judge, outcome);
        if call.finished(class, kind) {
            *last = out.take().and_then(|outcome| judge.keep(outcome));
        }
        return;
    }
    *out = match (call.unfinished(), last.take()) {
        (Unfinished::Again, kept) => {
            *last = kept;
            None
        }
        (Unfinished::LastOutcome(_), Some(kept)) => Some(judge.give_back(kept)),
        (Unfinished::LastOutcome(cause) | Unfinished::Rejection(cause), _) => {
            Some(reject.reject(call.rejection(cause)))
        }
    };
}

/// Like [`settle`], for a site that has one attempt.
#[inline]
#[allow(
    clippy::needless_pass_by_value,
    reason = "the expansion passes unit structs"
)]
pub fn finish<R, J, X>(call: &mut Call, out: Option<R>, judge: J, reject: X) -> R
where
    R: Outcome,
    J: Judge<R>,
    X: Reject<R>,
{
    if let Some(outcome) = out {
        let (class, kind) = call.classify(&judge, &outcome);
        call.finished(class, kind);
        outcome
    } else {
        reject.reject(call.unfinished_alone())
    }
}

impl Call {
    /// What the caller of a site with one attempt is told.
    fn unfinished_alone(&mut self) -> Rejection {
        let cause = match self.unfinished() {
            Unfinished::LastOutcome(cause) | Unfinished::Rejection(cause) => cause,
            Unfinished::Again => Phase::NoTime,
        };
        self.rejection(cause)
    }

    /// Classifies with the dependency's own meaning of statuses and I/O errors, if it has one.
    #[inline]
    fn classify<R: Outcome, J: Judge<R>>(&self, judge: &J, outcome: &R) -> (Class, &'static str) {
        if !J::DOUBTS_SUCCESS && outcome.failure().is_none() {
            return (Class::Success, Class::Success.kind());
        }
        match self.plan.get().and_then(Plan::rules) {
            Some(rules) => with_rules(&rules, || judge.judge(outcome)),
            None => judge.judge(outcome),
        }
    }
}
