//! Everything the library knows at one moment: for a dashboard, a debug page, or a question at night.
//!
//! ```
//! # use resilient_core as resilient;
//! use resilient::{Dependency, Registry};
//!
//! let registry = Registry::new();
//! registry.register(Dependency::named("payment").timeout("800ms"))?;
//! let snapshot = registry.snapshot();
//! let payment = &snapshot.dependencies[0];
//! assert_eq!(&*payment.name, "payment");
//! assert_eq!(payment.breaker.attempts, 0);
//! assert_eq!(payment.bulkhead.limit, 64);
//! let timeout = payment.settings.iter().find(|value| value.setting == "timeout");
//! assert_eq!(timeout.map(|value| value.value.as_str()), Some("800ms"));
//! # Ok::<(), resilient::RegisterError>(())
//! ```
//!
//! With the feature `serde` all of it can be serialised; times are then seconds.

mod dependency;
pub(crate) mod effective;
#[cfg(feature = "serde")]
mod seconds;
mod site;

pub use dependency::{
    BudgetSnapshot, BulkheadSnapshot, DependencySnapshot, FailureSnapshot, TransitionSnapshot,
};
pub(crate) use effective::Values;
pub use effective::{Effective, Origin};
pub use site::{SiteCounters, SiteSnapshot};

use crate::rate_limit::{RateLimiter, RateLimiterSnapshot};
use crate::registry::Registry;
use crate::seam::clock;
use crate::site::listed;

/// Everything a registry knows at one moment.
///
/// Taking one locks each policy for a moment, one after the other: numbers of different policies are
/// from slightly different moments.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Snapshot {
    /// Every registered dependency, by name.
    pub dependencies: Vec<DependencySnapshot>,
    /// Every registered rate limiter, by name.
    pub limiters: Vec<RateLimiterSnapshot>,
    /// Every annotated function of the program, by name, with its calls in this registry.
    pub sites: Vec<SiteSnapshot>,
}

impl Registry {
    /// Everything this registry knows now, see [`Snapshot`].
    pub fn snapshot(&self) -> Snapshot {
        let now = clock::now();
        Snapshot {
            dependencies: self
                .states()
                .iter()
                .map(|state| DependencySnapshot::of(state, now))
                .collect(),
            limiters: self.limiters().iter().map(RateLimiter::snapshot).collect(),
            sites: listed()
                .into_iter()
                .map(|site| SiteSnapshot::of(site, self))
                .collect(),
        }
    }
}

/// Everything the process-wide registry knows now, see [`Registry::snapshot`].
///
/// ```
/// # use resilient_core as resilient;
/// for site in resilient::snapshot().sites {
///     println!("{}: {} succeeded", site.info.name, site.counters.successes);
/// }
/// ```
pub fn snapshot() -> Snapshot {
    Registry::global().snapshot()
}
