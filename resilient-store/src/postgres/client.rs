//! `tokio-postgres`, as the table needs it.

use deadpool_postgres::{Object, Pool, PoolError, Transaction as PooledTransaction};
use resilient_core::idempotency::StoreError;
use tokio_postgres::types::{ToSql, Type};
use tokio_postgres::{Error, Row as PostgresRow, Transaction};

use crate::postgres_table::client::{Client, Connection, Failure, Row, Value};

type Parameter<'a> = (&'a (dyn ToSql + Sync), Type);

impl Client for Pool {
    type Lent = Object;

    async fn lend(&self) -> Result<Object, Failure> {
        Ok(self.get().await?)
    }

    async fn batch(&self, script: &str) -> Result<(), Failure> {
        Ok(self.get().await?.batch_execute(script).await?)
    }
}

/// With statements that are prepared once on each connection.
macro_rules! prepared {
    ($connection:ty) => {
        impl Connection for $connection {
            type Row = PostgresRow;

            async fn rows(
                &mut self,
                statement: &str,
                values: &[Value<'_>],
            ) -> Result<Vec<PostgresRow>, Failure> {
                let (values, types): (Vec<_>, Vec<_>) = values.iter().map(parameter).unzip();
                let statement = self.prepare_typed_cached(statement, &types).await?;
                Ok(self.query(&statement, &values).await?)
            }
        }
    };
}

prepared!(Object);
prepared!(PooledTransaction<'_>);

/// One that is not from a pool has no place to keep prepared statements: they are sent with their
/// values, in one round trip.
impl Connection for Transaction<'_> {
    type Row = PostgresRow;

    async fn rows(
        &mut self,
        statement: &str,
        values: &[Value<'_>],
    ) -> Result<Vec<PostgresRow>, Failure> {
        let values: Vec<_> = values.iter().map(parameter).collect();
        Ok(self.query_typed(statement, &values).await?)
    }
}

fn parameter<'a>(value: &'a Value<'_>) -> Parameter<'a> {
    match value {
        Value::Text(text) => (text, Type::TEXT),
        Value::Bytes(bytes) => (bytes, Type::BYTEA),
        Value::Number(number) => (number, Type::INT8),
    }
}

impl Row for PostgresRow {
    fn text(&self, column: usize) -> Result<Option<String>, Failure> {
        Ok(self.try_get(column)?)
    }

    fn bytes(&self, column: usize) -> Result<Option<Vec<u8>>, Failure> {
        Ok(self.try_get(column)?)
    }

    fn number(&self, column: usize) -> Result<Option<i64>, Failure> {
        Ok(self.try_get(column)?)
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Failure {
            code: error.code().map(|state| state.code().to_owned()),
            source: error.into(),
        }
    }
}

impl From<PoolError> for Failure {
    fn from(error: PoolError) -> Self {
        Failure {
            code: None,
            source: error.into(),
        }
    }
}

pub(super) fn unavailable(
    source: impl Into<Box<dyn std::error::Error + Send + Sync>>,
) -> StoreError {
    StoreError::unavailable("postgres", source)
}
