//! Keys in Postgres over `tokio-postgres` and a pool.

mod client;
mod transaction;

use std::time::Duration;

use deadpool_postgres::{Manager, ManagerConfig, Pool, RecyclingMethod};
use resilient_core::idempotency::StoreError;
use tokio_postgres::{Config, NoTls};

use crate::postgres_table::PostgresTable;

/// How long a connection may take to be made, and how long the other side may say nothing to what
/// was sent, unless the URL says otherwise.
const GIVEN_UP: Duration = Duration::from_secs(5);

/// Keys in Postgres over `tokio-postgres`.
///
/// # Inside a transaction
///
/// Protects effects inside this database, and nothing else: the work and its record are committed
/// together or not at all, so there is no moment in which one stands without the other, and no lease
/// to wait for after a crash. What is asked of other services meanwhile is not undone by a rollback.
///
/// ```no_run
/// use resilient_core::idempotency::{Answer, Joined, Ledger, Request};
/// use tokio_postgres::Client;
///
/// # type AnyError = Box<dyn std::error::Error>;
/// async fn place_order(
///     client: &mut Client,
///     ledger: &Ledger,
///     request: Request<'_>,
/// ) -> Result<Answer, AnyError> {
///     let mut transaction = client.transaction().await?;
///     // First, so that the transaction sees the claim whatever its isolation level is.
///     let execution = match ledger.begin_in(&mut transaction, request).await? {
///         Joined::Run(execution) => execution,
///         Joined::Replay(answer) => return Ok(answer),
///     };
///     transaction.execute("insert into orders (item) values ('book')", &[]).await?;
///     let answer = Answer { status: 201, head: Vec::new(), body: b"book".to_vec() };
///     // An error leaves the function, and so rolls back.
///     ledger.complete_in(&mut transaction, &execution, answer.clone(), None).await?;
///     transaction.commit().await?;
///     Ok(answer)
/// }
/// ```
pub type PostgresStore = PostgresTable<Pool>;

impl PostgresTable<Pool> {
    /// Over a pool.
    ///
    /// Runs inside transactions need two connections for a moment, one of them from this pool: if
    /// it is the one that the transactions come from, they can wait for each other until the
    /// ledger's `store_timeout`. Give the store a pool of its own then.
    pub fn new(pool: Pool) -> Self {
        PostgresTable::of(pool)
    }

    /// Over a pool of its own, without encryption. Connections are made when they are needed.
    ///
    /// # Errors
    ///
    /// A URL that cannot be read.
    ///
    /// ```no_run
    /// use resilient_core::idempotency::{Effects, Idempotency, Ledger};
    /// use resilient_store::PostgresStore;
    ///
    /// # async fn start() -> Result<(), Box<dyn std::error::Error>> {
    /// let store = PostgresStore::connect("postgres://app@localhost/shop")?;
    /// store.migrate().await?;
    /// let ledger = Ledger::new(store, &Idempotency::of(Effects::Keyed).ttl("24h"))?;
    /// # Ok(()) }
    /// ```
    pub fn connect(url: &str) -> Result<Self, StoreError> {
        let mut config: Config = url.parse().map_err(client::unavailable)?;
        if config.get_connect_timeout().is_none() {
            config.connect_timeout(GIVEN_UP);
        }
        if config.get_tcp_user_timeout().is_none() {
            config.tcp_user_timeout(GIVEN_UP);
        }
        let recycling = ManagerConfig {
            recycling_method: RecyclingMethod::Fast,
        };
        let manager = Manager::from_config(config, NoTls, recycling);
        let pool = Pool::builder(manager).build();
        pool.map(PostgresStore::new).map_err(client::unavailable)
    }
}
