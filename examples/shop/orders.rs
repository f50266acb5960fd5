//! The orders that were placed: in memory, or in a database.

use std::collections::HashMap;
use std::error::Error;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use deadpool_postgres::{Manager, Object, Pool, PoolError, Runtime, Timeouts};
use tokio::time::timeout;
use tokio_postgres::NoTls;
use tokio_postgres::types::ToSql;

use crate::order::Order;

type AnyError = Box<dyn Error + Send + Sync>;

/// A database that does not answer holds no request for longer than its customer waits.
pub(crate) const PATIENCE: Duration = Duration::from_secs(2);

const TABLES: &str = "
    create table if not exists orders (id text primary key, reference text not null, amount bigint not null);
    create table if not exists charges (order_id text not null, amount bigint not null);
";

#[derive(Clone)]
pub(crate) enum Orders {
    Memory(Arc<Mutex<HashMap<String, Order>>>),
    Database(Pool),
}

impl Orders {
    pub(crate) async fn open(postgres: Option<&str>) -> Result<Self, Box<dyn Error>> {
        let Some(url) = postgres else {
            return Ok(Orders::Memory(Arc::default()));
        };
        let mut config: tokio_postgres::Config = url.parse()?;
        config.connect_timeout(PATIENCE).tcp_user_timeout(PATIENCE);
        // What is given up here is given up there, too.
        config.options("-c statement_timeout=2000");
        let patience = Timeouts {
            wait: Some(PATIENCE),
            create: Some(PATIENCE),
            recycle: Some(PATIENCE),
        };
        let pool = Pool::builder(Manager::new(config, NoTls))
            .timeouts(patience)
            .runtime(Runtime::Tokio1)
            .build()?;
        pool.get().await?.batch_execute(TABLES).await?;
        Ok(Orders::Database(pool))
    }

    /// Keeps an order. One that is there already is the same one, by an earlier run.
    pub(crate) async fn insert(&self, order: &Order) -> Result<(), AnyError> {
        match self {
            Orders::Memory(orders) => {
                let mut orders = orders.lock().unwrap_or_else(PoisonError::into_inner);
                orders.insert(order.id.clone(), order.clone());
            }
            Orders::Database(pool) => {
                let insert = "insert into orders (id, reference, amount) values ($1, $2, $3) \
                              on conflict do nothing";
                let amount = i64::from(order.amount);
                let client = pool.get().await?;
                let values: [&(dyn ToSql + Sync); 3] = [&order.id, &order.reference, &amount];
                timeout(PATIENCE, client.execute(insert, &values)).await??;
            }
        }
        Ok(())
    }

    /// A connection to begin a transaction on; `None` where orders are kept in memory.
    pub(crate) async fn connection(&self) -> Option<Result<Object, PoolError>> {
        match self {
            Orders::Memory(_) => None,
            Orders::Database(pool) => Some(pool.get().await),
        }
    }
}
