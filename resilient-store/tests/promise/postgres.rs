//! A table in a private Postgres, through either of the two clients.

use std::sync::Arc;
use std::time::Duration;

use resilient_core::idempotency::Store;
use resilient_store::{PostgresStore, SqlxStore};
use resilient_test_servers::Postgres;
use sqlx::PgPool;

use crate::stage::Stage;

pub(crate) struct Table {
    server: Postgres,
    clock: PgPool,
    stores: [Arc<dyn Store>; 2],
}

impl Table {
    #[cfg(feature = "redis")]
    pub(crate) fn url(&self) -> String {
        self.server.url()
    }

    /// `None` where Postgres is not installed.
    pub(crate) async fn over_tokio_postgres() -> Option<Self> {
        let server = Postgres::start().unwrap()?;
        let store = || PostgresStore::connect(&server.url()).unwrap();
        let stores = [store(), store()];
        stores[0].migrate().await.unwrap();
        let stores = stores.map(|store| Arc::new(store) as Arc<dyn Store>);
        Some(Table::new(server, stores).await)
    }

    pub(crate) async fn over_sqlx() -> Option<Self> {
        let server = Postgres::start().unwrap()?;
        let mut stores = Vec::new();
        for _ in 0..2 {
            let pool = PgPool::connect(&server.url()).await.unwrap();
            // A name of its own, so that the other one is not the only one that works.
            stores.push(SqlxStore::new(pool).table("public.other_keys").unwrap());
        }
        stores[0].migrate().await.unwrap();
        let mut stores = stores
            .into_iter()
            .map(|store| Arc::new(store) as Arc<dyn Store>);
        let stores = [stores.next().unwrap(), stores.next().unwrap()];
        Some(Table::new(server, stores).await)
    }

    async fn new(server: Postgres, stores: [Arc<dyn Store>; 2]) -> Self {
        Table {
            clock: PgPool::connect(&server.url()).await.unwrap(),
            server,
            stores,
        }
    }
}

impl Stage for Table {
    fn store(&self) -> Arc<dyn Store> {
        Arc::clone(&self.stores[0])
    }

    fn another(&self) -> Arc<dyn Store> {
        Arc::clone(&self.stores[1])
    }

    async fn pass(&self, time: Duration) {
        for table in ["idempotency_keys", "other_keys"] {
            let there = sqlx::query_scalar("select to_regclass($1) is not null")
                .bind(table)
                .fetch_one(&self.clock);
            if there.await.unwrap() {
                self.move_deadlines(table, time).await;
            }
        }
    }
}

impl Table {
    async fn move_deadlines(&self, table: &str, time: Duration) {
        let deadlines = [
            "claimed_at",
            "leased_until",
            "answer_until",
            "expires_at",
            "purge_at",
        ]
        .map(|column| format!("{column} = {column} - make_interval(secs => $1)"))
        .join(", ");
        sqlx::query(sqlx::AssertSqlSafe(format!(
            "update {table} set {deadlines}"
        )))
        .bind(time.as_secs_f64())
        .execute(&self.clock)
        .await
        .unwrap();
    }
}
