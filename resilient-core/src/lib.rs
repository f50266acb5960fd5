//! The runtime of [`resilient`](https://docs.rs/resilient-async): policies, registry and call engine.
//!
//! Applications depend on the facade, `resilient-async`, which re-exports what is public here.
//! Libraries that only classify their errors can depend on this crate with default features off:
//! [`Class`], [`Classify`], `Rejection` and the configuration types need no async runtime.

pub mod breaker;
pub mod budget;
pub mod bulkhead;
pub mod classify;
pub mod duration;
pub mod invalid;
pub mod retry;

mod class;
mod name;
mod rejection;

#[cfg(feature = "runtime")]
mod seam;
#[cfg(feature = "runtime")]
mod window;

pub use class::{Class, Classify};
pub use name::{Name, is_valid_name};
pub use rejection::{NotRegistered, Rejection};
