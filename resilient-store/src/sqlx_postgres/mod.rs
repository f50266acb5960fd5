//! Keys in Postgres over `sqlx`.

mod client;
mod transaction;

use sqlx::PgPool;

use crate::postgres_table::PostgresTable;

/// Keys in Postgres over `sqlx`.
///
/// # Inside a transaction
///
/// Protects effects inside this database, and nothing else: the work and its record are committed
/// together or not at all, so there is no moment in which one stands without the other, and no lease
/// to wait for after a crash. What is asked of other services meanwhile is not undone by a rollback.
///
/// ```no_run
/// use resilient_core::idempotency::{Answer, Joined, Ledger, Request};
/// use sqlx::PgPool;
///
/// # type AnyError = Box<dyn std::error::Error>;
/// async fn place_order(
///     pool: &PgPool,
///     ledger: &Ledger,
///     request: Request<'_>,
/// ) -> Result<Answer, AnyError> {
///     let mut transaction = pool.begin().await?;
///     // First, so that the transaction sees the claim whatever its isolation level is.
///     let execution = match ledger.begin_in(&mut transaction, request).await? {
///         Joined::Run(execution) => execution,
///         Joined::Replay(answer) => return Ok(answer),
///     };
///     sqlx::query("insert into orders (item) values ('book')").execute(&mut *transaction).await?;
///     let answer = Answer { status: 201, head: Vec::new(), body: b"book".to_vec() };
///     // An error leaves the function, and so rolls back.
///     ledger.complete_in(&mut transaction, &execution, answer.clone(), None).await?;
///     transaction.commit().await?;
///     Ok(answer)
/// }
/// ```
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
