//! Copies in a private Redis over a table in a private Postgres; the deadlines of both are moved.

use std::sync::Arc;
use std::time::Duration;

use resilient_core::idempotency::Store;
use resilient_store::{Copies, PostgresStore, RedisConfig, Tiered};

use crate::postgres::Table;
use crate::redis::OnRedis;
use crate::stage::Stage;

pub(crate) struct Both {
    table: Table,
    copies: OnRedis,
    stores: [Arc<dyn Store>; 2],
}

impl Both {
    /// `None` where one of them is not installed.
    pub(crate) async fn start() -> Option<Self> {
        let table = Table::over_tokio_postgres().await?;
        let copies = OnRedis::alone().await?;
        let config = RedisConfig::at(copies.url()).response_timeout("20s");
        let settings = Copies::in_redis(config).timeout("20s");
        let store = || {
            let under = PostgresStore::connect(&table.url()).unwrap();
            Arc::new(Tiered::over(under, &settings).unwrap()) as Arc<dyn Store>
        };
        let stores = [store(), store()];
        Some(Both {
            table,
            copies,
            stores,
        })
    }
}

impl Stage for Both {
    fn store(&self) -> Arc<dyn Store> {
        Arc::clone(&self.stores[0])
    }

    fn another(&self) -> Arc<dyn Store> {
        Arc::clone(&self.stores[1])
    }

    async fn pass(&self, time: Duration) {
        self.table.pass(time).await;
        self.copies.pass(time).await;
    }
}
