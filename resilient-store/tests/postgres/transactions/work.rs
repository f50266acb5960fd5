//! What the scenarios do in a transaction, whichever client it is of.

use resilient_core::idempotency::{JoinTransaction, Store};
use resilient_store::{PostgresStore, SqlxStore};

/// A transaction that does work in the database.
pub(crate) trait Work<S: Store>: JoinTransaction<S> + Sized {
    async fn execute(&mut self, statement: &str);
    /// The number of its server process.
    async fn process(&mut self) -> i32;
    async fn commit(self);
    async fn roll_back(self);
}

const PROCESS: &str = "select pg_backend_pid()";

macro_rules! over_tokio_postgres {
    ($transaction:ty) => {
        impl Work<PostgresStore> for $transaction {
            async fn execute(&mut self, statement: &str) {
                self.batch_execute(statement).await.unwrap();
            }

            async fn process(&mut self) -> i32 {
                self.query_one(PROCESS, &[]).await.unwrap().get(0)
            }

            async fn commit(self) {
                self.commit().await.unwrap();
            }

            async fn roll_back(self) {
                self.rollback().await.unwrap();
            }
        }
    };
}

over_tokio_postgres!(tokio_postgres::Transaction<'_>);
over_tokio_postgres!(deadpool_postgres::Transaction<'_>);

impl Work<SqlxStore> for sqlx::Transaction<'_, sqlx::Postgres> {
    async fn execute(&mut self, statement: &str) {
        sqlx::raw_sql(sqlx::AssertSqlSafe(statement))
            .execute(&mut **self)
            .await
            .unwrap();
    }

    async fn process(&mut self) -> i32 {
        sqlx::query_scalar(PROCESS)
            .fetch_one(&mut **self)
            .await
            .unwrap()
    }

    async fn commit(self) {
        self.commit().await.unwrap();
    }

    async fn roll_back(self) {
        self.rollback().await.unwrap();
    }
}
