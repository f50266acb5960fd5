//! SHA-256, which every language has: what is hashed here can be recognised elsewhere.

use sha2::{Digest, Sha256};

/// The hash of the parts, kept apart by a NUL byte.
pub(super) fn of(parts: &[&[u8]]) -> [u8; 32] {
    let mut hash = Sha256::new();
    for (at, part) in parts.iter().enumerate() {
        if at > 0 {
            hash.update([0]);
        }
        hash.update(part);
    }
    hash.finalize().into()
}

/// Lower-case hexadecimal digits.
pub(super) fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    bytes.iter().fold(String::new(), |mut text, byte| {
        // Writing into a string cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_the_published_vector() {
        // FIPS 180-4, the example of one block: "abc".
        assert_eq!(
            hex(&of(&[b"abc"])),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        );
    }

    #[test]
    fn parts_do_not_run_together() {
        assert_ne!(of(&[b"ab", b"c"]), of(&[b"a", b"bc"]));
    }
}
