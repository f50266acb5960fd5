//! Bulkheads: at most so many attempts on one dependency at a time.
//!
//! The limit is exact, from any number of threads and while it changes. What comes beyond it is
//! refused at once ([`Rejection::BulkheadFull`](crate::Rejection::BulkheadFull)), or waits in a
//! queue that is served strictly in order and is itself bounded. A permit covers one attempt, not
//! the backoff between attempts; every way out of an attempt gives it back.
//!
//! The limit is a number, or moves by itself between two of them ([`Bulkhead::adaptive`]).

mod adaptive;
mod config;

#[cfg(feature = "runtime")]
mod handle;
#[cfg(feature = "runtime")]
mod permits;
#[cfg(feature = "runtime")]
mod queue;

#[cfg(test)]
#[cfg(all(loom, feature = "runtime"))]
mod models;
#[cfg(test)]
#[cfg(all(not(loom), feature = "runtime"))]
mod reference;
#[cfg(test)]
#[cfg(all(not(loom), feature = "runtime"))]
mod tests;

pub use adaptive::{Adaptive, AdaptiveSettings, Algorithm};
pub use config::{Bulkhead, BulkheadSettings};
#[cfg(feature = "runtime")]
pub(crate) use handle::{Acquired, BulkheadHandle, Moved};
#[cfg(feature = "runtime")]
pub(crate) use queue::Waiter;
