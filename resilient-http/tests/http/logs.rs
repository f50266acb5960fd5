//! What is written into logs.

use http::StatusCode;
use resilient_core::idempotency::{Effects, Idempotency};
use tracing::Instrument;

use crate::app::{App, post};
use crate::log;

#[tokio::test(start_paused = true)]
async fn i56_neither_key_nor_body_is_logged_but_the_span_is() {
    let (log, _guard) = log::capture();
    let app = App::answering(Idempotency::of(Effects::Unkeyed), |_| {
        (StatusCode::BAD_GATEWAY, "an answer")
    });
    let span = tracing::info_span!("request", id = 4711);
    app.send(post("customer-17", "a payload"))
        .instrument(span)
        .await;
    app.send(post("customer-17", "a payload")).await;
    let text = log.text();
    assert!(
        text.contains("request{id=4711}: resilient: idempotency.uncertain"),
        "{text}"
    );
    for secret in ["customer-17", "a payload", "an answer", "tenant"] {
        assert!(!text.contains(secret), "{secret}: {text}");
    }
}
