//! What was asked for under a key, so that another request under it is noticed.

use serde::Serialize;

use super::digest;

/// How the bytes that are hashed come about. A new way gets a new number.
const OF_BYTES: u16 = 1;
const OF_JSON: u16 = 2;

/// The application's own versions begin here.
const FIRST_OWN: u16 = 256;

/// A hash of what was asked for, and the version of the way it was made.
///
/// Two fingerprints can only be compared if they were made in the same way. Of another version
/// nothing is known, so the check is left out: a deployment that changes the way must not answer
/// "another payload" to everyone who repeats a request across it.
///
/// ```
/// # use resilient_core as resilient;
/// use resilient::idempotency::Fingerprint;
///
/// let bytes = Fingerprint::of_bytes(&[b"POST /orders", b"{\"amount\":5}"]);
/// assert!(bytes.contradicts(&Fingerprint::of_bytes(&[b"POST /orders", b"{\"amount\":6}"])));
/// assert!(!bytes.contradicts(&bytes.clone().version(7)));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Fingerprint {
    version: u16,
    hash: [u8; 32],
}

impl Fingerprint {
    /// Of raw bytes, in parts that are kept apart: any other byte is another request.
    pub fn of_bytes(parts: &[&[u8]]) -> Self {
        Fingerprint {
            version: OF_BYTES,
            hash: hash_with_lengths(parts),
        }
    }

    /// Of what a value serialises to, as JSON with the keys of maps in order: blanks and the order
    /// of fields do not matter, every value does. Skip volatile fields (`#[serde(skip)]`), or take
    /// a tuple of those that count.
    ///
    /// # Errors
    ///
    /// What serialising the value answered.
    ///
    /// ```
    /// # use resilient_core as resilient;
    /// use resilient::idempotency::Fingerprint;
    ///
    /// let (item, amount) = ("book", 2);
    /// assert_eq!(Fingerprint::of(&(item, amount))?, Fingerprint::of(&("book", 2))?);
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    pub fn of<T: Serialize + ?Sized>(value: &T) -> Result<Self, serde_json::Error> {
        // Through a `Value`, whose maps are sorted.
        let value = serde_json::to_value(value)?;
        let text = serde_json::to_vec(&value)?;
        Ok(Fingerprint {
            version: OF_JSON,
            hash: hash_with_lengths(&[&text]),
        })
    }

    /// The same under a version of the application's own, 0 to 65279: to be raised when the fields
    /// that are hashed change.
    #[must_use]
    pub fn version(mut self, version: u16) -> Self {
        self.version = FIRST_OWN.saturating_add(version);
        self
    }

    /// Whether both are known to be of different requests.
    pub fn contradicts(&self, other: &Fingerprint) -> bool {
        self.version == other.version && self.hash != other.hash
    }

    /// Version and hash, as they are stored.
    pub fn parts(&self) -> (u16, [u8; 32]) {
        (self.version, self.hash)
    }

    /// A fingerprint as [`Fingerprint::parts`] took it apart.
    pub fn stored(version: u16, hash: [u8; 32]) -> Self {
        Fingerprint { version, hash }
    }
}

/// Raw parts may contain any byte, so each is preceded by its length.
fn hash_with_lengths(parts: &[&[u8]]) -> [u8; 32] {
    let lengths: Vec<[u8; 8]> = parts
        .iter()
        .map(|part| (part.len() as u64).to_be_bytes())
        .collect();
    let pieces: Vec<&[u8]> = lengths
        .iter()
        .zip(parts)
        .flat_map(|(length, part)| [&length[..], part])
        .collect();
    digest::of(&pieces)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn i13_q11_json_ignores_order_and_blanks_and_bytes_do_not() {
        let one: serde_json::Value =
            serde_json::from_str(r#"{"a":1,"b":[2,{"d":4,"c":3}]}"#).unwrap();
        let two: serde_json::Value =
            serde_json::from_str(r#" { "b": [2, {"c":3, "d":4}], "a" : 1 }"#).unwrap();
        assert_eq!(
            Fingerprint::of(&one).unwrap(),
            Fingerprint::of(&two).unwrap()
        );
        let other: serde_json::Value =
            serde_json::from_str(r#"{"a":1.0,"b":[2,{"d":4,"c":3}]}"#).unwrap();
        assert!(
            Fingerprint::of(&one)
                .unwrap()
                .contradicts(&Fingerprint::of(&other).unwrap()),
            "1 and 1.0 are two values"
        );
        let bytes = |text: &str| Fingerprint::of_bytes(&[text.as_bytes()]);
        assert!(bytes(r#"{"a":1}"#).contradicts(&bytes(r#"{ "a":1}"#)));
    }

    #[test]
    fn parts_do_not_run_together() {
        let joined = |parts: &[&[u8]]| Fingerprint::of_bytes(parts);
        assert!(joined(&[b"ab", b"c"]).contradicts(&joined(&[b"a", b"bc"])));
        assert!(joined(&[b"a\0", b"b"]).contradicts(&joined(&[b"a", b"\0b"])));
    }

    #[test]
    fn an_unknown_version_contradicts_nothing() {
        let old = Fingerprint::of_bytes(&[b"a"]);
        let new = Fingerprint::of_bytes(&[b"b"]).version(1);
        assert!(!old.contradicts(&new) && !new.contradicts(&old));
        assert!(new.contradicts(&Fingerprint::of_bytes(&[b"c"]).version(1)));
    }
}
