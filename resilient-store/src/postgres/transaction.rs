//! Records inside transactions of `tokio-postgres`, from a pool or not.

use deadpool_postgres::Transaction as PooledTransaction;
use resilient_core::idempotency::{
    Claim, Claimed, Fence, Fenced, Finish, JoinTransaction, RecordId, StoreFuture,
};
use tokio_postgres::Transaction;

use super::PostgresStore;
use crate::postgres_table::join;

join!(Transaction<'_>, PostgresStore);
join!(PooledTransaction<'_>, PostgresStore);
