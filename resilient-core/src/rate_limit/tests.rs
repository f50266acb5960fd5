//! Limiters as they are used, on the paused clock.

mod keys;
mod waits;

use std::sync::Arc;
use std::time::Duration;

use tokio::time::advance;

use super::backend::Backend;
use super::epoch::Epoch;
use super::memory::Memory;
use super::*;
use crate::class::Classify;
use crate::rejection::Rejection;
use crate::seam::clock::now;

/// A midnight, so that windows of every usual length begin when a test does.
const MIDNIGHT: u64 = 1_728_000_000 * 1_000_000_000;

/// A limiter that is made at midnight.
#[allow(
    clippy::needless_pass_by_value,
    reason = "the same shape as making one"
)]
fn limiter(limit: RateLimit) -> RateLimiter {
    let settings = limit.settings().expect("the numbers are good");
    let memory = Memory::at(&settings, Epoch::at(MIDNIGHT, now()));
    RateLimiter::with(&settings, Backend::Memory(memory))
}

fn api(limit: Limit) -> RateLimit {
    RateLimit::named("api").limit(limit)
}

fn secs(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

async fn remaining(limiter: &RateLimiter, key: &str) -> u32 {
    let decision = limiter.peek(key, 1).await.expect("it can decide");
    decision.tightest().expect("a limit").remaining
}

/// Case R01: five in a minute, and everything that headers need.
#[tokio::test(start_paused = true)]
async fn r01_five_in_a_minute() {
    let api = limiter(api(Limit::fixed("l", 5, "60s")));
    let wall = std::time::UNIX_EPOCH + Duration::from_nanos(MIDNIGHT + 1);
    for left in (0..5).rev() {
        let decision = api.check("u", 1).await.expect("it can decide");
        assert!(decision.is_allowed());
        let limit = decision.tightest().expect("a limit");
        assert_eq!((limit.quota, limit.remaining), (5, left));
        assert_eq!(limit.reset_at(wall), MIDNIGHT / 1_000_000_000 + 61);
    }
    let sixth = api.check("u", 1).await.expect("it can decide");
    assert!(!sixth.is_allowed());
    assert_eq!(sixth.retry_after_secs(), Some(60));
    assert_eq!(sixth.tightest().expect("a limit").remaining, 0);
    advance(Duration::from_millis(59_999)).await;
    let early = api.check("u", 1).await.expect("it can decide");
    assert_eq!(early.retry_after_secs(), Some(1), "never 0");
    assert_eq!(remaining(&api, "somebody else").await, 5);
    let counters = api.snapshot().counters;
    assert_eq!((counters.allowed, counters.denied), (5, 2));
}

/// Case R09 of the server's: its own error, at once and in every way to ask.
#[tokio::test(start_paused = true)]
async fn r09_what_never_fits_is_an_error_of_its_own() {
    for unkeyed in [false, true] {
        let mut limit = api(Limit::gcra("l", 5, "1s")).max_wait("1h");
        if unkeyed {
            limit = limit.unkeyed();
        }
        let api = limiter(limit);
        let start = now();
        let errors = [
            api.check("u", 6).await.err(),
            api.peek("u", 6).await.err(),
            api.acquire("u", 6).await.err(),
        ];
        for error in errors {
            let Some(RateLimitError::CostUnsatisfiable {
                limit,
                cost,
                capacity,
                ..
            }) = error
            else {
                panic!("{error:?}");
            };
            assert_eq!((&*limit, cost, capacity), ("l", 6, 5));
        }
        assert_eq!(now(), start);
        assert_eq!(remaining(&api, "u").await, 5);
        assert_eq!(api.snapshot().counters.cost_unsatisfiable, 2);
    }
}

/// Case R08 of the bugs: a cost of 0 is a look.
#[tokio::test(start_paused = true)]
async fn r08_a_cost_of_nothing_is_a_look() {
    let api = limiter(api(Limit::fixed("l", 1, "1s")));
    for _ in 0..3 {
        let look = api.check("u", 0).await.expect("it can decide");
        assert!(look.is_allowed());
        assert_eq!(look.tightest().expect("a limit").remaining, 1);
    }
    assert!(api.check("u", 1).await.expect("it can decide").is_allowed());
    assert!(api.check("u", 0).await.expect("it can decide").is_allowed());
    api.acquire("u", 0).await.expect("it takes nothing");
    assert_eq!(api.snapshot().counters.denied, 0);
}

/// Case R30: nothing is refused, everything that would be is counted.
#[tokio::test(start_paused = true)]
async fn r30_a_shadow_refuses_nothing() {
    let api = limiter(api(Limit::fixed("l", 5, "1s")).shadow(true));
    for index in 0..15 {
        let decision = api.check("u", 1).await.expect("it can decide");
        assert!(decision.is_allowed());
        assert_eq!(decision.would_be_denied(), index >= 5);
    }
    let counters = api.snapshot().counters;
    assert_eq!((counters.allowed, counters.would_deny), (5, 10));
    let start = now();
    api.acquire("u", 1).await.expect("nothing is refused");
    api.acquire("u", 6).await.expect("nothing is refused");
    let never = api.check("u", 6).await.expect("nothing is refused");
    assert!(never.is_allowed() && never.would_be_denied());
    assert_eq!(now(), start, "nothing waits");
    assert_eq!(api.snapshot().counters.would_deny, 13);
    assert_eq!(api.snapshot().counters.denied, 0);
}

/// Case R31: neither list is counted.
#[tokio::test(start_paused = true)]
async fn r31_lists_come_before_limits() {
    let api = limiter(api(Limit::fixed("l", 1, "1h")));
    api.allow("friend");
    api.deny("foe");
    for _ in 0..5 {
        let friend = api.check("friend", 1).await.expect("it is let through");
        assert!(friend.is_allowed());
        assert_eq!(friend.limits().count(), 0);
        api.acquire("friend", 1).await.expect("it is let through");
        for error in [
            api.check("foe", 1).await.err(),
            api.acquire("foe", 1).await.err(),
            api.peek("foe", 1).await.err(),
        ] {
            assert!(matches!(error, Some(RateLimitError::DenyListed { .. })));
        }
    }
    let counters = api.snapshot().counters;
    assert_eq!((counters.allow_listed, counters.deny_listed), (10, 10));
    assert_eq!((counters.allowed, counters.denied), (0, 0));
    api.unlist("friend");
    api.unlist("foe");
    assert_eq!(remaining(&api, "friend").await, 1);
    assert_eq!(remaining(&api, "foe").await, 1);
}

/// Case R16 of the bugs: neither requests nor windows nor a lack of room undo a block.
#[tokio::test(start_paused = true)]
async fn r16_what_is_blocked_stays_blocked() {
    let limit = Limit::fixed("l", 1, "1s");
    let api = limiter(RateLimit::named("api").limit(limit).max_keys(1));
    api.deny("foe");
    for round in 0..5 {
        assert!(api.check("foe", 1).await.is_err(), "round {round}");
        let somebody = format!("user-{round}");
        assert!(
            api.check(&somebody, 1)
                .await
                .is_ok_and(|said| said.is_allowed())
        );
        tokio::time::advance(Duration::from_secs(2)).await;
    }
    assert_eq!(api.snapshot().counters.deny_listed, 5);
}

/// Case R37: what is used stays used, in every backend and for keys with limits of their own.
#[tokio::test(start_paused = true)]
async fn r37_numbers_change_while_requests_come() {
    for unkeyed in [false, true] {
        let named = |quota| {
            let limit = api(Limit::gcra("l", quota, "60s"));
            if unkeyed { limit.unkeyed() } else { limit }
        };
        let api = limiter(named(100));
        assert!(
            api.check("u", 50)
                .await
                .expect("it can decide")
                .is_allowed()
        );
        api.update(named(10)).expect("the numbers are good");
        let refused = api.check("u", 1).await.expect("it can decide");
        assert!(!refused.is_allowed());
        let limit = refused.tightest().expect("a limit");
        assert_eq!((limit.quota, limit.remaining), (10, 0));
        assert_eq!(refused.retry_after_secs(), Some(6));
        api.update(named(20)).expect("the numbers are good");
        assert_eq!(remaining(&api, "u").await, 10);
    }
    let api = limiter(api(Limit::fixed("l", 2, "1s")));
    let other = RateLimit::named("other").limit(Limit::fixed("l", 2, "1s"));
    let problems = api.update(other).expect_err("another name").problems;
    assert_eq!(problems[0].setting, "name");
    let unkeyed = self::api(Limit::fixed("l", 2, "1s")).unkeyed();
    let problems = api.update(unkeyed).expect_err("another kind").problems;
    assert_eq!(problems[0].setting, "unkeyed");
}

/// Some keys have more, and keep what they have used when that changes.
#[tokio::test(start_paused = true)]
async fn a_key_may_have_limits_of_its_own() {
    let api = limiter(api(Limit::fixed("l", 2, "1h")));
    api.acquire("big", 1).await.expect("it fits");
    api.set_limits_of("big", [Limit::fixed("l", 100, "1h")])
        .expect("the numbers are good");
    assert_eq!(remaining(&api, "big").await, 99);
    assert_eq!(remaining(&api, "small").await, 2);
    api.update(self::api(Limit::fixed("l", 1, "1h")))
        .expect("the numbers are good");
    assert_eq!(remaining(&api, "big").await, 99);
    assert_eq!(remaining(&api, "small").await, 1);
    api.clear_limits_of("big");
    assert_eq!(remaining(&api, "big").await, 0);
    let wrong = api.set_limits_of("big", [Limit::fixed("l", 0, "1")]);
    assert_eq!(wrong.expect_err("two mistakes").problems.len(), 2);
}

/// A refund reaches the limiter's own counts, of either kind.
#[tokio::test(start_paused = true)]
async fn what_did_not_count_is_given_back() {
    for limit in [
        api(Limit::fixed("l", 5, "1h")),
        api(Limit::gcra("l", 5, "1h")),
        api(Limit::gcra("l", 5, "1h")).unkeyed(),
        api(Limit::token_bucket("l", 5, "1h")).unkeyed(),
    ] {
        let api = limiter(limit);
        let decision = api.check("u", 3).await.expect("it can decide");
        assert_eq!(remaining(&api, "u").await, 2);
        api.refund("u", decision).await.expect("it is there");
        assert_eq!(remaining(&api, "u").await, 5);
        let _ = api.check("u", 5).await.expect("it can decide");
        let refused = api.check("u", 1).await.expect("it can decide");
        api.refund("u", refused).await.expect("it is there");
        let look = api.peek("u", 5).await.expect("it can decide");
        api.refund("u", look).await.expect("it is there");
        assert_eq!(remaining(&api, "u").await, 0, "neither took anything");
    }
}

/// Case M05: users do not make series, and what a rejection says has no key in it.
#[tokio::test(start_paused = true)]
async fn m05_keys_are_told_to_nobody() {
    let api = limiter(api(Limit::gcra("l", 1, "90s")));
    api.acquire("secret", 1).await.expect("it fits");
    let error = api.acquire("secret", 1).await.expect_err("it does not");
    assert_eq!(error.retry_in(), Some(secs(90)));
    let message = error.to_string();
    let rejection = Rejection::from(error);
    assert_eq!(rejection.retry_in(), Some(secs(90)));
    assert_eq!(Classify::kind(&rejection), "rate_limited");
    let shown = format!("{message}{rejection}{api:?}{:?}", api.snapshot());
    assert!(!shown.contains("secret"), "{shown}");
}

/// Says no, then that it is broken.
#[derive(Debug)]
struct Broken;

impl Store for Broken {
    fn decide<'a>(&'a self, ask: Ask<'a>) -> StoreFuture<'a, Decision> {
        Box::pin(async move {
            if ask.key == "broken" {
                return Err(StoreError::new("no route to host"));
            }
            let no = Reading {
                retry_after: secs(7),
                reset_after: secs(7),
                ..Reading::default()
            };
            let readings = ask.limits.iter().map(|_| no).collect();
            Ok(Decision::new(
                ask.limits.clone(),
                readings,
                false,
                ask.cost,
                0,
            ))
        })
    }

    fn refund<'a>(&'a self, _: Ask<'a>, _: &'a Decision) -> StoreFuture<'a, ()> {
        Box::pin(async { Err(StoreError::new("no route to host")) })
    }
}

/// Another store is asked the same, and what it says is said.
#[tokio::test(start_paused = true)]
async fn a_store_outside_of_the_process_is_asked_the_same() {
    let limit = api(Limit::fixed("l", 5, "60s")).max_wait("5s");
    let api = RateLimiter::over(Arc::new(Broken), limit).expect("the numbers are good");
    let refused = api.check("u", 1).await.expect("it can decide");
    assert_eq!(refused.retry_after_secs(), Some(7));
    let error = api.acquire("u", 1).await.expect_err("longer than 5 s");
    assert_eq!(error.retry_in(), Some(secs(7)));
    let error = api.check("u", 6).await.expect_err("it never fits");
    assert!(matches!(error, RateLimitError::CostUnsatisfiable { .. }));
    api.set_limits_of("u", [Limit::fixed("l", 6, "60s")])
        .expect("the numbers are good");
    assert!(api.check("u", 6).await.is_ok());
    let error = api.check("broken", 1).await.expect_err("it is broken");
    assert!(matches!(error, RateLimitError::Unavailable { .. }));
    api.refund("u", refused).await.expect("nothing was taken");
    assert_eq!(api.snapshot().counters.store_errors, 1);
}
