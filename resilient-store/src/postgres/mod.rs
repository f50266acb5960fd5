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
