//! Whose key it is: two callers may send the same key and mean different things.

use std::borrow::Cow;
use std::fmt::{self, Write as _};
use std::sync::Arc;

use super::digest;

/// Longer scopes are stored as a hash, so that they fit into the index of any database.
const LONGEST: usize = 512;

/// Whose key it is and for what: the tenant or user, and the operation.
///
/// A key means something only inside its scope. Without one, a caller who guesses another's key
/// would be given the other's answer; so a scope has to be written, and the one that all callers
/// share has a name that says so. Parts are kept apart whatever they contain: `["a", "bc"]` is not
/// `["ab", "c"]`.
///
/// `Debug` shows no part, because they may be personal data.
///
/// ```
/// # use resilient_core as resilient;
/// use resilient::idempotency::Scope;
///
/// let orders = Scope::of("tenant-7").and("POST /orders");
/// assert_ne!(orders, Scope::of("tenant-8").and("POST /orders"));
/// assert_ne!(Scope::of("a/b"), Scope::of("a").and("b"));
/// ```
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Scope(Arc<str>);

impl Scope {
    /// The scope of one caller: a tenant or user whose identity was proved, never one that the
    /// request merely claims.
    pub fn of(caller: impl fmt::Display) -> Self {
        Scope(fitting(&escaped(&caller.to_string())))
    }

    /// The scope that all callers share: whoever sends a key that was used is given the answer to
    /// it. For callers that are one party, such as the services of one team.
    pub fn shared_by_all_callers() -> Self {
        // No escaped part is empty text followed by nothing else but this.
        Scope("*".into())
    }

    /// The same caller, for one operation of it: a key may then be used again for another.
    #[must_use]
    pub fn and(self, part: impl fmt::Display) -> Self {
        let joined = format!("{}/{}", self.0, escaped(&part.to_string()));
        Scope(fitting(&joined))
    }

    /// As it is stored: at most 512 bytes, without control characters.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// A scope as [`Scope::as_str`] wrote it.
    pub fn stored(text: &str) -> Self {
        Scope(text.into())
    }
}

impl fmt::Debug for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Scope(..)")
    }
}

/// Without anything that separates parts, stands for all callers, or that a database cannot hold.
fn escaped(part: &str) -> Cow<'_, str> {
    let plain = |c: char| !matches!(c, '%' | '/' | '*' | '#') && !c.is_control();
    if part.chars().all(plain) {
        return Cow::Borrowed(part);
    }
    let mut text = String::with_capacity(part.len() + 8);
    for c in part.chars() {
        if plain(c) {
            text.push(c);
        } else {
            // Writing into a string cannot fail.
            let _ = write!(text, "%{:x};", u32::from(c));
        }
    }
    Cow::Owned(text)
}

fn fitting(text: &str) -> Arc<str> {
    if text.len() <= LONGEST {
        text.into()
    } else {
        format!("#{}", digest::hex(&digest::of(&[text.as_bytes()]))).into()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn q10_no_two_scopes_are_one() {
        let long = "x".repeat(LONGEST + 1);
        let longer = "x".repeat(LONGEST + 2);
        let scopes = [
            Scope::of(""),
            Scope::of("").and(""),
            Scope::of("*"),
            Scope::shared_by_all_callers(),
            Scope::shared_by_all_callers().and("a"),
            Scope::of("a").and("b"),
            Scope::of("a/b"),
            Scope::of("a%2f;b"),
            Scope::of("a").and("b/").and("c"),
            Scope::of("a").and("b").and("/c"),
            Scope::of("a\0b"),
            Scope::of("#x"),
            Scope::of(&long),
            Scope::of(&longer),
            Scope::of(&long).and("b"),
        ];
        let stored: HashSet<&str> = scopes.iter().map(Scope::as_str).collect();
        assert_eq!(stored.len(), scopes.len(), "{stored:?}");
        for scope in stored {
            assert!(
                scope.len() <= LONGEST && !scope.contains(char::is_control),
                "{scope:?}"
            );
        }
    }

    #[test]
    fn i56_debug_shows_no_part() {
        assert_eq!(format!("{:?}", Scope::of("ada@example.com")), "Scope(..)");
    }
}
