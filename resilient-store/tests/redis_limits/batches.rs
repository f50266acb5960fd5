//! Batches that processes take and hand out by themselves: exactly the quota together.

use std::time::Duration;

use resilient_core::rate_limit::{Limit, RateLimitError};
use resilient_test_servers::Redis;
use tokio::task::JoinSet;
use tokio::time::{advance, pause, resume};

use crate::stage::{ENDLESS, Stage, api, calls, check, key, limiter, named, patient, remaining};

const QUOTA: u32 = 1_000;
const BATCH: u32 = 50;

fn batching(server: &Redis, batch: u32, limits: impl IntoIterator<Item = Limit>) -> Stage {
    limiter(&patient(server).reserve(batch), named(limits))
}

/// One of each kind that batches are taken of.
fn kinds(quota: u32) -> [Limit; 4] {
    [
        Limit::fixed("l", quota, ENDLESS),
        Limit::sliding_counter("l", quota, ENDLESS),
        Limit::token_bucket("l", quota, ENDLESS),
        Limit::gcra("l", quota, ENDLESS),
    ]
}

/// How many of so many at once are let through.
async fn allowed_of(stage: &Stage, requests: u32) -> u32 {
    let mut asked = JoinSet::new();
    for _ in 0..requests {
        let limiter = stage.limiter.clone();
        asked.spawn(async move { limiter.check("u", 1).await.unwrap().is_allowed() });
    }
    let answers = asked.join_all().await;
    u32::try_from(answers.into_iter().filter(|allowed| *allowed).count()).unwrap()
}

/// Case R03: four processes race, and what was counted is what passed and what is held, to the last
/// one. Given back, it passes elsewhere.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn r03_batches_of_all_processes_together_are_exactly_the_quota() {
    let Some(server) = Redis::start().unwrap() else {
        return;
    };
    for limit in kinds(QUOTA) {
        server.flush().unwrap();
        let processes = [(); 4].map(|()| batching(&server, BATCH, [limit.clone()]));
        let [a, b, c, d] = &processes;
        let (a, b, c, d) = tokio::join!(
            allowed_of(a, QUOTA),
            allowed_of(b, QUOTA),
            allowed_of(c, QUOTA),
            allowed_of(d, QUOTA),
        );
        let passed = a + b + c + d;
        let alone = api(&server, [limit.clone()]);
        assert_eq!(remaining(&alone).await, 0, "{limit:?}");
        let mut held = 0;
        for process in &processes {
            held += process.store.give_back().await.unwrap();
            assert_eq!(process.store.give_back().await.unwrap(), 0);
        }
        let held = u32::try_from(held).unwrap();
        assert_eq!(passed + held, QUOTA, "{limit:?}");
        // Each of them asked for more than all, so that none holds any.
        assert_eq!(held, 0, "{limit:?}");
    }
}

/// Case R03: what is stranded when a request is refused is less than a batch of each other process; a
/// process that is killed takes no more than that with it, and nothing of it passes twice.
#[tokio::test]
async fn r03_less_than_a_batch_of_each_other_process_is_stranded() {
    let Some(server) = Redis::start().unwrap() else {
        return;
    };
    for limit in kinds(QUOTA) {
        server.flush().unwrap();
        let processes = [(); 3].map(|()| batching(&server, BATCH, [limit.clone()]));
        let mut passed = 0;
        for process in &processes {
            // 1 + 2 + 4 + 8 + 16 + 32, and then one of a batch of 50.
            for _ in 0..64 {
                passed += u32::from(check(process, 1).await.is_allowed());
            }
        }
        assert_eq!(passed, 3 * 64);
        let last = batching(&server, BATCH, [limit.clone()]);
        while check(&last, 1).await.is_allowed() {
            passed += 1;
        }
        let stranded = QUOTA - passed;
        assert_eq!(stranded, 3 * (BATCH - 1), "{limit:?}");
        let [one, two, killed] = processes;
        drop(killed);
        for process in [one, two] {
            assert_eq!(process.store.give_back().await.unwrap(), 49);
        }
        let alone = api(&server, [limit.clone()]);
        while check(&alone, 1).await.is_allowed() {
            passed += 1;
        }
        assert_eq!(passed, QUOTA - 49, "{limit:?}");
    }
}

