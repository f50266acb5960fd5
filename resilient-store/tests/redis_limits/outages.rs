//! While Redis is down or frozen.

use std::time::Duration;

use resilient_core::rate_limit::{Decision, Limit, RateLimit, RateLimitError};
use resilient_store::Outage;
use resilient_test_servers::Redis;
use tokio::time::{Instant, advance, pause, resume};

use crate::stage::{ENDLESS, Stage, check, hasty, limiter, named, remaining};

/// What does not happen for so long does not happen.
const PATIENCE: Duration = Duration::from_secs(60);

fn quota(requests: u32) -> RateLimit {
    named([Limit::fixed("l", requests, ENDLESS)])
}

/// Looks until Redis decides, without waiting until it is asked again.
async fn until_it_answers(stage: &Stage) -> Decision {
    let decided = stage.counter.counts().decided;
    let patience = std::time::Instant::now() + PATIENCE;
    loop {
        let look = stage.limiter.peek("u", 1).await;
        if stage.counter.counts().decided > decided {
            return look.unwrap();
        }
        let counts = stage.counter.counts();
        assert!(std::time::Instant::now() < patience, "{counts:?}");
        pause();
        advance(Duration::from_secs(1)).await;
        resume();
    }
}

/// Case R19: everything is served, nothing is claimed, everything is counted; a process may start
/// meanwhile, and it ends by itself.
#[tokio::test]
async fn r19_while_redis_is_down_requests_pass() {
    let Some(mut server) = Redis::start_durable().unwrap() else {
        return;
    };
    server.kill().unwrap();
    let api = limiter(&hasty(&server), quota(5));
    for _ in 0..100 {
        let decision = check(&api, 1).await;
        assert!(decision.is_allowed());
        assert_eq!(decision.limits().count(), 0);
    }
    let counts = api.counter.counts();
    assert_eq!(counts.errors + counts.skipped, 100, "{counts:?}");
    assert_eq!((counts.opened, counts.decided), (100, 0));
    let decision = check(&api, 1).await;
    api.limiter
        .refund("u", decision)
        .await
        .expect("it took nothing");
    server.restart().unwrap();
    until_it_answers(&api).await;
}

/// Case R20: no answer is an error.
#[tokio::test]
async fn r20_while_redis_is_down_requests_fail() {
    let Some(mut server) = Redis::start_durable().unwrap() else {
        return;
    };
    let api = limiter(&hasty(&server).outage(Outage::Closed), quota(5));
    until_it_answers(&api).await;
    server.kill().unwrap();
    for _ in 0..100 {
        let error = api.limiter.check("u", 1).await.expect_err("it is down");
        assert!(
            matches!(error, RateLimitError::Unavailable { .. }),
            "{error}"
        );
    }
    assert_eq!(api.limiter.snapshot().counters.store_errors, 100);
    assert_eq!(api.counter.counts().closed, 100);
    server.restart().unwrap();
    until_it_answers(&api).await;
}

/// Case R06 of the bugs: each of several processes lets its share through.
#[tokio::test]
async fn r06_while_redis_is_down_each_process_has_a_share() {
    let Some(mut server) = Redis::start_durable().unwrap() else {
        return;
    };
    server.kill().unwrap();
    let share = hasty(&server).outage(Outage::LocalShare(4));
    let processes = [(); 4].map(|()| limiter(&share, quota(42)));
    for api in &processes {
        let mut allowed = 0;
        for _ in 0..20 {
            let decision = check(api, 1).await;
            allowed += u32::from(decision.is_allowed());
            assert_eq!(decision.tightest().unwrap().quota, 10);
        }
        assert_eq!(allowed, 10);
        assert_eq!(remaining(api).await, 0);
        assert_eq!(api.counter.counts().shared, 21);
        let error = api.limiter.check("u", 11).await.expect_err("never fits");
        assert!(
            matches!(error, RateLimitError::Unavailable { .. }),
            "{error}"
        );
    }
    server.restart().unwrap();
    for api in &processes {
        let there = until_it_answers(api).await;
        let left = there.tightest().unwrap().remaining;
        assert_eq!(left, 42, "nothing was counted there");
    }
}

/// Case R22: a server that accepts and never answers is paid for once, and no longer than that.
#[tokio::test]
async fn r22_a_frozen_redis_is_waited_for_once() {
    let Some(server) = Redis::start().unwrap() else {
        return;
    };
    let api = limiter(&hasty(&server), quota(5));
    until_it_answers(&api).await;
    server.freeze().unwrap();
    // From here on time only passes by being waited for.
    pause();
    let start = Instant::now();
    for _ in 0..1_000 {
        assert!(check(&api, 1).await.is_allowed());
    }
    let waited = start.elapsed();
    assert!(waited >= Duration::from_millis(50), "{waited:?}");
    assert!(waited <= Duration::from_millis(70), "{waited:?}");
    let counts = api.counter.counts();
    assert_eq!(counts.opened, 1_000, "{counts:?}");
    server.thaw().unwrap();
    resume();
    until_it_answers(&api).await;
}
