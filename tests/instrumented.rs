//! `#[tracing::instrument]` rewrites the function too. It works on either side, and the side decides
//! how many spans there are.

#![allow(clippy::unwrap_used, missing_docs)]

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use resilient::{Registry, resilient, scope};
use tracing::span::{Attributes, Id};
use tracing_attributes::instrument;
use tracing_subscriber::layer::{Context, SubscriberExt};
use tracing_subscriber::{Layer, registry};

// shape 40
#[resilient(retry(max = 3, base = "0s"), idempotent, clone(name))]
#[instrument(name = "body", skip(attempts))]
async fn above(attempts: &AtomicU32, name: String) -> io::Result<String> {
    third(attempts)?;
    Ok(name)
}

// shape 39
#[instrument(name = "body", skip(attempts))]
#[resilient(retry(max = 3, base = "0s"), idempotent, clone(name))]
async fn below(attempts: &AtomicU32, name: String) -> io::Result<String> {
    third(attempts)?;
    Ok(name)
}

struct Client {
    attempts: AtomicU32,
}

impl Client {
    #[resilient(retry(max = 3, base = "0s"), idempotent)]
    #[instrument(name = "body", skip_all)]
    async fn lent(&mut self, seen: &mut u32) -> io::Result<u32> {
        *seen += 1;
        third(&self.attempts)?;
        Ok(*seen)
    }
}

#[resilient(retry(max = 3, base = "0s"), idempotent)]
impl Client {
    #[instrument(name = "body", skip_all)]
    #[resilient]
    async fn in_block(&mut self, seen: &mut u32) -> io::Result<u32> {
        *seen += 1;
        third(&self.attempts)?;
        Ok(*seen)
    }
}

fn third(attempts: &AtomicU32) -> io::Result<()> {
    if attempts.fetch_add(1, Ordering::Relaxed) < 2 {
        return Err(io::ErrorKind::ConnectionReset.into());
    }
    Ok(())
}

/// Counts the spans of the bodies.
#[derive(Clone, Default)]
struct Bodies(Arc<AtomicU32>);

impl<S: tracing::Subscriber> Layer<S> for Bodies {
    fn on_new_span(&self, span: &Attributes<'_>, _: &Id, _: Context<'_, S>) {
        if span.metadata().name() == "body" {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }
}

async fn spans_of<T>(call: impl Future<Output = T>) -> (T, u32) {
    let bodies = Bodies::default();
    let _watched = tracing::subscriber::set_default(registry().with(bodies.clone()));
    let outcome = scope(&Registry::new(), call).await;
    (outcome, bodies.0.load(Ordering::Relaxed))
}

#[tokio::test]
async fn below_it_opens_one_span_for_all_attempts() {
    let attempts = AtomicU32::new(0);
    let (outcome, spans) = spans_of(above(&attempts, "name".to_owned())).await;
    assert_eq!((outcome.unwrap().as_str(), spans), ("name", 1));
}

#[tokio::test]
async fn above_it_opens_one_for_each_attempt() {
    let attempts = AtomicU32::new(0);
    let (outcome, spans) = spans_of(below(&attempts, "name".to_owned())).await;
    assert_eq!((outcome.unwrap().as_str(), spans), ("name", 3));
}

#[tokio::test]
async fn below_it_is_lent_what_is_lent() {
    let mut client = Client {
        attempts: AtomicU32::new(0),
    };
    let (outcome, spans) = spans_of(client.lent(&mut 0)).await;
    assert_eq!((outcome.unwrap(), spans), (3, 1));
}

#[tokio::test]
async fn in_a_block_the_side_does_not_matter() {
    let mut client = Client {
        attempts: AtomicU32::new(0),
    };
    let (outcome, spans) = spans_of(client.in_block(&mut 0)).await;
    assert_eq!((outcome.unwrap(), spans), (3, 1));
}
