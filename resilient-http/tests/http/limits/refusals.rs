//! Refusals of other kinds and in other forms.

use resilient_core::rate_limit::Limit;
use serde_json::json;

use super::shop::{Change, Shop, get, limiter};

#[tokio::test(start_paused = true)]
async fn r09_what_never_fits_is_not_told_to_come_back() {
    let change: Change = |builder| builder.cost(|_| 6);
    let shop = Shop::with(limiter([Limit::gcra("cap", 5, "1s")]), change);
    let told = shop.get("u").await;
    assert_eq!(told.status, 429);
    assert_eq!(told.header("retry-after"), None);
    assert_eq!(told.header("cache-control"), Some("no-store"));
    let problem = told.problem();
    assert_eq!(problem["code"], "RATE_LIMIT_COST_UNSATISFIABLE");
    assert_eq!(problem["violated-policies"], json!(["cap"]));
    assert_eq!(problem["error"].get("retryAfter"), None);
    assert_eq!(shop.runs(), 0);
}

#[tokio::test(start_paused = true)]
async fn r01_r31_grpc_is_told_by_a_status_of_its_own() {
    let shop = Shop::new([Limit::sliding_log("minute", 1, "60s")]);
    shop.limiter.deny("foe");
    let call = |user: &str| {
        let mut request = get(user);
        let grpc = "application/grpc+proto".parse().unwrap();
        request.headers_mut().insert("content-type", grpc);
        request
    };
    assert_eq!(shop.send(call("u")).await.text(), "in stock");
    for (user, status, pushback) in [("u", "8", Some("60000")), ("foe", "7", None)] {
        let told = shop.send(call(user)).await;
        assert_eq!(told.status, 200);
        assert_eq!(told.header("content-type"), Some("application/grpc"));
        assert_eq!(told.header("grpc-status"), Some(status));
        assert_eq!(told.header("grpc-retry-pushback-ms"), pushback);
        assert!(told.body.is_empty());
    }
    let told = shop.send(call("u")).await;
    assert_eq!(told.header("ratelimit"), Some(r#""minute";r=0;t=60"#));
    assert_eq!(
        told.header("grpc-message"),
        Some("RATE_LIMIT_EXCEEDED: too many requests: send this one again in 60 s")
    );
}
