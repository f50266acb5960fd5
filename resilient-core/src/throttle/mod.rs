//! Throttles: calls that a dependency would turn away anyway are not sent.
//!
//! A dependency that is asked for more than it can do spends its time on turning callers away. A
//! throttle compares what was asked with what was accepted in the last minutes, and once the
//! dependency accepts too little it sheds a share of the attempts on this side
//! ([`Rejection::Shed`](crate::Rejection::Shed)): just enough that what is still sent stays in
//! proportion to what is accepted. It follows the load smoothly, where a breaker only knows open
//! and closed, and needs no numbers about the dependency.

mod config;

#[cfg(feature = "runtime")]
mod engine;
#[cfg(feature = "runtime")]
mod handle;

#[cfg(test)]
#[cfg(all(not(loom), feature = "runtime"))]
mod reference;
#[cfg(test)]
#[cfg(all(not(loom), feature = "runtime"))]
mod tests;

pub use config::{Throttle, ThrottleSettings};
#[cfg(feature = "runtime")]
pub(crate) use handle::{Shed, ThrottleHandle};
