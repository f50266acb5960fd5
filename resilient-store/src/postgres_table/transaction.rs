//! The steps of a record that is committed together with the work it stands for.

use resilient_core::idempotency::{Claim, Claimed, Fence, Fenced, Finish, RecordId, StoreError};

use super::client::{Client, Connection};
use super::{PostgresTable, claim, steps};

/// Announces the claim on a connection of the store's own, then takes the row inside the
/// transaction: so that others are told at once, and nothing is left to wait for when it ends.
pub(crate) async fn claim_in<C: Client, T: Connection>(
    transaction: &mut T,
    store: &PostgresTable<C>,
    claim: &Claim,
) -> Result<Claimed, StoreError> {
    let statements = &store.statements;
    let mut connection = store.lend().await?;
    let fence = match claim::announce(&mut connection, statements, claim).await? {
        Ok(fence) => fence,
        Err(record) => return Ok(Claimed::Taken(record)),
    };
    match claim::lock(transaction, statements, &claim.id, fence).await? {
        Some(won) => Ok(Claimed::Won(won)),
        None => claim::overtaken(&mut connection, statements, &claim.id).await,
    }
}

pub(crate) async fn complete_in<C, T: Connection>(
    transaction: &mut T,
    store: &PostgresTable<C>,
    id: &RecordId,
    fence: Fence,
    finish: &Finish,
) -> Result<Fenced, StoreError> {
    steps::complete(transaction, &store.statements, id, fence, finish).await
}

/// A client's transactions join its store. Written out for each, because a trait of one crate cannot
/// be given to all the transactions of others.
macro_rules! join {
    ($transaction:ty, $store:ty) => {
        impl JoinTransaction<$store> for $transaction {
            fn claim<'a>(
                &'a mut self,
                store: &'a $store,
                claim: &'a Claim,
            ) -> StoreFuture<'a, Claimed> {
                Box::pin($crate::postgres_table::claim_in(self, store, claim))
            }

            fn complete<'a>(
                &'a mut self,
                store: &'a $store,
                id: &'a RecordId,
                fence: Fence,
                finish: &'a Finish,
            ) -> StoreFuture<'a, Fenced> {
                Box::pin($crate::postgres_table::complete_in(
                    self, store, id, fence, finish,
                ))
            }
        }
    };
}

pub(crate) use join;
