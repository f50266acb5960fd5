//! Hedges: further copies of an attempt that takes long, the first success of which wins.
//!
//! A few slow answers make the tail of a service's latency, and asking again mostly does not meet
//! the same bad luck. A hedge costs load where a retry costs time; it takes a token of the retry
//! budget for each copy, and only while the breaker is closed. Requests must be safe to repeat,
//! because both copies may be carried out.
//!
//! ```
//! # use resilient_core as resilient;
//! use resilient::Dependency;
//! use resilient::hedge::Hedge;
//!
//! // The slowest 5 % of the calls are asked for again.
//! let search = Dependency::named("search").hedge(Hedge::after_quantile(0.95).floor("5ms"));
//! assert!(search.settings().is_ok());
//! ```
//!
//! J. Dean and L. A. Barroso describe the idea in "The Tail at Scale" (2013).

mod config;
#[cfg(feature = "runtime")]
mod latencies;
mod overrides;

#[cfg(test)]
#[cfg(all(not(loom), feature = "runtime"))]
mod reference;

pub use config::{Hedge, HedgeAfter, HedgeSettings};
#[cfg(feature = "runtime")]
pub(crate) use latencies::Latencies;
pub use overrides::HedgeOverrides;
