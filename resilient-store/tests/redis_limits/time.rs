//! Time that has passed: instead of waiting, what is kept is moved into the past.

use std::time::Duration;

use resilient_core::rate_limit::{Decision, Limit, Reading};
use resilient_test_servers::Redis;

use crate::stage::{ENDLESS, all_kinds, api, check, key, named, now, remaining};

/// What a slow machine may take between two steps.
const SLACK: Duration = Duration::from_secs(300);

const SECOND: i64 = 1_000_000;

fn is_about(found: Duration, secs: u64) {
    let expected = Duration::from_secs(secs);
    assert!(found <= expected && found + SLACK >= expected, "{found:?}");
}

/// The same decision, made so long before.
fn decided_before(decision: &Decision, limits: &[Limit], secs: u64) -> Decision {
    let settings = named(limits.iter().cloned()).settings().unwrap();
    let readings = decision.limits().map(|limit| Reading {
        reset_after: limit.reset_after,
        ..Reading::default()
    });
    let readings = readings.collect();
    let at = decision.decided_at() - secs * 1_000_000;
    Decision::new(settings.limits.into(), readings, true, decision.cost(), at)
}

/// Case R06: tokens come back one by one, and the next is awaited for no longer than it takes.
#[tokio::test]
async fn r06_tokens_come_back_one_by_one() {
    let Some(server) = Redis::start().unwrap() else {
        return;
    };
    // One in 1000 s.
    for (limit, suffix) in [
        (Limit::token_bucket("l", 10, "10000s"), "t"),
        (Limit::gcra("l", 10, "10000s"), "g"),
    ] {
        let limits = [limit];
        let api = api(&server, limits.clone());
        let pass = |secs: i64| {
            let earlier = (-secs * SECOND).to_string();
            let step = ["HINCRBY", &key("l", suffix), "full_at", &earlier];
            server.ask(&step).unwrap();
        };
        let taken = check(&api, 10).await;
        assert!(taken.is_allowed());
        is_about(taken.tightest().unwrap().reset_after, 10_000);
        pass(2_500);
        assert_eq!(remaining(&api).await, 2);
        let refused = check(&api, 3).await;
        is_about(refused.retry_after().unwrap(), 500);
        assert!(check(&api, 2).await.is_allowed());
        // Only what has not come back by itself is given back.
        pass(5_500);
        assert_eq!(remaining(&api).await, 6);
        let earlier = decided_before(&taken, &limits, 8_000);
        api.limiter.refund("u", earlier).await.unwrap();
        assert_eq!(remaining(&api).await, 8);
    }
}

/// Case R10: what is awaited is that enough entries of the log end.
#[tokio::test]
async fn r10_a_log_is_awaited_entry_by_entry() {
    let Some(server) = Redis::start().unwrap() else {
        return;
    };
    let now = now(&server);
    for age in [9_000, 6_000, 3_000] {
        let at = (now - age * 1_000_000).to_string();
        server.ask(&["ZADD", &key("l", "l"), &at, &at]).unwrap();
    }
    let api = api(&server, [Limit::sliding_log("l", 3, "10000s")]);
    for (cost, secs) in [(1, 1_000), (2, 4_000), (3, 7_000)] {
        let refused = check(&api, cost).await;
        is_about(refused.retry_after().unwrap(), secs);
        is_about(refused.tightest().unwrap().reset_after, 7_000);
    }
}

/// What was taken in a window that is over is not given back in this one.
#[tokio::test]
async fn nothing_of_another_window_is_given_back() {
    let Some(server) = Redis::start().unwrap() else {
        return;
    };
    let api = api(&server, all_kinds(ENDLESS));
    assert!(check(&api, 4).await.is_allowed());
    let taken = api.limiter.peek("u", 4).await.unwrap();
    let before = decided_before(&taken, &all_kinds(ENDLESS), ENDLESS.as_secs());
    api.limiter.refund("u", before).await.unwrap();
    let after = api.limiter.peek("u", 1).await.unwrap();
    for limit in after.limits() {
        assert_eq!(limit.remaining, 6, "{limit:?}");
    }
}
