//! Names of partitions that say nothing about who is in them.

use std::fmt;

use resilient_core::idempotency::Fingerprint;

/// Enough that two partitions do not meet, and that what stands before them cannot be found out.
const BYTES: usize = 12;

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// The secret that names of partitions are made with.
pub(super) struct PartitionKeys(pub(super) Box<[u8]>);

impl PartitionKeys {
    /// The parameter for a key: a byte sequence. Without the secret nobody can try which key it is of.
    pub(super) fn parameter(&self, limiter: &str, key: &str) -> String {
        let (_, hash) =
            Fingerprint::of_bytes(&[&self.0, limiter.as_bytes(), key.as_bytes()]).parts();
        format!(";pk=:{}:", base64(&hash[..BYTES]))
    }
}

impl fmt::Debug for PartitionKeys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PartitionKeys(..)")
    }
}

/// Of whole groups of three bytes, which need no padding.
fn base64(bytes: &[u8]) -> String {
    let groups = bytes.chunks_exact(3).flat_map(|group| {
        let bits = group
            .iter()
            .fold(0, |bits, byte| bits << 8 | usize::from(*byte));
        [18, 12, 6, 0].map(|shift| char::from(ALPHABET[bits >> shift & 63]))
    });
    groups.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn r14_bytes_as_text() {
        for (bytes, text) in [
            (&b""[..], ""),
            (b"Man", "TWFu"),
            (b"\x00\x00\x00\xff\xff\xff", "AAAA////"),
            (b"\xfb\xef\xbe", "++++"),
        ] {
            assert_eq!(base64(bytes), text);
        }
    }

    #[test]
    fn r14_each_secret_limiter_and_key_has_another_name() {
        let keys = |secret: &[u8]| PartitionKeys(secret.into());
        let names = [
            keys(b"one secret").parameter("api", "user:7"),
            keys(b"one secret").parameter("api", "user:8"),
            keys(b"one secret").parameter("apiu", "ser:7"),
            keys(b"one secret").parameter("login", "user:7"),
            keys(b"another secret").parameter("api", "user:7"),
        ];
        let distinct: std::collections::HashSet<_> = names.iter().collect();
        assert_eq!(distinct.len(), names.len());
        assert_eq!(keys(b"one secret").parameter("api", "user:7"), names[0]);
        assert_eq!(format!("{:?}", keys(b"secret")), "PartitionKeys(..)");
    }
}
