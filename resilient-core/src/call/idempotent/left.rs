//! What an outcome leaves behind under the key.

use super::super::Call;
use super::super::outcome::{Judge, Outcome};
use super::keeping::Keeping;
use crate::class::Class;
use crate::idempotency::{Answer, Resource};

/// What an outcome leaves behind under the key.
#[derive(Debug)]
pub enum Left {
    /// An answer for repeats.
    Answer(Answer, Option<Resource>),
    /// Only that it was done: its answer cannot be written.
    Done(Option<Resource>),
    /// Nothing was done.
    NotExecuted,
    /// Nobody knows how far it came.
    Failed,
}

/// Says what an outcome leaves behind.
///
/// A success is an answer, and what is classified as permanent is one, too, if errors are kept. A
/// call of which no attempt was made did nothing, and neither did one whose error is classified as
/// unsent, because attempts before it were only followed by others if they had not been sent either;
/// or what `not_executed` says.
#[inline]
#[allow(
    clippy::needless_pass_by_value,
    reason = "the expansion passes unit structs"
)]
pub fn left<R, T, E, J, N>(
    call: &Call,
    out: &R,
    keeping: &Keeping<T, E>,
    judge: J,
    not_executed: N,
) -> Left
where
    R: Outcome<Value = T, Failure = E>,
    J: Judge<R, E>,
    N: Fn(&E) -> bool,
{
    let did_nothing = |failure| call.made_no_attempt() || not_executed(failure);
    if out.failure().is_some_and(did_nothing) {
        return Left::NotExecuted;
    }
    match call.classify(&judge, out).0 {
        Class::Success | Class::Permanent => keeping.write(out.as_result()),
        class if class == Class::unsent() => Left::NotExecuted,
        _ => Left::Failed,
    }
}

/// The same of a call in a transaction, where every `Ok` is an answer, however it is classified: whoever
/// is given one commits, and what is committed must not run again.
#[inline]
pub fn left_in<R, T, E, J, N>(
    call: &Call,
    out: &R,
    keeping: &Keeping<T, E>,
    judge: J,
    not_executed: N,
) -> Left
where
    R: Outcome<Value = T, Failure = E>,
    J: Judge<R, E>,
    N: Fn(&E) -> bool,
{
    if out.failure().is_none() {
        return keeping.write(out.as_result());
    }
    left(call, out, keeping, judge, not_executed)
}
