//! The contract, rule by rule, on whole calls under a paused clock.
//!
//! Each module is one group of rules; most rows run through the scripted dependency of `script`.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

#[allow(dead_code, reason = "each target needs a part of it")]
#[path = "../script/mod.rs"]
mod script;
mod snapshot;

mod breaker;
mod budget;
mod bulkhead;
mod closure;
mod context;
mod dropped;
mod fallback;
#[cfg(feature = "faults")]
mod faults;
mod guide;
mod hedge;
mod inherited;
mod key;
mod keyed;
mod levels;
mod levers;
mod limits;
mod module;
mod nesting;
mod rate_limit;
mod registration;
mod retry;
mod telemetry;
