//! Which requests under one key are the same.

use axum::body::Body;
use axum::extract::Request;
use resilient_core::idempotency::Fingerprint;

use crate::app::{App, Change, post, rules, short};

const BYTES: Change = |builder| builder;
const JSON: Change = |builder| builder.fingerprint_json();
const AMOUNT: Change = |builder| {
    builder
        .fingerprint(|_, body| Fingerprint::of_bytes(&[body.split(|b| *b == b' ').next().unwrap()]))
};

struct Row {
    id: &'static str,
    way: Change,
    first: &'static [u8],
    second: &'static [u8],
    same: bool,
}

#[tokio::test(start_paused = true)]
async fn i11_i13_q11_each_way_to_compare() {
    let ordered = br#"{"a":1,"b":2}"#;
    let turned = br#" { "b":2, "a":1 }"#;
    let row = |id, way, first, second, same| Row {
        id,
        way,
        first,
        second,
        same,
    };
    let rows = [
        row("I11 the same", BYTES, ordered, ordered, true),
        row("I11 another", BYTES, b"A", b"B", false),
        row("I13 bytes: blanks and order", BYTES, ordered, turned, false),
        row("I13 JSON: blanks and order", JSON, ordered, turned, true),
        row(
            "Q11 JSON: another value",
            JSON,
            b"{\"a\":1}",
            b"{\"a\":2}",
            false,
        ),
        row(
            "Q11 JSON: 1 and 1.0",
            JSON,
            b"{\"a\":1}",
            b"{\"a\":1.0}",
            false,
        ),
        row(
            "Q11 JSON: the order of a list",
            JSON,
            b"[1,2]",
            b"[2,1]",
            false,
        ),
        row(
            "Q11 bytes: gzip and plain",
            BYTES,
            b"\x1f\x8b\x08",
            b"plain",
            false,
        ),
        row(
            "Q11 bytes: another boundary",
            BYTES,
            b"--a\r\n",
            b"--b\r\n",
            false,
        ),
        row("JSON mode, no JSON", JSON, b"\x1f\x8b", b"\x1f\x8b", true),
        row(
            "JSON mode, other bytes",
            JSON,
            b"\x1f\x8b",
            b"\x1f\x8c",
            false,
        ),
        row("JSON mode, JSON then none", JSON, b"{}", b"{", false),
        row("JSON mode, nothing then null", JSON, b"", b"null", false),
        row("own: what it ignores", AMOUNT, b"5 now", b"5 later", true),
        row("own: what it reads", AMOUNT, b"5 now", b"6 now", false),
    ];
    for row in rows {
        let app = App::numbering(row.way);
        let first = app.send(post("k", row.first)).await;
        assert_eq!(first.short(), short(201, "new"), "{}", row.id);
        let second = app.send(post("k", row.second)).await;
        let expected = if row.same {
            short(201, "replay")
        } else {
            short(422, "IDEMPOTENCY_KEY_REUSED")
        };
        assert_eq!(second.short(), expected, "{}", row.id);
        // The refusal changed nothing.
        let again = app.send(post("k", row.first)).await;
        assert_eq!(again.short(), short(201, "replay"), "{}", row.id);
        assert_eq!(app.runs(), 1, "{}", row.id);
    }
}

#[tokio::test(start_paused = true)]
async fn q11_another_query_is_another_request() {
    for way in [BYTES, JSON] {
        let app = App::numbering(way);
        let to = |uri: &str| {
            let request = Request::post(uri).header("idempotency-key", "k");
            request.body(Body::from("{}")).unwrap()
        };
        assert_eq!(app.send(to("/pay?dry=1")).await.status, 201);
        assert_eq!(app.send(to("/pay?dry=0")).await.status, 422);
        assert_eq!(app.runs(), 1);
    }
}

#[tokio::test(start_paused = true)]
async fn the_handler_reads_the_body_as_it_was_sent() {
    let app = App::new(rules(), |_, request: Request| async {
        let body = axum::body::to_bytes(request.into_body(), 100).await;
        body.unwrap()
    });
    let told = app.send(post("k", "{ \"a\" : 1 }")).await;
    assert_eq!(told.text(), "{ \"a\" : 1 }");
}
