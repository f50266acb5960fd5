//! Limits and idempotency, in both orders.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use axum::Router;
use axum::extract::Request;
use axum::routing::post as route;
use http::StatusCode;
use resilient_core::idempotency::{MemoryStore, Scope};
use resilient_core::rate_limit::Limit;
use resilient_http::{IdempotencyLayer, RateLimitLayer};
use tower::ServiceExt;

use super::shop::limiter;
use crate::app::{Told, ledger, post, rules};

#[derive(Clone, Copy, Debug)]
enum Limiting {
    Outside,
    OutsideExempting,
    Inside,
}

struct Counter {
    router: Router,
    runs: Arc<AtomicUsize>,
}

impl Counter {
    fn new(order: Limiting, quota: u32) -> Self {
        let limiter = limiter([Limit::sliding_log("minute", quota, "60s")]);
        let limit = RateLimitLayer::builder(limiter, |_: &_| "u".to_owned());
        let limit = match order {
            Limiting::OutsideExempting => limit.exempt_replays(),
            Limiting::Outside | Limiting::Inside => limit,
        };
        let limit = limit.build().unwrap();
        let ledger = ledger(MemoryStore::new(100), &rules());
        let idempotency = IdempotencyLayer::new(ledger, |_: &_| Scope::of("u"));
        let runs = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&runs);
        let handler = route(move |_: Request| {
            let run = counted.fetch_add(1, Ordering::SeqCst) + 1;
            async move { (StatusCode::CREATED, format!("run {run}")) }
        });
        let router = Router::new().route("/pay", handler);
        let router = match order {
            Limiting::Inside => router.layer(limit).layer(idempotency),
            Limiting::Outside | Limiting::OutsideExempting => {
                router.layer(idempotency).layer(limit)
            }
        };
        Counter { router, runs }
    }

    async fn send(&self, key: &str) -> Told {
        let response = self.router.clone().oneshot(post(key, "{}")).await.unwrap();
        Told::read(response).await
    }

    async fn short(&self, key: &str) -> String {
        let (status, word) = self.send(key).await.short();
        format!("{status} {word}")
    }
}

/// Row R33: a limit of one, `k`, `k`, `k2`; and a minute later `k2` and `k` again.
#[tokio::test(start_paused = true)]
async fn r33_a_refusal_is_never_stored() {
    let exceeded = "429 RATE_LIMIT_EXCEEDED";
    for (order, expected) in [
        (
            Limiting::Outside,
            ["201 new", exceeded, exceeded, "201 new", exceeded],
        ),
        (
            Limiting::OutsideExempting,
            ["201 new", exceeded, exceeded, "201 new", exceeded],
        ),
        (
            Limiting::Inside,
            ["201 new", "201 replay", exceeded, "201 new", "201 replay"],
        ),
    ] {
        let counter = Counter::new(order, 1);
        let mut told = Vec::new();
        for key in ["k", "k", "k2"] {
            told.push(counter.short(key).await);
        }
        tokio::time::advance(std::time::Duration::from_secs(60)).await;
        for key in ["k2", "k"] {
            told.push(counter.short(key).await);
        }
        assert_eq!(told, expected, "{order:?}");
        assert_eq!(counter.runs.load(Ordering::SeqCst), 2, "{order:?}");
    }
}

/// Row Q19: one answer is replayed a hundred times under a limit of ten.
#[tokio::test(start_paused = true)]
async fn q19_r33_replays_count_unless_they_are_exempt() {
    for (order, replays, left) in [
        (Limiting::Outside, 9, Some("0")),
        (Limiting::OutsideExempting, 100, Some("9")),
        // No limit was asked.
        (Limiting::Inside, 100, None),
    ] {
        let counter = Counter::new(order, 10);
        assert_eq!(counter.short("k").await, "201 new");
        let mut replayed = 0;
        let mut last = None;
        for _ in 0..100 {
            let told = counter.send("k").await;
            replayed += usize::from(told.is_replay());
            last = told.header("x-ratelimit-remaining").map(str::to_owned);
        }
        assert_eq!(replayed, replays, "{order:?}");
        assert_eq!(last.as_deref(), left, "{order:?}");
        assert_eq!(counter.runs.load(Ordering::SeqCst), 1, "{order:?}");
    }
}
