//! The error of both.

#![expect(
    clippy::exhaustive_enums,
    clippy::implicit_return,
    clippy::missing_inline_in_public_items,
    reason = "what any error is like"
)]

use core::time::Duration;

use res::{Classify, Rejection};

/// What the dependency of a test says.
#[derive(Classify)]
#[classify(crate = ::res)]
pub enum Failure {
    /// May pass.
    #[transient]
    Again,
    /// Was told to wait.
    #[throttled(retry_after = after)]
    Busy {
        /// How long.
        after: Duration,
    },
    /// Was refused on the spot.
    #[classify(source)]
    Refused(Rejection),
}

impl From<Rejection> for Failure {
    fn from(rejection: Rejection) -> Self {
        Self::Refused(rejection)
    }
}
