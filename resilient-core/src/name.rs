//! Names of dependencies, and the names someone may have meant instead.

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use crate::invalid::InvalidSetting;

/// Longer names make metrics labels unwieldy.
const LONGEST: usize = 128;

/// How many near names a message offers.
const MOST_NEAR: usize = 3;

/// The name of a dependency: 1 to 128 ASCII letters, digits, `.`, `_` and `-`.
///
/// A copy shares the text.
///
/// ```
/// # use resilient_core as resilient;
/// use resilient::Name;
///
/// let name = Name::new("payment-v2")?;
/// assert_eq!(&*name, "payment-v2");
/// assert!(Name::new("payment v2").is_err());
/// # Ok::<(), resilient::invalid::InvalidSetting>(())
/// ```
// Boxed once more, and so one word: it is in errors, which every call has room for. Always std's
// `Arc`, because errors outlive a model checker's run.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Name(Arc<Box<str>>);

impl Name {
    /// Checks a name.
    ///
    /// # Errors
    ///
    /// Says which rule of [`is_valid_name`] the text breaks.
    ///
    /// ```
    /// # use resilient_core as resilient;
    /// use resilient::Name;
    ///
    /// let error = Name::new("pay ment").unwrap_err();
    /// assert!(error.to_string().contains("` `"));
    /// ```
    pub fn new(name: &str) -> Result<Name, InvalidSetting> {
        if is_valid_name(name) {
            return Ok(Name(Arc::new(name.into())));
        }
        let reason = if name.is_empty() {
            "a name is empty: write at least one letter".to_owned()
        } else if let Some(wrong) = name.chars().find(|c| !is_name_char(*c)) {
            format!(
                "`{}` cannot be in a name: use letters, digits, `.`, `_` and `-`",
                wrong.escape_debug()
            )
        } else {
            format!(
                "a name has at most {LONGEST} characters, this one has {}",
                name.len()
            )
        };
        let shown: String = name.chars().take(LONGEST).collect();
        Err(InvalidSetting::new(
            "dependency",
            "name",
            format_args!("{shown:?}"),
            reason,
        ))
    }
}

#[cfg(feature = "runtime")]
impl Name {
    /// The same name, with a text of its own: for what is copied by one thread all the time.
    pub(crate) fn unshared(&self) -> Name {
        Name(Arc::new((**self).into()))
    }
}

impl Deref for Name {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl AsRef<str> for Name {
    fn as_ref(&self) -> &str {
        self
    }
}

// A hash map keyed by names can be asked with text.
impl std::borrow::Borrow<str> for Name {
    fn borrow(&self) -> &str {
        self
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self)
    }
}

#[cfg(feature = "serde")]
impl serde::Serialize for Name {
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(self)
    }
}

impl fmt::Debug for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, f)
    }
}

/// Whether a text can name a dependency: 1 to 128 ASCII letters, digits, `.`, `_` and `-`.
///
/// ```
/// # use resilient_core as resilient;
/// use resilient::is_valid_name;
///
/// const { assert!(is_valid_name("payment.eu-1")) };
/// assert!(!is_valid_name("payment/eu"));
/// ```
pub const fn is_valid_name(name: &str) -> bool {
    let bytes = name.as_bytes();
    if bytes.is_empty() || bytes.len() > LONGEST {
        return false;
    }
    let mut at = 0;
    while at < bytes.len() {
        if !is_name_char(bytes[at] as char) {
            return false;
        }
        at += 1;
    }
    true
}

const fn is_name_char(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-')
}

/// The known names closest to `wanted`, best first, at most three; none that is too far away to
/// have been meant.
pub(crate) fn near<'a>(wanted: &str, known: impl Iterator<Item = &'a str>) -> Vec<String> {
    let wanted: Vec<char> = wanted.chars().take(LONGEST).collect();
    // A third of the word may be wrong; a word of one or two letters is anyone's guess.
    let farthest = wanted.len().div_ceil(3).min(wanted.len().saturating_sub(1));
    let mut found: Vec<(usize, &str)> = known
        .filter_map(|name| {
            let candidate: Vec<char> = name.chars().take(LONGEST).collect();
            let distance = distance(&wanted, &candidate);
            (distance <= farthest).then_some((distance, name))
        })
        .collect();
    // Names at one distance are in alphabetical order, so that messages do not change between
    // runs.
    found.sort_unstable();
    found.dedup();
    found
        .into_iter()
        .take(MOST_NEAR)
        .map(|(_, name)| name.to_owned())
        .collect()
}

