//! What is kept under which name.

use resilient_core::idempotency::RecordId;

const DEFAULT_PREFIX: &str = "idem:";

/// The names of keys. Those of one record share a hash tag, so that they lie together.
#[derive(Clone, Debug)]
pub(crate) struct Keys {
    prefix: String,
}

impl Keys {
    /// Under a prefix of their own, or else under `idem:`.
    pub(crate) fn new(prefix: Option<String>) -> Self {
        Keys {
            prefix: prefix.unwrap_or_else(|| DEFAULT_PREFIX.to_owned()),
        }
    }

    /// The record, of a store in Redis alone.
    pub(super) fn record(&self, id: &RecordId) -> String {
        self.of(id, "c")
    }

    /// Its answer, which may end before it.
    pub(super) fn answer(&self, id: &RecordId) -> String {
        self.of(id, "a")
    }

    /// The copy of a record that a table holds.
    pub(crate) fn copy(&self, id: &RecordId) -> String {
        self.of(id, "r")
    }

    /// The last fence that was given out.
    pub(super) fn fence(&self) -> String {
        format!("{}fence", self.prefix)
    }

    /// A glob that all records match and nothing else under the prefix does.
    pub(super) fn any_record(&self) -> String {
        let mut glob = String::with_capacity(self.prefix.len() + 5);
        for c in self.prefix.chars() {
            if matches!(c, '*' | '?' | '[' | ']' | '\\' | '^' | '-') {
                glob.push('\\');
            }
            glob.push(c);
        }
        glob + "{*}:c"
    }

    fn of(&self, id: &RecordId, what: &str) -> String {
        format!("{}{{{}}}:{what}", self.prefix, id.digest())
    }
}

#[cfg(test)]
mod tests {
    use resilient_core::idempotency::{Key, Scope};

    use super::*;

    #[test]
    fn names_are_those_that_are_documented() {
        let id = RecordId::new(Scope::of("t"), Key::literal("k").unwrap());
        let keys = Keys::new(None);
        // printf 't\0k' | sha256sum | cut -c 1-32
        let digest = "f31e38a4251c28e34c5d3af84b76d674";
        assert_eq!(keys.record(&id), format!("idem:{{{digest}}}:c"));
        assert_eq!(keys.answer(&id), format!("idem:{{{digest}}}:a"));
        assert_eq!(keys.copy(&id), format!("idem:{{{digest}}}:r"));
        assert_eq!(keys.fence(), "idem:fence");
    }

    #[test]
    fn a_prefix_is_no_pattern() {
        assert_eq!(
            Keys::new(Some("a*[b]?".to_owned())).any_record(),
            "a\\*\\[b\\]\\?{*}:c"
        );
    }
}
