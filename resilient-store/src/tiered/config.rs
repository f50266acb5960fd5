//! Where copies are kept, and how much they may cost.

use std::time::Duration;

use resilient_core::duration::{GivenDuration, IntoDuration};

use super::local::Local;
use crate::redis::{RedisSettings, time};
use crate::{RedisConfig, RedisSetupError};

const DEFAULT_TIMEOUT: Duration = Duration::from_millis(50);

/// Where the copies of a [`Tiered`](super::Tiered) store are kept, and how much they may cost.
///
/// Setters never fail; what cannot work is reported by [`Tiered::over`](super::Tiered::over).
///
/// ```
/// use resilient_store::{Copies, RedisConfig};
///
/// let copies = Copies::in_redis(RedisConfig::at("redis://127.0.0.1:6379"))
///     .timeout("20ms")
///     .in_process(1_000);
/// # let _ = copies;
/// ```
#[derive(Clone, Debug)]
pub struct Copies {
    redis: RedisConfig,
    timeout: Option<GivenDuration>,
    in_process: usize,
}

/// The same, checked.
#[derive(Debug)]
pub(super) struct CopySettings {
    pub(super) redis: RedisSettings,
    pub(super) timeout: Duration,
    pub(super) local: Option<Local>,
}

impl Copies {
    /// Copies in Redis, under the same prefix in all processes.
    #[must_use]
    pub fn in_redis(redis: RedisConfig) -> Self {
        Copies {
            redis,
            timeout: None,
            in_process: 0,
        }
    }

    /// How long Redis may take to answer; default 50 ms. When it takes longer the table is asked,
    /// and Redis is left alone for a second.
    #[must_use]
    pub fn timeout(mut self, timeout: impl IntoDuration) -> Self {
        self.timeout = Some(timeout.into_duration());
        self
    }

    /// Keeps up to so many copies of at most 16 KiB in this process as well, for 5 s; default none.
    /// For that long, other processes may replay a record that an operator has deleted.
    #[must_use]
    pub fn in_process(mut self, copies: usize) -> Self {
        self.in_process = copies;
        self
    }

    pub(super) fn settings(&self) -> Result<CopySettings, RedisSetupError> {
        let mut problems = Vec::new();
        let timeout = time(
            &mut problems,
            "timeout",
            self.timeout.as_ref(),
            DEFAULT_TIMEOUT,
        );
        match self.redis.settings() {
            Ok(redis) if problems.is_empty() => Ok(CopySettings {
                redis,
                timeout,
                local: (self.in_process > 0).then(|| Local::new(self.in_process)),
            }),
            redis => {
                problems.extend(redis.err().unwrap_or_default());
                Err(RedisSetupError::Invalid { problems })
            }
        }
    }
}
