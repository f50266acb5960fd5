//! Rate limits in Redis or Valkey.
//!
//! One script per decision, made for the kinds of the limits that are asked, about all limits of a subject, on the server's clock. What is kept:
//!
//! | key | for | holds |
//! |---|---|---|
//! | `rl:{S}:<limit>:w` | fixed windows | a hash: `at`, when the window began, and `count` |
//! | `rl:{S}:<limit>:s` | sliding counters | the same, and `before`, the count of the window before |
//! | `rl:{S}:<limit>:l` | sliding logs | a sorted set: an entry for each unit of cost, by when it came |
//! | `rl:{S}:<limit>:t`, `:g` | token buckets, GCRA | a hash: `full_at`, when the bucket is full again, `part` of a microsecond beyond it, and the time of a `token` |
//!
//! `S` is the first half of the SHA-256 of limiter, NUL and key, so all limits of a subject lie in one
//! slot. Times are microseconds since 1970.

mod bucket;
mod config;
mod counts;
mod denials;
mod holdings;
mod kind;
mod later;
mod lines;
mod outage;
mod reading;
mod recent;
mod refund;
mod scripts;
mod share;
mod sliding;
mod store;
mod subject;
mod there;
mod words;

pub use config::RedisLimits;
pub use counts::{RedisLimitCounter, RedisLimitCounts};
pub use outage::Outage;
pub use store::RedisLimitStore;
