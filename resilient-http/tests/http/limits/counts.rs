//! What counts, how much, and what does not.

use http::request::Parts;
use http::{HeaderMap, Method, Request};
use resilient_core::rate_limit::{Limit, RateLimiter};
use resilient_http::rate_limit::RateLimitLayerBuilder;

use super::shop::{Change, Shop, get, limited, limiter};

fn minute(quota: u32) -> [Limit; 1] {
    [Limit::sliding_log("minute", quota, "60s")]
}

/// Whether these say anything about limits.
fn claims(headers: &HeaderMap) -> bool {
    let mut names = headers.keys();
    names.any(|name| name.as_str().contains("ratelimit"))
}

#[tokio::test(start_paused = true)]
async fn a_request_costs_what_it_says_and_nothing_always_passes() {
    let change: Change = |builder| {
        builder.cost(|request: &Parts| match request.method {
            Method::POST => 3,
            Method::OPTIONS => 0,
            _ => 1,
        })
    };
    let shop = Shop::with(limiter(minute(5)), change);
    for (method, status, remaining) in [
        (Method::POST, 200, "2"),
        (Method::POST, 429, "2"),
        (Method::GET, 200, "1"),
        (Method::GET, 200, "0"),
        (Method::OPTIONS, 200, "0"),
        (Method::GET, 429, "0"),
    ] {
        let mut request = get("u");
        *request.method_mut() = method.clone();
        let told = shop.send(request).await;
        let header = told.header("x-ratelimit-remaining");
        assert_eq!((told.status, header), (status, Some(remaining)), "{method}");
    }
}

#[tokio::test(start_paused = true)]
async fn r30_a_shadow_refuses_nothing_and_counts() {
    for in_shadow in [false, true] {
        let limiter = RateLimiter::in_memory(limited(minute(5)).shadow(true)).unwrap();
        let change: Change = if in_shadow {
            RateLimitLayerBuilder::headers_in_shadow
        } else {
            |builder| builder
        };
        let shop = Shop::with(limiter, change);
        for _ in 0..15 {
            let told = shop.get("u").await;
            assert_eq!(told.status, 200);
            assert_eq!(claims(&told.headers), in_shadow);
            assert_eq!(told.header("retry-after"), None);
        }
        assert_eq!(shop.runs(), 15);
        assert_eq!(shop.limiter.snapshot().counters.would_deny, 10);
    }
}

#[tokio::test(start_paused = true)]
async fn r31_listed_keys_are_not_counted() {
    let shop = Shop::new(minute(1));
    shop.limiter.allow("friend");
    shop.limiter.deny("foe");
    for _ in 0..3 {
        let told = shop.get("friend").await;
        assert_eq!((told.status, claims(&told.headers)), (200, false));
        let told = shop.get("foe").await;
        assert_eq!((told.status, claims(&told.headers)), (403, false));
        assert_eq!(told.problem()["code"], "RATE_LIMIT_DENY_LISTED");
        assert_eq!(told.header("retry-after"), None);
    }
    assert_eq!(shop.runs(), 3);
    let counters = shop.limiter.snapshot().counters;
    assert_eq!((counters.allowed, counters.denied), (0, 0));
    assert_eq!((counters.allow_listed, counters.deny_listed), (3, 3));
    shop.limiter.unlist("foe");
    assert_eq!(
        shop.get("foe").await.header("x-ratelimit-remaining"),
        Some("0")
    );
}

#[tokio::test(start_paused = true)]
async fn a_handlers_body_and_its_length_pass_untouched() {
    let shop = Shop::new(minute(5));
    let head = Request::head("/stock").header("x-user", "u");
    let told = shop
        .send(head.body(axum::body::Body::empty()).unwrap())
        .await;
    assert_eq!(told.header("content-length"), Some("8"));
    assert_eq!(shop.get("u").await.text(), "in stock");
}
