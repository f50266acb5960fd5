//! One annotated function at one moment.

use super::effective::Effective;
use crate::registry::Registry;
use crate::site::{Site, SiteInfo};

/// One annotated function at one moment, in one registry.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct SiteSnapshot {
    /// Its name, place, and the dependencies it names.
    pub info: SiteInfo,
    /// What came of its calls.
    pub counters: SiteCounters,
    /// What a call does, value by value, each with where it comes from; empty while a name is not
    /// registered.
    pub policy: Vec<Effective>,
}

/// What came of the calls of a site since they were first resolved.
///
/// Each call that has ended is one of `successes`, `failures`, `rejections` and `abandoned`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct SiteCounters {
    /// Calls that succeeded, in whatever attempt.
    pub successes: u64,
    /// Calls that ended with an outcome of the function's own that was no success.
    pub failures: u64,
    /// Calls that ended with a rejection.
    pub rejections: u64,
    /// Calls that were dropped before their end, or whose body panicked.
    pub abandoned: u64,
    /// Attempts after the first.
    pub retries: u64,
    /// Further copies of slow attempts.
    pub hedges: u64,
    /// Attempts that were cut by their timeout.
    pub timeouts: u64,
    /// Calls that ended with the fallback, whatever that came to.
    pub fallbacks: u64,
}

impl SiteSnapshot {
    pub(super) fn of(site: &'static Site, registry: &Registry) -> Self {
        let (counters, policy) =
            registry.look_at(site, |plan| (plan.counters.read(), plan.effective()));
        SiteSnapshot {
            info: site.info(),
            counters,
            policy,
        }
    }
}
