//! Where limits are counted, and what happens when they cannot be.

use std::time::Duration;

use resilient_core::duration::{GivenDuration, IntoDuration};

use super::Outage;
use crate::redis::{RedisSettings, invalid, time};
use crate::{RedisConfig, RedisSetupError};

/// The script counts tokens up to twice this exactly.
pub(super) const MOST_RESERVED: u32 = 100_000;

const DEFAULT_TIMEOUT: Duration = Duration::from_millis(50);

/// Where limits are counted, and what happens when they cannot be.
///
/// | setting | default |
/// |---|---|
/// | `timeout` | 50 ms |
/// | `outage` | [`Outage::Open`]: requests are let through |
/// | `deny_cache` | on |
/// | `reserve` | nothing: every request is asked for |
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
    reserve: Option<u32>,
}

/// The same, checked.
#[derive(Debug)]
pub(super) struct RedisLimitSettings {
    pub(super) redis: RedisSettings,
    pub(super) timeout: Duration,
    pub(super) outage: Outage,
    pub(super) deny_cache: bool,
    pub(super) reserve: Option<u32>,
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
            reserve: None,
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

    /// Takes up to `batch` of a key's quota at once, 1 to 100 000, and hands it out in this process
    /// without asking Redis again; default off. For keys of which a process asks hundreds of times a
    /// second: a tenant, a vendor's quota, a limit that all share.
    ///
    /// **The total over all processes stays within the limits**, whatever is killed: what is handed out
    /// was counted in Redis before. What a process took and did not hand out is lost until its window
    /// ends; or [give it back](super::RedisLimitStore::give_back) before the process ends.
    ///
    /// - A key's first request is asked for alone. Each batch is at most twice the one before, or what
    ///   was used of it where that was less, and no more than half of what is left: a key that is
    ///   seldom used is never held. When a request is refused, each other process holds at most
    ///   `batch - 1` of the key.
    /// - Of windows, a batch is handed out within the window it was counted in, by Redis' clock. Of
    ///   token buckets and GCRA, it lapses after the time in which `batch` comes back (or the burst, if
    ///   that is less): in any span of time at most one batch more passes than without, whatever the
    ///   number of processes.
    /// - Sliding logs know when each request came: limits with one of them are asked for alone, and so
    ///   are costs above 100 000. A cost above `batch` takes what is held and the rest of it.
    /// - One request asks for a batch, others of the key wait for it: for at most the
    ///   [timeout](RedisLimits::timeout), then they ask for themselves.
    /// - `Remaining` says what was left in Redis after the last batch. What this process holds is not in
    ///   it, so that it is low by that; what others took since then is still in it.
    /// - What is held is handed out also while Redis is away. Who deletes Redis' counts gives all of
    ///   the quota back, and what is held comes on top.
    /// - The 10 000 keys that were asked for last are held, and 10 000 more at most.
    ///
    /// ```
    /// use resilient_store::{RedisConfig, RedisLimits};
    ///
    /// let limits = RedisLimits::over(RedisConfig::at("redis://127.0.0.1:6379")).reserve(100);
    /// # let _ = limits;
    /// ```
    #[must_use]
    pub fn reserve(mut self, batch: u32) -> Self {
        self.reserve = Some(batch);
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
        if let Some(batch) = self.reserve
            && !(1..=MOST_RESERVED).contains(&batch)
        {
            let reason = "write 1 to 100000, or leave it out to ask for each request";
            problems.push(invalid("reserve", batch, reason));
        }
        match self.redis.settings() {
            Ok(redis) if problems.is_empty() => Ok(RedisLimitSettings {
                redis,
                timeout,
                outage: self.outage,
                deny_cache: self.deny_cache,
                reserve: self.reserve,
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
            .reserve(0)
            .settings()
            .unwrap_err();
        let RedisSetupError::Invalid { problems } = error else {
            panic!("{error}");
        };
        let settings: Vec<&str> = problems.iter().map(|problem| problem.setting).collect();
        assert_eq!(settings, ["timeout", "outage", "reserve", "url"]);
    }
}
