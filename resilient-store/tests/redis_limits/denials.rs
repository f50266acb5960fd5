//! Refusals that are repeated without asking.

use std::time::Duration;

use resilient_core::rate_limit::Limit;
use resilient_test_servers::Redis;

use crate::stage::{ENDLESS, api, check, limiter, named, patient};

/// Case R29: one question, then the same answer from this process. It is no longer than that a slow
/// machine takes for it: what is asked again is asked after 5 s.
#[tokio::test]
async fn r29_a_refusal_is_repeated_without_asking() {
    let Some(server) = Redis::start().unwrap() else {
        return;
    };
    let api = api(&server, [Limit::gcra("l", 1, ENDLESS)]);
    assert!(check(&api, 1).await.is_allowed());
    let mut before = check(&api, 1).await.retry_after().unwrap();
    let first = std::time::Instant::now();
    for _ in 0..1_000 {
        let refused = check(&api, 1).await;
        assert!(!refused.is_allowed());
        let wait = refused.retry_after().unwrap();
        assert!(wait < before, "{wait:?} after {before:?}");
        before = wait;
    }
    let counts = api.counter.counts();
    let asked_again = first.elapsed().as_secs() / 5;
    assert!(counts.decided <= 2 + asked_again, "{counts:?}");
    assert_eq!(counts.decided + counts.denied_here, 1_002);
    // Somebody else, another cost, and a look are other questions.
    let decided = counts.decided;
    assert!(api.limiter.check("v", 1).await.unwrap().is_allowed());
    assert!(!api.limiter.peek("u", 1).await.unwrap().is_allowed());
    assert_eq!(api.counter.counts().decided, decided + 2);
}

/// Case R29: what was refused under other numbers is asked for again, and so is what was given back.
#[tokio::test]
async fn r29_changes_end_what_is_remembered() {
    let Some(server) = Redis::start().unwrap() else {
        return;
    };
    let limit = |quota| [Limit::fixed("l", quota, ENDLESS)];
    let api = api(&server, limit(2));
    let taken = check(&api, 2).await;
    assert!(!check(&api, 1).await.is_allowed());
    api.limiter.update(named(limit(3))).unwrap();
    assert!(check(&api, 1).await.is_allowed());
    assert!(!check(&api, 1).await.is_allowed());
    api.limiter.refund("u", taken).await.unwrap();
    assert!(check(&api, 1).await.is_allowed());
}

#[tokio::test]
async fn r29_without_the_cache_every_request_is_asked() {
    let Some(server) = Redis::start().unwrap() else {
        return;
    };
    let limit = named([Limit::gcra("l", 1, Duration::from_secs(86_400))]);
    let api = limiter(&patient(&server).deny_cache(false), limit);
    for index in 0..10 {
        assert_eq!(check(&api, 1).await.is_allowed(), index == 0);
    }
    assert_eq!(api.counter.counts().decided, 10);
    assert_eq!(api.counter.counts().denied_here, 0);
}
