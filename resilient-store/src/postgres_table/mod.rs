//! The table of keys in Postgres, through whichever client.

mod claim;
pub(crate) mod client;
mod migration;
mod name;
mod row;
mod statements;
mod steps;
mod transaction;

use std::time::Duration;

use resilient_core::idempotency::{
    Backlog, Claim, Claimed, Fence, Fenced, Filter, Finish, Purged, Record, RecordId, Store,
    StoreError, StoreFuture,
};

use self::client::Client;
pub use self::name::InvalidTableName;
use self::name::TableName;
use self::row::Standing;
use self::statements::Statements;
pub(crate) use self::transaction::{claim_in, complete_in, join};

/// As errors call it.
const STORE: &str = "postgres";

/// How long a claim waits for a lock, so that all its tries fit into the ledger's default
/// `store_timeout`.
const DEFAULT_LOCK_TIMEOUT: Duration = Duration::from_millis(500);

/// Keys in a table of Postgres, one row each.
///
/// There is one for each client: [`PostgresStore`](crate::PostgresStore) over `tokio-postgres` and
/// [`SqlxStore`](crate::SqlxStore) over `sqlx`, both with the same table and the same statements.
/// Every deadline is compared with the clock of the database. Every method is one statement in a
/// transaction of its own, except that a claim that was overtaken reads the row as well.
///
/// The table must be there: call [`migrate`](PostgresTable::migrate) when the service starts, or
/// run the files of this crate's folder `migrations` with a tool of your own.
///
/// [`backlog`](Store::backlog) and [`list`](Store::list) read the whole table: ask once a minute,
/// not with every request.
#[derive(Debug)]
pub struct PostgresTable<C> {
    client: C,
    name: TableName,
    statements: Statements,
    /// As Postgres reads it.
    patience: String,
}

impl<C> PostgresTable<C> {
    pub(crate) fn of(client: C) -> Self {
        let name = TableName::default();
        PostgresTable {
            client,
            statements: Statements::of(&name),
            name,
            patience: milliseconds(DEFAULT_LOCK_TIMEOUT),
        }
    }

    /// In a table of another name than `idempotency_keys`; its schema may stand before it.
    ///
    /// # Errors
    ///
    /// A name that is not made of lower-case letters, digits and `_`.
    pub fn table(self, name: &str) -> Result<Self, InvalidTableName> {
        let name = TableName::new(name)?;
        Ok(PostgresTable {
            statements: Statements::of(&name),
            name,
            ..self
        })
    }

    /// How long a claim waits for somebody who has a lock on the row, rounded up to milliseconds;
    /// default 500 ms. After that the row counts as taken. It may wait three times.
    #[must_use]
    pub fn lock_timeout(mut self, timeout: Duration) -> Self {
        self.patience = milliseconds(timeout);
        self
    }
}

/// At least one, because zero means for ever.
fn milliseconds(duration: Duration) -> String {
    let whole = duration.as_micros().div_ceil(1_000);
    format!("{}ms", whole.clamp(1, 1_000_000_000))
}

impl<C: Client> PostgresTable<C> {
    /// Brings the table into being, and up to date after an upgrade. Many processes may do so at
    /// once: one of them does it, the others wait. Does nothing if it was done.
    ///
    /// # Errors
    ///
    /// What the database said; nothing was changed then.
    pub async fn migrate(&self) -> Result<(), StoreError> {
        let script = migration::script(&self.name);
        Ok(self.client.batch(&script).await?)
    }

    async fn lend(&self) -> Result<C::Lent, StoreError> {
        Ok(self.client.lend().await?)
    }
}

impl<C: Client> Store for PostgresTable<C> {
    fn claim<'a>(&'a self, claim: &'a Claim) -> StoreFuture<'a, Claimed> {
        Box::pin(async move {
            let mut connection = self.lend().await?;
            claim::claim(&mut connection, &self.statements, claim, &self.patience).await
        })
    }

    fn renew<'a>(
        &'a self,
        id: &'a RecordId,
        fence: Fence,
        lease: Duration,
        checkpoint: Option<&'a str>,
    ) -> StoreFuture<'a, Fenced> {
        Box::pin(async move {
            let mut connection = self.lend().await?;
            steps::renew(
                &mut connection,
                &self.statements,
                id,
                fence,
                lease,
                checkpoint,
            )
            .await
        })
    }

    fn complete<'a>(
        &'a self,
        id: &'a RecordId,
        fence: Fence,
        finish: &'a Finish,
    ) -> StoreFuture<'a, Fenced> {
        Box::pin(async move {
            let mut connection = self.lend().await?;
            steps::complete(&mut connection, &self.statements, id, fence, finish).await
        })
    }

    fn lapse<'a>(&'a self, id: &'a RecordId, fence: Fence) -> StoreFuture<'a, Fenced> {
        Box::pin(async move {
            let mut connection = self.lend().await?;
            steps::lapse(&mut connection, &self.statements, id, fence).await
        })
    }

    fn release<'a>(&'a self, id: &'a RecordId, fence: Fence) -> StoreFuture<'a, Fenced> {
        Box::pin(async move {
            let mut connection = self.lend().await?;
            steps::release(&mut connection, &self.statements, id, fence).await
        })
    }

    fn withdraw<'a>(&'a self, claim: &'a Claim) -> StoreFuture<'a, ()> {
        Box::pin(async move {
            let mut connection = self.lend().await?;
            claim::withdraw(&mut connection, &self.statements, claim).await
        })
    }

    fn find<'a>(&'a self, id: &'a RecordId) -> StoreFuture<'a, Option<Record>> {
        Box::pin(async move {
            let mut connection = self.lend().await?;
            let found = steps::read(&mut connection, &self.statements, id).await?;
            Ok(found
                .filter(|found| found.standing != Standing::Expired)
                .map(|found| found.record))
        })
    }

    fn settle<'a>(
        &'a self,
        id: &'a RecordId,
        fence: Fence,
        finish: Option<&'a Finish>,
    ) -> StoreFuture<'a, Fenced> {
        Box::pin(async move {
            let mut connection = self.lend().await?;
            steps::settle(&mut connection, &self.statements, id, fence, finish).await
        })
    }

    fn remove<'a>(&'a self, id: &'a RecordId) -> StoreFuture<'a, bool> {
        Box::pin(async move {
            let mut connection = self.lend().await?;
            steps::remove(&mut connection, &self.statements, id).await
        })
    }

    fn list<'a>(&'a self, filter: &'a Filter) -> StoreFuture<'a, Vec<Record>> {
        Box::pin(async move {
            let mut connection = self.lend().await?;
            steps::list(&mut connection, &self.statements, filter).await
        })
    }

    fn purge(&self, batch: u32) -> StoreFuture<'_, Purged> {
        Box::pin(async move {
            let mut connection = self.lend().await?;
            steps::purge(&mut connection, &self.statements, batch).await
        })
    }

    fn backlog(&self) -> StoreFuture<'_, Backlog> {
        Box::pin(async move {
            let mut connection = self.lend().await?;
            steps::backlog(&mut connection, &self.statements).await
        })
    }
}
