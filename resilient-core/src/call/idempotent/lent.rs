//! A transaction that the record of a call becomes a part of.

use std::fmt;
use std::marker::PhantomData;
use std::pin::Pin;

use super::left::Left;
use crate::idempotency::{Execution, JoinTransaction, Joined, Ledger, Refusal, Request, Store};

/// What a step in a transaction comes to.
type Step<'a, T> = Pin<Box<dyn Future<Output = Result<T, Refusal>> + Send + 'a>>;

/// What `tx = argument` may be.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no transaction that the record of an idempotency key can be a part of",
    label = "not `JoinTransaction`",
    note = "`tx` takes an argument that is a `&mut` of a transaction for which a store implements `resilient::idempotency::JoinTransaction`"
)]
pub trait Joins<S: Store>: JoinTransaction<S> {}

#[diagnostic::do_not_recommend]
impl<S: Store, J: JoinTransaction<S>> Joins<S> for J {}

/// A transaction of whatever kind, for as long as it is lent.
pub struct Lent<'t>(Box<dyn Steps + 't>);

impl fmt::Debug for Lent<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Lent")
    }
}

/// Lends a transaction.
///
/// The one place that asks something of its type, so that what it lacks is told once.
pub fn lent<'t, S: Store, J: Joins<S> + 't>(transaction: &'t mut J) -> Lent<'t> {
    Lent(Box::new(Of(transaction, PhantomData)))
}

impl Lent<'_> {
    pub(super) async fn begin(
        &mut self,
        ledger: &Ledger,
        request: Request<'static>,
    ) -> Result<Joined, Refusal> {
        self.0.begin(ledger, request).await
    }

    pub(super) async fn complete(
        &mut self,
        ledger: &Ledger,
        execution: &Execution,
        left: Left,
    ) -> Result<(), Refusal> {
        self.0.complete(ledger, execution, left).await
    }
}

trait Steps: Send {
    fn begin<'a>(&'a mut self, ledger: &'a Ledger, request: Request<'static>) -> Step<'a, Joined>;

    fn complete<'a>(
        &'a mut self,
        ledger: &'a Ledger,
        execution: &'a Execution,
        left: Left,
    ) -> Step<'a, ()>;
}

struct Of<'t, S, J>(&'t mut J, PhantomData<fn() -> S>);

impl<S: Store, J: JoinTransaction<S>> Steps for Of<'_, S, J> {
    fn begin<'a>(&'a mut self, ledger: &'a Ledger, request: Request<'static>) -> Step<'a, Joined> {
        Box::pin(ledger.begin_in(&mut *self.0, request))
    }

    fn complete<'a>(
        &'a mut self,
        ledger: &'a Ledger,
        execution: &'a Execution,
        left: Left,
    ) -> Step<'a, ()> {
        let transaction = &mut *self.0;
        match left {
            Left::Answer(answer, resource) => {
                Box::pin(ledger.complete_in(transaction, execution, answer, resource))
            }
            Left::Done(resource) => {
                Box::pin(ledger.complete_without_body_in(transaction, execution, resource))
            }
            Left::NotExecuted | Left::Failed => Box::pin(std::future::ready(Ok(()))),
        }
    }
}
