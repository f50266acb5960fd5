//! A limiter at one moment.

use super::counters::RateLimiterCounters;
use crate::name::Name;

/// A limiter at one moment. Nothing in it grows with the number of keys.
///
/// ```
/// # use resilient_core as resilient;
/// use resilient::rate_limit::{Limit, RateLimit, RateLimiter};
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let api = RateLimiter::in_memory(RateLimit::named("api").limit(Limit::gcra("slow", 1, "1h")))?;
/// api.check("user-7", 1).await?;
/// api.check("user-7", 1).await?;
/// let snapshot = api.snapshot();
/// assert_eq!((snapshot.counters.allowed, snapshot.counters.denied), (1, 1));
/// assert_eq!(snapshot.keys, 1);
/// # Ok(()) }
/// ```
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct RateLimiterSnapshot {
    /// Its name.
    pub name: Name,
    /// How many keys are remembered in memory.
    pub keys: u64,
    /// How many keys had to make room for others although they had used something: raise
    /// [`max_keys`](super::RateLimit::max_keys) if this grows.
    pub evicted: u64,
    /// How many requests wait for their turn.
    pub waiting: u64,
    /// Whether it refuses nothing and only counts.
    pub shadow: bool,
    /// What came of the requests.
    pub counters: RateLimiterCounters,
}
