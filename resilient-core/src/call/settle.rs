//! The seam between a call and the user's types.

use std::ops::ControlFlow;

use super::Call;
use super::outcome::{Judge, Outcome, Reject};
use super::verdict::Unfinished;
use crate::classify::with_rules;

/// Takes what an attempt came back with: `Break` with the call's outcome, `Continue` for another
/// attempt.
///
/// `last` holds the last outcome while the call goes on.
#[inline]
pub fn settle<R, J, X>(
    call: &mut Call,
    out: Option<R>,
    last: &mut Option<J::Kept>,
    judge: J,
    reject: X,
) -> ControlFlow<R>
where
    R: Outcome,
    J: Judge<R>,
    X: Reject<R>,
{
    match out {
        Some(outcome) => {
            let (class, kind) = call.classify(|| judge.judge(&outcome));
            if !call.finished(class, kind) {
                return ControlFlow::Break(outcome);
            }
            *last = judge.keep(outcome);
            ControlFlow::Continue(())
        }
        None => match (call.unfinished(), last.take()) {
            (Unfinished::Again, kept) => {
                *last = kept;
                ControlFlow::Continue(())
            }
            (Unfinished::LastOutcome, Some(kept)) => ControlFlow::Break(judge.give_back(kept)),
            _ => ControlFlow::Break(reject.reject(call.take_rejection())),
        },
    }
}

/// Like [`settle`], for a site that has one attempt.
#[inline]
pub fn finish<R, J, X>(call: &mut Call, out: Option<R>, judge: J, reject: X) -> R
where
    R: Outcome,
    J: Judge<R>,
    X: Reject<R>,
{
    match out {
        Some(outcome) => {
            let (class, kind) = call.classify(|| judge.judge(&outcome));
            call.finished(class, kind);
            outcome
        }
        None => {
            call.unfinished();
            reject.reject(call.take_rejection())
        }
    }
}

impl Call {
    /// Classifies with the dependency's own meaning of statuses and I/O errors, if it has one.
    fn classify<T>(&self, judge: impl FnOnce() -> T) -> T {
        match self.plan.get().and_then(|plan| plan.rules()) {
            Some(rules) => with_rules(&rules, judge),
            None => judge(),
        }
    }
}
