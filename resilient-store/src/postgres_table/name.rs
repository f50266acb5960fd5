//! The name of the table.

use std::fmt;

/// The name that the migrations are written with.
pub(super) const DEFAULT: &str = "idempotency_keys";

/// Postgres cuts names at 63 bytes; the longest one made of the table's is
/// `<table>_migrations`.
const LONGEST: usize = 63 - "_migrations".len();

/// The checked name of a table, with or without its schema.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TableName(String);

/// A name that no table of keys can have.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{name}` cannot be the name of the table of keys: write lower-case letters, digits and `_`, not a digit first, at most {LONGEST} characters; a schema may stand before it, as in `app.{DEFAULT}`"
)]
pub struct InvalidTableName {
    /// The name.
    pub name: String,
}

impl TableName {
    pub(super) fn new(name: &str) -> Result<Self, InvalidTableName> {
        let mut parts = name.split('.');
        let fine = parts.by_ref().take(2).all(is_identifier) && parts.next().is_none();
        if fine {
            Ok(TableName(name.to_owned()))
        } else {
            Err(InvalidTableName {
                name: name.to_owned(),
            })
        }
    }
}

impl Default for TableName {
    fn default() -> Self {
        TableName(DEFAULT.to_owned())
    }
}

impl fmt::Display for TableName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

fn is_identifier(part: &str) -> bool {
    let first = |c: char| c.is_ascii_lowercase() || c == '_';
    part.len() <= LONGEST
        && part.starts_with(first)
        && part.chars().all(|c| first(c) || c.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn i07_only_plain_identifiers_are_names() {
        let longest = "k".repeat(LONGEST);
        for name in ["keys", "_keys2", "app.keys", &longest] {
            assert_eq!(TableName::new(name).unwrap().to_string(), name);
        }
        let longer = "k".repeat(LONGEST + 1);
        let wrong = [
            "",
            ".",
            "app.",
            ".keys",
            "a.b.c",
            "2keys",
            "Keys",
            "keys; drop table x",
            "\"keys\"",
            "k\u{e9}ys",
            "keys ",
            &longer,
        ];
        for name in wrong {
            assert!(TableName::new(name).is_err(), "{name:?}");
        }
    }
}
