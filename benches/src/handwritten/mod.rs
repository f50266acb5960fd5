//! The same protections written by hand for one dependency, as lower bounds.
//!
//! Not finished code: an open breaker never closes again, a dropped call records nothing, and
//! nobody is told anything.

mod breaker;
mod budget;
mod eager;
mod lazy;
mod lazy_timeout;
mod permits;

use std::time::Duration;

pub(crate) use breaker::Breaker;
pub(crate) use eager::Eager;
pub(crate) use lazy::Lazy;

/// Attempts of one call.
const ATTEMPTS: u32 = 3;
/// How many attempts may run at a time; no workload makes more.
const LIMIT: u32 = 16_384;
/// One attempt's time.
pub(crate) const TIMEOUT: Duration = Duration::from_secs(5);
/// A call's time.
const DEADLINE: Duration = Duration::from_secs(15);