/// One of many at once asks, the others wait for what it gets.
#[tokio::test]
async fn r03_one_request_asks_for_a_batch_and_others_wait_for_it() {
    let Some(server) = Redis::start().unwrap() else {
        return;
    };
    let api = batching(&server, 100, [Limit::gcra("l", 1_000_000, ENDLESS)]);
    assert_eq!(allowed_of(&api, 1_000).await, 1_000);
    // 1, 2, 4, .., 64, and then 100 at a time.
    let counts = api.counter.counts();
    assert_eq!((counts.decided, counts.handed_out), (16, 984));
    assert_eq!(counts.reserved, 127 + 900 - 16);
}

/// A process holds no more than half of what is left, so that others find something.
#[tokio::test]
async fn r03_nobody_holds_the_rest_of_a_small_quota() {
    let Some(server) = Redis::start().unwrap() else {
        return;
    };
    for limit in kinds(20) {
        server.flush().unwrap();
        let api = batching(&server, 100, [limit.clone()]);
        let alone = crate::stage::api(&server, [limit]);
        let mut left = Vec::new();
        for _ in 0..12 {
            assert!(check(&api, 1).await.is_allowed());
            left.push(remaining(&alone).await);
        }
        // Batches of 1, 2, 4, and then of half of 13 and of half of 7.
        assert_eq!(left, [19, 17, 17, 13, 13, 13, 13, 7, 7, 7, 7, 7]);
    }
}

/// A key that is seldom asked for is never held; each has its own.
#[tokio::test]
async fn r03_the_first_request_of_a_key_takes_only_what_it_costs() {
    let Some(server) = Redis::start().unwrap() else {
        return;
    };
    let limit = Limit::fixed("l", 100, ENDLESS);
    let api = batching(&server, 50, [limit.clone()]);
    for name in 0..20 {
        let name = name.to_string();
        assert!(api.limiter.check(&name, 3).await.unwrap().is_allowed());
    }
    assert_eq!(api.counter.counts().reserved, 0);
    assert_eq!(api.store.give_back().await.unwrap(), 0);
}

/// What is held is part of a cost that is higher, also of one above a batch.
#[tokio::test]
async fn r03_a_higher_cost_takes_what_is_held_and_the_rest() {
    let Some(server) = Redis::start().unwrap() else {
        return;
    };
    for limit in kinds(40) {
        server.flush().unwrap();
        let api = batching(&server, 8, [limit.clone()]);
        let alone = crate::stage::api(&server, [limit]);
        for cost in [1, 1] {
            assert!(check(&api, cost).await.is_allowed());
        }
        assert_eq!(remaining(&alone).await, 37, "one is held");
        assert!(check(&api, 38).await.is_allowed());
        assert_eq!(remaining(&alone).await, 0);
        assert!(!check(&api, 1).await.is_allowed());
    }
}

/// What is refused takes nothing, and what is held stays for requests that it is enough for.
#[tokio::test]
async fn r11_what_does_not_fit_leaves_what_is_held() {
    let Some(server) = Redis::start().unwrap() else {
        return;
    };
    let api = batching(&server, 8, [Limit::fixed("l", 8, ENDLESS)]);
    let alone = crate::stage::api(&server, [Limit::fixed("l", 8, ENDLESS)]);
    for _ in 0..2 {
        assert!(check(&api, 1).await.is_allowed());
    }
    assert_eq!(remaining(&alone).await, 5, "one is held");
    let refused = check(&api, 7).await;
    assert!(!refused.is_allowed());
    assert_eq!(refused.cost(), 7);
    assert!(refused.retry_after().unwrap() <= ENDLESS);
    assert_eq!(remaining(&alone).await, 5);
    let asked = calls(&server, "evalsha");
    assert!(!check(&api, 7).await.is_allowed(), "refused without asking");
    assert!(check(&api, 1).await.is_allowed(), "the one that is held");
    assert_eq!(calls(&server, "evalsha"), asked);
}

