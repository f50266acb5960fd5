//! What becomes of requests while the store is away.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use http::StatusCode;
use resilient_core::idempotency::{Idempotency, Resolution};
use resilient_http::idempotency::DoNotStore;
use tokio::time::Instant;

use crate::app::{App, Change, SetUp, ledger, post, rules, short};
use crate::flaky_store::{FlakyStore, Switches};

fn app(rules: &Idempotency) -> (App, Arc<Switches>) {
    let store = FlakyStore::new();
    let switches = Arc::clone(&store.switches);
    (App::numbering(ledger(store, rules)), switches)
}

#[tokio::test(start_paused = true)]
async fn i42_q14_without_the_store_nothing_runs() {
    let (app, switches) = app(&rules());
    switches.claims.store(true, Ordering::SeqCst);
    let told = app.send(post("k", "{}")).await;
    assert_eq!(told.short(), short(503, "IDEMPOTENCY_STORE_UNAVAILABLE"));
    assert_eq!(told.header("retry-after"), Some("5"));
    assert!(
        !told.text().contains("10.0.0.5"),
        "the client is not told where the store is"
    );
    assert_eq!(app.runs(), 0);
    switches.claims.store(false, Ordering::SeqCst);
    assert_eq!(app.send(post("k", "{}")).await.short(), short(201, "new"));
}

#[tokio::test(start_paused = true)]
async fn i42_a_store_that_hangs_is_not_waited_for() {
    let (app, switches) = app(&rules().store_timeout("50ms"));
    switches.claims.store(true, Ordering::SeqCst);
    switches.hangs.store(true, Ordering::SeqCst);
    let before = Instant::now();
    assert_eq!(app.send(post("k", "{}")).await.status, 503);
    assert_eq!(before.elapsed(), Duration::from_millis(50));
}

#[tokio::test(start_paused = true)]
async fn i42_where_that_is_said_it_runs_unprotected_and_says_so() {
    let (app, switches) = app(&rules().fail_open());
    switches.claims.store(true, Ordering::SeqCst);
    for run in ["run 1", "run 2"] {
        let told = app.send(post("k", "{}")).await;
        assert_eq!((told.status, told.text()), (201, run));
        assert_eq!(told.header("idempotency-bypassed"), Some("true"));
    }
    switches.claims.store(false, Ordering::SeqCst);
    let told = app.send(post("k", "{}")).await;
    assert_eq!(told.header("idempotency-bypassed"), None);
    assert_eq!(app.ledger.counts().bypassed, 2);
}

/// The answer is true all the same; the key is held until its lease lapses.
#[tokio::test(start_paused = true)]
async fn i41_q14_an_answer_that_cannot_be_stored_reaches_its_client() {
    let (app, switches) = app(&rules());
    switches.ends.store(true, Ordering::SeqCst);
    let told = app.send(post("k", "{}")).await;
    assert_eq!((told.short(), told.text()), (short(201, "new"), "run 1"));
    switches.ends.store(false, Ordering::SeqCst);
    let told = app.send(post("k", "{}")).await;
    assert_eq!(told.short(), short(409, "IDEMPOTENCY_IN_PROGRESS"));
    tokio::time::sleep(Duration::from_secs(31)).await;
    assert_eq!(app.send(post("k", "{}")).await.text(), "run 2");
}

#[tokio::test(start_paused = true)]
async fn i41_a_release_that_fails_changes_no_answer() {
    let store = FlakyStore::new();
    let switches = Arc::clone(&store.switches);
    switches.ends.store(true, Ordering::SeqCst);
    let app = App::answering(ledger(store, &rules()), |_| {
        (axum::Extension(DoNotStore), StatusCode::OK)
    });
    assert_eq!(app.send(post("k", "{}")).await.short(), short(200, "new"));
}

#[tokio::test(start_paused = true)]
async fn an_uncertain_run_is_asked_about() {
    use resilient_core::idempotency::{Effects, Record, Resource};

    let found: Change = |builder| {
        builder.resolve(|_: &Record| async {
            Resolution::Done {
                resource: Some(Resource::new("charge", 7)),
            }
        })
    };
    let nothing: Change = |builder| builder.resolve(|_: &Record| async { Resolution::NotExecuted });
    for (change, second, runs) in [
        (found, short(409, "IDEMPOTENCY_ANSWER_GONE"), 1),
        (nothing, short(201, "new"), 2),
    ] {
        let set_up = SetUp {
            change,
            ..SetUp::from(Idempotency::of(Effects::Unkeyed))
        };
        let app = App::answering(set_up, |run| match run {
            1 => StatusCode::BAD_GATEWAY,
            _ => StatusCode::CREATED,
        });
        assert_eq!(app.send(post("k", "{}")).await.status, 502);
        assert_eq!(app.send(post("k", "{}")).await.short(), second);
        assert_eq!(app.runs(), runs);
    }
}
