//! What is written into logs.

use std::io;
use std::sync::{Arc, Mutex};

use http::StatusCode;
use resilient_core::idempotency::{Effects, Idempotency};
use tracing::Instrument;
use tracing::level_filters::LevelFilter;

use crate::app::{App, post};

#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[tokio::test(start_paused = true)]
async fn i56_neither_key_nor_body_is_logged_but_the_span_is() {
    let log = Log::default();
    let written = log.clone();
    let subscriber = tracing_subscriber::fmt()
        .with_max_level(LevelFilter::TRACE)
        .with_ansi(false)
        .with_writer(move || log.clone())
        .finish();
    let _guard = tracing::subscriber::set_default(subscriber);
    let app = App::answering(Idempotency::of(Effects::Unkeyed), |_| {
        (StatusCode::BAD_GATEWAY, "an answer")
    });
    let span = tracing::info_span!("request", id = 4711);
    app.send(post("customer-17", "a payload"))
        .instrument(span)
        .await;
    app.send(post("customer-17", "a payload")).await;
    let text = String::from_utf8(written.0.lock().unwrap().clone()).unwrap();
    assert!(
        text.contains("request{id=4711}: resilient: idempotency.uncertain"),
        "{text}"
    );
    for secret in ["customer-17", "a payload", "an answer", "tenant"] {
        assert!(!text.contains(secret), "{secret}: {text}");
    }
}
