//! Whatever lies at the keys, and whoever changes numbers or clocks.

use std::time::Duration;

use resilient_core::rate_limit::{Decision, Limit};
use resilient_test_servers::Redis;

use crate::stage::{ENDLESS, all_kinds, api, check, key, limiter, named, now, patient, pttl};

/// No test sees the end of one, and two of them are no more than a limit may ever say.
const LONG: Duration = Duration::from_secs(3_000 * 86_400);

/// What is kept of the kinds that are hashes.
const HASHES: [(&str, &str, &[&str]); 4] = [
    ("fixed", "w", &["at", "count"]),
    ("sliding", "s", &["at", "count", "before"]),
    ("bucket", "t", &["full_at", "part", "token"]),
    ("gcra", "g", &["full_at", "part", "token"]),
];

const GARBAGE: [&str; 16] = [
    "",
    " ",
    "x",
    "-1",
    "-0",
    "0.5",
    "nan",
    "-nan",
    "inf",
    "-inf",
    "1e300",
    "1e-300",
    "0xffffffffffff",
    "9007199254740991",
    "9007199254740993",
    "18446744073709551616",
];

fn limit(name: &str) -> Limit {
    let of_name = |limit: &Limit| format!("{limit:?}").contains(&format!("{name:?}"));
    all_kinds(LONG).into_iter().find(of_name).unwrap()
}

/// Whether it lets pass or not, it says nothing that cannot be.
fn is_bounded(decision: &Decision, what: &str) {
    for limit in decision.limits() {
        assert!(limit.remaining <= 10, "{what}: {limit:?}");
        assert!(limit.reset_after <= LONG * 2, "{what}: {limit:?}");
        assert!(limit.retry_after <= LONG * 2, "{what}: {limit:?}");
    }
}

/// Each garbage in each field, beside good ones: no error, no more than the quota, an end.
#[tokio::test]
async fn r23_garbage_in_any_field_is_no_error_and_ends() {
    let Some(server) = Redis::start().unwrap() else {
        return;
    };
    for (name, suffix, fields) in HASHES {
        let kept = key(name, suffix);
        let batches = patient(&server).deny_cache(false).reserve(4);
        for (field, garbage) in fields
            .iter()
            .flat_map(|field| GARBAGE.map(|text| (field, text)))
        {
            server.flush().unwrap();
            let time = now(&server).to_string();
            let good = ["at", &time, "full_at", &time, "count", "3", "before", "3"];
            let planted = [&["HSET", &*kept], &good[..], &["part", "0", "token", "7.5"]];
            server.ask(&planted.concat()).unwrap();
            server.ask(&["HSET", &kept, field, garbage]).unwrap();
            let what = format!("{name}, {field} = {garbage:?}");
            let mut allowed = 0;
            for stage in [
                api(&server, [limit(name)]),
                limiter(&batches, named([limit(name)])),
            ] {
                for _ in 0..7 {
                    let decision = check(&stage, 1).await;
                    is_bounded(&decision, &what);
                    allowed += u32::from(decision.is_allowed());
                }
            }
            assert!(allowed <= 10, "{what}: {allowed}");
            let left = pttl(&server, &kept);
            let longest = i64::try_from(LONG.as_millis()).unwrap() * 2 + 1_000;
            assert!((1..=longest).contains(&left), "{what}: {left}");
        }
    }
}

/// Entries of a log that a clock far ahead wrote count for one window, although others keep coming.
#[tokio::test]
async fn r25_entries_from_the_future_do_not_stay() {
    let Some(server) = Redis::start().unwrap() else {
        return;
    };
    let log = key("l", "l");
    let much_later = (now(&server) + 31_536_000_000_000 * 50).to_string();
    for (entry, at) in [(1, &*much_later), (2, &*much_later), (3, "inf")] {
        server.ask(&["ZADD", &log, at, &entry.to_string()]).unwrap();
    }
    let api = api(&server, [Limit::sliding_log("l", 10, LONG)]);
    assert!(check(&api, 1).await.is_allowed());
    let after = now(&server).to_string();
    let later = server.ask(&["ZCOUNT", &log, &format!("({after}"), "inf"]);
    assert_eq!(later.unwrap().as_deref(), Some("0"));
    assert_eq!(crate::stage::remaining(&api).await, 6, "they count");
}

type Make = fn(u32) -> Limit;

/// Case R37: what is used stays used when a quota is raised, and when it is lowered again.
#[tokio::test]
async fn r37_a_raised_quota_gives_nothing_back() {
    let Some(server) = Redis::start().unwrap() else {
        return;
    };
    let kinds: [Make; 5] = [
        |quota| Limit::fixed("l", quota, ENDLESS),
        |quota| Limit::sliding_counter("l", quota, ENDLESS),
        |quota| Limit::sliding_log("l", quota, ENDLESS),
        |quota| Limit::token_bucket("l", quota, ENDLESS),
        |quota| Limit::gcra("l", quota, ENDLESS),
    ];
    for kind in kinds {
        server.flush().unwrap();
        let api = api(&server, [kind(10)]);
        assert!(check(&api, 10).await.is_allowed());
        api.limiter.update(named([kind(30)])).unwrap();
        assert!(!check(&api, 21).await.is_allowed(), "{:?}", kind(30));
        assert!(check(&api, 20).await.is_allowed(), "{:?}", kind(30));
        assert!(!check(&api, 1).await.is_allowed(), "{:?}", kind(30));
        api.limiter.update(named([kind(10)])).unwrap();
        assert!(!check(&api, 1).await.is_allowed(), "{:?}", kind(10));
    }
}

/// Cases R09 and R37 at the ends of the numbers: nothing is taken by a look, by nothing, or by what
/// never fits, whatever was used.
#[tokio::test]
async fn r09_the_ends_of_costs_take_nothing() {
    let Some(server) = Redis::start().unwrap() else {
        return;
    };
    for used in [0, 10] {
        server.flush().unwrap();
        let api = api(&server, all_kinds(ENDLESS));
        assert!(check(&api, used).await.is_allowed());
        for cost in [11, u32::MAX] {
            api.limiter.check("u", cost).await.expect_err("never fits");
        }
        for _ in 0..3 {
            let look = check(&api, 0).await;
            assert!(look.is_allowed(), "{look:?}");
            assert!(look.limits().all(|limit| limit.remaining == 10 - used));
            api.limiter.refund("u", look).await.unwrap();
        }
        assert_eq!(check(&api, 10).await.is_allowed(), used == 0);
    }
}
