//! Where [`resilient`](https://docs.rs/resilient-async) keeps idempotency keys.

#[cfg(feature = "redis")]
mod redis;
#[cfg(feature = "redis")]
mod tiered;

#[cfg(feature = "redis")]
pub use redis::{RedisAdvice, RedisConfig, RedisSetupError, RedisStore};
#[cfg(feature = "redis")]
pub use tiered::{Copies, CopyCounter, CopyCounts, Tiered};
