//! Many requests with one key at once.

use std::time::Duration;

use http::StatusCode;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep};

use crate::app::{App, SetUp, Told, post, rules, short};

/// Answers 201 after so many milliseconds.
fn slow(set_up: impl Into<SetUp>, millis: u64) -> App {
    App::new(set_up, move |run, _| async move {
        sleep(Duration::from_millis(millis)).await;
        (StatusCode::CREATED, format!("run {run}"))
    })
}

async fn at_once(app: &App, count: usize) -> Vec<Told> {
    let mut sent = JoinSet::new();
    for _ in 0..count {
        let app = app.clone();
        sent.spawn(async move { app.send(post("k", "{}")).await });
    }
    sent.join_all().await
}

#[tokio::test(start_paused = true)]
async fn i17_q01_one_of_many_runs_and_the_others_are_told_so() {
    let app = slow(rules(), 300);
    let told = at_once(&app, 50).await;
    let (answered, refused): (Vec<_>, Vec<_>) = told.iter().partition(|told| told.status == 201);
    assert_eq!((answered.len(), refused.len(), app.runs()), (1, 49, 1));
    for told in refused {
        assert_eq!(told.short(), short(409, "IDEMPOTENCY_IN_PROGRESS"));
        assert_eq!(told.header("retry-after"), Some("1"));
        assert_eq!(told.problem()["error"]["retryAfter"], 1);
    }
}

#[tokio::test(start_paused = true)]
async fn i18_q08_those_who_wait_are_given_the_answer() {
    let app = slow(rules().wait("2s"), 300);
    let told = at_once(&app, 50).await;
    assert_eq!(app.runs(), 1);
    assert!(
        told.iter()
            .all(|told| (told.status, told.text()) == (201, "run 1"))
    );
    let replays = told.iter().filter(|told| told.is_replay()).count();
    assert_eq!(replays, 49);
}

#[tokio::test(start_paused = true)]
async fn i19_those_who_wait_give_up_in_time() {
    let app = slow(rules().wait("100ms"), 1000);
    let first = tokio::spawn({
        let app = app.clone();
        async move { app.send(post("k", "{}")).await }
    });
    // The first has claimed the key when it sleeps.
    sleep(Duration::from_millis(1)).await;
    let before = Instant::now();
    let second = app.send(post("k", "{}")).await;
    assert_eq!(second.short(), short(409, "IDEMPOTENCY_IN_PROGRESS"));
    assert_eq!(before.elapsed(), Duration::from_millis(100));
    assert_eq!(first.await.unwrap().status, 201);
    assert_eq!(app.runs(), 1);
}

#[tokio::test(start_paused = true)]
async fn i21_q03_another_payload_is_told_before_all_else() {
    // Waiting is for repeats; another payload is refused at once there, too.
    let app = slow(rules().wait("30s"), 1000);
    let first = tokio::spawn({
        let app = app.clone();
        async move { app.send(post("k", "one")).await }
    });
    sleep(Duration::from_millis(1)).await;
    let before = Instant::now();
    let other = app.send(post("k", "two")).await;
    assert_eq!(other.short(), short(422, "IDEMPOTENCY_KEY_REUSED"));
    assert_eq!(before.elapsed(), Duration::ZERO);
    assert_eq!(first.await.unwrap().status, 201);
    assert_eq!(app.send(post("k", "two")).await.status, 422);
    assert_eq!(
        app.send(post("k", "one")).await.short(),
        short(201, "replay")
    );
    assert_eq!(app.runs(), 1);
}
