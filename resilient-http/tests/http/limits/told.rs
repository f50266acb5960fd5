//! What answers say about limits.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use resilient_core::rate_limit::Limit;
use resilient_http::RateLimitLayer;
use resilient_http::rate_limit::RateLimitHeaders;
use serde_json::json;
use tokio::time::advance;

use super::shop::{Change, SLOW, Shop, get, limiter, user};
use crate::app::Told;

/// What `X-RateLimit-Limit` and `-Remaining` say.
fn left(told: &Told) -> (Option<&str>, Option<&str>) {
    let header = |name| told.header(name);
    (header("x-ratelimit-limit"), header("x-ratelimit-remaining"))
}

fn second(time: SystemTime) -> u64 {
    let since = time.duration_since(UNIX_EPOCH).unwrap();
    since.as_secs() + u64::from(since.subsec_nanos() > 0)
}

fn burst_and_hourly() -> [Limit; 2] {
    [
        Limit::sliding_log("burst", 5, "1s"),
        Limit::sliding_log("hourly", 100, "1h"),
    ]
}

#[tokio::test(start_paused = true)]
async fn r01_five_pass_and_the_sixth_is_told_when_to_come_back() {
    let shop = Shop::new([Limit::sliding_log("minute", 5, "60s")]);
    for remaining in ["4", "3", "2", "1", "0"] {
        let before = second(SystemTime::now() + Duration::from_secs(60));
        let told = shop.get("u").await;
        let after = second(SystemTime::now() + Duration::from_secs(60));
        assert_eq!(told.status, 200);
        assert_eq!(left(&told), (Some("5"), Some(remaining)));
        let reset = told.header("x-ratelimit-reset").unwrap().parse().unwrap();
        assert!(
            (before..=after).contains(&reset),
            "{before} {reset} {after}"
        );
        assert_eq!(told.header("retry-after"), None);
        assert_eq!(told.header("cache-control"), None);
    }
    let told = shop.get("u").await;
    assert_eq!((told.status, shop.runs()), (429, 5));
    assert_eq!(left(&told), (Some("5"), Some("0")));
    assert_eq!(told.header("retry-after"), Some("60"));
    assert_eq!(told.header("cache-control"), Some("no-store"));
    let detail = "too many requests: send this one again in 60 s";
    assert_eq!(
        told.problem(),
        json!({
            "type": "https://iana.org/assignments/http-problem-types#quota-exceeded",
            "title": "Request cannot be satisfied as assigned quota has been exceeded",
            "status": 429,
            "detail": detail,
            "code": "RATE_LIMIT_EXCEEDED",
            "error": { "code": "RATE_LIMIT_EXCEEDED", "message": detail, "retryAfter": 60 },
            "violated-policies": ["minute"],
        })
    );
    assert_eq!(shop.get("somebody else").await.status, 200);
}

