//! What an attribute says, one option after the other.

use std::time::Duration;

use crate::breaker::Per;
use crate::hedge::HedgeOverrides;
use crate::retry::RetryOverrides;

#[cfg(feature = "idempotency")]
use super::ClaimOverrides;

/// One option of an attribute, as the expansion lists it in the site's static. A list costs the
/// compiler less than a call for each option: it neither looks for a method nor runs one.
///
/// A constant of the user's comes here through [`checked`](super::checked).
#[derive(Clone, Copy, Debug)]
pub enum Said {
    /// `name = ".."`
    Name(&'static str),
    /// `dependency = ".."`
    Dependency(&'static str),
    /// `retry = ".."`
    RetryFrom(&'static str),
    /// `retry(..)`
    Retry(RetryOverrides),
    /// `retry(nested = "suppress")`
    NestedSuppress,
    /// `breaker = ".."`
    Breaker(&'static str),
    /// `breaker(per = "..")`
    BreakerPer(Per),
    /// `budget = ".."`
    Budget(&'static str),
    /// `bulkhead = ".."`
    Bulkhead(&'static str),
    /// `rate_limit(limiter = "..")`
    Limiter(&'static str),
    /// `rate_limit(cost = ..)`
    LimiterCost(u32),
    /// `rate_limit(max_wait = "..")`
    LimiterMaxWait(Duration),
    /// `hedge`, with numbers or without
    Hedge(HedgeOverrides),
    /// `timeout = ".."`
    Timeout(Duration),
    /// `deadline = ".."`
    Deadline(Duration),
    /// `idempotent`
    Idempotent,
    /// `idempotent = false`
    NotIdempotent,
    /// `idempotency_key`, with an expression or without
    Keyed,
    /// `idempotent(store = "..", ..)`
    #[cfg(feature = "idempotency")]
    Claiming(ClaimOverrides),
}
