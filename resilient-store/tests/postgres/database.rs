//! A table in a private Postgres, and a way past the store to it.

use std::sync::Arc;
use std::time::Duration;

use deadpool_postgres::{Manager, Pool};
use resilient_core::idempotency::{
    Answer, Claim, Effects, Idempotency, Key, Ledger, RecordId, Request, Scope,
};
use resilient_store::{PostgresStore, SqlxStore};
use resilient_test_servers::Postgres;
use sqlx::{AssertSqlSafe, PgPool};
use tokio_postgres::NoTls;

/// A table of one test in the server that all of them share.
pub(crate) struct Database {
    pub(crate) server: Arc<Postgres>,
    pub(crate) table: &'static str,
    /// Past the store.
    pub(crate) raw: PgPool,
}

impl Database {
    /// `None` where Postgres is not installed.
    pub(crate) async fn with(table: &'static str) -> Option<Self> {
        let server = Postgres::shared().unwrap()?;
        let raw = PgPool::connect(&server.url()).await.unwrap();
        let database = Database { server, table, raw };
        database.store().migrate().await.unwrap();
        Some(database)
    }

    /// The table as one process sees it.
    pub(crate) fn store(&self) -> PostgresStore {
        let store = PostgresStore::connect(&self.server.url()).unwrap();
        store.table(self.table).unwrap()
    }

    pub(crate) async fn sqlx_store(&self) -> SqlxStore {
        let pool = PgPool::connect(&self.server.url()).await.unwrap();
        SqlxStore::new(pool).table(self.table).unwrap()
    }

    /// Connections for transactions.
    pub(crate) fn pool(&self) -> Pool {
        let manager = Manager::new(self.server.url().parse().unwrap(), NoTls);
        Pool::builder(manager).max_size(50).build().unwrap()
    }

    pub(crate) fn ledger(&self, rules: &Idempotency) -> Ledger {
        Ledger::new(self.store(), rules).unwrap()
    }

    /// Does something behind the store's back; `{table}` is its table.
    pub(crate) async fn execute(&self, statement: &str) {
        let statement = statement.replace("{table}", self.table);
        sqlx::raw_sql(AssertSqlSafe(statement))
            .execute(&self.raw)
            .await
            .unwrap();
    }

    /// Asks for one number.
    pub(crate) async fn number(&self, question: &str) -> i64 {
        let question = question.replace("{table}", self.table);
        sqlx::query_scalar(AssertSqlSafe(question))
            .fetch_one(&self.raw)
            .await
            .unwrap()
    }

    /// Moves every deadline back, as if this much time had passed.
    pub(crate) async fn pass(&self, time: Duration) {
        let seconds = time.as_secs();
        let deadlines = [
            "claimed_at",
            "leased_until",
            "answer_until",
            "expires_at",
            "purge_at",
        ]
        .map(|column| format!("{column} = {column} - interval '{seconds} s'"))
        .join(", ");
        self.execute(&format!("update {{table}} set {deadlines}"))
            .await;
    }
}

pub(crate) fn id(key: &str) -> RecordId {
    RecordId::new(Scope::of("shop"), Key::literal(key).unwrap())
}

pub(crate) fn request(key: &str) -> Request<'static> {
    Request::new(id(key))
}

pub(crate) fn claim(key: &str, owner: u128) -> Claim {
    Claim {
        id: id(key),
        fingerprint: None,
        effects: Effects::Keyed,
        owner,
        lease: Duration::from_secs(30),
        ttl: Duration::from_secs(3_600),
        tombstone: Duration::ZERO,
    }
}

pub(crate) fn answer(body: &str) -> Answer {
    Answer {
        status: 201,
        head: Vec::new(),
        body: body.as_bytes().to_vec(),
    }
}

/// With time enough for the store that a busy machine does not matter.
pub(crate) fn rules() -> Idempotency {
    Idempotency::of(Effects::Keyed)
        .lease("30s")
        .store_timeout("20s")
}
