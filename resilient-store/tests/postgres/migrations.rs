//! Bringing the table into being.

use resilient_core::idempotency::{Store, StoreError};
use resilient_store::{PostgresStore, SqlxStore};
use resilient_test_servers::Postgres;
use sqlx::PgPool;

use crate::database::{Database, claim};

/// Eight processes at once, over both clients: all find it done, and one has done it.
#[tokio::test(flavor = "multi_thread")]
async fn many_processes_may_migrate_at_once() {
    let Some(database) = Database::with("migrated_before").await else {
        return;
    };
    database.execute("create schema app").await;
    let url = database.server.url();
    let processes: Vec<_> = (0..8)
        .map(|number| {
            let url = url.clone();
            tokio::spawn(async move {
                if number % 2 == 0 {
                    let store = PostgresStore::connect(&url).unwrap();
                    store.table("app.keys").unwrap().migrate().await
                } else {
                    let pool = PgPool::connect(&url).await.unwrap();
                    SqlxStore::new(pool)
                        .table("app.keys")
                        .unwrap()
                        .migrate()
                        .await
                }
            })
        })
        .collect();
    for process in processes {
        process.await.unwrap().unwrap();
    }
    let applied = "select count(*) from app.keys_migrations";
    assert_eq!(database.number(applied).await, 1);
    let store = PostgresStore::connect(&url)
        .unwrap()
        .table("app.keys")
        .unwrap();
    store.claim(&claim("k", 1)).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_table_that_is_not_there_is_told_as_such() {
    let Some(server) = Postgres::shared().unwrap() else {
        return;
    };
    let store = PostgresStore::connect(&server.url()).unwrap();
    let store = store.table("forgotten").unwrap();
    let error = store.claim(&claim("k", 1)).await.unwrap_err();
    assert!(matches!(error, StoreError::Unsupported { .. }), "{error:?}");
    assert!(error.to_string().contains("`migrate`"), "{error}");
}

#[test]
fn i07_a_name_that_is_not_plain_is_refused() {
    let store = PostgresStore::connect("postgres://localhost").unwrap();
    let error = store.table("keys; drop table x").unwrap_err();
    assert!(error.to_string().contains("keys; drop table x"), "{error}");
}
