//! A key as a client sent it.

use std::fmt;
use std::sync::Arc;

/// The longest key, in bytes.
const LONGEST: usize = 255;

/// A key that a client chose for one logical request: 1 to 255 printable ASCII characters, not
/// only blanks.
///
/// The header's text may be a Structured Field String (`"abc"`, with `\"` and `\\` inside), as the
/// IETF draft `draft-ietf-httpapi-idempotency-key-header` has it, or the bare text `abc` that most
/// clients send: both are the same key.
///
/// `Debug` shows only the first characters, because keys may be derived from personal data.
///
/// ```
/// # use resilient_core as resilient;
/// use resilient::idempotency::{InvalidKey, Key};
///
/// assert_eq!(Key::parse("\"abc\"")?, Key::parse("abc")?);
/// assert_eq!(Key::parse("  "), Err(InvalidKey::Blank));
/// assert_eq!(Key::parse("na\u{ef}ve"), Err(InvalidKey::Character { found: '\u{ef}' }));
/// # Ok::<(), InvalidKey>(())
/// ```
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Key(Arc<str>);

/// What is wrong with the text of a key.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidKey {
    /// Nothing, or nothing but blanks.
    #[error("the idempotency key is blank: send 1 to 255 printable ASCII characters")]
    Blank,
    /// More than 255 bytes.
    #[error("the idempotency key has {length} bytes: send at most 255")]
    TooLong {
        /// Its length in bytes.
        length: usize,
    },
    /// A control character, or one that is not ASCII.
    #[error("the idempotency key contains {found:?}: send printable ASCII characters only")]
    Character {
        /// The first of them.
        found: char,
    },
    /// A quote without its partner, or something after it.
    #[error(
        "the quotes of the idempotency key do not match: write \"..\" around the whole key, or none"
    )]
    Quotes,
    /// Bytes that are no text at all.
    #[error("the idempotency key is no text: send printable ASCII characters only")]
    NotText,
    /// Two of them.
    #[error("there are {count} idempotency keys: send one")]
    Several {
        /// How many.
        count: usize,
    },
}

impl Key {
    /// Reads the text of a header, quoted or bare.
    ///
    /// # Errors
    ///
    /// [`InvalidKey`] says which rule the text breaks.
    pub fn parse(text: &str) -> Result<Self, InvalidKey> {
        let trimmed = text.trim_matches([' ', '\t']);
        if trimmed.starts_with('"') {
            Key::literal(&unquoted(trimmed)?)
        } else {
            Key::literal(trimmed)
        }
    }

    /// Takes the text as it is: what an expression at an annotated function says.
    ///
    /// # Errors
    ///
    /// [`InvalidKey`] says which rule the text breaks.
    pub fn literal(text: &str) -> Result<Self, InvalidKey> {
        if text.chars().all(|c| c == ' ') {
            return Err(InvalidKey::Blank);
        }
        if text.len() > LONGEST {
            return Err(InvalidKey::TooLong { length: text.len() });
        }
        match text.chars().find(|c| !matches!(c, ' '..='~')) {
            Some(found) => Err(InvalidKey::Character { found }),
            None => Ok(Key(text.into())),
        }
    }

    /// The whole key.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown: String = self.0.chars().take(4).collect();
        write!(f, "Key({shown}..)")
    }
}

/// The text inside a Structured Field String (RFC 9651, section 3.3.3).
fn unquoted(text: &str) -> Result<String, InvalidKey> {
    let mut inside = String::with_capacity(text.len());
    let mut chars = text.chars().skip(1);
    while let Some(c) = chars.next() {
        match c {
            '"' if chars.next().is_none() => return Ok(inside),
            '"' => return Err(InvalidKey::Quotes),
            '\\' => match chars.next() {
                Some(escaped @ ('"' | '\\')) => inside.push(escaped),
                _ => return Err(InvalidKey::Quotes),
            },
            plain => inside.push(plain),
        }
    }
    Err(InvalidKey::Quotes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn i03_i04_i05_i07_q18_keys_follow_one_rule() {
        let longest = "k".repeat(LONGEST);
        let too_long = "k".repeat(LONGEST + 1);
        let quoted_longest = format!("\"{longest}\"");
        let rows: [(&str, Result<&str, InvalidKey>); 17] = [
            ("abc", Ok("abc")),
            ("\"abc\"", Ok("abc")),
            (" abc\t", Ok("abc")),
            ("a b", Ok("a b")),
            (r#""a\"b\\c""#, Ok(r#"a"b\c"#)),
            ("'; DROP TABLE x; --", Ok("'; DROP TABLE x; --")),
            (&longest, Ok(&longest)),
            (&quoted_longest, Ok(&longest)),
            ("", Err(InvalidKey::Blank)),
            ("   ", Err(InvalidKey::Blank)),
            ("\"\"", Err(InvalidKey::Blank)),
            (&too_long, Err(InvalidKey::TooLong { length: 256 })),
            ("a\u{1}b", Err(InvalidKey::Character { found: '\u{1}' })),
            ("na\u{ef}ve", Err(InvalidKey::Character { found: '\u{ef}' })),
            ("\"abc", Err(InvalidKey::Quotes)),
            ("\"abc\"; q=1", Err(InvalidKey::Quotes)),
            (r#""a\b""#, Err(InvalidKey::Quotes)),
        ];
        for (text, expected) in rows {
            let found = Key::parse(text);
            assert_eq!(
                found.as_ref().map(Key::as_str),
                expected.as_ref().map(|text| *text),
                "{text:?}"
            );
        }
    }

    #[test]
    fn i56_debug_hides_the_key() {
        let key = Key::literal("customer-4711").unwrap();
        assert_eq!(format!("{key:?}"), "Key(cust..)");
    }
}
