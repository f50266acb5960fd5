//! How a key is written.

use http::HeaderValue;
use resilient_core::idempotency::Key;

/// The key as the value of a header; its characters are all allowed there.
pub(super) fn value(key: &Key, quoted: bool) -> Option<HeaderValue> {
    let text = key.as_str();
    let ambiguous = text.starts_with('"') || text.trim() != text;
    if quoted || ambiguous {
        HeaderValue::from_str(&structured(text)).ok()
    } else {
        HeaderValue::from_str(text).ok()
    }
}

/// A Structured Field String (RFC 9651, section 3.3.3).
fn structured(text: &str) -> String {
    let escaped = text.replace('\\', "\\\\").replace('"', "\\\"");
    format!("\"{escaped}\"")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn i05_whatever_is_written_is_read_as_the_same_key() {
        for (text, bare, structured) in [
            ("abc", "abc", "\"abc\""),
            ("a b", "a b", "\"a b\""),
            (r#"a"b\c"#, r#"a"b\c"#, r#""a\"b\\c""#),
            ("\"abc\"", r#""\"abc\"""#, r#""\"abc\"""#),
            (" abc ", "\" abc \"", "\" abc \""),
        ] {
            let key = Key::literal(text).unwrap();
            for (quoted, expected) in [(false, bare), (true, structured)] {
                let written = value(&key, quoted).unwrap();
                assert_eq!(written, expected);
                let read = Key::parse(written.to_str().unwrap()).unwrap();
                assert_eq!(read, key, "{expected}");
            }
        }
    }
}
