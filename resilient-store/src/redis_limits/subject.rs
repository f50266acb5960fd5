//! Who is limited, and under which keys that is kept.

use std::fmt::Write;

use resilient_core::rate_limit::{Algorithm, Ask, LimitSettings};
use sha2::{Digest, Sha256};

/// Half of a SHA-256.
const DIGEST_BYTES: usize = 16;

/// A key of a limiter, as short as its name in Redis.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Subject([u8; DIGEST_BYTES]);

impl Subject {
    /// Who asks.
    pub(super) fn of(ask: &Ask<'_>) -> Self {
        let hash = Sha256::new()
            .chain_update(ask.limiter.as_bytes())
            // Not in the name of a limiter, so that it ends there.
            .chain_update([0])
            .chain_update(ask.key)
            .finalize();
        let mut digest = [0; DIGEST_BYTES];
        digest.copy_from_slice(&hash[..DIGEST_BYTES]);
        Subject(digest)
    }

    /// Where a limit is kept. In braces what a cluster chooses the slot by.
    pub(super) fn key_of(&self, prefix: &str, limit: &LimitSettings) -> String {
        let mut key = format!("{prefix}{{");
        for byte in self.0 {
            // Writing into a string cannot fail.
            let _ = write!(key, "{byte:02x}");
        }
        let _ = write!(key, "}}:{}:{}", limit.name, suffix(limit.algorithm));
        key
    }
}

/// Of each kind its own, because each keeps something else.
fn suffix(algorithm: Algorithm) -> char {
    match algorithm {
        Algorithm::SlidingCounter => 's',
        Algorithm::SlidingLog => 'l',
        Algorithm::TokenBucket => 't',
        Algorithm::Gcra => 'g',
        // `Fixed`, and what the words of a limit count as fixed windows.
        _ => 'w',
    }
}
