//! The time that tokens take to come back, exactly.

use resilient_core::rate_limit::{Algorithm, LimitSettings};

/// In a microsecond.
const NANOS: u64 = 1_000;

/// How a bucket fills: times are counted in parts of a microsecond in which those of all tokens are
/// whole numbers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bucket {
    /// How many of them make a microsecond.
    pub(super) parts: u64,
    /// How many of them one token takes.
    token: u64,
}

impl Bucket {
    /// None for a limit that is no bucket.
    pub(super) fn of(limit: &LimitSettings) -> Option<Self> {
        let window = micros(limit);
        let quota = u64::from(limit.quota.max(1));
        match limit.algorithm {
            Algorithm::TokenBucket => Some(Bucket {
                parts: quota,
                token: window,
            }),
            // By its definition whole nanoseconds, rounded up.
            Algorithm::Gcra => Some(Bucket {
                parts: NANOS,
                token: window.saturating_mul(NANOS).div_ceil(quota),
            }),
            _ => None,
        }
    }

    /// In parts.
    pub(super) fn time_for(self, tokens: u32) -> u128 {
        u128::from(self.token) * u128::from(tokens)
    }

    /// Whole microseconds, and the parts that are left.
    pub(super) fn split(self, time: u128) -> (u128, u128) {
        let parts = u128::from(self.parts);
        (time / parts, time % parts)
    }

    pub(super) fn joined(self, micros: u64, rest: u64) -> u128 {
        u128::from(micros) * u128::from(self.parts) + u128::from(rest)
    }

    /// How many tokens come back in a time, rounded up.
    pub(super) fn tokens_in(self, time: u128) -> u32 {
        let tokens = time.div_ceil(u128::from(self.token.max(1)));
        u32::try_from(tokens).unwrap_or(u32::MAX)
    }

    /// Rounded up.
    pub(super) fn nanos(self, time: u128) -> u64 {
        let nanos = (time * u128::from(NANOS)).div_ceil(u128::from(self.parts));
        u64::try_from(nanos).unwrap_or(u64::MAX)
    }

    /// The time of a token in microseconds, as text: what a key was written under.
    pub(super) fn token_text(self) -> String {
        const DIGITS: u128 = 1_000_000_000;
        let (whole, rest) = self.split(self.token.into());
        format!("{whole}.{:09}", rest * DIGITS / u128::from(self.parts))
    }
}

/// The window.
pub(super) fn micros(limit: &LimitSettings) -> u64 {
    u64::try_from(limit.window.as_micros()).map_or(u64::MAX, |micros| micros.max(1))
}
