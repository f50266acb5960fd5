//! Why a request under a key was not run.

use std::sync::Arc;
use std::time::Duration;

use super::{Execution, InvalidKey, InvalidRules, Resource, StoreError};

/// Why a request under a key was not run, and what to tell its sender.
///
/// ```
/// # use resilient_core as resilient;
/// use resilient::idempotency::Refusal;
/// use std::time::Duration;
///
/// let busy = Refusal::InProgress { retry_after: Duration::from_millis(300) };
/// assert_eq!((busy.status(), busy.code()), (409, "IDEMPOTENCY_IN_PROGRESS"));
/// assert_eq!(busy.retry_after(), Some(1), "whole seconds, and never zero");
/// ```
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Refusal {
    /// There is no key, and the operation needs one.
    #[error("there is no idempotency key: send one with every request, the same with its repeats")]
    MissingKey,
    /// The key is malformed.
    #[error(transparent)]
    InvalidKey(#[from] InvalidKey),
    /// The key was used for another payload.
    #[error("the idempotency key was used for another payload: send a new key with a new request")]
    KeyReused,
    /// A run under this key is at work.
    #[error("a request with this idempotency key is being worked on: repeat it in {retry_after:?}")]
    InProgress {
        /// When to ask again.
        retry_after: Duration,
    },
    /// A run under this key did not tell how it ended, and may not be repeated.
    #[error(
        "nobody knows how the request with this idempotency key ended: it is not run again until that was found out"
    )]
    Uncertain,
    /// A run under this key is done, but its answer is not kept.
    #[error("the request with this idempotency key was done{}, but its answer is not kept: look it up instead of repeating it", made(resource.as_ref()))]
    AnswerGone {
        /// What it made.
        resource: Option<Resource>,
    },
    /// The lease was lost while the run was at work, and there is no answer by another one yet.
    #[error(
        "the right to run under this idempotency key went to another run: repeat the request in {retry_after:?}"
    )]
    LeaseLost {
        /// When to ask again.
        retry_after: Duration,
    },
    /// The store cannot tell whether this is a repeat.
    #[error("whether this is a repeat cannot be told: {source}")]
    Unavailable {
        /// What the store said.
        source: Arc<StoreError>,
        /// When to ask again.
        retry_after: Duration,
    },
    /// An answer is kept, but cannot be read; it is not run again.
    #[error(
        "the answer kept under this idempotency key cannot be read: {why} (it was written by another version, or for another type)"
    )]
    Unreadable {
        /// What is wrong with it.
        why: String,
    },
    /// What was asked for cannot be hashed.
    #[error("the fingerprint of the request cannot be made: {why}")]
    NoFingerprint {
        /// What serialising it answered.
        why: String,
    },
    /// The rules of an annotated function and those of its store cannot both be kept.
    #[error("the idempotency rules of this function do not fit those of its store:\n{0}")]
    InvalidRules(InvalidRules),
}

/// Two refusals are equal if they say the same.
impl PartialEq for Refusal {
    fn eq(&self, other: &Self) -> bool {
        self.code() == other.code() && self.to_string() == other.to_string()
    }
}

impl Eq for Refusal {}

impl Refusal {
    /// A stable word for programs, for the `code` of an error document.
    pub fn code(&self) -> &'static str {
        match self {
            Refusal::MissingKey => "MISSING_IDEMPOTENCY_KEY",
            Refusal::InvalidKey(_) => "INVALID_IDEMPOTENCY_KEY",
            Refusal::KeyReused => "IDEMPOTENCY_KEY_REUSED",
            Refusal::InProgress { .. } => "IDEMPOTENCY_IN_PROGRESS",
            Refusal::Uncertain => "IDEMPOTENCY_UNCERTAIN",
            Refusal::AnswerGone { .. } => "IDEMPOTENCY_ANSWER_GONE",
            Refusal::LeaseLost { .. } => "IDEMPOTENCY_LEASE_LOST",
            Refusal::Unavailable { .. } => "IDEMPOTENCY_STORE_UNAVAILABLE",
            Refusal::Unreadable { .. } => "IDEMPOTENCY_ANSWER_UNREADABLE",
            Refusal::NoFingerprint { .. } => "IDEMPOTENCY_NO_FINGERPRINT",
            Refusal::InvalidRules(_) => "IDEMPOTENCY_INVALID_RULES",
        }
    }

    /// The HTTP status that says it.
    pub fn status(&self) -> u16 {
        match self {
            Refusal::MissingKey | Refusal::InvalidKey(_) => 400,
            Refusal::InProgress { .. }
            | Refusal::Uncertain
            | Refusal::AnswerGone { .. }
            | Refusal::LeaseLost { .. } => 409,
            Refusal::KeyReused => 422,
            Refusal::Unreadable { .. }
            | Refusal::NoFingerprint { .. }
            | Refusal::InvalidRules(_) => 500,
            Refusal::Unavailable { .. } => 503,
        }
    }

    /// In how many seconds the request may be repeated, at least 1; `None` if repeating it is of
    /// no use.
    pub fn retry_after(&self) -> Option<u64> {
        self.retry_in().map(whole_seconds)
    }

    /// How long to wait before repeating the request, where that is of use.
    pub(crate) const fn retry_in(&self) -> Option<Duration> {
        match self {
            Refusal::InProgress { retry_after }
            | Refusal::LeaseLost { retry_after }
            | Refusal::Unavailable { retry_after, .. } => Some(*retry_after),
            _ => None,
        }
    }
}

/// What a run answers when its lease went to another owner while it was at work.
#[derive(Clone, Debug, thiserror::Error)]
#[error("the lease of run {} under record `{}` went to another owner", .0.fence(), .0.id())]
pub struct Lost(pub(super) Execution);

fn made(resource: Option<&Resource>) -> String {
    resource.map_or_else(String::new, |resource| format!(" and made {resource}"))
}

fn whole_seconds(duration: Duration) -> u64 {
    let up = u64::from(duration.subsec_nanos() > 0);
    duration.as_secs().saturating_add(up).max(1)
}
