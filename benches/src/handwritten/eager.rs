//! What most would write: tokio's semaphore, and a timer for every attempt.

use tokio::sync::Semaphore;
use tokio::time::{Instant, timeout_at};

use super::breaker::Breaker;
use super::budget::Budget;
use super::{ATTEMPTS, DEADLINE, LIMIT, TIMEOUT};
use crate::failure::{Failure, Outcome};

/// The policies of one dependency.
pub(crate) struct Eager {
    breaker: Breaker,
    budget: Budget,
    bulkhead: Semaphore,
}

impl Eager {
    /// All policies around this breaker.
    pub(crate) fn around(breaker: Breaker) -> Self {
        Eager {
            breaker,
            budget: Budget::full(),
            bulkhead: Semaphore::new(LIMIT as usize),
        }
    }

    /// One call through all of them.
    #[inline]
    pub(crate) async fn call(&self, body: impl AsyncFn() -> Outcome) -> Outcome {
        let end = Instant::now() + DEADLINE;
        let mut attempt = 1;
        loop {
            self.breaker.admit()?;
            let permit = self.bulkhead.try_acquire().map_err(|_| Failure::Full)?;
            let limit = end.min(Instant::now() + TIMEOUT);
            let outcome = timeout_at(limit, body())
                .await
                .unwrap_or(Err(Failure::TimedOut));
            drop(permit);
            self.breaker.record(&outcome);
            if outcome.is_ok() {
                self.budget.answered();
                return outcome;
            }
            if attempt == ATTEMPTS || !self.budget.spend() {
                return outcome;
            }
            attempt += 1;
        }
    }
}
