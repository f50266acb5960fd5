//! Rate limiters, by name.

use std::panic::Location;

use super::{RegisterError, Registry};
use crate::dependency::Directory;
use crate::rate_limit::RateLimiter;
use crate::rejection::NotRegistered;

/// The registered limiters, by name.
#[derive(Debug, Default)]
pub(crate) struct Limiters(Directory<Registered>);

#[derive(Debug)]
struct Registered {
    limiter: RateLimiter,
    at: &'static Location<'static>,
}

impl Limiters {
    /// Looks up a name that `site` uses.
    pub(crate) fn require(
        &self,
        name: &str,
        site: impl FnOnce() -> Option<String>,
    ) -> Result<RateLimiter, NotRegistered> {
        let found = self.0.require("limiter", name, site);
        found.map(|registered| registered.limiter.clone())
    }
}

impl Registry {
    /// Registers a rate limiter under its own name. Names of limiters and of dependencies do not
    /// get in each other's way.
    ///
    /// # Errors
    ///
    /// [`RegisterError::LimiterAlreadyRegistered`] names both places. To change the numbers of a
    /// limiter use [`RateLimiter::update`].
    #[track_caller]
    pub fn register_limiter(&self, limiter: RateLimiter) -> Result<(), RegisterError> {
        let place = Location::caller();
        let name = limiter.name().clone();
        let make = || Registered { limiter, at: place };
        let added = self.inner.limiters.0.add(&name, make);
        added.map_err(|first| RegisterError::LimiterAlreadyRegistered {
            name: name.to_string(),
            first: first.at,
            second: place,
        })
    }

    /// The rate limiter of this name.
    ///
    /// # Errors
    ///
    /// [`NotRegistered`] with names that are near.
    pub fn limiter(&self, name: &str) -> Result<RateLimiter, NotRegistered> {
        self.inner.limiters.require(name, || None)
    }

    /// Every registered limiter, by name.
    pub(crate) fn limiters(&self) -> Vec<RateLimiter> {
        let all = self.inner.limiters.0.all();
        all.iter().map(|one| one.limiter.clone()).collect()
    }
}

/// Registers a rate limiter in the process-wide registry, see [`Registry::register_limiter`].
///
/// ```
/// # use resilient_core as resilient;
/// use resilient::rate_limit::{Limit, RateLimit, RateLimiter};
///
/// let maps = RateLimit::named("maps").limit(Limit::gcra("steady", 50, "1s")).unkeyed();
/// let maps = RateLimiter::in_memory(maps)?;
/// resilient::register_limiter(maps.clone())?;
/// assert!(resilient::register_limiter(maps).is_err(), "one name, one place");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[track_caller]
pub fn register_limiter(limiter: RateLimiter) -> Result<(), RegisterError> {
    Registry::global().register_limiter(limiter)
}

/// A rate limiter of the process-wide registry, see [`Registry::limiter`].
///
/// ```
/// # use resilient_core as resilient;
/// let missing = resilient::limiter("nobody").unwrap_err();
/// assert_eq!(missing.kind, "limiter");
/// ```
pub fn limiter(name: &str) -> Result<RateLimiter, NotRegistered> {
    Registry::global().limiter(name)
}
