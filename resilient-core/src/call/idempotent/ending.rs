//! What an outcome leaves behind under the key.

use super::super::Call;
use super::super::outcome::{Judge, Outcome};
use crate::class::Class;

/// What the outcome of a call says about its run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// It is an answer.
    Answered,
    /// It certainly did nothing.
    NotExecuted,
    /// Nobody knows how far it came.
    Failed,
}

/// Says what an outcome leaves behind.
///
/// A success is an answer, and so is what is classified as permanent. A call of which no attempt was
/// made did nothing, and neither did one whose error is classified as unsent, because attempts before
/// it were only followed by others if they had not been sent either; or what `not_executed` says.
#[inline]
#[allow(
    clippy::needless_pass_by_value,
    reason = "the expansion passes unit structs"
)]
pub fn ending<R, E, J, N>(call: &Call, out: &R, judge: J, not_executed: N) -> Ending
where
    R: Outcome<Failure = E>,
    J: Judge<R, E>,
    N: Fn(&E) -> bool,
{
    if out
        .failure()
        .is_some_and(|failure| call.made_no_attempt() || not_executed(failure))
    {
        return Ending::NotExecuted;
    }
    match call.classify(&judge, out).0 {
        Class::Success | Class::Permanent => Ending::Answered,
        class if class == Class::unsent() => Ending::NotExecuted,
        _ => Ending::Failed,
    }
}
