//! Who is limited, and under which keys that is kept.

use resilient_core::Name;
use resilient_core::rate_limit::{Algorithm, LimitSettings};
use sha2::{Digest, Sha256};

/// Half of a SHA-256.
const DIGEST_BYTES: usize = 16;

/// Bytes of a key beside prefix, digest and name.
const AROUND: usize = "{}::w".len();

/// A key of a limiter, as short as its name in Redis.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Subject([u8; DIGEST_BYTES]);

impl Subject {
    /// Who asks.
    pub(super) fn new(limiter: &Name, key: &str) -> Self {
        let hash = Sha256::new()
            .chain_update(limiter.as_bytes())
            // Not in the name of a limiter, so that it ends there.
            .chain_update([0])
            .chain_update(key)
            .finalize();
        let mut digest = [0; DIGEST_BYTES];
        digest.copy_from_slice(&hash[..DIGEST_BYTES]);
        Subject(digest)
    }

    /// Where a limit is kept. In braces what a cluster chooses the slot by.
    pub(super) fn key_of(&self, prefix: &str, limit: &LimitSettings) -> String {
        let name = &*limit.name;
        let length = prefix.len() + 2 * DIGEST_BYTES + name.len() + AROUND;
        let mut key = String::with_capacity(length);
        key.push_str(prefix);
        key.push('{');
        // By hand: a formatter takes longer for them than Redis' client for the whole command.
        for half in self.0.iter().flat_map(|byte| [byte >> 4, byte & 15]) {
            let letter = if half < 10 { b'0' } else { b'a' - 10 };
            key.push(char::from(letter + half));
        }
        key.push_str("}:");
        key.push_str(name);
        key.push(':');
        key.push(suffix(limit.algorithm));
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

#[cfg(test)]
mod tests {
    use resilient_core::rate_limit::{Limit, RateLimit};

    use super::*;

    #[test]
    fn r26_names_are_those_that_are_documented() {
        let limits = RateLimit::named("api")
            .limit(Limit::fixed("a", 1, "1s"))
            .limit(Limit::sliding_counter("b", 1, "1s"))
            .limit(Limit::sliding_log("c", 1, "1s"))
            .limit(Limit::token_bucket("d", 1, "1s"))
            .limit(Limit::gcra("e", 1, "1s"));
        let settings = limits.settings().unwrap();
        let subject = Subject::new(&settings.name, "u");
        let keys = settings.limits.iter();
        let keys: Vec<_> = keys.map(|limit| subject.key_of("rl:", limit)).collect();
        // printf 'api\0u' | sha256sum | cut -c 1-32
        let tag = "865049a38b4a0e9b59de42d26c1816aa";
        let named = ["a:w", "b:s", "c:l", "d:t", "e:g"].map(|name| format!("rl:{{{tag}}}:{name}"));
        assert_eq!(keys, named);
    }
}
