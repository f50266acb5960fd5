//! Records inside transactions of `sqlx`.

use resilient_core::idempotency::{
    Claim, Claimed, Fence, Fenced, Finish, JoinTransaction, RecordId, StoreFuture,
};
use sqlx::{Postgres, Transaction};

use super::SqlxStore;
use crate::postgres_table::join;

join!(Transaction<'_, Postgres>, SqlxStore);