/// Times are counted from the moment of the decision, however long the handler takes.
#[tokio::test(start_paused = true)]
async fn r01_r12_a_slow_handler_changes_no_time() {
    let shop = Shop::new([
        Limit::sliding_log("burst", 5, "1s"),
        Limit::sliding_log("minute", 2, "60s"),
    ]);
    let mut request = get("u");
    *request.uri_mut() = "/slow".parse().unwrap();
    // The wall clock stands still while the handler sleeps.
    let left = Duration::from_secs(60 - SLOW.as_secs());
    let before = second(SystemTime::now() + left);
    let told = shop.send(request).await;
    let after = second(SystemTime::now() + left);
    let reset = told.header("x-ratelimit-reset").unwrap().parse().unwrap();
    assert!(
        (before..=after).contains(&reset),
        "{before} {reset} {after}"
    );
    assert_eq!(
        told.header("ratelimit"),
        Some(r#""burst";r=4;t=1, "minute";r=1;t=50"#)
    );
}

#[tokio::test(start_paused = true)]
async fn r12_every_limit_is_listed_and_the_tighter_one_shown() {
    let told = Shop::new(burst_and_hourly()).get("u").await;
    assert_eq!(
        told.header("ratelimit-policy"),
        Some(r#""burst";q=5;w=1, "hourly";q=100;w=3600"#)
    );
    assert_eq!(
        told.header("ratelimit"),
        Some(r#""burst";r=4;t=1, "hourly";r=99;t=3600"#)
    );
    assert_eq!(left(&told), (Some("5"), Some("4")));
}

/// Row R11: all or nothing. What is full again says so by having no `t`.
#[tokio::test(start_paused = true)]
async fn r11_the_hourly_limit_refuses_and_the_burst_is_untouched() {
    let shop = Shop::new(burst_and_hourly());
    for _ in 0..20 {
        for _ in 0..5 {
            assert_eq!(shop.get("u").await.status, 200);
        }
        advance(Duration::from_secs(1)).await;
    }
    let told = shop.get("u").await;
    assert_eq!(told.status, 429);
    assert_eq!(told.problem()["violated-policies"], json!(["hourly"]));
    assert_eq!(
        told.header("ratelimit"),
        Some(r#""burst";r=5, "hourly";r=0;t=3580"#)
    );
    assert_eq!(told.header("retry-after"), Some("3580"));
    assert_eq!(left(&told), (Some("100"), Some("0")));
}

/// Whoever waits for `Retry-After` passes; R09 and R14 of the bugs.
#[tokio::test(start_paused = true)]
async fn r13_who_waits_as_long_as_told_passes() {
    type Limits = fn() -> Vec<Limit>;
    let rows: [(Limits, &str, &str); 5] = [
        (
            || vec![Limit::gcra("slow", 1, "1500ms")],
            "2",
            r#""slow";r=0;t=2"#,
        ),
        (
            || vec![Limit::sliding_log("short", 1, "250ms")],
            "1",
            r#""short";r=0;t=1"#,
        ),
        (
            || vec![Limit::token_bucket("long", 1, "90days")],
            "7776000",
            r#""long";r=0;t=7776000"#,
        ),
        (
            || {
                vec![
                    Limit::sliding_log("burst", 1, "1s"),
                    Limit::sliding_log("minute", 1, "60s"),
                ]
            },
            "60",
            r#""burst";r=0;t=1, "minute";r=0;t=60"#,
        ),
        (
            || {
                vec![
                    Limit::gcra("burst", 1, "1s"),
                    Limit::gcra("minute", 2, "60s"),
                ]
            },
            "1",
            r#""burst";r=0;t=1, "minute";r=1;t=30"#,
        ),
    ];
    for (limits, retry_after, ratelimit) in rows {
        let shop = Shop::new(limits());
        assert_eq!(shop.get("u").await.status, 200);
        advance(Duration::from_millis(100)).await;
        let told = shop.get("u").await;
        assert_eq!(told.status, 429, "{ratelimit}");
        assert_eq!(told.header("ratelimit"), Some(ratelimit));
        assert_eq!(told.header("retry-after"), Some(retry_after));
        let wait = retry_after.parse().unwrap();
        advance(Duration::from_secs(wait)).await;
        assert_eq!(shop.get("u").await.status, 200, "{ratelimit}");
    }
}

/// Row R37, and R10 of the bugs.
#[tokio::test(start_paused = true)]
async fn r37_a_lower_limit_leaves_nothing_negative() {
    let shop = Shop::new([Limit::sliding_log("minute", 10, "60s")]);
    for _ in 0..8 {
        shop.get("u").await;
    }
    let lower = [Limit::sliding_log("minute", 3, "60s")];
    shop.limiter.update(super::shop::limited(lower)).unwrap();
    let told = shop.get("u").await;
    assert_eq!(told.status, 429);
    assert_eq!(left(&told), (Some("3"), Some("0")));
    assert_eq!(told.header("retry-after"), Some("60"));
}

#[tokio::test(start_paused = true)]
async fn r14_partitions_have_names_that_say_nothing() {
    let change: Change = |builder| builder.partition_keys("0123456789abcdef");
    let shop = Shop::with(limiter([Limit::gcra("minute", 5, "60s")]), change);
    let mut names = Vec::new();
    for user in ["alice", "alice", "bob"] {
        let told = shop.get(user).await;
        let policy = told.header("ratelimit-policy").unwrap();
        let name = policy.strip_prefix(r#""minute";q=5;w=60;pk=:"#).unwrap();
        assert_eq!(name.len(), 17, "16 characters and a colon: {name}");
        let ratelimit = told.header("ratelimit").unwrap();
        assert!(ratelimit.ends_with(&format!(";pk=:{name}")), "{ratelimit}");
        names.push(name.to_owned());
    }
    assert_eq!(names[0], names[1]);
    assert_ne!(names[0], names[2]);
}

#[test]
fn r14_a_secret_that_can_be_guessed_is_reported_and_not_shown() {
    let limiter = limiter([Limit::gcra("minute", 5, "60s")]);
    let layer = RateLimitLayer::builder(limiter, user).partition_keys("hunter2");
    let error = layer.build().unwrap_err();
    assert_eq!(
        error.to_string(),
        "rate_limit.partition_keys = a secret of 7 bytes: write 16 random bytes or more"
    );
}

#[tokio::test(start_paused = true)]
async fn only_the_headers_that_are_asked_for() {
    let rows: [(RateLimitHeaders, bool, bool); 4] = [
        (RateLimitHeaders::Both, true, true),
        (RateLimitHeaders::XRateLimit, true, false),
        (RateLimitHeaders::RateLimit, false, true),
        (RateLimitHeaders::None, false, false),
    ];
    for (which, x, ietf) in rows {
        let limiter = limiter([Limit::gcra("minute", 1, "60s")]);
        let layer = RateLimitLayer::builder(limiter.clone(), user).headers(which);
        let shop = Shop::with(limiter, |builder| builder.headers(RateLimitHeaders::None));
        let shop = shop.inside(&layer.build().unwrap());
        // The inner layer refuses: both count by the same limiter.
        for status in [429, 429] {
            let told = shop.get("u").await;
            assert_eq!(told.status, status);
            assert_eq!(told.header("retry-after"), Some("60"));
            for name in ["limit", "remaining", "reset"] {
                let name = format!("x-ratelimit-{name}");
                assert_eq!(told.header(&name).is_some(), x, "{which:?} {name}");
            }
            for name in ["ratelimit", "ratelimit-policy"] {
                assert_eq!(told.header(name).is_some(), ietf, "{which:?} {name}");
            }
        }
    }
}

#[tokio::test(start_paused = true)]
async fn of_two_layers_all_limits_are_listed_and_the_tightest_shown() {
    // Of two with as little left, the inner one.
    for (inner, outer, cost, limit) in [(5, 9, 1, "5"), (9, 5, 1, "5"), (5, 9, 5, "5")] {
        let shop = Shop::new([Limit::gcra("inner", inner, "60s")]);
        let around = limiter([Limit::gcra("outer", outer, "60s")]);
        let around = RateLimitLayer::builder(around, user).cost(move |_| cost);
        let shop = shop.inside(&around.build().unwrap());
        let told = shop.send(get("u")).await;
        assert_eq!(left(&told), (Some(limit), Some("4")));
        let all = told.headers.get_all("ratelimit-policy");
        let all: Vec<_> = all.iter().map(|value| value.to_str().unwrap()).collect();
        assert_eq!(
            all.join(", "),
            format!(r#""inner";q={inner};w=60, "outer";q={outer};w=60"#)
        );
    }
}
