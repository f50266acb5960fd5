//! How runs end that do not end with an answer, and what code inside a run knows.

use std::time::Duration;

use axum::extract::Request;
use axum::response::Response;
use http::StatusCode;
use resilient_core::idempotency::{Effects, Idempotency, MemoryStore, Scope, current};
use resilient_http::{BufferedBody, IdempotencyLayer};
use tokio::time::sleep;
use tower::{ServiceBuilder, ServiceExt, service_fn};

use crate::app::{App, id, ledger, post, rules, short};

/// Panics in the first run; in code that stands for a handler, that is the point.
fn panics_first(effects: Effects) -> App {
    App::new(Idempotency::of(effects), |run, _| async move {
        assert!(run > 1, "the handler goes wrong");
        StatusCode::CREATED
    })
}

#[tokio::test(start_paused = true)]
async fn i23_q04_a_panic_frees_the_key_at_once() {
    let app = panics_first(Effects::Keyed);
    let told = app.send(post("k", "{}")).await;
    assert_eq!(told.short(), short(500, "INTERNAL_SERVER_ERROR"));
    assert_eq!(app.send(post("k", "{}")).await.short(), short(201, "new"));
    assert_eq!(
        app.send(post("k", "{}")).await.short(),
        short(201, "replay")
    );
    assert_eq!(app.drain.running(), 0);
}

#[tokio::test(start_paused = true)]
async fn i23_a_panic_amid_effects_that_cannot_be_repeated_is_uncertain() {
    let app = panics_first(Effects::Unkeyed);
    assert_eq!(app.send(post("k", "{}")).await.status, 500);
    let told = app.send(post("k", "{}")).await;
    assert_eq!(told.short(), short(409, "IDEMPOTENCY_UNCERTAIN"));
    assert_eq!((app.runs(), app.ledger.counts().uncertain), (1, 2));
}

#[tokio::test(start_paused = true)]
async fn an_error_of_the_service_frees_the_key_and_is_passed_on() {
    let layer = IdempotencyLayer::new(ledger(MemoryStore::new(9), &rules()), |_: &_| {
        Scope::of("t")
    });
    let service = ServiceBuilder::new().layer(layer).service(service_fn(
        |_: http::Request<BufferedBody<axum::body::Body>>| async {
            Err::<Response, _>("the service is broken")
        },
    ));
    for _ in 0..2 {
        let told = service.clone().oneshot(post("k", "{}")).await;
        assert_eq!(told.unwrap_err(), "the service is broken");
    }
}

/// The first run hangs for so long; an operator removes its record, and a second one is done first.
async fn superseded(millis: u64) -> (App, crate::app::Told) {
    let app = App::new(rules(), move |run, _| async move {
        if run == 1 {
            sleep(Duration::from_millis(millis)).await;
        }
        (StatusCode::CREATED, format!("run {run}"))
    });
    let first = tokio::spawn({
        let app = app.clone();
        async move { app.send(post("k", "{}")).await }
    });
    sleep(Duration::from_millis(1)).await;
    assert!(app.ledger.remove(&id("k"), "ada").await.unwrap());
    assert_eq!(app.send(post("k", "{}")).await.text(), "run 2");
    (app, first.await.unwrap())
}

#[tokio::test(start_paused = true)]
async fn i58_a_run_that_lost_its_lease_is_told_the_answer_that_stands() {
    // The first notices when it stores its answer; the second when it renews its lease.
    for (millis, finished) in [(1000, true), (3_600_000, false)] {
        let (app, told) = superseded(millis).await;
        assert_eq!((told.text(), told.short()), ("run 2", short(201, "replay")));
        assert_eq!(app.ledger.counts().lease_lost, 1, "finished: {finished}");
        assert_eq!(app.send(post("k", "{}")).await.text(), "run 2");
    }
}

#[tokio::test(start_paused = true)]
async fn i31_a_long_run_keeps_its_lease() {
    let app = App::new(rules(), |_, _| async {
        sleep(Duration::from_secs(90)).await;
        StatusCode::CREATED
    });
    let first = tokio::spawn({
        let app = app.clone();
        async move { app.send(post("k", "{}")).await }
    });
    sleep(Duration::from_secs(60)).await;
    let told = app.send(post("k", "{}")).await;
    assert_eq!(told.short(), short(409, "IDEMPOTENCY_IN_PROGRESS"));
    assert_eq!(first.await.unwrap().status, 201);
    assert_eq!(app.runs(), 1);
}

#[tokio::test(start_paused = true)]
async fn i49_an_answer_counts_until_its_time_is_over() {
    let app = App::numbering(rules());
    assert_eq!(app.send(post("k", "{}")).await.text(), "run 1");
    sleep(Duration::from_secs(24 * 3600 - 1)).await;
    assert_eq!(app.send(post("k", "{}")).await.text(), "run 1");
    sleep(Duration::from_secs(2)).await;
    assert_eq!(app.send(post("k", "{}")).await.text(), "run 2");
}

/// What the code of a run knows about it.
fn known() -> String {
    let Some(run) = current() else {
        return "no run".to_owned();
    };
    let same = run.derived_key("charge") == id("k").derived_key("charge");
    let (fence, attempts) = (run.fence(), run.attempts());
    format!("fence {fence}, attempt {attempts}, derived {same}")
}

#[tokio::test(start_paused = true)]
async fn a_handler_knows_its_run() {
    let app = App::answering(rules(), |_| known());
    let told = app.send(post("k", "{}")).await;
    assert_eq!(told.text(), "fence 1, attempt 1, derived true");
    let without = Request::get("/pay")
        .body(axum::body::Body::empty())
        .unwrap();
    assert_eq!(app.send(without).await.text(), "no run");
}
