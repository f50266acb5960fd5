//! Rate limits: how much each key may ask for.
//!
//! A server refuses what goes beyond a quota and says when to come back; a client waits for its
//! turn. Both by [`RateLimiter`], over counts in memory or in a [`Store`] that processes share.
//!
//! ```
//! # use resilient_core as resilient;
//! use resilient::rate_limit::{Limit, RateLimit, RateLimiter};
//!
//! # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! resilient::register_limiter(RateLimiter::in_memory(
//!     RateLimit::named("doc-api")
//!         .limit(Limit::gcra("burst", 5, "1s"))
//!         .limit(Limit::sliding_counter("hourly", 100, "1h")),
//! )?)?;
//!
//! let api = resilient::limiter("doc-api")?;
//! for _ in 0..5 {
//!     assert!(api.check("user-7", 1).await?.is_allowed());
//! }
//! let refused = api.check("user-7", 1).await?;
//! assert_eq!(refused.retry_after_secs(), Some(1));
//! # Ok(()) }
//! ```
//!
//! Several limits count all or nothing: what one of them refuses is counted by none. How each
//! counts is told at [`Limit`]; what is said about a request, at [`Decision`].

mod config;

#[cfg(feature = "runtime")]
mod acquire;
#[cfg(feature = "runtime")]
mod ask;
#[cfg(feature = "runtime")]
mod backend;
#[cfg(feature = "runtime")]
mod counters;
#[cfg(feature = "runtime")]
mod decision;
#[cfg(feature = "runtime")]
mod direct;
#[cfg(feature = "runtime")]
mod engine;
#[cfg(feature = "runtime")]
mod epoch;
#[cfg(feature = "runtime")]
mod error;
#[cfg(feature = "runtime")]
mod handle;
#[cfg(feature = "runtime")]
mod lists;
#[cfg(feature = "runtime")]
mod local;
#[cfg(feature = "runtime")]
mod memory;
#[cfg(feature = "runtime")]
mod plan;
#[cfg(feature = "runtime")]
mod snapshot;
#[cfg(feature = "runtime")]
mod store;
#[cfg(feature = "runtime")]
mod turn;
#[cfg(feature = "runtime")]
mod waiting;

#[cfg(test)]
#[cfg(all(loom, feature = "runtime"))]
mod models;
#[cfg(test)]
#[cfg(all(not(loom), feature = "runtime"))]
mod reference;
#[cfg(test)]
#[cfg(all(not(loom), feature = "runtime"))]
mod tests;

pub use config::{Algorithm, Limit, LimitSettings, RateLimit, RateLimitSettings};
#[cfg(feature = "runtime")]
pub use counters::RateLimiterCounters;
#[cfg(feature = "runtime")]
pub use decision::{Decision, LimitState, Reading};
#[cfg(feature = "runtime")]
pub use error::{InvalidRateLimit, RateLimitError, StoreError};
#[cfg(feature = "runtime")]
pub use handle::RateLimiter;
#[cfg(feature = "runtime")]
pub use local::{LocalStore, LocalStoreError};
#[cfg(feature = "runtime")]
pub use snapshot::RateLimiterSnapshot;
#[cfg(feature = "runtime")]
pub use store::{Ask, Store, StoreFuture};
#[cfg(feature = "runtime")]
pub(crate) use turn::{Begun, Turn};
