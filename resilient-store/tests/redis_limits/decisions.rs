//! What Redis decides, and what it keeps of it.

use std::time::Duration;

use resilient_core::rate_limit::Limit;
use resilient_test_servers::Redis;

use crate::stage::{ENDLESS, all_kinds, api, calls, check, key, keys, now, pttl, remaining};

type Make = fn(&str, u32, Duration) -> Limit;

/// Cases R03 and R27: several processes, none of which has a say in what time it is, and not one too
/// many.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn r03_r27_exactly_the_quota_of_all_processes_together() {
    let Some(server) = Redis::start().unwrap() else {
        return;
    };
    for limit in all_kinds(ENDLESS) {
        let processes = [(); 4].map(|()| api(&server, [limit.clone()]).limiter);
        let asked: Vec<_> = (0..100)
            .map(|index| {
                let process = processes[index % 4].clone();
                tokio::spawn(async move { process.check("u", 1).await.unwrap().is_allowed() })
            })
            .collect();
        let mut allowed = 0;
        for request in asked {
            allowed += u32::from(request.await.unwrap());
        }
        assert_eq!(allowed, 10, "{limit:?}");
    }
}

/// A window in microseconds that now is a quarter into, and when it began. It is the ninth since 1970.
fn quarter_into(server: &Redis) -> (u64, u64) {
    let window = now(server) * 4 / 33 / 1_000 * 1_000;
    (window, window * 8)
}

/// Case R05: nothing is rounded.
#[tokio::test]
async fn r05_the_window_before_counts_exactly() {
    let Some(server) = Redis::start().unwrap() else {
        return;
    };
    let (window, start) = quarter_into(&server);
    let start = start.to_string();
    let fields = ["at", &start, "count", "18", "before", "40"];
    let hourly = key("hourly", "s");
    server
        .ask(&[&["HSET", &hourly], &fields[..]].concat())
        .unwrap();
    let limit = Limit::sliding_counter("hourly", 50, Duration::from_micros(window));
    let api = api(&server, [limit]);
    // 40 x 0.75 + 18 = 48.
    assert_eq!(remaining(&api).await, 2);
    assert!(check(&api, 1).await.is_allowed());
    assert!(check(&api, 1).await.is_allowed());
    let third = check(&api, 1).await;
    assert!(!third.is_allowed());
    // One more fits when 40 of the window before weigh 29: after a fortieth of it.
    let wait = third.retry_after().unwrap();
    let expected = Duration::from_micros(window / 40);
    assert!(wait <= expected && wait + Duration::from_secs(600) > expected);
}

/// Case R05, at the end of a window: it is the one before, and the one before it is forgotten.
#[tokio::test]
async fn r05_a_window_that_is_over_is_the_one_before() {
    let Some(server) = Redis::start().unwrap() else {
        return;
    };
    let (window, start) = quarter_into(&server);
    for (age, left) in [(1, 20), (2, 50)] {
        let at = (start - window * age).to_string();
        let fields = ["at", &at, "count", "40", "before", "50"];
        let hourly = key("hourly", "s");
        server
            .ask(&[&["HSET", &hourly], &fields[..]].concat())
            .unwrap();
        let limit = Limit::sliding_counter("hourly", 50, Duration::from_micros(window));
        let api = api(&server, [limit]);
        assert_eq!(remaining(&api).await, left);
        assert!(check(&api, left).await.is_allowed());
        assert!(!check(&api, 1).await.is_allowed());
    }
}

/// A third of a second is no whole number of microseconds: three of them are a second all the same.
#[tokio::test]
async fn r06_no_fraction_of_a_token_is_lost() {
    let Some(server) = Redis::start().unwrap() else {
        return;
    };
    let window = Duration::from_secs(3_000 * 86_400 + 1);
    for (limit, suffix, parts, token) in [
        (
            Limit::token_bucket("l", 7, window),
            "t",
            7,
            window.as_micros(),
        ),
        (
            Limit::gcra("l", 7, window),
            "g",
            1_000,
            window.as_nanos().div_ceil(7),
        ),
    ] {
        let api = api(&server, [limit]);
        let full_at = || {
            let kept = server.ask(&["HMGET", &key("l", suffix), "full_at", "part"]);
            let kept = kept.unwrap().unwrap();
            let (micros, rest) = kept.split_once('\n').unwrap();
            micros.parse::<u128>().unwrap() * parts + rest.parse::<u128>().unwrap()
        };
        assert!(check(&api, 1).await.is_allowed());
        let first = full_at();
        for taken in 1..6 {
            assert!(check(&api, 1).await.is_allowed());
            assert_eq!(full_at() - first, token * taken);
        }
        for left in (0..5).rev() {
            let charged = api.limiter.peek("u", 1).await.unwrap();
            api.limiter.refund("u", charged).await.unwrap();
            assert_eq!(full_at() - first, token * left);
        }
    }
}

