//! The key of a request.

use http::header::{HeaderMap, HeaderName};
use resilient_core::idempotency::{InvalidKey, Key};

/// The header of the IETF draft, and of everyone before it.
pub const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");

/// The key in these headers, if there is one.
///
/// # Errors
///
/// [`InvalidKey`] says what is wrong with it; two of them are as wrong as a malformed one.
pub(super) fn read(headers: &HeaderMap, name: &HeaderName) -> Result<Option<Key>, InvalidKey> {
    let mut values = headers.get_all(name).iter();
    let Some(value) = values.next() else {
        return Ok(None);
    };
    let more = values.count();
    if more > 0 {
        return Err(InvalidKey::Several { count: more + 1 });
    }
    // Through characters rather than `to_str`, so that the message can name the one that is wrong.
    let text = std::str::from_utf8(value.as_bytes()).map_err(|_| InvalidKey::NotText)?;
    Key::parse(text).map(Some)
}
