//! What can be wrong with the text of a duration.

use crate::name::near;

/// Every unit of the grammar, the usual spelling of each first.
const UNITS: [&str; 37] = [
    "s", "ms", "us", "ns", "min", "h", "d", "w", "m", "sec", "secs", "second", "seconds", "msec",
    "millis", "µs", "usec", "nsec", "nanos", "mins", "minute", "minutes", "hr", "hrs", "hour",
    "hours", "day", "days", "wk", "wks", "week", "weeks", "month", "months", "year", "years", "yr",
];

/// Words people write that the grammar lacks.
const WORDS: [(&str, &str); 6] = [
    ("millisecond", "ms"),
    ("milliseconds", "ms"),
    ("microsecond", "us"),
    ("microseconds", "us"),
    ("nanosecond", "ns"),
    ("nanoseconds", "ns"),
];

/// Why a text is not a length of time, and what to write.
///
/// ```
/// # use resilient_core as resilient;
/// use resilient::duration::parse;
///
/// let error = parse("5milliseconds").unwrap_err();
/// assert_eq!(error.to_string(), "`milliseconds` is not a unit of time: did you mean `ms`?");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DurationError {
    /// Nothing was written.
    #[error("no length of time is given: write one, such as `5s` or `200ms`")]
    Empty,
    /// A number stands alone.
    #[error("`{number}` has no unit: write `{number}s` or `{number}ms`")]
    MissingUnit {
        /// The number.
        number: u64,
    },
    /// A word that is no unit.
    #[error("`{unit}` is not a unit of time: {}", instead(*near))]
    UnknownUnit {
        /// The word.
        unit: String,
        /// The unit that was probably meant.
        near: Option<&'static str>,
    },
    /// Time runs forwards only.
    #[error("a length of time cannot be negative: write it without the minus")]
    Negative,
    /// A number was expected and something else stands there.
    #[error("`{found}` does not start with a number: write a number and a unit, such as `5s`")]
    NotANumber {
        /// What stands there.
        found: String,
    },
    /// A character that belongs to no number and no unit.
    #[error("`{found}` cannot be part of a length of time: write it like `1m 30s`")]
    UnexpectedCharacter {
        /// The character.
        found: char,
    },
    /// More than 2^64 seconds, or a number beyond 64 bits.
    #[error("the length of time is too large: write a smaller one")]
    TooLarge,
    /// A fraction finer than a nanosecond, or than its unit allows.
    #[error("the fraction is too fine: write it with a smaller unit, nanoseconds at most")]
    TooPrecise,
}

impl DurationError {
    pub(super) fn from_humantime(error: &humantime::DurationError, span: &str) -> Self {
        use humantime::DurationError as Theirs;
        match error {
            Theirs::Empty => DurationError::Empty,
            Theirs::UnknownUnit { unit, value, .. } if unit.is_empty() => {
                DurationError::MissingUnit { number: *value }
            }
            Theirs::UnknownUnit { unit, .. } => DurationError::UnknownUnit {
                near: near_unit(unit),
                unit: unit.clone(),
            },
            Theirs::NumberExpected(at) => DurationError::NotANumber {
                found: span.get(*at..).unwrap_or(span).trim_end().to_owned(),
            },
            Theirs::InvalidCharacter(at) => span
                .get(*at..)
                .and_then(|rest| rest.chars().next())
                .map_or_else(
                    || DurationError::NotANumber {
                        found: span.to_owned(),
                    },
                    |found| DurationError::UnexpectedCharacter { found },
                ),
            // Theirs has one error for both; only a fraction can be too fine.
            Theirs::NumberOverflow if span.contains('.') => DurationError::TooPrecise,
            Theirs::NumberOverflow => DurationError::TooLarge,
        }
    }
}

fn near_unit(wanted: &str) -> Option<&'static str> {
    let lower = wanted.to_lowercase();
    if let Some(unit) = UNITS.iter().find(|unit| **unit == lower) {
        return Some(unit);
    }
    if let Some((_, unit)) = WORDS.iter().find(|(word, _)| *word == lower) {
        return Some(unit);
    }
    let found = near(&lower, UNITS.into_iter());
    UNITS
        .into_iter()
        .find(|unit| found.first().is_some_and(|near| near == unit))
}

fn instead(near: Option<&str>) -> String {
    match near {
        Some(unit) => format!("did you mean `{unit}`?"),
        None => "write `ms`, `s`, `min`, `h` or `d`".to_owned(),
    }
}
