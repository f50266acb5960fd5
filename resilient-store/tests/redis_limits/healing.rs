//! What other hands, lost commands and other clocks have left behind.

use std::time::Duration;

use resilient_core::rate_limit::Limit;
use resilient_test_servers::Redis;

use crate::stage::{all_kinds, api, check, key, now, pttl};

const MINUTE: Duration = Duration::from_secs(60);

/// No test sees the end of one.
const LONG: Duration = Duration::from_secs(3_000 * 86_400);

/// Case R23, and R02 of the bugs: a counter above its limit that would never end does.
#[tokio::test]
async fn r02_r23_a_counter_without_an_end_gets_one() {
    let Some(server) = Redis::start().unwrap() else {
        return;
    };
    let api = api(&server, [Limit::fixed("l", 5, MINUTE)]);
    let counter = key("l", "w");
    server.ask(&["HSET", &counter, "count", "999"]).unwrap();
    let refused = check(&api, 1).await;
    assert!(!refused.is_allowed());
    assert!(refused.retry_after().unwrap() <= MINUTE);
    let left = pttl(&server, &counter);
    assert!(left <= 60_000 && left != -1, "{left}");
}

/// Case R23, after its window: nothing of it counts.
#[tokio::test]
async fn r23_an_old_counter_without_an_end_counts_for_nothing() {
    let Some(server) = Redis::start().unwrap() else {
        return;
    };
    let minute_before = now(&server) / 60_000_000 * 60_000_000 - 60_000_000;
    let at = minute_before.to_string();
    let counter = key("l", "w");
    server
        .ask(&["HSET", &counter, "at", &at, "count", "999"])
        .unwrap();
    let api = api(&server, [Limit::fixed("l", 5, MINUTE)]);
    assert!(check(&api, 1).await.is_allowed());
    let left = pttl(&server, &counter);
    assert!(left <= 60_000 && left != -1, "{left}");
}

/// Case R23 for every kind: a time to live that was taken away comes back at the next look.
#[tokio::test]
async fn r23_a_time_to_live_that_was_lost_comes_back() {
    let Some(server) = Redis::start().unwrap() else {
        return;
    };
    let api = api(&server, all_kinds(LONG));
    assert!(check(&api, 10).await.is_allowed());
    let kept = crate::stage::keys(&server);
    assert_eq!(kept.len(), 5);
    for key in &kept {
        server.ask(&["PERSIST", key]).unwrap();
    }
    assert!(!check(&api, 1).await.is_allowed());
    for key in &kept {
        assert!(pttl(&server, key) > 0, "{key}");
    }
}

/// A clock that was far ahead before a failover keeps nobody out for longer than the limit could.
#[tokio::test]
async fn r25_times_of_a_clock_that_was_ahead_are_clamped() {
    let Some(server) = Redis::start().unwrap() else {
        return;
    };
    let much_later = (now(&server) + 31_536_000_000_000 * 50).to_string();
    let plant = |command: &[&str]| server.ask(command).unwrap();
    plant(&["HSET", &key("fixed", "w"), "at", &much_later, "count", "10"]);
    plant(&[
        "HSET",
        &key("sliding", "s"),
        "at",
        &much_later,
        "count",
        "10",
    ]);
    plant(&["HSET", &key("gcra", "g"), "full_at", &much_later]);
    plant(&["HSET", &key("bucket", "t"), "full_at", &much_later]);
    let log = key("log", "l");
    for entry in 0..10 {
        plant(&["ZADD", &log, &much_later, &entry.to_string()]);
    }
    let api = api(&server, all_kinds(LONG));
    let refused = check(&api, 1).await;
    assert_eq!(refused.violated().count(), 5);
    for limit in refused.limits() {
        assert!(limit.retry_after <= LONG * 2, "{limit:?}");
        assert!(limit.reset_after <= LONG * 2, "{limit:?}");
    }
    for key in crate::stage::keys(&server) {
        let left = u128::try_from(pttl(&server, &key)).unwrap();
        assert!(left <= LONG.as_millis() * 2, "{key}: {left}");
    }
}

/// Values that no store of limits writes are in nobody's way.
#[tokio::test]
async fn what_other_hands_wrote_counts_for_nothing() {
    let Some(server) = Redis::start().unwrap() else {
        return;
    };
    let suffixes = [
        ("fixed", "w"),
        ("sliding", "s"),
        ("log", "l"),
        ("bucket", "t"),
        ("gcra", "g"),
    ];
    let api = api(&server, all_kinds(LONG));
    for (limit, suffix) in suffixes {
        server.ask(&["SET", &key(limit, suffix), "999"]).unwrap();
    }
    let first = check(&api, 1).await;
    assert!(first.is_allowed());
    assert!(first.limits().all(|limit| limit.remaining == 9));

    server.flush().unwrap();
    let fields = ["at", "count", "before", "full_at", "part", "token"];
    for (limit, suffix) in suffixes.into_iter().filter(|(limit, _)| *limit != "log") {
        for (field, garbage) in fields.iter().zip(["inf", "-7", "nan", "1e300", "x", "0.5"]) {
            server
                .ask(&["HSET", &key(limit, suffix), field, garbage])
                .unwrap();
        }
    }
    let first = check(&api, 1).await;
    assert!(first.is_allowed());
    assert!(first.limits().all(|limit| limit.remaining == 9));
}
