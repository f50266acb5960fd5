//! What becomes of requests while the store is away.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use resilient_core::rate_limit::{
    Ask, Decision, Limit, RateLimiter, Reading, Store, StoreError, StoreFuture,
};
use resilient_http::rate_limit::RateLimitLayerBuilder;

use super::shop::{Change, Shop, limited};
use crate::log;

/// Has room for everybody while it is there.
#[derive(Debug)]
struct FlakyStore {
    is_away: Arc<AtomicBool>,
}

impl Store for FlakyStore {
    fn decide<'a>(&'a self, ask: Ask<'a>) -> StoreFuture<'a, Decision> {
        Box::pin(async move {
            if self.is_away.load(Ordering::SeqCst) {
                return Err(StoreError::new("connection to 10.0.0.5 refused"));
            }
            let readings = ask.limits.iter().map(|limit| Reading {
                remaining: limit.capacity(),
                ..Reading::default()
            });
            let limits = ask.limits.clone();
            Ok(Decision::new(limits, readings.collect(), true, ask.cost, 0))
        })
    }

    fn refund<'a>(&'a self, _: Ask<'a>, _: &'a Decision) -> StoreFuture<'a, ()> {
        Box::pin(async { Ok(()) })
    }
}

fn shop(change: Change) -> (Shop, Arc<AtomicBool>) {
    let is_away = Arc::new(AtomicBool::new(true));
    let store = FlakyStore {
        is_away: Arc::clone(&is_away),
    };
    let limit = limited([Limit::fixed("minute", 5, "60s")]);
    let limiter = RateLimiter::over(Arc::new(store), limit).unwrap();
    (Shop::with(limiter, change), is_away)
}

#[tokio::test(start_paused = true)]
async fn r19_where_that_is_said_all_pass_and_nothing_is_claimed() {
    let (shop, _) = shop(RateLimitLayerBuilder::fail_open);
    for _ in 0..100 {
        let told = shop.get("u").await;
        assert_eq!(told.status, 200);
        let mut names = told.headers.keys();
        assert!(!names.any(|name| name.as_str().contains("ratelimit")));
    }
    assert_eq!(shop.runs(), 100);
    assert_eq!(shop.limiter.snapshot().counters.store_errors, 100);
}

#[tokio::test(start_paused = true)]
async fn r20_otherwise_none_passes_and_is_not_told_why() {
    let (shop, is_away) = shop(|builder| builder);
    let told = shop.get("u").await;
    assert_eq!(told.status, 503);
    assert_eq!(told.problem()["code"], "RATE_LIMIT_UNAVAILABLE");
    assert_eq!(told.header("retry-after"), Some("5"));
    assert_eq!(told.header("cache-control"), Some("no-store"));
    assert!(!told.text().contains("10.0.0.5"));
    assert_eq!(shop.runs(), 0);
    is_away.store(false, Ordering::SeqCst);
    assert_eq!(shop.get("u").await.status, 200);
}

/// R06 of the bugs.
#[tokio::test(start_paused = true)]
async fn r19_each_outage_is_told_once_and_so_is_its_end() {
    let (log, _guard) = log::capture();
    let (shop, is_away) = shop(RateLimitLayerBuilder::fail_open);
    for outages in 1..=2 {
        for away in [true, false] {
            is_away.store(away, Ordering::SeqCst);
            for _ in 0..3 {
                shop.get("customer-17").await;
            }
        }
        assert_eq!(log.count("rate_limit.unavailable"), outages);
        assert_eq!(log.count("rate_limit.available"), outages);
    }
    assert!(log.text().contains("connection to 10.0.0.5 refused"));
    assert!(!log.text().contains("customer-17"));
}