/// Cases R11 and R26: what one limit refuses counts in none, and all of it is one question about one
/// slot.
#[tokio::test]
async fn r11_r26_three_limits_are_asked_at_once() {
    let Some(server) = Redis::start().unwrap() else {
        return;
    };
    let api = api(
        &server,
        [
            Limit::gcra("burst", 5, ENDLESS),
            Limit::fixed("daily", 3, ENDLESS),
            Limit::sliding_log("log", 4, ENDLESS),
        ],
    );
    assert!(check(&api, 3).await.is_allowed());
    let asked = calls(&server, "evalsha");
    let refused = check(&api, 1).await;
    assert_eq!(calls(&server, "evalsha"), asked + 1);
    let violated: Vec<_> = refused.violated().map(|limit| &**limit.name).collect();
    assert_eq!(violated, ["daily"]);
    let left: Vec<_> = refused.limits().map(|limit| limit.remaining).collect();
    assert_eq!(left, [2, 0, 1]);
    let mut kept = keys(&server);
    kept.sort_unstable();
    assert_eq!(
        kept,
        [key("burst", "g"), key("daily", "w"), key("log", "l")]
    );
}

/// Case R24: whatever is written, its time to live is written with it.
#[tokio::test]
async fn r24_every_key_ends() {
    let Some(server) = Redis::start().unwrap() else {
        return;
    };
    let api = api(&server, all_kinds(ENDLESS));
    let taken = check(&api, 2).await;
    let two_windows = i64::try_from(2 * ENDLESS.as_millis()).unwrap();
    for key in keys(&server) {
        let left = pttl(&server, &key);
        assert!(0 < left && left <= two_windows, "{key}: {left}");
    }
    // A window that is over counts for another one.
    let windows = [("fixed", "w"), ("sliding", "s")];
    let [fixed, sliding] = windows.map(|(limit, suffix)| pttl(&server, &key(limit, suffix)));
    assert!(sliding > fixed + two_windows / 2 - 600_000);
    api.limiter.refund("u", taken).await.unwrap();
    for key in keys(&server) {
        let left = pttl(&server, &key);
        assert!(0 < left && left <= two_windows, "{key}: {left}");
    }
}

/// Case R10: a log holds what counts and nothing else.
#[tokio::test]
async fn r10_a_log_forgets_what_does_not_count() {
    let Some(server) = Redis::start().unwrap() else {
        return;
    };
    let log = key("log", "l");
    let long_ago = (now(&server) - 11_000_000).to_string();
    server.ask(&["ZADD", &log, &long_ago, "old"]).unwrap();
    let api = api(&server, [Limit::sliding_log("log", 3, "10000s")]);
    assert_eq!(remaining(&api).await, 2);
    for _ in 0..5 {
        let _ = check(&api, 1).await;
    }
    let entries = server.ask(&["ZCARD", &log]).unwrap();
    assert_eq!(entries.as_deref(), Some("3"));
    server.flush().unwrap();
    server.ask(&["ZADD", &log, &long_ago, "old"]).unwrap();
    let api = self::api(&server, [Limit::sliding_log("log", 3, "10s")]);
    assert_eq!(remaining(&api).await, 3);
    assert_eq!(pttl(&server, &log), -2);
}

/// Case R37: what is used stays used, and nothing is negative.
#[tokio::test]
async fn r37_a_lowered_quota_is_used_up() {
    let Some(server) = Redis::start().unwrap() else {
        return;
    };
    let kinds: [Make; 5] = [
        |name, quota, window| Limit::fixed(name, quota, window),
        |name, quota, window| Limit::sliding_counter(name, quota, window),
        |name, quota, window| Limit::sliding_log(name, quota, window),
        |name, quota, window| Limit::token_bucket(name, quota, window),
        |name, quota, window| Limit::gcra(name, quota, window),
    ];
    for kind in kinds {
        server.flush().unwrap();
        let before = api(&server, [kind("l", 100, ENDLESS)]);
        assert!(check(&before, 50).await.is_allowed());
        let after = api(&server, [kind("l", 10, ENDLESS)]);
        let refused = check(&after, 1).await;
        assert!(!refused.is_allowed());
        let limit = refused.tightest().unwrap();
        assert_eq!((limit.quota, limit.remaining), (10, 0), "{limit:?}");
    }
}

/// The largest numbers there are stay exact.
#[tokio::test]
async fn the_largest_numbers_are_counted() {
    let Some(server) = Redis::start().unwrap() else {
        return;
    };
    let most = u32::MAX;
    for limit in [
        Limit::fixed("l", most, ENDLESS),
        Limit::sliding_counter("l", most, ENDLESS),
        Limit::token_bucket("l", most, ENDLESS),
        Limit::gcra("l", most, ENDLESS),
    ] {
        server.flush().unwrap();
        let api = api(&server, [limit.clone()]);
        assert!(check(&api, most - 1).await.is_allowed(), "{limit:?}");
        let second = check(&api, most).await;
        assert!(!second.is_allowed(), "{limit:?}");
        let wait = second.retry_after().unwrap();
        assert!(wait <= ENDLESS * 2, "{limit:?}: {wait:?}");
        for key in keys(&server) {
            assert!(pttl(&server, &key) > 0, "{limit:?}");
        }
    }
}

/// Subjects and limiters have counts of their own; an empty key is one as well.
#[tokio::test]
async fn each_subject_has_its_own_count() {
    let Some(server) = Redis::start().unwrap() else {
        return;
    };
    let api = api(&server, [Limit::fixed("l", 1, ENDLESS)]);
    for key in ["u", "v", "", "\u{0}", "a:b"] {
        let first = api.limiter.check(key, 1).await.unwrap();
        assert!(first.is_allowed(), "{key:?}");
        let second = api.limiter.check(key, 1).await.unwrap();
        assert!(!second.is_allowed(), "{key:?}");
    }
}
