//! Keys in Postgres over `sqlx`.

mod client;
mod transaction;

use sqlx::PgPool;

use crate::postgres_table::PostgresTable;

/// Keys in Postgres over `sqlx`.
pub type SqlxStore = PostgresTable<PgPool>;

impl PostgresTable<PgPool> {
    /// Over a pool.
    ///
    /// Runs inside transactions need two connections for a moment, one of them from this pool: if
    /// it is the one that the transactions come from, they can wait for each other until the
    /// ledger's `store_timeout`. Give the store a pool of its own then.
    ///
    /// ```no_run
    /// use resilient_core::idempotency::{Effects, Idempotency, Ledger};
    /// use resilient_store::SqlxStore;
    ///
    /// # async fn start() -> Result<(), Box<dyn std::error::Error>> {
    /// let store = SqlxStore::new(sqlx::PgPool::connect("postgres://app@localhost/shop").await?);
    /// store.migrate().await?;
    /// let ledger = Ledger::new(store, &Idempotency::of(Effects::Keyed).ttl("24h"))?;
    /// # Ok(()) }
    /// ```
    pub fn new(pool: PgPool) -> Self {
        PostgresTable::of(pool)
    }
}
