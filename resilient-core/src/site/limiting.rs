//! What a site asks of a rate limiter before each attempt.

use std::time::Duration;

use super::Options;
use crate::rate_limit::RateLimiter;
use crate::snapshot::{Origin, Values};

/// The limiter of a site, and what the site says about each request.
#[derive(Clone, Debug)]
pub(crate) struct Limiting {
    pub(crate) limiter: RateLimiter,
    /// Of calls that do not work out a cost of their own.
    pub(crate) cost: u32,
    max_wait: Option<Duration>,
}

impl Limiting {
    pub(crate) fn new(limiter: RateLimiter, options: &Options) -> Self {
        Limiting {
            limiter,
            cost: options.limiter_cost.unwrap_or(1),
            max_wait: options.limiter_max_wait,
        }
    }

    /// The site's own, or else what is registered with the limiter.
    pub(crate) fn max_wait(&self) -> Duration {
        self.max_wait.unwrap_or_else(|| self.limiter.max_wait())
    }

    pub(crate) fn effective(&self, values: &mut Values) {
        let name = self.limiter.name();
        values.add("rate_limit", name, &Origin::Site);
        values.add("rate_limit.cost", self.cost, &Origin::Site);
        let origin = match self.max_wait {
            Some(_) => Origin::Site,
            None => Origin::Dependency(name.clone()),
        };
        values.time("rate_limit.max_wait", Some(self.max_wait()), &origin);
    }
}
