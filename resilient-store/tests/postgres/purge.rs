//! Purging, and what it costs.

use std::time::Duration;

use resilient_core::idempotency::{Begun, Claim, Claimed, Effects, Finish, Purged, Store};

use crate::database::{Database, answer, claim, request, rules};

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
    let scans = statistic(&database, SEQ_SCAN).await;
    let fetched = statistic(&database, FETCHED).await;
    // More than there is, so that it has to find out where the end is.
    let purged = database.store().purge(1_000).await.unwrap();
    assert_eq!(purged.deleted, 100);
    // The statistics of another connection arrive when it has told them.
    while statistic(&database, "n_tup_del").await < 100 {
        tokio::task::yield_now().await;
    }
    assert_eq!(
        statistic(&database, SEQ_SCAN).await,
        scans,
        "the table was read"
    );
    let fetched = statistic(&database, FETCHED).await - fetched;
    assert!(fetched < 1_000, "{fetched} rows were read");
}

/// How often the table was read from end to end.
const SEQ_SCAN: &str = "seq_scan";

/// How many rows were fetched by its indexes.
const FETCHED: &str = "idx_tup_fetch";

async fn statistic(database: &Database, column: &str) -> i64 {
    let question = format!("select {column} from pg_stat_user_tables where relname = '{{table}}'");
    database.number(&question).await
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

/// What a purge can do nothing about is not looked at by every purge: an answer that was never kept,
/// or was taken away, until its tombstone is over, and what is uncertain, until it is settled.
#[tokio::test(flavor = "multi_thread")]
async fn a_purge_is_not_shown_what_it_can_do_nothing_about() {
    let Some(database) = Database::with("quiet_keys").await else {
        return;
    };
    let store = database.store();
    let dropped = Finish::BodyDropped { resource: None };
    let completed = Finish::Completed {
        answer: answer("x"),
        resource: None,
    };
    let runs = [
        ("dropped", dropped),
        ("completed", completed),
        ("uncertain", Finish::Uncertain),
    ];
    for (key, finish) in runs {
        let claim = Claim {
            tombstone: Duration::from_secs(3_600),
            ..claim(key, 1)
        };
        let Claimed::Won(won) = store.claim(&claim).await.unwrap() else {
            panic!("the key is new");
        };
        store.complete(&claim.id, won.fence, &finish).await.unwrap();
    }
    let lapsed = Claim {
        effects: Effects::Unkeyed,
        ..claim("lapsed", 1)
    };
    store.claim(&lapsed).await.unwrap();
    database.pass(Duration::from_secs(3_700)).await;
    let repeat = Claim { owner: 2, ..lapsed };
    store.claim(&repeat).await.unwrap();
    let shown = "select count(*) from {table} where purge_at <= now()";
    assert_eq!(database.number(shown).await, 1);
    assert_eq!(store.purge(10).await.unwrap().stripped, 1);
    assert_eq!(database.number(shown).await, 0);
    database.pass(Duration::from_secs(3_700)).await;
    assert_eq!(database.number(shown).await, 2);
    assert_eq!(store.purge(10).await.unwrap().deleted, 2);
}

/// Completing a run touches no index, so a busy table does not bloat: updates stay within the page.
#[tokio::test(flavor = "multi_thread")]
async fn a_run_is_completed_without_touching_an_index() {
    const RUNS: u32 = 200;
    let Some(database) = Database::with("hot_keys").await else {
        return;
    };
    let ledger = database.ledger(&rules());
    for number in 0..RUNS {
        let begun = ledger.begin(request(&number.to_string())).await;
        let Ok(Begun::Run(run)) = begun else {
            panic!("the key is new");
        };
        run.complete(answer("x"), None).await.unwrap();
    }
    while statistic(&database, "n_tup_upd").await < i64::from(RUNS) {
        tokio::task::yield_now().await;
    }
    let hot = statistic(&database, "n_tup_hot_upd").await;
    assert_eq!(hot, i64::from(RUNS));
}
