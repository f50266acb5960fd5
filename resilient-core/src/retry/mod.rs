//! Retries: how many attempts a call makes and how long it waits between them.
//!
//! ```
//! # use resilient_core as resilient;
//! use resilient::retry::{Jitter, Retry};
//!
//! let settings = Retry::max(4)
//!     .base("100ms")
//!     .cap("20s")
//!     .jitter(Jitter::Full)
//!     .settings()
//!     .expect("these numbers work");
//! assert_eq!(settings.max, 4);
//! assert_eq!(settings.factor, 2.0);
//! ```

#[cfg(any(feature = "runtime", test))]
pub(crate) mod backoff;
mod config;
mod jitter;
mod overrides;
#[cfg(feature = "runtime")]
mod stop;

pub use config::{Retry, RetrySettings};
pub use jitter::{Jitter, UnknownJitter};
pub use overrides::RetryOverrides;
#[cfg(feature = "runtime")]
pub(crate) use stop::Stop;
