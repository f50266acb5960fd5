//! A limit that moves by itself: what moves it, without a gate to hold anybody back.
//!
//! The gate is the bulkhead around this, whose limit is set to what comes out here.

mod config;

#[cfg(feature = "runtime")]
mod aimd;
#[cfg(feature = "runtime")]
mod gradient;
#[cfg(feature = "runtime")]
mod limit;
#[cfg(feature = "runtime")]
mod meter;
#[cfg(feature = "runtime")]
mod samples;
#[cfg(feature = "runtime")]
mod vegas;

#[cfg(test)]
#[cfg(all(not(loom), feature = "runtime"))]
mod reference;
#[cfg(test)]
#[cfg(all(not(loom), feature = "runtime"))]
mod tests;

pub use config::{Adaptive, AdaptiveSettings, Algorithm};
#[cfg(feature = "runtime")]
pub(super) use meter::Meter;
