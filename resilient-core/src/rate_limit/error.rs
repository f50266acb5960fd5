//! Why a limiter has no decision, or a request no turn.

use std::error::Error;
use std::fmt::{self, Write};
use std::time::Duration;

use crate::invalid::InvalidSetting;
use crate::name::Name;
use crate::rejection::Rejection;

/// A rate limiter with settings that cannot work.
///
/// Its `Debug` is its message, because a `main` that returns it prints that.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[error("rate limiter `{}` has settings that cannot work:{}", name.escape_debug(), list(problems))]
pub struct InvalidRateLimit {
    /// The limiter, as it was named.
    pub name: String,
    /// What is wrong, setting by setting.
    pub problems: Vec<InvalidSetting>,
}

impl fmt::Debug for InvalidRateLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

fn list(problems: &[InvalidSetting]) -> String {
    problems.iter().fold(String::new(), |mut text, problem| {
        let _ = write!(text, "\n  - {problem}");
        text
    })
}

/// What a store says when it cannot decide.
#[derive(Debug, thiserror::Error)]
#[error("the store of the rate limiter did not answer")]
pub struct StoreError {
    #[source]
    source: Box<dyn Error + Send + Sync>,
}

impl StoreError {
    /// Keeps what went wrong.
    pub fn new(source: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        StoreError {
            source: source.into(),
        }
    }
}

/// Why a limiter has no decision, or a request no turn.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RateLimitError {
    /// It does not fit, and would not within the time it may wait.
    #[error(
        "rate limiter `{limiter}`: `{limit}` is used up for the next {retry_in:?} (send less, or raise `max_wait` or the quota)"
    )]
    Limited {
        /// The limiter.
        limiter: Name,
        /// The limit that keeps it out for longest.
        limit: Name,
        /// How long until it would fit, counting those that wait already.
        retry_in: Duration,
    },
    /// As many wait for this key as may.
    #[error(
        "rate limiter `{limiter}`: {waiting} are waiting for this key already (send less, or raise `max_waiting`)"
    )]
    TooManyWaiting {
        /// The limiter.
        limiter: Name,
        /// How many wait.
        waiting: u32,
    },
    /// It costs more than a limit ever allows.
    #[error(
        "rate limiter `{limiter}`: a cost of {cost} never fits `{limit}`, which allows {capacity} at once (ask for less, or raise the quota or burst)"
    )]
    CostUnsatisfiable {
        /// The limiter.
        limiter: Name,
        /// The limit it does not fit.
        limit: Name,
        /// What was asked for.
        cost: u32,
        /// The most this limit allows at once.
        capacity: u32,
    },
    /// The key is on the deny list.
    #[error("rate limiter `{limiter}`: this key is on the deny list")]
    DenyListed {
        /// The limiter.
        limiter: Name,
    },
    /// The store did not answer.
    #[error("rate limiter `{limiter}` cannot decide")]
    Unavailable {
        /// The limiter.
        limiter: Name,
        /// What the store says.
        source: StoreError,
    },
}

impl RateLimitError {
    /// How long to wait before the same request has a chance, where that is known.
    #[must_use]
    pub fn retry_in(&self) -> Option<Duration> {
        match self {
            RateLimitError::Limited { retry_in, .. } => Some(*retry_in),
            _ => None,
        }
    }
}

impl From<RateLimitError> for Rejection {
    /// A refusal with the same limiter, limit and time; the time is [`Duration::MAX`] where none is
    /// known.
    fn from(error: RateLimitError) -> Self {
        let (limiter, limit, retry_in) = match error {
            RateLimitError::Limited {
                limiter,
                limit,
                retry_in,
            } => (limiter, Some(limit), retry_in),
            RateLimitError::CostUnsatisfiable { limiter, limit, .. } => {
                (limiter, Some(limit), Duration::MAX)
            }
            RateLimitError::TooManyWaiting { limiter, .. }
            | RateLimitError::DenyListed { limiter }
            | RateLimitError::Unavailable { limiter, .. } => (limiter, None, Duration::MAX),
        };
        Rejection::RateLimited {
            limiter,
            limit,
            retry_in,
        }
    }
}
