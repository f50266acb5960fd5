//! Ready-made classification: io errors, HTTP answers, boxed errors.
//!
//! Which statuses and io errors are worth a retry is data, [`Rules`], that a dependency may
//! change; whatever classifies here reads the rules of the dependency being called.
//!
//! | to classify | use |
//! |---|---|
//! | [`std::io::Error`] | its [`Classify`](crate::Classify) |
//! | `anyhow::Error`, `Box<dyn Error + Send + Sync>` | `classify = resilient::classify::chained` |
//! | the same, with error types of one's own inside | [`chain_with`] |
//! | the same, inside a variant of one's own error | `#[classify(with = resilient::classify::chain)]` |
//! | `http::Response` | `classify = resilient::classify::http_1` (feature `http-1`) |
//! | `reqwest::Response` | `classify = resilient::classify::reqwest_0_13` (feature `reqwest-0_13`) |
//! | the same, as an error with its status: [`StatusError`] | `reqwest_0_13_checked(answer)?`, `http_1_checked(answer)?` |
//! | `tonic::Status`, `sqlx::Error`, `redis::RedisError` | their [`Classify`](crate::Classify) (features `tonic-0_14`, `sqlx-0_9`, `redis-1`) |
//! | any other HTTP client's answer | [`answer`] |
//!
//! ```
//! # use resilient_core as resilient;
//! use resilient::{Class, Classify};
//! use std::io::{Error, ErrorKind};
//!
//! assert_eq!(Error::from(ErrorKind::ConnectionRefused).class(), Class::unsent());
//! assert_eq!(Error::from(ErrorKind::NotFound).class(), Class::Permanent);
//! ```

mod chain;
#[cfg(feature = "http-1")]
mod http_1;
mod io;
#[cfg(feature = "redis-1")]
mod redis_1;
#[cfg(feature = "reqwest-0_13")]
mod reqwest_0_13;
mod retry_after;
mod rules;
mod source;
#[cfg(feature = "sqlx-0_9")]
mod sqlx_0_9;
mod status;
mod status_error;
#[cfg(feature = "tonic-0_14")]
mod tonic_0_14;

pub use chain::{Classified, Erased, chain, chain_with, chained, known};
#[cfg(feature = "http-1")]
pub use http_1::{http_1, http_1_checked, http_1_response};
pub use io::IoKinds;
#[cfg(feature = "reqwest-0_13")]
pub use reqwest_0_13::{reqwest_0_13, reqwest_0_13_checked, reqwest_0_13_response};
pub use retry_after::retry_after;
pub use rules::Rules;
#[cfg(feature = "runtime")]
pub(crate) use rules::with_rules;
#[doc(hidden)]
pub use source::Source;
pub use status::{StatusClasses, answer};
pub use status_error::StatusError;
