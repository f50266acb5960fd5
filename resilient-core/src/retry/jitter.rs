//! How chance spreads the waits, so that clients that failed together do not return together.

use std::fmt;
use std::str::FromStr;

use crate::name::near;

/// How the wait before a retry is drawn from `d = min(cap, base * factor^(n-1))`, `n` being the
/// number of the attempt that failed. No kind ever exceeds `cap`.
///
/// | kind | wait |
/// |---|---|
/// | `None` | `d` |
/// | `Full` | uniform in `0..=d` |
/// | `Equal` | `d/2` plus uniform in `0..=d/2` |
/// | `Decorrelated` | uniform in `base..=3 * previous wait`, at most `cap` |
/// | `Proportional` | `d'` plus uniform in `0..=d'/10`, with `d' = min(d, cap/1.1)` |
///
/// Full, equal and decorrelated are those of the AWS Architecture Blog's "Exponential Backoff
/// And Jitter".
///
/// ```
/// # use resilient_core as resilient;
/// use resilient::retry::Jitter;
///
/// assert_eq!("equal".parse(), Ok(Jitter::Equal));
/// assert_eq!(Jitter::default(), Jitter::Equal);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Jitter {
    /// No chance at all: clients that failed together return together.
    None,
    /// Anything from nothing to the whole wait: spreads most.
    Full,
    /// At least half of the wait: spreads, and outlasts a short trouble.
    #[default]
    Equal,
    /// Follows the previous wait instead of the number of the attempt.
    Decorrelated,
    /// At most a tenth more: keeps the schedule recognisable.
    Proportional,
}

impl Jitter {
    /// All kinds.
    const ALL: [Jitter; 5] = [
        Jitter::None,
        Jitter::Full,
        Jitter::Equal,
        Jitter::Decorrelated,
        Jitter::Proportional,
    ];

    /// The word for it in the attribute.
    ///
    /// ```
    /// # use resilient_core as resilient;
    /// use resilient::retry::Jitter;
    ///
    /// assert_eq!(Jitter::Decorrelated.as_str(), "decorrelated");
    /// ```
    pub const fn as_str(self) -> &'static str {
        match self {
            Jitter::None => "none",
            Jitter::Full => "full",
            Jitter::Equal => "equal",
            Jitter::Decorrelated => "decorrelated",
            Jitter::Proportional => "proportional",
        }
    }
}

impl fmt::Display for Jitter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for Jitter {
    type Err = UnknownJitter;

    fn from_str(word: &str) -> Result<Self, UnknownJitter> {
        Jitter::ALL
            .into_iter()
            .find(|jitter| jitter.as_str() == word)
            .ok_or_else(|| UnknownJitter {
                word: word.to_owned(),
                near: nearest(word),
            })
    }
}

fn nearest(word: &str) -> Option<Jitter> {
    let found = near(word, Jitter::ALL.iter().map(|jitter| jitter.as_str()));
    let best = found.first()?;
    Jitter::ALL
        .into_iter()
        .find(|jitter| jitter.as_str() == best)
}

/// A word that names no [`Jitter`].
///
/// ```
/// # use resilient_core as resilient;
/// use resilient::retry::Jitter;
///
/// let error = "ful".parse::<Jitter>().unwrap_err();
/// assert_eq!(error.near, Some(Jitter::Full));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{word}` is not a jitter: {}write `none`, `full`, `equal`, `decorrelated` or `proportional`",
    guess(*near)
)]
pub struct UnknownJitter {
    /// The word.
    pub word: String,
    /// The kind that was probably meant.
    pub near: Option<Jitter>,
}

fn guess(near: Option<Jitter>) -> String {
    near.map(|near| format!("did you mean `{near}`? "))
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_is_read_back_from_its_word() {
        for jitter in Jitter::ALL {
            assert_eq!(jitter.as_str().parse(), Ok(jitter));
            assert_eq!(jitter.to_string(), jitter.as_str());
        }
    }

    #[test]
    fn other_words_are_told_what_to_write() {
        for (word, near) in [
            ("Full", Some(Jitter::Full)),
            ("eqaul", Some(Jitter::Equal)),
            ("decorelated", Some(Jitter::Decorrelated)),
            ("", None),
            ("random", None),
        ] {
            let error = word.parse::<Jitter>().unwrap_err();
            assert_eq!(error.near, near, "{word:?}");
            let message = error.to_string();
            assert!(message.contains("`proportional`"), "{message}");
        }
    }
}
