//! Which answers are replayed, and after which the next one runs.

use axum::response::{IntoResponse, Response};
use http::StatusCode;
use resilient_core::idempotency::{Effects, Idempotency};
use resilient_http::idempotency::{DoNotStore, NotExecuted, StatusRule};

use crate::app::{App, Change, SetUp, post, rules, short};

fn status(code: u16) -> Response {
    StatusCode::from_u16(code).unwrap().into_response()
}

#[tokio::test(start_paused = true)]
async fn i22_i24_i25_i26_q06_what_the_second_of_each_status_meets() {
    let replayed = [200, 201, 202, 204, 303, 402, 404, 409, 410, 412, 418, 451];
    let runs_again = [
        400, 401, 403, 405, 408, 411, 413, 414, 415, 422, 425, 429, 500, 501, 502, 503, 504, 599,
    ];
    // What follows is another protocol, and cannot be repeated.
    let app = App::answering(rules(), |_| status(101));
    app.send(post("k", "{}")).await;
    let second = app.send(post("k", "{}")).await;
    assert_eq!(second.short(), short(409, "IDEMPOTENCY_ANSWER_GONE"));

    let all = replayed.map(|code| (code, true)).into_iter();
    for (code, kept) in all.chain(runs_again.map(|code| (code, false))) {
        let app = App::answering(rules(), move |run| match run {
            1 => status(code),
            _ => status(201),
        });
        assert_eq!(app.send(post("k", "{}")).await.short(), short(code, "new"));
        let second = app.send(post("k", "{}")).await;
        let third = app.send(post("k", "{}")).await;
        if kept {
            assert_eq!(second.short(), short(code, "replay"), "{code}");
        } else {
            assert_eq!(second.short(), short(201, "new"), "{code}");
            assert_eq!(third.short(), short(201, "replay"), "{code}");
        }
        assert_eq!(app.runs(), if kept { 1 } else { 2 }, "{code}");
    }
}

/// A client that was told what is wrong may send it right under the same key.
#[tokio::test(start_paused = true)]
async fn i26_a_refused_body_leaves_not_even_its_fingerprint() {
    for code in [400, 415, 422] {
        let app = App::answering(rules(), move |run| {
            status(if run == 1 { code } else { 201 })
        });
        assert_eq!(app.send(post("k", "bad")).await.status, code);
        assert_eq!(app.records().await, 0, "{code}");
        let fixed = app.send(post("k", "good")).await;
        assert_eq!(fixed.short(), short(201, "new"), "{code}");
    }
}

/// What failed may have had effects for its payload: the key stays that payload's.
#[tokio::test(start_paused = true)]
async fn i22_q03_after_a_failure_another_payload_is_refused() {
    let app = App::answering(rules(), move |run| status(if run == 1 { 500 } else { 201 }));
    assert_eq!(app.send(post("k", "one")).await.status, 500);
    let other = app.send(post("k", "two")).await;
    assert_eq!(other.short(), short(422, "IDEMPOTENCY_KEY_REUSED"));
    assert_eq!(app.send(post("k", "one")).await.short(), short(201, "new"));
    let counts = app.ledger.counts();
    assert_eq!((counts.retried, counts.takeovers), (1, 0));
}

/// With effects that cannot be repeated, only what certainly did nothing runs again.
#[tokio::test(start_paused = true)]
async fn q05_what_may_have_had_effects_is_uncertain() {
    for (code, expected) in [
        (201, short(201, "replay")),
        (400, short(400, "new")),
        (429, short(429, "new")),
        (408, short(409, "IDEMPOTENCY_UNCERTAIN")),
        (500, short(409, "IDEMPOTENCY_UNCERTAIN")),
        (503, short(409, "IDEMPOTENCY_UNCERTAIN")),
    ] {
        let app = App::answering(Idempotency::of(Effects::Unkeyed), move |_| status(code));
        assert_eq!(app.send(post("k", "{}")).await.short(), short(code, "new"));
        let second = app.send(post("k", "{}")).await;
        assert_eq!(second.short(), expected, "{code}");
    }
}

struct Row {
    id: &'static str,
    change: Change,
    effects: Effects,
    answer: fn() -> Response,
    second: (u16, &'static str),
}

fn marked(code: u16, mark: impl Clone + Send + Sync + 'static) -> Response {
    let mut response = status(code);
    response.extensions_mut().insert(mark);
    response
}

fn no_store(code: u16) -> Response {
    (
        status(code).status(),
        [("cache-control", "private, No-Store")],
    )
        .into_response()
}

#[tokio::test(start_paused = true)]
async fn i27_what_a_handler_says_beside_the_status() {
    let usual: Change = |builder| builder;
    let repeats: Change = |builder| builder.no_store_repeats();
    let (new, gone) = ((200, "new"), (409, "IDEMPOTENCY_ANSWER_GONE"));
    let uncertain = (409, "IDEMPOTENCY_UNCERTAIN");
    let row = |id, change, effects, answer, second| Row {
        id,
        change,
        effects,
        answer,
        second,
    };
    let rows = [
        row(
            "I27 not to be stored",
            usual,
            Effects::Keyed,
            || marked(200, DoNotStore),
            new,
        ),
        row(
            "not executed",
            usual,
            Effects::Keyed,
            || marked(200, NotExecuted),
            new,
        ),
        row(
            "not executed, though it cannot be repeated",
            usual,
            Effects::Unkeyed,
            || marked(200, NotExecuted),
            new,
        ),
        row(
            "a failure that did nothing",
            usual,
            Effects::Unkeyed,
            || marked(503, NotExecuted),
            (503, "new"),
        ),
        row(
            "a failure is no answer to be stored or not",
            usual,
            Effects::Unkeyed,
            || marked(500, DoNotStore),
            uncertain,
        ),
        row(
            "no-store: not kept, and not run again",
            usual,
            Effects::Keyed,
            || no_store(200),
            gone,
        ),
        row(
            "I27 no-store: run again where that is said",
            repeats,
            Effects::Keyed,
            || no_store(200),
            new,
        ),
        row(
            "no-store: a failure stays one",
            repeats,
            Effects::Unkeyed,
            || no_store(500),
            uncertain,
        ),
    ];
    for row in rows {
        let set_up = SetUp {
            change: row.change,
            ..SetUp::from(Idempotency::of(row.effects))
        };
        let app = App::answering(set_up, move |_| (row.answer)());
        app.send(post("k", "{}")).await;
        let (status, word) = row.second;
        let second = app.send(post("k", "{}")).await;
        assert_eq!(second.short(), short(status, word), "{}", row.id);
        assert_eq!(app.runs(), if word == "new" { 2 } else { 1 }, "{}", row.id);
    }
}

#[tokio::test(start_paused = true)]
async fn q06_the_rule_can_be_changed() {
    let change: Change =
        |builder| builder.statuses(StatusRule::new().store([422]).not_executed([409]));
    for (code, kept) in [(422, true), (409, false), (404, true)] {
        let app = App::answering(change, move |_| status(code));
        app.send(post("k", "{}")).await;
        assert_eq!(app.send(post("k", "{}")).await.is_replay(), kept, "{code}");
    }
}
