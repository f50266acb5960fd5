//! Records that are committed together with the work they stand for, in the transactions of every
//! client.

mod scenarios;
mod work;

use std::sync::Arc;

use resilient_core::idempotency::{Joined, Ledger, MemoryStore, Refusal};
use sqlx::PgPool;
use tokio::sync::Barrier;
use tokio_postgres::NoTls;

use crate::database::{Database, request, rules};
use scenarios::{SCENARIOS, play};

async fn prepared(table: &'static str) -> Option<Database> {
    let database = Database::with(table).await?;
    database
        .execute("create table {table}_orders (made_by text)")
        .await;
    Some(database)
}

#[tokio::test(flavor = "multi_thread")]
async fn of_tokio_postgres() {
    let Some(database) = prepared("bare_transactions").await else {
        return;
    };
    let ledger = database.ledger(&rules());
    let url = database.server.url();
    for scenario in SCENARIOS {
        let mut clients = Vec::new();
        for _ in 0..3 {
            let (client, connection) = tokio_postgres::connect(&url, NoTls).await.unwrap();
            tokio::spawn(connection);
            clients.push(client);
        }
        let [a, b, c] = clients.as_mut_slice() else {
            panic!("there are three");
        };
        let a = a.transaction().await.unwrap();
        let b = b.transaction().await.unwrap();
        let c = c.transaction().await.unwrap();
        play(*scenario, &database, &ledger, [a, b, c]).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn of_a_pool() {
    let Some(database) = prepared("pooled_transactions").await else {
        return;
    };
    let ledger = database.ledger(&rules());
    let pool = database.pool();
    for scenario in SCENARIOS {
        let mut a = pool.get().await.unwrap();
        let mut b = pool.get().await.unwrap();
        let mut c = pool.get().await.unwrap();
        let a = a.transaction().await.unwrap();
        let b = b.transaction().await.unwrap();
        let c = c.transaction().await.unwrap();
        play(*scenario, &database, &ledger, [a, b, c]).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn of_sqlx() {
    let Some(database) = prepared("sqlx_transactions").await else {
        return;
    };
    let ledger = Ledger::new(database.sqlx_store().await, &rules()).unwrap();
    let pool = PgPool::connect(&database.server.url()).await.unwrap();
    for scenario in SCENARIOS {
        let a = pool.begin().await.unwrap();
        let b = pool.begin().await.unwrap();
        let c = pool.begin().await.unwrap();
        play(*scenario, &database, &ledger, [a, b, c]).await;
    }
}

/// I17, Q01 inside transactions: of fifty at once, one runs, and the others are told at once: they
/// have all been answered before it commits.
#[tokio::test(flavor = "multi_thread")]
async fn i17_one_of_many_transactions_runs() {
    const CROWD: usize = 50;
    let Some(database) = prepared("crowded_transactions").await else {
        return;
    };
    let pool = database.pool();
    let ledger = database.ledger(&rules());
    let answered = Arc::new(Barrier::new(CROWD));
    let callers: Vec<_> = (0..CROWD)
        .map(|_| {
            let (pool, ledger, answered) = (pool.clone(), ledger.clone(), Arc::clone(&answered));
            tokio::spawn(async move {
                let mut connection = pool.get().await.unwrap();
                let mut transaction = connection.transaction().await.unwrap();
                let joined = ledger.begin_in(&mut transaction, request("k")).await;
                answered.wait().await;
                match joined {
                    Ok(Joined::Run(_)) => 1,
                    Ok(Joined::Replay(_)) => panic!("nothing was stored"),
                    Err(refusal) => {
                        assert_eq!(refusal.code(), "IDEMPOTENCY_IN_PROGRESS");
                        0
                    }
                }
            })
        })
        .collect();
    let mut runs = 0;
    for caller in callers {
        runs += caller.await.unwrap();
    }
    assert_eq!(runs, 1);
}

/// A transaction joins a store of its own client only.
#[tokio::test(flavor = "multi_thread")]
async fn a_store_of_another_kind_is_refused() {
    let Some(database) = prepared("foreign_transactions").await else {
        return;
    };
    let pool = database.pool();
    let mut connection = pool.get().await.unwrap();
    let mut transaction = connection.transaction().await.unwrap();
    let memory = Ledger::new(MemoryStore::new(10), &rules()).unwrap();
    let sqlx = Ledger::new(database.sqlx_store().await, &rules()).unwrap();
    for ledger in [memory, sqlx] {
        match ledger.begin_in(&mut transaction, request("k")).await {
            Err(Refusal::Unavailable { source, .. }) => {
                assert!(
                    source.to_string().contains("join this transaction"),
                    "{source}"
                );
            }
            other => panic!("{other:?}"),
        }
    }
}
