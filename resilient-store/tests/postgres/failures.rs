//! A server that is down, killed or frozen, through both clients.

use std::sync::Arc;
use std::time::Duration;

use resilient_core::idempotency::{Begun, Ledger, Refusal, Run, StoreError};
use resilient_store::{PostgresStore, SqlxStore};
use resilient_test_servers::Postgres;
use sqlx::PgPool;

use crate::database::{answer, request, rules};

/// Long enough for a busy machine, short enough to be waited for.
const STORE_TIMEOUT: Duration = Duration::from_secs(2);

/// A ledger of each client over one private server.
async fn ledgers(server: &Postgres) -> [(&'static str, Ledger); 2] {
    let rules = rules().store_timeout(STORE_TIMEOUT);
    let postgres = PostgresStore::connect(&server.url()).unwrap();
    postgres.migrate().await.unwrap();
    let sqlx = SqlxStore::new(PgPool::connect(&server.url()).await.unwrap());
    [
        ("tokio-postgres", Ledger::new(postgres, &rules).unwrap()),
        ("sqlx", Ledger::new(sqlx, &rules).unwrap()),
    ]
}

async fn run(ledger: &Ledger, key: &str) -> Run {
    match ledger.begin(request(key)).await {
        Ok(Begun::Run(run)) => run,
        other => panic!("{key}: {other:?}"),
    }
}

async fn replay(ledger: &Ledger, key: &str) -> Vec<u8> {
    match ledger.begin(request(key)).await {
        Ok(Begun::Replay(answer)) => answer.body,
        other => panic!("{key}: {other:?}"),
    }
}

fn why(begun: Result<Begun, Refusal>) -> Arc<StoreError> {
    match begun {
        Err(Refusal::Unavailable {
            source,
            retry_after,
        }) => {
            assert!(!retry_after.is_zero());
            source
        }
        other => panic!("{other:?}"),
    }
}

/// I42, Q14: nothing runs while the server is down, unless the rules say so; after a restart the
/// pools recover by themselves, and what was stored is replayed.
#[tokio::test(flavor = "multi_thread")]
async fn i42_q14_a_server_that_is_down_is_an_error_and_recovers() {
    let Some(mut server) = Postgres::start().unwrap() else {
        return;
    };
    let ledgers = ledgers(&server).await;
    for (client, ledger) in &ledgers {
        run(ledger, client)
            .await
            .complete(answer(client), None)
            .await
            .unwrap();
    }
    server.kill().unwrap();
    for (client, ledger) in &ledgers {
        let error = why(ledger.begin(request("down")).await);
        assert!(
            matches!(
                *error,
                StoreError::Unavailable { .. } | StoreError::TimedOut { .. }
            ),
            "{client}: {error:?}"
        );
        let open = ledger
            .with_rules(&rules().store_timeout(STORE_TIMEOUT).fail_open())
            .unwrap();
        assert!(
            matches!(open.begin(request("down")).await, Ok(Begun::Bypassed)),
            "{client}"
        );
        assert_eq!(ledger.counts().bypassed, 1, "{client}");
    }
    server.restart().unwrap();
    for (client, ledger) in &ledgers {
        assert_eq!(replay(ledger, client).await, client.as_bytes());
        run(ledger, &format!("{client} afterwards"))
            .await
            .release()
            .await
            .unwrap();
    }
}

/// Q14: killed in the middle of a run, its answer is not lost on the one who asked, the record
/// stays as it was, and its key runs again after the lease.
#[tokio::test(flavor = "multi_thread")]
async fn q14_a_server_that_is_killed_in_a_run_keeps_its_claim() {
    let Some(mut server) = Postgres::start().unwrap() else {
        return;
    };
    let ledgers = ledgers(&server).await;
    let mut runs = Vec::new();
    for (client, ledger) in &ledgers {
        runs.push((client, ledger, run(ledger, client).await));
    }
    server.kill().unwrap();
    let mut fences = Vec::new();
    for (client, ledger, run) in runs {
        fences.push((client, ledger, run.execution().fence()));
        let error = run.complete(answer("x"), None).await.unwrap_err();
        assert!(
            matches!(
                error,
                StoreError::Unavailable { .. } | StoreError::TimedOut { .. }
            ),
            "{client}: {error:?}"
        );
    }
    server.restart().unwrap();
    let raw = PgPool::connect(&server.url()).await.unwrap();
    for (client, ledger, _) in &fences {
        let refused = ledger.begin(request(client)).await.unwrap_err();
        assert_eq!(refused.code(), "IDEMPOTENCY_IN_PROGRESS", "{client}");
    }
    sqlx::query("update idempotency_keys set leased_until = now()")
        .execute(&raw)
        .await
        .unwrap();
    for (client, ledger, fence) in &fences {
        let second = run(ledger, client).await;
        // A sequence skips numbers in a crash, and repeats none.
        assert!(second.execution().fence() > *fence, "{client}");
        second.complete(answer("y"), None).await.unwrap();
        assert_eq!(replay(ledger, client).await, b"y");
    }
}

/// A server that accepts and does not answer is an error after `store_timeout`, whatever step it is
/// asked; a run that is at work goes on and is stored when the server answers again.
#[tokio::test(flavor = "multi_thread")]
async fn a_frozen_server_is_an_error_in_time_and_ends_no_run() {
    let Some(server) = Postgres::start().unwrap() else {
        return;
    };
    let impatient = rules().lease("600ms").store_timeout("300ms");
    for (client, ledger) in ledgers(&server).await {
        let first = run(&ledger, client).await;
        server.freeze().unwrap();
        let quick = ledger.with_rules(&impatient).unwrap();
        let error = why(quick.begin(request("frozen")).await);
        assert!(
            matches!(*error, StoreError::TimedOut { .. }),
            "{client}: {error:?}"
        );
        assert!(
            quick.show(first.execution().id()).await.is_err(),
            "{client}"
        );
        server.thaw().unwrap();
        first.complete(answer(client), None).await.unwrap();
        assert_eq!(replay(&ledger, client).await, client.as_bytes());
    }
}

/// Renewals that fail do not end a run: nobody can take it over who asks the same store.
#[tokio::test(flavor = "multi_thread")]
async fn renewals_that_fail_end_no_run() {
    let Some(server) = Postgres::start().unwrap() else {
        return;
    };
    for (client, ledger) in ledgers(&server).await {
        let quick = ledger
            .with_rules(&rules().lease("1500ms").store_timeout("300ms"))
            .unwrap();
        let first = run(&quick, client).await;
        let errors = quick.counts().store_errors;
        server.freeze().unwrap();
        let body = async {
            while quick.counts().store_errors == errors {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
            server.thaw().unwrap();
            answer(client)
        };
        let made = first.drive(body).await.unwrap();
        first.complete(made, None).await.unwrap();
        assert_eq!(replay(&ledger, client).await, client.as_bytes());
    }
}

/// A pool that has no connection to give is an error in time.
#[tokio::test(flavor = "multi_thread")]
async fn an_exhausted_pool_is_an_error_in_time() {
    let Some(server) = Postgres::shared().unwrap() else {
        return;
    };
    let manager =
        deadpool_postgres::Manager::new(server.url().parse().unwrap(), tokio_postgres::NoTls);
    let pool = deadpool_postgres::Pool::builder(manager)
        .max_size(1)
        .build()
        .unwrap();
    let _all = pool.get().await.unwrap();
    let store = PostgresStore::new(pool);
    let ledger = Ledger::new(store, &rules().store_timeout("100ms")).unwrap();
    let error = why(ledger.begin(request("k")).await);
    assert!(matches!(*error, StoreError::TimedOut { .. }), "{error:?}");
}
