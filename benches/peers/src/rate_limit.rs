//! governor: a rate limit and nothing else.

use std::num::NonZero;
use std::sync::LazyLock;

use governor::{DefaultDirectRateLimiter, Quota, RateLimiter};
use resilient_benches::failure::Failure;
use resilient_benches::lane::{Driver, Lane, no_room, worked};

use crate::service::{HOUR, Service};

const NAME: &str = "governor, rate limit";

// Made at the first call: its clock calibrates itself, which must not be part of other lanes' start.
static WITH_ROOM: LazyLock<DefaultDirectRateLimiter> = LazyLock::new(|| {
    // More than one thread can make, and a whole number of nanoseconds for each.
    let calls = NonZero::new(100_000_000).expect("not zero");
    RateLimiter::direct(Quota::per_second(calls))
});

static USED_UP: LazyLock<DefaultDirectRateLimiter> = LazyLock::new(|| {
    let quota = Quota::with_period(HOUR).expect("an hour is not nothing");
    let limiter = RateLimiter::direct(quota);
    let _ = limiter.check();
    limiter
});

/// Far from its limit.
pub(crate) fn with_room(driver: Driver, service: impl Service) -> Lane {
    let call = async move |number| limited(&WITH_ROOM, service, number).await;
    Lane::new(driver, NAME, worked, call).never_the_same()
}

/// One call an hour, which has been made.
pub(crate) fn used_up(driver: Driver, service: impl Service) -> Lane {
    let call = async move |number| limited(&USED_UP, service, number).await;
    Lane::new(driver, NAME, no_room, call).never_the_same()
}

async fn limited(
    limiter: &DefaultDirectRateLimiter,
    service: impl Service,
    number: u64,
) -> Result<u64, Failure> {
    if limiter.check().is_err() {
        return Err(Failure::Full);
    }
    service.attempt(number).await
}
