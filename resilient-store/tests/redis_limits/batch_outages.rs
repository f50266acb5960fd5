//! Batches while Redis is down or frozen.

use std::time::Duration;

use resilient_core::rate_limit::{Limit, RateLimitError};
use resilient_store::Outage;
use resilient_test_servers::Redis;
use tokio::task::JoinSet;
use tokio::time::{Instant, pause};

use crate::stage::{ENDLESS, check, hasty, limiter, named, patient};

/// What is held is handed out while Redis is down, and nothing more: when it is back, the total is the
/// quota and not one more.
#[tokio::test]
async fn r20_while_redis_is_down_what_is_held_is_handed_out() {
    let Some(mut server) = Redis::start_durable().unwrap() else {
        return;
    };
    let limit = || named([Limit::fixed("l", 100, ENDLESS)]);
    let api = limiter(&patient(&server).reserve(16), limit());
    for _ in 0..16 {
        assert!(check(&api, 1).await.is_allowed());
    }
    server.kill().unwrap();
    // The last batch was of 16, one of which was asked for.
    for _ in 0..15 {
        assert!(check(&api, 1).await.is_allowed());
    }
    let error = api.limiter.check("u", 1).await.expect_err("it is down");
    assert!(
        matches!(error, RateLimitError::Unavailable { .. }),
        "{error}"
    );
    server.restart().unwrap();
    let again = limiter(&patient(&server).reserve(16), limit());
    let mut passed = 31;
    while check(&again, 1).await.is_allowed() {
        passed += 1;
    }
    assert_eq!(passed, 100);
}

/// Case R22: who waits for the batch of another waits no longer than for one answer.
#[tokio::test]
async fn r22_a_frozen_redis_is_waited_for_once_by_all() {
    let Some(server) = Redis::start().unwrap() else {
        return;
    };
    let limits = hasty(&server).reserve(16).outage(Outage::Closed);
    let api = limiter(&limits, named([Limit::fixed("l", 100, ENDLESS)]));
    server.freeze().unwrap();
    // From here on time only passes by being waited for.
    pause();
    let start = Instant::now();
    let mut asked = JoinSet::new();
    for _ in 0..100 {
        let limiter = api.limiter.clone();
        asked.spawn(async move { limiter.check("u", 1).await.is_err() });
    }
    assert!(asked.join_all().await.into_iter().all(|failed| failed));
    let waited = start.elapsed();
    assert!(waited <= Duration::from_millis(70), "{waited:?}");
    assert_eq!(api.counter.counts().closed, 100);
    assert_eq!(api.counter.counts().errors, 1);
}

/// A request that is dropped while it asks takes nothing that is held along, and does not keep others
/// waiting.
#[tokio::test]
async fn r35_who_gives_up_asking_leaves_what_is_held() {
    let Some(server) = Redis::start().unwrap() else {
        return;
    };
    let api = limiter(
        &patient(&server).reserve(16),
        named([Limit::fixed("l", 100, ENDLESS)]),
    );
    for _ in 0..4 {
        assert!(check(&api, 1).await.is_allowed());
    }
    // 3 of the last 4 are held.
    server.freeze().unwrap();
    let mut gives_up = Box::pin(api.limiter.check("u", 5));
    let mut waits = Box::pin(api.limiter.check("u", 4));
    tokio::select! {
        biased;
        _ = &mut gives_up => panic!("it is frozen"),
        _ = &mut waits => panic!("it is frozen"),
        () = std::future::ready(()) => {}
    }
    drop(gives_up);
    for _ in 0..3 {
        assert!(check(&api, 1).await.is_allowed(), "without asking");
    }
    server.thaw().unwrap();
    assert!(waits.await.unwrap().is_allowed());
}