/// Case R11: a batch is taken of all limits, or of none.
#[tokio::test]
async fn r11_r26_a_batch_is_of_all_limits() {
    let Some(server) = Redis::start().unwrap() else {
        return;
    };
    let limits = || {
        [
            Limit::gcra("burst", 100, ENDLESS),
            Limit::fixed("daily", 10, ENDLESS),
            Limit::sliding_counter("monthly", 1_000, ENDLESS),
        ]
    };
    let api = batching(&server, 64, limits());
    let mut passed = 0;
    while check(&api, 1).await.is_allowed() {
        passed += 1;
    }
    assert_eq!(passed, 10);
    let refused = crate::stage::api(&server, limits());
    let refused = check(&refused, 1).await;
    let violated: Vec<_> = refused.violated().map(|limit| &**limit.name).collect();
    assert_eq!(violated, ["daily"]);
    let left: Vec<_> = refused.limits().map(|limit| limit.remaining).collect();
    assert_eq!(left, [90, 0, 990]);
}

/// Case R10: a log counts each request when it comes.
#[tokio::test]
async fn r10_of_a_log_nothing_is_held() {
    let Some(server) = Redis::start().unwrap() else {
        return;
    };
    let limits = [
        Limit::fixed("l", 100, ENDLESS),
        Limit::sliding_log("log", 100, ENDLESS),
    ];
    let api = batching(&server, 50, limits);
    for _ in 0..10 {
        assert!(check(&api, 1).await.is_allowed());
    }
    let counts = api.counter.counts();
    assert_eq!((counts.decided, counts.reserved), (10, 0));
}

/// A window that is over by this process' clock is over: what was left of it is not handed out, and the
/// next batch is as large as what was used.
#[tokio::test]
async fn r04_a_batch_ends_with_its_window() {
    let Some(server) = Redis::start().unwrap() else {
        return;
    };
    let week = Duration::from_secs(7 * 86_400);
    for limit in [
        Limit::fixed("l", 1_000, week),
        Limit::sliding_counter("l", 1_000, week),
    ] {
        server.flush().unwrap();
        let api = batching(&server, 64, [limit]);
        for _ in 0..35 {
            check(&api, 1).await;
        }
        // 4 of 32 are used.
        let before = api.counter.counts();
        assert_eq!((before.decided, before.reserved), (6, 63 - 6));
        pause();
        advance(week).await;
        resume();
        check(&api, 1).await;
        let after = api.counter.counts();
        assert_eq!(after.decided, 7, "it is asked for anew");
        assert_eq!(after.reserved - before.reserved, 3);
    }
}

/// Of buckets a batch lasts for as long as it takes to come back.
#[tokio::test]
async fn r06_a_batch_of_a_bucket_lapses_when_it_would_have_come_back() {
    let Some(server) = Redis::start().unwrap() else {
        return;
    };
    // One in an hour; ten hours for a batch, and five for a whole burst.
    for (burst, hours) in [(100, 10), (5, 5)] {
        for limit in [
            Limit::gcra("l", 240, "240h").burst(burst),
            Limit::token_bucket("l", 240, "240h").burst(burst),
        ] {
            server.flush().unwrap();
            let api = batching(&server, 10, [limit]);
            assert!(check(&api, 1).await.is_allowed());
            assert!(check(&api, 1).await.is_allowed());
            assert_eq!(api.counter.counts().reserved, 1);
            let step = Duration::from_secs(3_600 * hours);
            pause();
            advance(step.checked_sub(Duration::from_secs(1_800)).unwrap()).await;
            resume();
            assert!(api.limiter.peek("u", 1).await.unwrap().is_allowed());
            assert_eq!(api.counter.counts().decided, 2, "it is held");
            pause();
            advance(Duration::from_secs(1_800)).await;
            resume();
            check(&api, 1).await;
            assert_eq!(api.counter.counts().handed_out, 0);
            assert_eq!(api.counter.counts().decided, 3, "it has lapsed");
        }
    }
}

