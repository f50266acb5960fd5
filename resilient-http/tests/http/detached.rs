//! Clients that go away, and processes that end.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::Request;
use axum::middleware::{Next, from_fn};
use http::StatusCode;
use resilient_core::idempotency::{Begun, Request as Claimed};
use resilient_http::idempotency::StillRunning;
use tokio::io::AsyncWriteExt;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;
use tokio::time::{Instant, sleep};

use crate::app::{App, id, post, rules, short};

const REQUEST: &[u8] =
    b"POST /pay HTTP/1.1\r\nhost: a\r\nidempotency-key: k\r\ncontent-length: 2\r\n\r\n{}";

/// Long enough for a fact to come about on a busy machine; never waited for in full.
async fn soon<T>(fact: impl Future<Output = T>) -> T {
    tokio::time::timeout(Duration::from_secs(60), fact)
        .await
        .unwrap()
}

/// Tells when it is dropped.
struct Gone(Arc<Notify>);

impl Drop for Gone {
    fn drop(&mut self) {
        self.0.notify_one();
    }
}

/// Over a real connection: the server notices that it is closed, and the run goes on.
#[tokio::test]
async fn i38_q04_a_run_goes_on_when_its_client_has_gone() {
    let (begun, go_on, gone) = (
        Arc::new(Notify::new()),
        Arc::new(Notify::new()),
        Arc::new(Notify::new()),
    );
    let app = App::new(rules(), {
        let (begun, go_on) = (Arc::clone(&begun), Arc::clone(&go_on));
        move |run, _| {
            let (begun, go_on) = (Arc::clone(&begun), Arc::clone(&go_on));
            async move {
                begun.notify_one();
                go_on.notified().await;
                (StatusCode::CREATED, format!("run {run}"))
            }
        }
    });
    let watched = app.router.clone().layer(from_fn({
        let gone = Arc::clone(&gone);
        move |request: Request, next: Next| {
            let gone = Gone(Arc::clone(&gone));
            async move {
                let response = next.run(request).await;
                drop(gone);
                response
            }
        }
    }));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let server = tokio::spawn(async move { axum::serve(listener, watched).await });

    let mut client = TcpStream::connect(address).await.unwrap();
    client.write_all(REQUEST).await.unwrap();
    soon(begun.notified()).await;
    drop(client);
    soon(gone.notified()).await;
    assert_eq!(app.drain.running(), 1);

    go_on.notify_one();
    soon(app.drain.drain(Duration::from_secs(60)))
        .await
        .unwrap();
    let told = soon(app.send(post("k", "{}"))).await;
    assert_eq!((told.short(), told.text()), (short(201, "replay"), "run 1"));
    assert_eq!(app.runs(), 1);
    server.abort();
}

fn slow(millis: u64) -> App {
    App::new(rules(), move |_, _| async move {
        sleep(Duration::from_millis(millis)).await;
        StatusCode::CREATED
    })
}

#[tokio::test(start_paused = true)]
async fn i38_a_request_that_is_dropped_runs_to_its_end() {
    let app = slow(300);
    let cut = tokio::time::timeout(Duration::from_millis(50), app.send(post("k", "{}"))).await;
    assert!(cut.is_err());
    sleep(Duration::from_secs(1)).await;
    assert_eq!(
        app.send(post("k", "{}")).await.short(),
        short(201, "replay")
    );
    assert_eq!(app.runs(), 1);
}

/// The first one fails after 300 ms; by then, nobody waits any more behind it.
#[tokio::test(start_paused = true)]
async fn who_goes_while_it_waits_does_not_run() {
    let app = App::new(rules().wait("2s"), |_, _| async {
        sleep(Duration::from_millis(300)).await;
        StatusCode::BAD_GATEWAY
    });
    let first = tokio::spawn({
        let app = app.clone();
        async move { app.send(post("k", "{}")).await }
    });
    sleep(Duration::from_millis(1)).await;
    let cut = tokio::time::timeout(Duration::from_millis(50), app.send(post("k", "{}"))).await;
    assert!(cut.is_err());
    assert_eq!(app.drain.running(), 2);
    assert_eq!(first.await.unwrap().status, 502);
    app.drain.drain(Duration::from_secs(3)).await.unwrap();
    assert_eq!((app.runs(), app.ledger.counts().retried), (1, 1));
    assert_eq!(app.send(post("k", "{}")).await.status, 502);
    assert_eq!(app.runs(), 2, "the key is free for who comes next");
}

/// What a process began that has died since is finished, whoever is still there to be told.
#[tokio::test(start_paused = true)]
async fn i28_who_goes_while_it_waits_for_a_dead_owner_runs() {
    let app = App::numbering(rules().wait("60s"));
    let begun = app.ledger.begin(Claimed::new(id("k"))).await.unwrap();
    assert!(matches!(begun, Begun::Run(_)));
    drop(begun);
    let cut = tokio::time::timeout(Duration::from_millis(50), app.send(post("k", "{}"))).await;
    assert!(cut.is_err());
    app.drain.drain(Duration::from_secs(60)).await.unwrap();
    assert_eq!(
        app.send(post("k", "{}")).await.short(),
        short(201, "replay")
    );
    assert_eq!((app.runs(), app.ledger.counts().takeovers), (1, 1));
}

#[tokio::test(start_paused = true)]
async fn i39_a_drain_waits_for_what_is_at_work_and_not_for_ever() {
    let app = slow(5000);
    let cut = tokio::time::timeout(Duration::from_millis(50), app.send(post("k", "{}"))).await;
    assert!(cut.is_err());

    let second = Duration::from_secs(1);
    let left = app.drain.drain(second).await.unwrap_err();
    assert_eq!(
        left,
        StillRunning {
            running: 1,
            waited: second
        }
    );
    assert_eq!(
        left.to_string(),
        "1 requests with idempotency keys were still at work after 1s"
    );

    let before = Instant::now();
    app.drain.drain(Duration::from_secs(25)).await.unwrap();
    assert_eq!(before.elapsed(), Duration::from_millis(3950));
    assert_eq!(
        app.send(post("k", "{}")).await.short(),
        short(201, "replay")
    );
}

#[tokio::test(start_paused = true)]
async fn i39_an_idle_service_is_drained_at_once() {
    let before = Instant::now();
    slow(1).drain.drain(Duration::ZERO).await.unwrap();
    assert_eq!(before.elapsed(), Duration::ZERO);
}
