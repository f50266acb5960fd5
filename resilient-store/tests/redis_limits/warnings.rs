//! What operators are told of an outage.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use resilient_core::rate_limit::Limit;
use resilient_test_servers::Redis;
use tokio::time::{advance, pause};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Level, Metadata, Subscriber};

use crate::stage::{ENDLESS, check, hasty, limiter, named};

/// Counts the warnings of this library.
#[derive(Clone, Default)]
struct Warnings(Arc<AtomicU64>);

impl Subscriber for Warnings {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target() == "resilient" && *metadata.level() == Level::WARN
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, _: &Event<'_>) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

/// Case R06 of the bugs: one warning per outage, however long it is.
#[tokio::test]
async fn r06_an_outage_is_told_once() {
    let Some(mut server) = Redis::start_durable().unwrap() else {
        return;
    };
    server.kill().unwrap();
    let warnings = Warnings::default();
    let _told = tracing::subscriber::set_default(warnings.clone());
    let api = limiter(&hasty(&server), named([Limit::fixed("l", 5, ENDLESS)]));
    pause();
    for _ in 0..5 {
        for _ in 0..10 {
            assert!(check(&api, 1).await.is_allowed());
        }
        advance(Duration::from_secs(2)).await;
    }
    let counts = api.counter.counts();
    assert!(counts.errors >= 5, "it was tried again: {counts:?}");
    assert_eq!(warnings.0.load(Ordering::Relaxed), 1);
}
