//! Which requests need a key, and which keys are refused.

use axum::body::Body;
use axum::extract::Request;
use http::{HeaderName, HeaderValue, Method};

use crate::app::{App, Change, post, rules, short};

const NEW: (u16, &str) = (201, "new");
const INVALID: (u16, &str) = (400, "INVALID_IDEMPOTENCY_KEY");
const MISSING: (u16, &str) = (400, "MISSING_IDEMPOTENCY_KEY");

struct Row {
    id: &'static str,
    method: Method,
    keys: Vec<Vec<u8>>,
    expected: (u16, &'static str),
}

fn row(id: &'static str, keys: &[&[u8]], expected: (u16, &'static str)) -> Row {
    Row {
        id,
        method: Method::POST,
        keys: keys.iter().map(|key| key.to_vec()).collect(),
        expected,
    }
}

fn of_method(row: Row, method: Method) -> Row {
    Row { method, ..row }
}

#[tokio::test(start_paused = true)]
async fn i01_i02_i03_i04_i07_q18_each_key_and_method() {
    let (longest, too_long) = (vec![b'k'; 255], vec![b'k'; 256]);
    let rows = [
        row("I01 no key", &[], MISSING),
        row("I03 empty", &[b""], INVALID),
        row("I03 blanks", &[b"   "], INVALID),
        row("I03 quoted nothing", &[b"\"\""], INVALID),
        row("I04 255 bytes", &[&longest], NEW),
        row("I04 256 bytes", &[&too_long], INVALID),
        row("I07 SQL", &[b"'; DROP TABLE x; --"], NEW),
        row("I07 not ASCII", &["na\u{ef}ve".as_bytes()], INVALID),
        row("I07 not text", &[b"\xff"], INVALID),
        row("I07 tab inside", &[b"a\tb"], INVALID),
        row("Q18 open quote", &[b"\"abc"], INVALID),
        row("Q18 two headers", &[b"a", b"b"], INVALID),
        row("Q18 the same header twice", &[b"a", b"a"], INVALID),
        of_method(row("I02 GET without", &[], NEW), Method::GET),
        of_method(row("Q18 GET with a key", &[b"a"], NEW), Method::GET),
        of_method(row("Q18 GET with a bad key", &[b""], NEW), Method::GET),
        of_method(row("PATCH without", &[], MISSING), Method::PATCH),
        of_method(row("PUT without", &[], NEW), Method::PUT),
        of_method(row("DELETE without", &[], NEW), Method::DELETE),
    ];
    for row in rows {
        let app = App::numbering(rules());
        let mut request = Request::builder().method(row.method.clone()).uri("/pay");
        for key in &row.keys {
            let value = HeaderValue::from_bytes(key).unwrap();
            request = request.header("idempotency-key", value);
        }
        let told = app.send(request.body(Body::from("{}")).unwrap()).await;
        let (status, word) = row.expected;
        assert_eq!(told.short(), short(status, word), "{}", row.id);
        let runs = usize::from(status == 201);
        assert_eq!(app.runs(), runs, "{}", row.id);
        let guarded = runs == 1 && row.method == Method::POST;
        assert_eq!(app.records().await, usize::from(guarded), "{}", row.id);
    }
}

#[tokio::test(start_paused = true)]
async fn i05_a_quoted_key_is_the_same_as_a_bare_one() {
    let app = App::numbering(rules());
    assert_eq!(app.send(post("abc", "{}")).await.short(), short(201, "new"));
    let repeat = app.send(post("\"abc\"", "{}")).await;
    assert_eq!(repeat.short(), short(201, "replay"));
    assert_eq!(app.runs(), 1);
}

/// Both forms of the error: RFC 9457, and an `error` object with `code` and `message`.
#[tokio::test(start_paused = true)]
async fn i01_a_refusal_is_a_problem_document() {
    let app = App::numbering(rules());
    let request = Request::post("/pay").body(Body::empty()).unwrap();
    let told = app.send(request).await;
    let expected = serde_json::json!({
        "type": "about:blank",
        "title": "Bad Request",
        "status": 400,
        "detail": "there is no idempotency key: send one with every request, the same with its repeats",
        "code": "MISSING_IDEMPOTENCY_KEY",
        "error": {
            "code": "MISSING_IDEMPOTENCY_KEY",
            "message": "there is no idempotency key: send one with every request, the same with its repeats",
        },
    });
    assert_eq!(told.problem(), expected);
    assert_eq!(told.header("retry-after"), None);
}

#[tokio::test(start_paused = true)]
async fn an_optional_key_protects_only_those_who_send_one() {
    let optional: Change = |builder| builder.key_optional();
    let app = App::numbering(optional);
    let without = || Request::post("/pay").body(Body::from("{}")).unwrap();
    assert_eq!(app.send(without()).await.text(), "run 1");
    assert_eq!(app.send(without()).await.text(), "run 2");
    assert_eq!(app.send(post("k", "{}")).await.text(), "run 3");
    assert_eq!(app.send(post("k", "{}")).await.text(), "run 3");
    assert_eq!(app.send(post("", "{}")).await.status, 400);
}

#[tokio::test(start_paused = true)]
async fn another_header_may_hold_the_key() {
    let other: Change = |builder| builder.key_header(HeaderName::from_static("x-request-key"));
    let app = App::numbering(other);
    assert_eq!(app.send(post("k", "{}")).await.status, 400);
    let request = Request::post("/pay").header("x-request-key", "k");
    assert_eq!(
        app.send(request.body(Body::empty()).unwrap()).await.status,
        201
    );
}

#[tokio::test(start_paused = true)]
async fn i48_a_body_over_the_limit_claims_nothing() {
    for length in [1024 * 1024, 1024 * 1024 + 1] {
        let fits = length == 1024 * 1024;
        let app = App::numbering(rules());
        let told = app.send(post("k", vec![b'x'; length])).await;
        assert_eq!(told.status, if fits { 201 } else { 413 }, "{length}");
        assert_eq!(app.runs(), usize::from(fits), "{length}");
        assert_eq!(app.records().await, usize::from(fits), "{length}");
    }
    // A body that does not say how long it is.
    let short_bodies: Change = |builder| builder.body_limit(5);
    let app = App::numbering(short_bodies);
    let body = Body::new(crate::bodies::pieces(&["abc", "def"]));
    let told = app.send(post("k", body)).await;
    assert_eq!(told.short(), short(413, "REQUEST_BODY_TOO_LARGE"));
    assert_eq!((app.runs(), app.records().await), (0, 0));
}

#[tokio::test(start_paused = true)]
async fn a_body_that_breaks_off_claims_nothing() {
    let app = App::numbering(rules());
    let body = Body::new(crate::bodies::BreaksOff { first: Some("ab") });
    let told = app.send(post("k", body)).await;
    assert_eq!(told.short(), short(400, "REQUEST_BODY_BROKEN"));
    assert_eq!((app.runs(), app.records().await), (0, 0));

    // A layer further out has a limit of its own.
    let body = http_body_util::Limited::new(crate::bodies::pieces(&["abc", "def"]), 5);
    let told = app.send(post("k", Body::new(body))).await;
    assert_eq!(told.short(), short(413, "REQUEST_BODY_TOO_LARGE"));
}
