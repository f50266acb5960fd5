//! `sqlx`, as the table needs it.

use std::borrow::Cow;

use sqlx::error::DatabaseError;
use sqlx::pool::PoolConnection;
use sqlx::postgres::{PgConnection, PgPool, PgRow, Postgres};
use sqlx::{AssertSqlSafe, Error, Row as _, Transaction};

use crate::postgres_table::client::{Client, Connection, Failure, Row, Value};

impl Client for PgPool {
    type Lent = PoolConnection<Postgres>;

    async fn lend(&self) -> Result<PoolConnection<Postgres>, Failure> {
        Ok(self.acquire().await?)
    }

    async fn batch(&self, script: &str) -> Result<(), Failure> {
        // Written by this crate, with a table's name that was checked.
        sqlx::raw_sql(AssertSqlSafe(script)).execute(self).await?;
        Ok(())
    }
}

impl Connection for PoolConnection<Postgres> {
    type Row = PgRow;

    async fn rows(&mut self, statement: &str, values: &[Value<'_>]) -> Result<Vec<PgRow>, Failure> {
        rows(self, statement, values).await
    }
}

impl Connection for Transaction<'_, Postgres> {
    type Row = PgRow;

    async fn rows(&mut self, statement: &str, values: &[Value<'_>]) -> Result<Vec<PgRow>, Failure> {
        rows(self, statement, values).await
    }
}

/// Prepared once on each connection, as `sqlx` does by itself.
async fn rows(
    connection: &mut PgConnection,
    statement: &str,
    values: &[Value<'_>],
) -> Result<Vec<PgRow>, Failure> {
    // Written by this crate, with a table's name that was checked.
    let mut query = sqlx::query(AssertSqlSafe(statement));
    for value in values {
        query = match *value {
            Value::Text(text) => query.bind(text),
            Value::Bytes(bytes) => query.bind(bytes),
            Value::Number(number) => query.bind(number),
        };
    }
    Ok(query.fetch_all(connection).await?)
}

impl Row for PgRow {
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
        let code = error.as_database_error().and_then(DatabaseError::code);
        Failure {
            code: code.map(Cow::into_owned),
            source: error.into(),
        }
    }
}
