//! The one error of all lanes.

use std::time::Duration;

use resilient::{Class, Classify, Rejection};

/// What a call can come back with instead of a number.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// The body failed; it may work next time.
    #[error("the dependency is down")]
    Down,
    /// A handwritten breaker is open.
    #[error("the breaker is open for another {retry_in:?}")]
    Open {
        /// When to try again.
        retry_in: Duration,
    },
    /// A handwritten bulkhead has no permit.
    #[error("the bulkhead is full")]
    Full,
    /// A handwritten limit was reached.
    #[error("too late")]
    TimedOut,
    /// The library rejected or cut the call.
    #[error(transparent)]
    Rejected(#[from] Rejection),
}

/// What every lane returns.
pub type Outcome = Result<u64, Failure>;

impl Classify for Failure {
    fn class(&self) -> Class {
        match self {
            Failure::Down | Failure::TimedOut => Class::transient(),
            Failure::Open { .. } | Failure::Full => Class::Ignored,
            Failure::Rejected(rejection) => rejection.class(),
        }
    }
}
