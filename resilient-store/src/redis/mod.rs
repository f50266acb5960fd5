//! Keys in Redis or Valkey.
//!
//! [`RedisStore`] keeps records in Redis alone. That is weaker than a table: see there. To have Redis
//! answer most repeats and a table decide, see [`Tiered`](crate::Tiered).

mod advice;
mod config;
mod connection;
mod decode;
mod frame;
mod gate;
mod guarded;
mod keys;
mod scan;
mod scripts;
mod setup_error;
mod store;

pub use advice::RedisAdvice;
pub use config::RedisConfig;
pub use setup_error::RedisSetupError;
pub use store::RedisStore;

pub(crate) use config::{RedisSettings, invalid, time};
pub(crate) use connection::Connection;
pub(crate) use frame::{Reader, Writer};
pub(crate) use guarded::{Guarded, NoAnswer, Why};
pub(crate) use keys::Keys;
