//! Rate limiters, by name.

use std::panic::Location;

use super::{RegisterError, Registry};
use crate::rate_limit::RateLimiter;
use crate::rejection::NotRegistered;

/// A limiter, and where it was registered.
#[derive(Debug)]
pub(super) struct RegisteredLimiter {
    pub(super) limiter: RateLimiter,
    registered_at: &'static Location<'static>,
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
        let make = || RegisteredLimiter {
            limiter,
            registered_at: place,
        };
        let added = self.inner.limiters.add(&name, make);
        added.map_err(|first| RegisterError::LimiterAlreadyRegistered {
            name: name.to_string(),
            first: first.registered_at,
            second: place,
        })
    }

    /// The rate limiter of this name.
    ///
    /// # Errors
    ///
    /// [`NotRegistered`] with names that are near.
    pub fn limiter(&self, name: &str) -> Result<RateLimiter, NotRegistered> {
        let found = self.inner.limiters.require("limiter", name, || None);
        found.map(|registered| registered.limiter.clone())
    }

    /// Every registered limiter, by name.
    pub(crate) fn limiters(&self) -> Vec<RateLimiter> {
        let all = self.inner.limiters.all();
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
