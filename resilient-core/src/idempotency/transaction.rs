//! A record that is committed together with the work it stands for.

use std::any::Any;

use super::ledger::{lease_lost, unavailable};
use super::{
    Answer, Claim, Claimed, Execution, Fence, Fenced, Finish, Ledger, RecordId, Refusal, Request,
    Resource, Store, StoreError, StoreFuture,
};

/// A transaction of the database that a store of kind `S` keeps its records in.
///
/// The right to run is the lock on the record's row: it ends with the transaction, and so does all
/// that was done under it, whichever way it ends. There is no lease to wait for.
pub trait JoinTransaction<S: Store>: Send {
    /// Asks for the right to run until this transaction ends, without waiting for whoever has it.
    fn claim<'a>(&'a mut self, store: &'a S, claim: &'a Claim) -> StoreFuture<'a, Claimed>;

    /// Writes down how it ended, as a part of this transaction.
    fn complete<'a>(
        &'a mut self,
        store: &'a S,
        id: &'a RecordId,
        fence: Fence,
        finish: &'a Finish,
    ) -> StoreFuture<'a, Fenced>;
}

/// What became of a request inside a transaction.
#[derive(Debug)]
pub enum Joined {
    /// It is the first: do the work in the same transaction, then
    /// [`complete_in`](Ledger::complete_in) it, then commit.
    Run(Execution),
    /// It is a repeat: this was the answer. There is nothing to commit.
    Replay(Answer),
}

impl Ledger {
    /// Asks for the right to run inside a transaction, or for the answer that is kept.
    ///
    /// Only effects inside this database are protected: they and the record are there together or
    /// not at all. [`Effects`](super::Effects) do not matter, and neither do lease and wait.
    ///
    /// # Errors
    ///
    /// [`Refusal`] says why neither is to be had. A transaction of another kind than the ledger's
    /// store is [`Refusal::Unavailable`], with [`StoreError::Unsupported`] as its source.
    pub async fn begin_in<S: Store, T: JoinTransaction<S> + ?Sized>(
        &self,
        transaction: &mut T,
        request: Request<'_>,
    ) -> Result<Joined, Refusal> {
        let claim = self.claim_of(&request);
        let step = transaction.claim(self.store_of()?, &claim);
        match self.ask(step).await.map_err(unavailable)? {
            Claimed::Won(won) => Ok(Joined::Run(self.execution(claim.id, won))),
            Claimed::Taken(record) => self
                .told(self.judge(*record, claim.fingerprint.as_ref()))
                .map(Joined::Replay),
        }
    }

    /// Writes down the answer inside the transaction. Committing is up to the caller.
    ///
    /// # Errors
    ///
    /// [`Refusal::LeaseLost`] if the record went to another owner, or what the store said: the
    /// transaction must be rolled back then.
    pub async fn complete_in<S: Store, T: JoinTransaction<S> + ?Sized>(
        &self,
        transaction: &mut T,
        execution: &Execution,
        answer: Answer,
        resource: Option<Resource>,
    ) -> Result<(), Refusal> {
        let finish = self.finish(execution.id(), answer, resource);
        self.finish_in(transaction, execution, &finish).await
    }

    /// Writes down inside the transaction that it was done, for an answer that cannot be kept.
    ///
    /// # Errors
    ///
    /// As for [`Ledger::complete_in`].
    pub async fn complete_without_body_in<S: Store, T: JoinTransaction<S> + ?Sized>(
        &self,
        transaction: &mut T,
        execution: &Execution,
        resource: Option<Resource>,
    ) -> Result<(), Refusal> {
        let finish = Finish::BodyDropped { resource };
        self.finish_in(transaction, execution, &finish).await
    }

    async fn finish_in<S: Store, T: JoinTransaction<S> + ?Sized>(
        &self,
        transaction: &mut T,
        execution: &Execution,
        finish: &Finish,
    ) -> Result<(), Refusal> {
        let (id, fence) = (execution.id(), execution.fence());
        let step = transaction.complete(self.store_of()?, id, fence, finish);
        match self.ask(step).await.map_err(unavailable)? {
            Fenced::Done => Ok(()),
            Fenced::Lost => {
                self.counters().lease_lost.add();
                Err(lease_lost())
            }
        }
    }

    /// The store that holds the records, behind whatever stands in front of it.
    fn store_of<S: Store>(&self) -> Result<&S, Refusal> {
        let mut store = self.store();
        while let Some(behind) = store.table() {
            store = behind;
        }
        (store as &dyn Any).downcast_ref().ok_or_else(|| {
            unavailable(StoreError::Unsupported {
                store: "present",
                what: "join this transaction; give the ledger a store of the transaction's client",
            })
        })
    }
}
