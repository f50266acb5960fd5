//! What keys of a rate limiter cost, and what a request does.

#![allow(clippy::unwrap_used, missing_docs)]

use std::fmt::Write;

use resilient::{Limit, RateLimit, RateLimiter};
use tokio::time::{Duration, advance};

fn limiter() -> RateLimiter {
    let limit = Limit::gcra("steady", 10, "10s");
    RateLimiter::in_memory(RateLimit::named("api").limit(limit)).unwrap()
}

const MILLION: i64 = 1_000_000;

/// Bytes of a key's text.
const KEY: i64 = 12;

/// Asks once for each of a million keys.
fn fill(limiter: &RateLimiter) {
    let mut key = String::new();
    for number in 0..MILLION {
        key.clear();
        write!(key, "user-{number:07}").unwrap();
        limiter.try_acquire(&key, 1).unwrap().unwrap();
    }
}

/// Cases R38, and R13 of the bugs: a million keys once each, two idle windows, and then one key that
/// somebody still uses.
#[tokio::test(start_paused = true)]
async fn r38_a_million_keys_cost_little_and_are_forgotten() {
    let limiter = limiter();
    let filled = allocation_counter::measure(|| fill(&limiter));
    assert_eq!(limiter.snapshot().keys, 1_000_000);
    assert_eq!(limiter.snapshot().evicted, 0);
    let for_each = filled.bytes_current / MILLION - KEY;
    assert!(for_each < 100, "{for_each} bytes beside the key");

    advance(Duration::from_secs(20)).await;
    let forgot = allocation_counter::measure(|| {
        for _ in 0..5_000 {
            let _ = limiter.try_acquire("user-0000000", 1);
        }
    });
    assert_eq!(limiter.snapshot().keys, 1);
    let left = filled.bytes_current + forgot.bytes_current;
    assert!(left < filled.bytes_current / 10, "{left} bytes are left");
}

/// A request of a key that is known, or of nobody in particular, allocates nothing if it fits.
#[tokio::test(start_paused = true)]
async fn what_fits_allocates_nothing() {
    let all = RateLimit::named("all").limit(Limit::gcra("steady", 10, "10s"));
    for limiter in [limiter(), RateLimiter::in_memory(all.unkeyed()).unwrap()] {
        limiter.acquire("known", 1).await.unwrap();
        let mut future = Box::pin(limiter.acquire("known", 1));
        let allocated = allocation_counter::measure(|| {
            let mut cx = std::task::Context::from_waker(std::task::Waker::noop());
            assert!(future.as_mut().poll(&mut cx).is_ready());
        });
        assert_eq!(allocated.count_total, 0);
        assert!(size_of_val(&*future) <= 256, "{}", size_of_val(&*future));
    }
}
