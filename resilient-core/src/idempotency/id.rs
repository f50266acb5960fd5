//! What a record is found by.

use std::fmt;

use super::digest;
use super::{Key, Scope};

/// What a record is found by: a key inside its scope.
///
/// `Debug` and `Display` show a part of its hash, so that it can be written into logs.
///
/// ```
/// # use resilient_core as resilient;
/// use resilient::idempotency::{Key, RecordId, Scope};
///
/// let id = RecordId::new(Scope::of("tenant-7"), Key::parse("abc")?);
/// assert_eq!(id.to_string().len(), 12);
/// assert!(!format!("{id:?}").contains("abc"));
/// // What a payment provider is sent, so that it recognises the repeat as well.
/// assert_eq!(id.derived_key("charge"), id.derived_key("charge"));
/// assert_ne!(id.derived_key("charge"), id.derived_key("ship"));
/// # Ok::<(), resilient::idempotency::InvalidKey>(())
/// ```
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RecordId {
    scope: Scope,
    key: Key,
}

impl RecordId {
    /// A key inside a scope.
    pub fn new(scope: Scope, key: Key) -> Self {
        RecordId { scope, key }
    }

    /// Whose key it is.
    pub fn scope(&self) -> &Scope {
        &self.scope
    }

    /// The key.
    pub fn key(&self) -> &Key {
        &self.key
    }

    /// The first 128 bits of the SHA-256 hash of scope, NUL and key, as 32 hexadecimal digits:
    /// what stands for the record in a cache and in logs.
    pub fn digest(&self) -> String {
        digest::hex(&self.hash(&[])[..16])
    }

    /// A key to send along with one request made on behalf of this one, named by `purpose`: the
    /// same in every run, so that what is asked for twice is done once there as well. 32
    /// hexadecimal digits.
    pub fn derived_key(&self, purpose: &str) -> String {
        digest::hex(&self.hash(&[b"derived", purpose.as_bytes()])[..16])
    }

    fn hash(&self, more: &[&[u8]]) -> [u8; 32] {
        let mut parts = vec![self.scope.as_str().as_bytes(), self.key.as_str().as_bytes()];
        parts.extend(more);
        digest::of(&parts)
    }
}

impl fmt::Display for RecordId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.digest()[..12])
    }
}

impl fmt::Debug for RecordId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RecordId({self})")
    }
}