/// How many characters to insert, remove, replace or swap with their neighbour (optimal string
/// alignment, the restricted Damerau-Levenshtein distance); case counts as nothing.
fn distance(a: &[char], b: &[char]) -> usize {
    let same = |x: char, y: char| x.eq_ignore_ascii_case(&y);
    let mut two_above: Vec<usize> = Vec::new();
    let mut above: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = Vec::with_capacity(b.len() + 1);
        row.push(i);
        for j in 1..=b.len() {
            let replaced = above[j - 1] + usize::from(!same(a[i - 1], b[j - 1]));
            let mut least = replaced.min(above[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && same(a[i - 1], b[j - 2]) && same(a[i - 2], b[j - 1]) {
                least = least.min(two_above[j - 2] + 1);
            }
            row.push(least);
        }
        two_above = std::mem::replace(&mut above, row);
    }
    above[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_follow_one_rule() {
        let longest = "x".repeat(LONGEST);
        let too_long = "x".repeat(LONGEST + 1);
        for (name, valid) in [
            ("payment", true),
            ("Payment_2.eu-1", true),
            ("-", true),
            (longest.as_str(), true),
            (too_long.as_str(), false),
            ("", false),
            (" ", false),
            ("pay ment", false),
            ("pay/ment", false),
            ("zahlung\u{e4}", false),
            ("支払", false),
            ("a\0b", false),
            ("a\nb", false),
        ] {
            assert_eq!(is_valid_name(name), valid, "{name:?}");
            assert_eq!(Name::new(name).is_ok(), valid, "{name:?}");
        }
    }

    #[test]
    fn a_wrong_name_is_told_why() {
        for (name, reason) in [
            ("", "a name is empty"),
            ("pay ment", "` ` cannot be in a name"),
            ("a\nb", r"`\n` cannot be in a name"),
            ("支払", "`支` cannot be in a name"),
        ] {
            let error = Name::new(name).unwrap_err();
            assert!(error.reason.starts_with(reason), "{name:?}: {error}");
        }
        let error = Name::new(&"x".repeat(1_000_000)).unwrap_err();
        assert!(error.reason.contains("1000000"), "{}", error.reason);
        assert!(error.value.len() < 200, "the value is cut");
    }

    #[test]
    fn near_names_are_found_best_first() {
        let known = ["payment", "payments", "inventory", "shipping", "db", "s3"];
        for (wanted, expected) in [
            ("payment", &["payment", "payments"][..]),
            ("paymnet", &["payment", "payments"]),
            ("Payments", &["payments", "payment"]),
            ("pyment", &["payment", "payments"]),
            ("inventroy", &["inventory"]),
            ("shiping", &["shipping"]),
            ("bd", &["db"]),
            ("x", &[]),
            ("", &[]),
            ("billing", &[]),
        ] {
            assert_eq!(near(wanted, known.into_iter()), expected, "{wanted:?}");
        }
    }

    #[test]
    fn no_more_than_three_near_names_in_a_fixed_order() {
        let found = near("node0", ["node4", "node3", "node1", "node2"].into_iter());
        assert_eq!(found, ["node1", "node2", "node3"]);
    }

    #[test]
    fn the_distance_counts_edits() {
        for (a, b, edits) in [
            ("", "", 0),
            ("", "abc", 3),
            ("abc", "", 3),
            ("abc", "abc", 0),
            ("abc", "ABC", 0),
            ("abc", "acb", 1),
            ("abc", "ab", 1),
            ("abc", "xbc", 1),
            ("kitten", "sitting", 3),
            ("ca", "abc", 3),
        ] {
            let (x, y): (Vec<_>, Vec<_>) = (a.chars().collect(), b.chars().collect());
            assert_eq!(distance(&x, &y), edits, "{a:?} {b:?}");
            assert_eq!(distance(&y, &x), edits, "{b:?} {a:?}");
        }
    }
}
