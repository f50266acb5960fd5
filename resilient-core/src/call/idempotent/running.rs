//! The right to run, held around the attempts of a call.

use std::ops::ControlFlow;

use super::super::Call;
use super::super::outcome::Outcome;
use super::ending::Ending;
use super::keeping::{Keeping, Written};
use crate::idempotency::{
    Answer, Ended, Execution, JoinTransaction, Ledger, Refusal, Run, Store, StoreError, Within,
};
use crate::rejection::Rejection;

/// What is known under a key without running.
pub type Known = Result<Answer, Refusal>;

/// How a call ends: `Break` with what stands whatever the function does instead of failing,
/// `Continue` with its own outcome.
pub type Ends<R> = ControlFlow<R, R>;

/// The right to run.
///
/// Dropped, it is held until its lease lapses or its transaction ends.
#[derive(Debug)]
pub struct Running(Right);

#[derive(Debug)]
enum Right {
    /// None is needed, or none is to be had and the rules say to run all the same.
    Unprotected,
    Lease(Run),
    Transaction {
        ledger: Ledger,
        execution: Execution,
    },
}

impl Running {
    pub(super) fn unprotected() -> Self {
        Running(Right::Unprotected)
    }

    pub(super) fn leased(run: Run) -> Self {
        Running(Right::Lease(run))
    }

    pub(super) fn joined(ledger: Ledger, execution: Execution) -> Self {
        Running(Right::Transaction { ledger, execution })
    }

    /// Runs the attempts for as long as the right holds.
    pub async fn drive<F: Future>(self, attempts: F) -> Driven<F::Output> {
        match self.0 {
            Right::Unprotected => Driven::Done(attempts.await, self),
            Right::Lease(run) => match run.drive(attempts).await {
                Ok(output) => Driven::Done(output, Running(Right::Lease(run))),
                Err(_) => Driven::Lost(run),
            },
            Right::Transaction { ref execution, .. } => {
                let output = Within::new(execution.clone(), attempts).await;
                Driven::Done(output, self)
            }
        }
    }
}

/// What came of a run.
#[derive(Debug)]
pub enum Driven<O> {
    /// What its attempts came to.
    Done(O, Running),
    /// They were dropped, because the lease went to another owner.
    Lost(Run),
}

/// Ends a run with what its attempts came to.
pub async fn ended<R, T, E, X>(
    call: &mut Call,
    driven: Driven<(R, Ending)>,
    keeping: &Keeping<T, E>,
    reject: X,
) -> Ends<R>
where
    R: Outcome<Value = T, Failure = E>,
    X: Fn(Rejection) -> E,
{
    let instead = match driven {
        Driven::Done((outcome, ending), Running(Right::Lease(run))) => {
            let written = keeping.written(outcome.as_result(), ending);
            match close(run, ending, written).await {
                Ok(Ended::Superseded(instead)) => instead,
                // What the store could not be told is true all the same; its lease decides.
                Ok(Ended::Stored) | Err(_) => return ControlFlow::Continue(outcome),
            }
        }
        Driven::Done((outcome, _), _) => return ControlFlow::Continue(outcome),
        Driven::Lost(run) => {
            call.ends_otherwise();
            run.instead().await
        }
    };
    ControlFlow::Break(repeated(call, instead, keeping, reject))
}

/// The same as a part of a transaction. What is no answer is not a part of it: whoever began the
/// transaction rolls it back.
pub async fn ended_in<R, T, E, X, S, J>(
    transaction: &mut J,
    call: &mut Call,
    driven: Driven<(R, Ending)>,
    keeping: &Keeping<T, E>,
    reject: X,
) -> Ends<R>
where
    R: Outcome<Value = T, Failure = E>,
    X: Fn(Rejection) -> E,
    S: Store,
    J: JoinTransaction<S> + ?Sized,
{
    if let Driven::Done((outcome, ending), Running(right)) = &driven
        && let Right::Transaction { ledger, execution } = right
        && let written = keeping.written(outcome.as_result(), *ending)
        && let Err(refusal) = close_in(transaction, ledger, execution, written).await
    {
        return ControlFlow::Break(repeated(call, Err(refusal), keeping, reject));
    }
    ended(call, driven, keeping, reject).await
}

async fn close(run: Run, ending: Ending, written: Written) -> Result<Ended, StoreError> {
    match (ending, written) {
        (_, Written::Answer(answer, resource)) => run.complete(answer, resource).await,
        (_, Written::Done(resource)) => run.complete_without_body(resource).await,
        (Ending::NotExecuted, Written::Nothing) => run.release().await,
        (_, Written::Nothing) => run.fail().await,
    }
}

async fn close_in<S: Store, J: JoinTransaction<S> + ?Sized>(
    transaction: &mut J,
    ledger: &Ledger,
    execution: &Execution,
    written: Written,
) -> Result<(), Refusal> {
    match written {
        Written::Answer(answer, resource) => {
            ledger
                .complete_in(transaction, execution, answer, resource)
                .await
        }
        Written::Done(resource) => {
            ledger
                .complete_without_body_in(transaction, execution, resource)
                .await
        }
        Written::Nothing => Ok(()),
    }
}

/// What the caller of a repeat is given: the answer that is kept, or why there is none.
pub fn repeated<R, T, E, X>(call: &mut Call, known: Known, keeping: &Keeping<T, E>, reject: X) -> R
where
    R: Outcome<Value = T, Failure = E>,
    X: Fn(Rejection) -> E,
{
    match known.and_then(|answer| keeping.read(&answer)) {
        Ok(outcome) => {
            call.replayed(outcome.is_err());
            R::from_result(outcome)
        }
        Err(refusal) => R::from_failure(reject(call.refused(refusal))),
    }
}
