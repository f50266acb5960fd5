//! A record that is committed together with the work it stands for.

use super::ledger::{lease_lost, unavailable};
use super::{
    Answer, Claim, Claimed, Execution, Fence, Fenced, Finish, Ledger, RecordId, Refusal, Request,
    Resource, Store, StoreFuture,
};

/// A transaction of the database that the store keeps its records in.
///
/// The right to run is the lock on the record's row: it ends with the transaction, and so does all
/// that was done under it, whichever way it ends. There is no lease to wait for.
pub trait JoinTransaction: Send {
    /// Asks for the right to run until this transaction ends, without waiting for whoever has it.
    ///
    /// A `store` of another kind than the transaction answers
    /// [`Unsupported`](super::StoreError::Unsupported).
    fn claim<'a>(&'a mut self, store: &'a dyn Store, claim: &'a Claim) -> StoreFuture<'a, Claimed>;

    /// Writes down how it ended, as a part of this transaction.
    fn complete<'a>(
        &'a mut self,
        store: &'a dyn Store,
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
    /// [`Refusal`] says why neither is to be had.
    pub async fn begin_in(
        &self,
        transaction: &mut dyn JoinTransaction,
        request: Request<'_>,
    ) -> Result<Joined, Refusal> {
        let claim = self.claim_of(&request);
        let step = transaction.claim(self.store(), &claim);
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
    pub async fn complete_in(
        &self,
        transaction: &mut dyn JoinTransaction,
        execution: &Execution,
        answer: Answer,
        resource: Option<Resource>,
    ) -> Result<(), Refusal> {
        let (id, fence) = (execution.id(), execution.fence());
        let finish = self.finish(id, answer, resource);
        let step = transaction.complete(self.store(), id, fence, &finish);
        match self.ask(step).await.map_err(unavailable)? {
            Fenced::Done => Ok(()),
            Fenced::Lost => {
                self.counters().lease_lost.add();
                Err(lease_lost())
            }
        }
    }
}
