//! What can come back instead of an answer.

use std::time::Duration;

use resilient::{Classify, Rejection};

#[derive(Debug, thiserror::Error, Classify)]
pub(crate) enum Failure {
    #[error("the connection is refused")]
    #[transient(unsent)]
    Refused,
    #[error("the service is unavailable")]
    #[transient]
    Unavailable,
    #[error("the service asks to come back later")]
    #[throttled(retry_after = retry_after)]
    Throttled { retry_after: Option<Duration> },
    #[error(transparent)]
    #[classify(source)]
    Rejected(#[from] Rejection),
}
