//! Where limits are counted, and what happens when they cannot be.

use std::time::Duration;

use resilient_core::duration::{GivenDuration, IntoDuration};

use super::Outage;
use crate::redis::{RedisSettings, invalid, time};
use crate::{RedisConfig, RedisSetupError};

const DEFAULT_TIMEOUT: Duration = Duration::from_millis(50);

/// Where limits are counted, and what happens when they cannot be.
///
/// | setting | default |
/// |---|---|
/// | `timeout` | 50 ms |
/// | `outage` | [`Outage::Open`]: requests are let through |
/// | `deny_cache` | on |
///
/// Setters never fail; what cannot work is reported by
/// [`RedisLimitStore::over`](super::RedisLimitStore::over), all of it at once.
///
/// ```
/// use resilient_store::{Outage, RedisConfig, RedisLimits};
///
/// let limits = RedisLimits::over(RedisConfig::at("redis://127.0.0.1:6379"))
///     .timeout("20ms")
///     .outage(Outage::Closed);
/// # let _ = limits;
/// ```
#[derive(Clone, Debug)]
pub struct RedisLimits {
    redis: RedisConfig,
    timeout: Option<GivenDuration>,
    outage: Outage,
    deny_cache: bool,
}

/// The same, checked.
#[derive(Debug)]
pub(super) struct RedisLimitSettings {
    pub(super) redis: RedisSettings,
    pub(super) timeout: Duration,
    pub(super) outage: Outage,
    pub(super) deny_cache: bool,
}

impl RedisLimits {
    /// Counts in this Redis or Valkey, under the prefix `rl:` if none was chosen.
    #[must_use]
    pub fn over(redis: RedisConfig) -> Self {
        RedisLimits {
            redis,
            timeout: None,
            outage: Outage::default(),
            deny_cache: true,
        }
    }

    /// How long a decision may take, connecting included; longer than zero, default 50 ms. When it
    /// takes longer, the [outage](RedisLimits::outage) decides and Redis is left alone for a second.
    #[must_use]
    pub fn timeout(mut self, timeout: impl IntoDuration) -> Self {
        self.timeout = Some(timeout.into_duration());
        self
    }

    /// What becomes of requests while Redis does not answer; default [`Outage::Open`].
    #[must_use]
    pub fn outage(mut self, outage: Outage) -> Self {
        self.outage = outage;
        self
    }

    /// Whether a request like one that was refused is refused in this process, without asking Redis,
    /// until it would fit, but for no more than 5 s; default on. For so long it misses what another
    /// process gives back.
    #[must_use]
    pub fn deny_cache(mut self, on: bool) -> Self {
        self.deny_cache = on;
        self
    }

    pub(super) fn settings(&self) -> Result<RedisLimitSettings, RedisSetupError> {
        let mut problems = Vec::new();
        let given = self.timeout.as_ref();
        let timeout = time(&mut problems, "timeout", given, DEFAULT_TIMEOUT);
        if self.outage == Outage::LocalShare(0) {
            let reason = "write how many processes share the quotas, 1 or more";
            problems.push(invalid("outage", "LocalShare(0)", reason));
        }
        match self.redis.settings() {
            Ok(redis) if problems.is_empty() => Ok(RedisLimitSettings {
                redis,
                timeout,
                outage: self.outage,
                deny_cache: self.deny_cache,
            }),
            redis => {
                problems.extend(redis.err().unwrap_or_default());
                Err(RedisSetupError::Invalid { problems })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_that_is_wrong_is_told_at_once() {
        let error = RedisLimits::over(RedisConfig::at("nowhere"))
            .timeout("0s")
            .outage(Outage::LocalShare(0))
            .settings()
            .unwrap_err();
        let RedisSetupError::Invalid { problems } = error else {
            panic!("{error}");
        };
        let settings: Vec<&str> = problems.iter().map(|problem| problem.setting).collect();
        assert_eq!(settings, ["timeout", "outage", "url"]);
    }
}
