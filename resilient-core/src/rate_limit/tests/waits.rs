//! Waiting for a turn.

use std::sync::Mutex;

use tokio::task::{JoinSet, yield_now};
use tokio::time::Instant;

use super::*;

fn ms(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

/// Ten at once, and then one each 100 ms.
fn ten() -> RateLimiter {
    limiter(api(Limit::gcra("l", 10, "1s")).max_wait("1s"))
}

/// Lets everything that can go on do so.
async fn settle() {
    for _ in 0..10 {
        yield_now().await;
    }
}

/// Case R34: what is there is given at once, and then in order.
#[tokio::test(start_paused = true)]
async fn r34_first_come_first_served() {
    for limit in [
        Limit::gcra("l", 10, "1s"),
        Limit::token_bucket("l", 10, "1s"),
    ] {
        for unkeyed in [false, true] {
            let mut limit = api(limit.clone()).max_wait("1s");
            if unkeyed {
                limit = limit.unkeyed();
            }
            let limiter = limiter(limit);
            let start = Instant::now();
            limiter.acquire("u", 10).await.expect("it fits");
            assert_eq!(start.elapsed(), Duration::ZERO);
            limiter.acquire("u", 3).await.expect("it fits in time");
            assert_eq!(start.elapsed(), ms(300));
        }
    }
}

/// Case R34: nobody overtakes, whatever is asked for.
#[tokio::test(start_paused = true)]
async fn r34_nobody_overtakes() {
    let limiter = ten();
    limiter.acquire("u", 10).await.expect("it fits");
    let start = Instant::now();
    let done = Arc::new(Mutex::new(Vec::new()));
    let mut tasks = JoinSet::new();
    for (name, cost) in [("a", 5), ("b", 1), ("c", 2)] {
        let (limiter, done) = (limiter.clone(), done.clone());
        tasks.spawn(async move {
            limiter.acquire("u", cost).await.expect("it fits in time");
            let at = start.elapsed().as_millis();
            done.lock().expect("no panic").push((name, at));
        });
        settle().await;
    }
    assert_eq!(limiter.snapshot().waiting, 3);
    advance(ms(100)).await;
    let overtakes = limiter.check("u", 1).await.expect("it can decide");
    assert!(!overtakes.is_allowed());
    assert_eq!(overtakes.retry_after(), Some(ms(800)));
    assert!(
        limiter
            .check("v", 1)
            .await
            .expect("it can decide")
            .is_allowed()
    );
    tasks.join_all().await;
    assert_eq!(
        *done.lock().expect("no panic"),
        [("a", 500), ("b", 600), ("c", 800)]
    );
    assert_eq!(limiter.snapshot().waiting, 0);
    assert_eq!(limiter.snapshot().counters.waited, 3);
}

/// Case R35: who gives up takes nothing, and the next one need not wait for him.
#[tokio::test(start_paused = true)]
async fn r35_giving_up_takes_nothing() {
    let limiter = ten();
    limiter.acquire("u", 10).await.expect("it fits");
    let start = Instant::now();
    let quitter = tokio::spawn({
        let limiter = limiter.clone();
        async move { limiter.acquire("u", 5).await }
    });
    settle().await;
    let next = tokio::spawn({
        let limiter = limiter.clone();
        async move {
            limiter.acquire("u", 1).await.expect("it fits in time");
            start.elapsed()
        }
    });
    settle().await;
    advance(ms(90)).await;
    quitter.abort();
    assert_eq!(next.await.expect("no panic"), ms(100));
    assert_eq!(limiter.snapshot().waiting, 0);
    advance(ms(1000)).await;
    assert_eq!(remaining(&limiter, "u").await, 10);
}

/// Case R36: what cannot be in time fails at once and takes nothing; those ahead are reckoned with.
#[tokio::test(start_paused = true)]
async fn r36_what_cannot_be_in_time_fails_at_once() {
    let limiter = ten();
    limiter.acquire("u", 10).await.expect("it fits");
    let start = Instant::now();
    let error = limiter
        .acquire_within("u", 1, ms(50))
        .await
        .expect_err("it needs 100 ms");
    assert_eq!(error.retry_in(), Some(ms(100)));
    let ahead = tokio::spawn({
        let limiter = limiter.clone();
        async move { limiter.acquire("u", 4).await }
    });
    settle().await;
    let error = limiter
        .acquire_within("u", 1, ms(499))
        .await
        .expect_err("it needs 500 ms");
    assert_eq!(error.retry_in(), Some(ms(500)));
    assert_eq!(start.elapsed(), Duration::ZERO);
    assert_eq!(limiter.snapshot().counters.denied, 2);
    ahead.await.expect("no panic").expect("it fits in time");
    assert_eq!(start.elapsed(), ms(400));
    assert_eq!(remaining(&limiter, "u").await, 0);
}

/// Case R17 of the bugs: nobody who waits is forgotten, in one task or in five.
#[tokio::test(start_paused = true)]
async fn r17_everybody_who_waits_is_served() {
    let once = || limiter(api(Limit::gcra("l", 1, "1s")).max_wait("1min"));
    let start = Instant::now();
    let alone = once();
    for turn in 0..5 {
        alone.acquire("u", 1).await.expect("it fits in time");
        assert_eq!(start.elapsed(), secs(turn));
    }
    let start = Instant::now();
    let together = once();
    let mut tasks = JoinSet::new();
    for turn in 0..5 {
        let limiter = together.clone();
        tasks.spawn(async move {
            limiter.acquire("u", 1).await.expect("it fits in time");
            assert_eq!(start.elapsed(), secs(turn));
        });
        settle().await;
    }
    tasks.join_all().await;
    assert_eq!(start.elapsed(), secs(4));
}

/// A window that is used up lets go of those that wait, as many as fit the next one.
#[tokio::test(start_paused = true)]
async fn who_waits_for_a_window_waits_for_its_end() {
    let limiter = limiter(api(Limit::fixed("l", 2, "1s")).max_wait("10s"));
    let start = Instant::now();
    let mut tasks = JoinSet::new();
    for turn in 0..6 {
        let limiter = limiter.clone();
        tasks.spawn(async move {
            limiter.acquire("u", 1).await.expect("it fits in time");
            assert_eq!(start.elapsed(), secs(turn / 2));
        });
        settle().await;
    }
    tasks.join_all().await;
}

#[tokio::test(start_paused = true)]
async fn only_so_many_wait_for_a_key() {
    let limit = api(Limit::gcra("l", 1, "1s")).max_wait("1min");
    let limiter = limiter(limit.max_waiting(2));
    limiter.acquire("u", 1).await.expect("it fits");
    limiter.acquire("v", 1).await.expect("it fits");
    let mut tasks = JoinSet::new();
    for _ in 0..2 {
        let limiter = limiter.clone();
        tasks.spawn(async move { limiter.acquire("u", 1).await });
    }
    settle().await;
    let error = limiter.acquire("u", 1).await.expect_err("two wait");
    assert!(matches!(
        error,
        RateLimitError::TooManyWaiting { waiting: 2, .. }
    ));
    assert_eq!(Rejection::from(error).retry_in(), None);
    limiter.acquire("v", 1).await.expect("nobody waits for it");
    assert!(tasks.join_all().await.iter().all(Result::is_ok));
}

/// A limit that is lowered while somebody waits: he is told as soon as it is known.
#[tokio::test(start_paused = true)]
async fn r37_who_waits_learns_of_other_numbers() {
    let limiter = ten();
    limiter.acquire("u", 10).await.expect("it fits");
    let waits = tokio::spawn({
        let limiter = limiter.clone();
        async move { limiter.acquire("u", 5).await }
    });
    settle().await;
    limiter
        .update(api(Limit::gcra("l", 1, "1s").burst(5)))
        .expect("the numbers are good");
    let error = waits
        .await
        .expect("no panic")
        .expect_err("5 s are too long");
    assert!(matches!(error, RateLimitError::Limited { .. }));
}
