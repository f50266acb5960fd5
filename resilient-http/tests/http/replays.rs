//! What a repeat is given, byte by byte.

use axum::Extension;
use axum::body::Body;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use http::StatusCode;
use http_body_util::BodyExt;
use resilient_core::idempotency::Resource;
use tokio::sync::mpsc;
use tower::ServiceExt;

use crate::app::{App, Change, Told, post, rules, short};
use crate::bodies::{BreaksOff, ByHand, pieces};

#[tokio::test(start_paused = true)]
async fn i08_a_repeat_is_given_the_same_answer() {
    let app = App::answering(rules(), |run| {
        let location = [("location", format!("/orders/{run}"))];
        (StatusCode::CREATED, location, "{\"id\":1}")
    });
    let first = app.send(post("k", "{}")).await;
    let second = app.send(post("k", "{}")).await;
    assert!(!first.is_replay() && second.is_replay());
    assert_eq!((second.status, &second.body), (201, &first.body));
    assert_eq!(second.header("location"), Some("/orders/1"));
    assert_eq!(second.header("content-type"), first.header("content-type"));
    assert_eq!(app.runs(), 1);
    let record = app
        .ledger
        .show(&crate::app::id("k"))
        .await
        .unwrap()
        .unwrap();
    assert_eq!(record.answer.unwrap().body, b"{\"id\":1}");
}

fn with_many_headers() -> Response {
    let headers = [
        ("set-cookie", "sid=1; Expires=Wed, 09 Jun 2027 10:18:14 GMT"),
        ("set-cookie", "theme=dark"),
        ("date", "Sun, 06 Nov 1994 08:49:37 GMT"),
        ("connection", "close"),
        ("keep-alive", "timeout=5"),
        ("x-session", "secret"),
        ("link", "</a>; rel=\"next\", </b>; rel=\"last\""),
        ("link", "</c>"),
        ("content-disposition", "attachment; filename=\"a,b.txt\""),
        ("content-encoding", "gzip"),
        ("content-language", "vi"),
        ("content-type", "application/octet-stream"),
        ("etag", "\"1\""),
        ("location", "/orders/1"),
    ];
    let mut response = Response::new(Body::from(&b"\x1f\x8b\0\xff\xfe"[..]));
    *response.status_mut() = StatusCode::CREATED;
    for (name, value) in headers {
        response.headers_mut().append(name, value.parse().unwrap());
    }
    response
}

#[tokio::test(start_paused = true)]
async fn i44_i45_q13_headers_that_are_kept_and_those_that_are_not() {
    let app = App::answering(rules(), |_| with_many_headers());
    let first = app.send(post("k", "{}")).await;
    assert_eq!(first.headers.get_all("set-cookie").iter().count(), 2);
    let second = app.send(post("k", "{}")).await;
    assert_eq!((second.status, &second.body), (201, &first.body));
    for gone in [
        "set-cookie",
        "date",
        "connection",
        "keep-alive",
        "x-session",
    ] {
        assert_eq!(second.headers.get(gone), None, "{gone}");
    }
    for kept in [
        "link",
        "content-disposition",
        "content-encoding",
        "content-language",
        "content-type",
        "etag",
        "location",
    ] {
        let of = |told: &Told| {
            let values = told.headers.get_all(kept).iter().cloned();
            values.collect::<Vec<_>>()
        };
        assert_eq!(of(&second), of(&first), "{kept}");
    }
    assert_eq!(second.headers.get_all("link").iter().count(), 2);
}

#[tokio::test(start_paused = true)]
async fn a_header_of_ones_own_is_kept_where_that_is_said() {
    let change: Change =
        |builder| builder.keep_headers([http::HeaderName::from_static("x-session")]);
    let app = App::answering(change, |_| with_many_headers());
    app.send(post("k", "{}")).await;
    assert_eq!(
        app.send(post("k", "{}")).await.header("x-session"),
        Some("secret")
    );
}

