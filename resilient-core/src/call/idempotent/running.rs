//! The right to run, held around the attempts of a call.

use std::ops::ControlFlow;

use super::super::Call;
use super::super::outcome::Outcome;
use super::keeping::Keeping;
use super::left::Left;
use super::lent::Lent;
use crate::idempotency::{Answer, Ended, Execution, Ledger, Refusal, Run, StoreError, Within};
use crate::rejection::Rejection;

/// What is known under a key without running.
pub type Known = Result<Answer, Refusal>;

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

/// Ends a run with what its attempts left behind. `Break` with what stands in place of their outcome.
pub async fn ended<R>(call: &mut Call, driven: Driven<(R, Left)>) -> ControlFlow<Known, R> {
    match driven {
        Driven::Done((outcome, left), Running(Right::Lease(run))) => match close(run, left).await {
            Ok(Ended::Superseded(instead)) => ControlFlow::Break(instead),
            // What the store could not be told is true all the same; its lease decides.
            Ok(Ended::Stored) | Err(_) => ControlFlow::Continue(outcome),
        },
        Driven::Done((outcome, _), _) => ControlFlow::Continue(outcome),
        Driven::Lost(run) => {
            call.ends_otherwise();
            ControlFlow::Break(run.instead().await)
        }
    }
}

/// The same as a part of a transaction. What is no answer is not a part of it: whoever began the
/// transaction rolls it back.
pub async fn ended_in<R>(
    mut transaction: Lent<'_>,
    call: &mut Call,
    driven: Driven<(R, Left)>,
) -> ControlFlow<Known, R> {
    match driven {
        Driven::Done((outcome, left), Running(Right::Transaction { ledger, execution })) => {
            match transaction.complete(&ledger, &execution, left).await {
                Ok(()) => ControlFlow::Continue(outcome),
                Err(refusal) => ControlFlow::Break(Err(refusal)),
            }
        }
        other => ended(call, other).await,
    }
}

async fn close(run: Run, left: Left) -> Result<Ended, StoreError> {
    match left {
        Left::Answer(answer, resource) => run.complete(answer, resource).await,
        Left::Done(resource) => run.complete_without_body(resource).await,
        Left::NotExecuted => run.release().await,
        Left::Failed => run.fail().await,
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
