//! Purging, and what it costs.

use resilient_core::idempotency::{Purged, Store};

use crate::database::{Database, claim};

/// Rows as they are after their time, or long before it.
fn rows(keys: &str, state: u8, expires: &str) -> String {
    format!(
        "insert into {{table}} (scope, key, state, fence, owner, effects, attempts, status, head,
            body, claimed_at, leased_until, answer_until, expires_at, purge_at)
        select 'many', 'k' || n, {state}, nextval('{{table}}_fences'), '\\x00', 1, 1, 200, '', '',
            now(), now(), now() + {expires}, now() + {expires}, now() + {expires}
        from generate_series({keys}) as n;"
    )
}

/// I50: 200,000 expired rows and 1,000 that count, two processes purging in batches of 1,000.
#[tokio::test(flavor = "multi_thread")]
async fn i50_two_purgers_delete_what_has_expired_and_nothing_else() {
    let Some(database) = Database::with("many_keys").await else {
        return;
    };
    let expired = rows("1, 200000", 1, "interval '-1 h'");
    let live = rows("200001, 201000", 1, "interval '1 h'");
    database
        .execute(&format!("{expired}{live} analyze {{table}}"))
        .await;
    let purgers = [database.store(), database.store()].map(|store| {
        tokio::spawn(async move {
            let mut total = 0;
            loop {
                match store.purge(1_000).await.unwrap() {
                    Purged { deleted: 0, .. } => return total,
                    purged => total += purged.deleted,
                }
            }
        })
    });
    let mut total = 0;
    for purger in purgers {
        total += purger.await.unwrap();
    }
    // One that met only rows of the other has stopped early.
    total += database.store().purge(1_000).await.unwrap().deleted;
    assert_eq!(total, 200_000);
    assert_eq!(database.number("select count(*) from {table}").await, 1_000);
}

/// A batch costs what it deletes, however large the table is.
#[tokio::test(flavor = "multi_thread")]
async fn i50_a_batch_reads_the_index_and_not_the_table() {
    let Some(database) = Database::with("indexed_keys").await else {
        return;
    };
    let expired = rows("1, 100", 1, "interval '-1 h'");
    let live = rows("101, 20000", 1, "interval '1 h'");
    database
        .execute(&format!("{expired}{live} analyze {{table}}"))
        .await;
    let before = scans(&database).await;
    let purged = database.store().purge(50).await.unwrap();
    assert_eq!(purged.deleted, 50);
    // The statistics of another connection arrive when it has told them.
    while scans(&database).await.1 == before.1 {
        tokio::task::yield_now().await;
    }
    assert_eq!(scans(&database).await.0, before.0, "the table was read");
}

/// How often the table was read from end to end, and rows were fetched by its indexes.
async fn scans(database: &Database) -> (i64, i64) {
    let of = |column: &str| {
        format!("select {column} from pg_stat_user_tables where relname = '{{table}}'")
    };
    (
        database.number(&of("seq_scan")).await,
        database.number(&of("idx_tup_fetch")).await,
    )
}

/// A run that a transaction is at work on is left alone, even past its time.
#[tokio::test(flavor = "multi_thread")]
async fn q15_rows_that_somebody_is_at_work_on_are_left() {
    let Some(database) = Database::with("locked_keys").await else {
        return;
    };
    database.execute(&rows("1, 10", 1, "interval '-1 h'")).await;
    let mut other = database.raw.begin().await.unwrap();
    sqlx::query("select from locked_keys where key = 'k3' for update")
        .execute(&mut *other)
        .await
        .unwrap();
    assert_eq!(database.store().purge(100).await.unwrap().deleted, 9);
    other.rollback().await.unwrap();
    assert_eq!(database.store().purge(100).await.unwrap().deleted, 1);
}

/// Completing a run touches no index, so a busy table does not bloat: updates stay within the page.
#[tokio::test(flavor = "multi_thread")]
async fn a_run_is_completed_without_touching_an_index() {
    const RUNS: u32 = 200;
    let Some(database) = Database::with("hot_keys").await else {
        return;
    };
    let ledger = database.ledger(&crate::database::rules());
    for number in 0..RUNS {
        let request = crate::database::request(&number.to_string());
        let Ok(resilient_core::idempotency::Begun::Run(run)) = ledger.begin(request).await else {
            panic!("the key is new");
        };
        run.complete(crate::database::answer("x"), None)
            .await
            .unwrap();
    }
    let count = |column: &str| {
        format!("select {column} from pg_stat_user_tables where relname = '{{table}}'")
    };
    while database.number(&count("n_tup_upd")).await < i64::from(RUNS) {
        tokio::task::yield_now().await;
    }
    let hot = database.number(&count("n_tup_hot_upd")).await;
    assert_eq!(hot, i64::from(RUNS));
    database.store().claim(&claim("another", 1)).await.unwrap();
}