/// A refund is handed out again without asking; of a batch before it goes to Redis.
#[tokio::test]
async fn r11_what_is_given_back_is_held_again() {
    let Some(server) = Redis::start().unwrap() else {
        return;
    };
    let limit = || [Limit::fixed("l", 8, ENDLESS)];
    let api = batching(&server, 4, limit());
    let alone = crate::stage::api(&server, limit());
    let first = check(&api, 1).await;
    let second = check(&api, 1).await;
    assert_eq!(remaining(&alone).await, 5, "one is held");
    let asked = calls(&server, "evalsha");
    api.limiter.refund("u", second).await.unwrap();
    assert!(check(&api, 2).await.is_allowed(), "that one and the other");
    assert_eq!(calls(&server, "evalsha"), asked);
    api.limiter.refund("u", first).await.unwrap();
    assert_eq!(remaining(&alone).await, 6);
}

/// Case R37: under other numbers nothing is handed out that was taken under those of before.
#[tokio::test]
async fn r37_a_lowered_quota_ends_what_is_held() {
    let Some(server) = Redis::start().unwrap() else {
        return;
    };
    let limit = |quota| [Limit::fixed("l", quota, ENDLESS)];
    let api = batching(&server, 16, limit(100));
    for _ in 0..20 {
        assert!(check(&api, 1).await.is_allowed());
    }
    api.limiter.update(named(limit(10))).unwrap();
    let refused = check(&api, 1).await;
    assert!(!refused.is_allowed());
    assert_eq!(refused.tightest().unwrap().remaining, 0);
    api.limiter.update(named(limit(100))).unwrap();
    assert!(check(&api, 1).await.is_allowed());
}

/// Case R29: what is refused is remembered as without batches.
#[tokio::test]
async fn r29_a_refused_batch_is_repeated_without_asking() {
    let Some(server) = Redis::start().unwrap() else {
        return;
    };
    let api = batching(&server, 16, [Limit::gcra("l", 3, ENDLESS)]);
    assert_eq!(allowed_of(&api, 100).await, 3);
    let counts = api.counter.counts();
    assert!(counts.decided <= 5, "{counts:?}");
    assert_eq!(counts.decided + counts.handed_out + counts.denied_here, 100);
}

/// Cases R23 and R09 of batches: what other hands wrote, and costs that never fit.
#[tokio::test]
async fn r09_r23_a_batch_of_what_is_no_count() {
    let Some(server) = Redis::start().unwrap() else {
        return;
    };
    for (limit, suffix) in kinds(10).into_iter().zip(["w", "s", "t", "g"]) {
        server.flush().unwrap();
        server.ask(&["SET", &key("l", suffix), "999"]).unwrap();
        let api = batching(&server, 4, [limit]);
        assert_eq!(allowed_of(&api, 20).await, 10);
        let error = api.limiter.check("u", 11).await.expect_err("never fits");
        assert!(
            matches!(error, RateLimitError::CostUnsatisfiable { .. }),
            "{error}"
        );
        for key in crate::stage::keys(&server) {
            assert!(crate::stage::pttl(&server, &key) > 0, "{key}");
        }
    }
}

/// The largest numbers there are stay exact.
#[tokio::test]
async fn r08_batches_of_the_largest_numbers_are_exact() {
    let Some(server) = Redis::start().unwrap() else {
        return;
    };
    for limit in [
        Limit::fixed("l", u32::MAX, ENDLESS),
        Limit::sliding_counter("l", u32::MAX, ENDLESS),
        Limit::token_bucket("l", u32::MAX, ENDLESS),
        Limit::gcra("l", u32::MAX, ENDLESS),
    ] {
        server.flush().unwrap();
        let api = batching(&server, 100_000, [limit.clone()]);
        let alone = crate::stage::api(&server, [limit.clone()]);
        assert!(check(&alone, u32::MAX - 300_000).await.is_allowed());
        assert!(check(&api, 100_000).await.is_allowed(), "{limit:?}");
        assert!(check(&api, 1).await.is_allowed(), "{limit:?}");
        // Half of what is left, and by now some of it may have come back.
        let left = remaining(&alone).await;
        assert!((100_000..110_000).contains(&left), "{limit:?}: {left}");
        assert!(check(&api, 99_999).await.is_allowed(), "{limit:?}");
        assert_eq!(api.counter.counts().decided, 2, "{limit:?}");
    }
}
