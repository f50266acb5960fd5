//! What a store answers when it cannot answer.

use std::error::Error;
use std::time::Duration;

/// A store that could not do what it was asked.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// It cannot be reached, or refused.
    #[error("the {store} store of idempotency keys is not available: {source}")]
    Unavailable {
        /// Which kind of store: `postgres`, `redis`.
        store: &'static str,
        /// What its client said.
        source: Box<dyn Error + Send + Sync>,
    },
    /// It took too long.
    #[error(
        "the store of idempotency keys did not answer within {after:?} (raise `store_timeout` if it usually needs longer)"
    )]
    TimedOut {
        /// The time it had.
        after: Duration,
    },
    /// It holds as many records as it may, and all of them still count.
    #[error(
        "the store of idempotency keys is full: {limit} records that still count (raise `capacity`, or lower `ttl`)"
    )]
    Full {
        /// How many it may hold.
        limit: usize,
    },
    /// A record was deleted as often as it was found.
    #[error(
        "the record `{digest}` vanished {times} times between being found and being read; try again"
    )]
    Vanished {
        /// The record, as logs show it.
        digest: String,
        /// How often.
        times: u32,
    },
    /// What is stored cannot be read.
    #[error(
        "the record `{digest}` cannot be read: {why} (it was written by another version, or by other hands)"
    )]
    Unreadable {
        /// The record, as logs show it.
        digest: String,
        /// What is wrong with it.
        why: String,
    },
    /// A store cannot do this at all.
    #[error("the {store} store cannot do this: {what}")]
    Unsupported {
        /// Which kind of store.
        store: &'static str,
        /// What was asked, and what to do instead.
        what: &'static str,
    },
}

impl StoreError {
    /// A client's error.
    pub fn unavailable(
        store: &'static str,
        source: impl Into<Box<dyn Error + Send + Sync>>,
    ) -> Self {
        StoreError::Unavailable {
            store,
            source: source.into(),
        }
    }
}