fn unkept(answer: fn() -> Body, kind: &'static str) -> impl IntoResponse {
    let resource = Extension(Resource::new("order", 4711));
    ([("content-type", kind)], resource, answer())
}

#[tokio::test(start_paused = true)]
async fn i46_i47_what_is_not_kept_is_not_run_again() {
    let limit = 1024 * 1024;
    let large: fn() -> Body = || Body::from(vec![b'x'; 1024 * 1024 + 1]);
    let streamed: fn() -> Body = || Body::new(pieces(&["data: 1\n\n", "data: 2\n\n"]));
    let sized: fn() -> Body = || Body::from("data: 1\n\n");
    for (id, answer, kind, length) in [
        ("I46 too large", large, "text/plain", limit + 1),
        ("I47 in pieces", streamed, "text/plain", 18),
        ("I47 event stream", streamed, "text/event-stream", 18),
        (
            "I47 event stream of known length",
            sized,
            "Text/Event-Stream; a=b",
            9,
        ),
    ] {
        let app = App::answering(rules(), move |_| unkept(answer, kind));
        let first = app.send(post("k", "{}")).await;
        assert_eq!((first.status, first.body.len()), (200, length), "{id}");
        let second = app.send(post("k", "{}")).await;
        assert_eq!(
            second.short(),
            short(409, "IDEMPOTENCY_ANSWER_GONE"),
            "{id}"
        );
        let made = serde_json::json!({ "kind": "order", "id": "4711" });
        assert_eq!(second.problem()["resource"], made, "{id}");
        assert_eq!(second.header("retry-after"), None, "{id}");
        assert_eq!(app.runs(), 1, "{id}");
    }
}

/// A piece is sent on before the next one is there.
#[tokio::test(start_paused = true)]
async fn i47_a_stream_comes_as_it_is_made() {
    let (sender, receiver) = mpsc::unbounded_channel();
    let body = std::sync::Mutex::new(Some(ByHand(receiver)));
    let body = std::sync::Arc::new(body);
    let app = App::answering(rules(), move |_| {
        Body::new(body.lock().unwrap().take().unwrap())
    });
    let response = app.router.clone().oneshot(post("k", "{}")).await.unwrap();
    let mut body = response.into_body();
    for piece in ["one", "two"] {
        sender.send(piece).unwrap();
        let frame = body.frame().await.unwrap().unwrap();
        assert_eq!(frame.into_data().unwrap(), piece);
    }
    drop(sender);
    assert!(body.frame().await.is_none());
}

#[tokio::test(start_paused = true)]
async fn answers_of_unknown_length_are_kept_where_that_is_said() {
    let change: Change = |builder| builder.collect_unsized();
    let app = App::answering(change, |_| Body::new(pieces(&["one ", "two"])));
    for expected in ["new", "replay"] {
        let told = app.send(post("k", "{}")).await;
        assert_eq!(
            (told.text(), told.short()),
            ("one two", short(200, expected))
        );
    }
    // One over the limit is passed on whole.
    let piece: &'static str = "x".repeat(600 * 1024).leak();
    let app = App::answering(change, move |_| Body::new(pieces(&[piece, piece])));
    assert_eq!(app.send(post("k", "{}")).await.body.len(), 1200 * 1024);
    assert_eq!(app.send(post("k", "{}")).await.status, 409);
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_breaks_off_is_a_failure_and_breaks_off_for_the_client() {
    let app = App::answering(rules(), |run| match run {
        1 => Body::new(BreaksOff {
            first: Some("half"),
        })
        .into_response(),
        _ => "whole".into_response(),
    });
    let response = app.router.clone().oneshot(post("k", "{}")).await.unwrap();
    let mut body = response.into_body();
    let frame = body.frame().await.unwrap().unwrap();
    assert_eq!(frame.into_data().unwrap(), Bytes::from("half"));
    assert!(body.frame().await.unwrap().is_err());
    assert_eq!(app.send(post("k", "{}")).await.text(), "whole");
}
