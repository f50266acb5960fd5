//! The circuit breaker: stops calling a dependency that is known to be broken.
//!
//! [`Breaker`] says when it opens, for how long, and how it closes again. While it is closed,
//! outcomes are counted; when a [`Rule`] says so it opens and calls are refused on the spot; when
//! its open time is over it is half-open, and admits a few probes: enough successes close it, one
//! failure opens it again.
//!
//! A result counts only towards the state its call was admitted in. A call that was admitted
//! while the breaker was closed and fails minutes later neither opens a recovered breaker nor
//! prolongs an open one.
//!
//! A dependency that is really many (shards, tenants, hosts) can have a breaker for each of them, where its
//! calls say `breaker(key = ..)`: [`Breaker::keys`] bounds how many.

mod config;
mod key;
mod reason;
mod settings;
mod state;
mod transition;

#[cfg(feature = "runtime")]
mod announce;
#[cfg(feature = "runtime")]
mod consecutive;
#[cfg(feature = "runtime")]
mod control;
#[cfg(feature = "runtime")]
mod engine;
#[cfg(feature = "runtime")]
mod forced;
#[cfg(feature = "runtime")]
mod half_open;
#[cfg(feature = "runtime")]
mod handle;
#[cfg(feature = "runtime")]
mod instances;
#[cfg(feature = "runtime")]
mod keyed;
#[cfg(feature = "runtime")]
mod open_time;
#[cfg(feature = "runtime")]
mod published;
#[cfg(feature = "runtime")]
mod rate;
#[cfg(feature = "runtime")]
mod rules;
#[cfg(feature = "runtime")]
mod shadow;
#[cfg(feature = "runtime")]
mod snapshot;
#[cfg(feature = "runtime")]
mod ticket;
#[cfg(feature = "runtime")]
mod word;

#[cfg(test)]
#[cfg(all(loom, feature = "runtime"))]
mod models;
#[cfg(test)]
#[cfg(all(not(loom), feature = "runtime"))]
mod reference;

pub use config::Breaker;
pub use key::BreakerKey;
pub use reason::Reason;
pub use settings::{
    BreakerSettings, ConsecutiveRule, Growth, Mode, OnTransition, Per, RateRule, SlowRule, Window,
};
pub use state::BreakerState;
pub use transition::{Rule, Transition};

#[cfg(feature = "runtime")]
pub use control::BreakerControl;
#[cfg(feature = "runtime")]
pub use snapshot::BreakerSnapshot;

#[cfg(feature = "runtime")]
pub(crate) use announce::Announcer;
#[cfg(feature = "runtime")]
pub(crate) use handle::BreakerHandle;
#[cfg(feature = "runtime")]
pub(crate) use ticket::{Refusal, Ticket, Verdict};
