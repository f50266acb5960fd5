//! As little as the same protections can cost: one counter for the bulkhead, and one timer, made
//! when the body is pending.

use super::ATTEMPTS;
use super::breaker::Breaker;
use super::budget::Budget;
use super::lazy_timeout::LazyTimeout;
use super::permits::Permits;
use crate::failure::{Failure, Outcome};

/// The policies of one dependency.
pub(crate) struct Lazy {
    breaker: Breaker,
    budget: Budget,
    bulkhead: Permits,
}

impl Lazy {
    /// All policies around this breaker.
    pub(crate) fn around(breaker: Breaker) -> Self {
        Lazy {
            breaker,
            budget: Budget::full(),
            bulkhead: Permits::default(),
        }
    }

    /// One call through all of them.
    #[inline]
    pub(crate) async fn call(&self, body: impl AsyncFn() -> Outcome) -> Outcome {
        let mut end = None;
        let mut attempt = 1;
        loop {
            self.breaker.admit()?;
            let permit = self.bulkhead.take()?;
            let outcome = LazyTimeout::new(&mut end, body())
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
