//! What becomes of requests without a key.

use axum::body::Body;
use axum::extract::Request;
use http::StatusCode;
use http::request::Parts;
use resilient_core::rate_limit::Limit;
use resilient_http::Problem;
use resilient_http::rate_limit::{ClientIp, WithoutKey};

use super::shop::{Change, Shop, limiter};

fn once() -> [Limit; 1] {
    [Limit::sliding_log("minute", 1, "60s")]
}

fn nobody(_: &Parts) -> Option<String> {
    None
}

fn blank(_: &Parts) -> String {
    String::new()
}

fn blocked(_: &Parts) -> Result<String, Problem> {
    let problem = Problem::new(StatusCode::UNAUTHORIZED, "LOG_IN", "log in first");
    Err(problem)
}

#[tokio::test(start_paused = true)]
async fn r18_without_a_key_no_limit_is_shared() {
    let default: Change = |builder| builder;
    let refuse: Change = |builder| builder.without_key(WithoutKey::Refuse);
    let fail: Change = |builder| builder.without_key(WithoutKey::Fail);
    let pass: Change = |builder| builder.without_key(WithoutKey::Pass);
    let (missing, unknown) = ("RATE_LIMIT_KEY_MISSING", "RATE_LIMIT_KEY_UNKNOWN");
    let build = |key: &str, change| match key {
        "nobody" => Shop::keyed(limiter(once()), nobody, change),
        "blank" => Shop::keyed(limiter(once()), blank, change),
        "blocked" => Shop::keyed(limiter(once()), blocked, change),
        _ => Shop::keyed(limiter(once()), ClientIp::of_peer(), change),
    };
    for (key, change, status, code) in [
        ("nobody", default, 400, missing),
        ("nobody", fail, 500, unknown),
        ("nobody", pass, 200, ""),
        ("blank", default, 400, missing),
        ("blank", pass, 200, ""),
        ("no peer", default, 500, unknown),
        ("no peer", refuse, 400, missing),
        ("no peer", pass, 200, ""),
        ("blocked", default, 401, "LOG_IN"),
        ("blocked", pass, 401, "LOG_IN"),
    ] {
        let shop = build(key, change);
        // Twice what the limit allows.
        for _ in 0..2 {
            let request = Request::get("/stock").body(Body::empty()).unwrap();
            let told = shop.send(request).await;
            assert_eq!(told.status, status, "{key}");
            if !code.is_empty() {
                assert_eq!(told.problem()["code"], code, "{key}");
            }
            assert_eq!(told.header("ratelimit"), None);
        }
        assert_eq!(shop.limiter.snapshot().keys, 0, "{key}");
    }
}
