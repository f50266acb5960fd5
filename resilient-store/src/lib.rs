//! Where [`resilient`](https://docs.rs/resilient-async) keeps idempotency keys and rate limits.
//!
//! | feature | store | for |
//! |---|---|---|
//! | `postgres` | `PostgresStore` | a table, over `tokio-postgres`; joins its transactions |
//! | `sqlx-postgres` | `SqlxStore` | the same table, over `sqlx`; joins its transactions. Needs Rust 1.94 |
//! | `redis` | `RedisStore`, `Tiered` | Redis or Valkey alone; copies of what is final in front of a table |
//! | `redis` | `RedisLimitStore` | rate limits in Redis or Valkey |
//!
//! The page `docs/idempotency.md` of the repository says what happens to a key in each of them when
//! something fails.

#[cfg(feature = "redis")]
mod counter;
#[cfg(feature = "postgres")]
mod postgres;
#[cfg(any(feature = "postgres", feature = "sqlx-postgres"))]
mod postgres_table;
#[cfg(feature = "redis")]
mod redis;
#[cfg(feature = "redis")]
mod redis_limits;
#[cfg(feature = "sqlx-postgres")]
mod sqlx_postgres;
#[cfg(feature = "redis")]
mod tiered;

#[cfg(feature = "postgres")]
pub use postgres::PostgresStore;
#[cfg(any(feature = "postgres", feature = "sqlx-postgres"))]
pub use postgres_table::{InvalidTableName, PostgresTable};
#[cfg(feature = "redis")]
pub use redis::{RedisAdvice, RedisConfig, RedisSetupError, RedisStore};
#[cfg(feature = "redis")]
pub use redis_limits::{Outage, RedisLimitCounter, RedisLimitCounts, RedisLimitStore, RedisLimits};
#[cfg(feature = "sqlx-postgres")]
pub use sqlx_postgres::SqlxStore;
#[cfg(feature = "redis")]
pub use tiered::{Copies, CopyCounter, CopyCounts, Tiered};
