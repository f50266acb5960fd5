//! What the peers protect, and the numbers they are all set to.

use std::cell::Cell;
use std::time::Duration;

use resilient_benches::body;
use resilient_benches::failure::{Failure, Outcome};

/// Attempts of one call.
pub(crate) const ATTEMPTS: u32 = 3;
/// How many attempts may run at a time; no workload makes more.
pub(crate) const LIMIT: usize = 16_384;
/// One attempt's time.
pub(crate) const TIMEOUT: Duration = Duration::from_secs(5);
/// A call's time.
pub(crate) const DEADLINE: Duration = Duration::from_secs(15);
/// Longer than any measurement.
pub(crate) const HOUR: Duration = Duration::from_hours(1);

/// A function of the dependency.
pub(crate) trait Service: Copy + Send + Sync + 'static {
    /// What it returns, once awaited.
    type Future: Future<Output = Outcome> + Send + 'static;

    /// One attempt.
    fn attempt(self, number: u64) -> Self::Future;
}

impl<F, Fut> Service for F
where
    F: Fn(u64) -> Fut + Copy + Send + Sync + 'static,
    Fut: Future<Output = Outcome> + Send + 'static,
{
    type Future = Fut;

    fn attempt(self, number: u64) -> Fut {
        self(number)
    }
}

thread_local! {
    static ATTEMPTS_MADE: Cell<u32> = const { Cell::new(0) };
}

/// Fails twice, works once, and again from the start. A call that made another number of attempts
/// than three would come out wrong, and so would all after it.
pub(crate) async fn flaky(number: u64) -> Outcome {
    let made = ATTEMPTS_MADE.get();
    ATTEMPTS_MADE.set((made + 1) % ATTEMPTS);
    if made + 1 == ATTEMPTS {
        body::ready(number).await
    } else {
        Err(Failure::Down)
    }
}

/// Always fails: opens breakers.
pub(crate) async fn down(_: u64) -> Outcome {
    Err(Failure::Down)
}

/// What a peer's open breaker says, which does not know for how long.
pub(crate) fn open() -> Failure {
    Failure::Open {
        retry_in: Duration::ZERO,
    }
}
