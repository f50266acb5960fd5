//! Lengths of time in settings: a [`Duration`], or text such as `"1m 30s"`.
//!
//! The grammar is that of the `humantime` crate: one or more numbers, each with a unit, with or
//! without blanks between them, fractions allowed. `"200ms"`, `"5s"`, `"1.5s"`, `"2h 37min"`.
//! A unit is required, for zero too. Mind that `m` is minutes and `M` is months.

mod error;

use std::fmt;
use std::time::Duration;

pub use error::DurationError;

/// What a setter for a length of time takes: a [`Duration`], or text in the grammar of
/// [`parse`].
///
/// A setter keeps the text; what is wrong with it is reported when the policy is registered,
/// together with everything else that is wrong there.
///
/// ```
/// # use resilient_core as resilient;
/// use resilient::duration::IntoDuration;
/// use std::time::Duration;
///
/// fn timeout(limit: impl IntoDuration) -> Option<Duration> {
///     limit.into_duration().get().ok()
/// }
/// assert_eq!(timeout("1m 30s"), Some(Duration::from_secs(90)));
/// assert_eq!(timeout(Duration::from_millis(5)), Some(Duration::from_millis(5)));
/// assert_eq!(timeout("soon"), None);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a length of time",
    label = "write text with a unit, such as \"5s\" or \"200ms\", or a `std::time::Duration`"
)]
pub trait IntoDuration {
    /// Reads the value, keeping an error for later.
    fn into_duration(self) -> GivenDuration;
}

impl IntoDuration for Duration {
    fn into_duration(self) -> GivenDuration {
        GivenDuration {
            text: None,
            parsed: Ok(self),
        }
    }
}

impl IntoDuration for &str {
    fn into_duration(self) -> GivenDuration {
        self.to_owned().into_duration()
    }
}

impl IntoDuration for String {
    fn into_duration(self) -> GivenDuration {
        GivenDuration {
            parsed: parse(&self),
            text: Some(self),
        }
    }
}

impl IntoDuration for GivenDuration {
    fn into_duration(self) -> GivenDuration {
        self
    }
}

/// A length of time as someone gave it, right or wrong.
///
/// Its `Display` is what was given, for messages.
///
/// ```
/// # use resilient_core as resilient;
/// use resilient::duration::{DurationError, IntoDuration};
///
/// let given = "5".into_duration();
/// assert_eq!(given.get(), Err(&DurationError::MissingUnit { number: 5 }));
/// assert_eq!(given.to_string(), "5");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GivenDuration {
    text: Option<String>,
    parsed: Result<Duration, DurationError>,
}

impl GivenDuration {
    /// The length of time, or what is wrong with the text.
    ///
    /// ```
    /// # use resilient_core as resilient;
    /// use resilient::duration::IntoDuration;
    /// use std::time::Duration;
    ///
    /// assert_eq!("2h 37min".into_duration().get(), Ok(Duration::from_secs(9420)));
    /// ```
    pub const fn get(&self) -> Result<Duration, &DurationError> {
        match &self.parsed {
            Ok(duration) => Ok(*duration),
            Err(error) => Err(error),
        }
    }
}

impl fmt::Display for GivenDuration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.text, &self.parsed) {
            (Some(text), _) => f.write_str(text),
            (None, Ok(duration)) => write!(f, "{duration:?}"),
            (None, Err(error)) => error.fmt(f),
        }
    }
}

/// Reads a length of time such as `"5s"`, `"200ms"` or `"1m 30s"`; see the [module](self) for
/// the grammar.
///
/// # Errors
///
/// Says what is wrong and what to write instead. No text makes it panic.
///
/// ```
/// # use resilient_core as resilient;
/// use resilient::duration::{DurationError, parse};
/// use std::time::Duration;
///
/// assert_eq!(parse("1.5s"), Ok(Duration::from_millis(1500)));
/// assert_eq!(parse("-1s"), Err(DurationError::Negative));
/// ```
pub fn parse(text: &str) -> Result<Duration, DurationError> {
    let trimmed = text.trim();
    if trimmed.is_empty() {
        return Err(DurationError::Empty);
    }
    if trimmed.starts_with(['-', '\u{2212}']) {
        return Err(DurationError::Negative);
    }
    spans(trimmed).try_fold(Duration::ZERO, |sum, span| {
        // `humantime` takes a lone zero without a unit; one rule without an exception is easier.
        if span.trim() == "0" {
            return Err(DurationError::MissingUnit { number: 0 });
        }
        let part = humantime::parse_duration(span)
            .map_err(|error| DurationError::from_humantime(&error, span))?;
        sum.checked_add(part).ok_or(DurationError::TooLarge)
    })
}

/// The text cut before every number that follows a unit.
///
/// `humantime` adds up spans itself, but its sum panics when it passes the largest duration by
/// less than a second (`"18446744073709551615s 1000000000ns"`); of a single span it does not.
fn spans(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let mut unit_seen = false;
        let end = rest
            .char_indices()
            .find(|&(_, c)| {
                unit_seen |= c.is_alphabetic();
                unit_seen && c.is_ascii_digit()
            })
            .map_or(rest.len(), |(at, _)| at);
        let (span, tail) = rest.split_at(end);
        rest = tail;
        Some(span)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_that_are_durations() {
        let max = Duration::from_secs(u64::MAX);
        for (text, expected) in [
            ("5s", Duration::from_secs(5)),
            ("0s", Duration::ZERO),
            ("0ms", Duration::ZERO),
            ("1m 30s", Duration::from_secs(90)),
            ("1m30s", Duration::from_secs(90)),
            ("2h37min", Duration::from_secs(9420)),
            ("200ms", Duration::from_millis(200)),
            ("1.5s", Duration::from_millis(1500)),
            ("1.5s 1.5ms", Duration::from_micros(1_501_500)),
            ("3µs", Duration::from_micros(3)),
            ("3us", Duration::from_micros(3)),
            (" 5 s ", Duration::from_secs(5)),
            ("1 000ms", Duration::from_secs(1)),
            ("1000000000ns", Duration::from_secs(1)),
            ("18446744073709551615s", max),
            (
                "18446744073709551615s 999999999ns",
                max + Duration::from_nanos(999_999_999),
            ),
        ] {
            assert_eq!(parse(text), Ok(expected), "{text:?}");
            assert_eq!(text.into_duration().to_string(), text);
        }
    }

    #[test]
    fn texts_that_are_not() {
        let unknown = |unit: &str, near| DurationError::UnknownUnit {
            unit: unit.into(),
            near,
        };
        let not_a_number = |found: &str| DurationError::NotANumber {
            found: found.into(),
        };
        let unexpected = |found| DurationError::UnexpectedCharacter { found };
        for (text, expected) in [
            ("", DurationError::Empty),
            (" \t\n", DurationError::Empty),
            ("0", DurationError::MissingUnit { number: 0 }),
            ("00", DurationError::MissingUnit { number: 0 }),
            ("5", DurationError::MissingUnit { number: 5 }),
            ("5 ", DurationError::MissingUnit { number: 5 }),
            ("1m 30", DurationError::MissingUnit { number: 30 }),
            ("1m 0", DurationError::MissingUnit { number: 0 }),
            ("1m0", DurationError::MissingUnit { number: 0 }),
            ("-5s", DurationError::Negative),
            ("- 5s", DurationError::Negative),
            ("-0s", DurationError::Negative),
            ("\u{2212}5s", DurationError::Negative),
            ("soon", not_a_number("soon")),
            ("s", not_a_number("s")),
            ("+5s", not_a_number("+5s")),
            (".5s", not_a_number(".5s")),
            ("inf", not_a_number("inf")),
            ("NaN", not_a_number("NaN")),
            ("5m sec", not_a_number("sec")),
            ("5s!", unexpected('!')),
            ("5,5s", unexpected(',')),
            ("5s, 3ms", unexpected(',')),
            ("1m-5s", unexpected('-')),
            ("1.s", unexpected('.')),
            ("1..5s", unexpected('.')),
            ("5\u{1F600}", unexpected('\u{1F600}')),
            ("5S", unknown("S", Some("s"))),
            ("5 Seconds", unknown("Seconds", Some("seconds"))),
            ("5secnds", unknown("secnds", Some("seconds"))),
            ("5milliseconds", unknown("milliseconds", Some("ms"))),
            ("5Milliseconds", unknown("Milliseconds", Some("ms"))),
            ("5microseconds", unknown("microseconds", Some("us"))),
            ("5nanosecond", unknown("nanosecond", Some("ns"))),
            ("5\u{3bc}s", unexpected('\u{3bc}')),
            ("5MS", unknown("MS", Some("ms"))),
            ("5fortnights", unknown("fortnights", None)),
            ("1e3s", unknown("e", None)),
            ("0x10s", unknown("x", None)),
            ("18446744073709551616s", DurationError::TooLarge),
            ("18446744073709551615h", DurationError::TooLarge),
            ("18446744073709551615s 1s", DurationError::TooLarge),
            ("0.5ns", DurationError::TooPrecise),
            ("1.0000000001s", DurationError::TooPrecise),
            // The text on which `humantime` itself panics.
            (
                "18446744073709551615s 1000000000ns",
                DurationError::TooLarge,
            ),
        ] {
            assert_eq!(parse(text), Err(expected), "{text:?}");
            assert_eq!(text.into_duration().to_string(), text);
        }
    }

    #[test]
    fn a_long_number_is_refused_whatever_its_length() {
        let digits = "9".repeat(1_000_000);
        assert_eq!(parse(&digits), Err(DurationError::TooLarge));
        assert_eq!(parse(&format!("{digits}s")), Err(DurationError::TooLarge));
        assert_eq!(
            parse(&format!("0.{digits}s")),
            Err(DurationError::TooPrecise)
        );
    }

    /// Cutting the text into spans must not change what it means.
    #[test]
    fn every_short_text_means_what_it_means_to_humantime() {
        let pieces = [
            "1", "07", "5", ".", " ", "s", "ms", "m", "x", "-", "µs", "é",
        ];
        let mut texts = vec![String::new()];
        let mut longest = texts.clone();
        for _ in 0..4 {
            longest = longest
                .iter()
                .flat_map(|text| pieces.iter().map(move |piece| format!("{text}{piece}")))
                .collect();
            texts.extend_from_slice(&longest);
        }
        for text in &texts {
            assert_eq!(
                parse(text).ok(),
                humantime::parse_duration(text).ok(),
                "{text:?}"
            );
        }
    }

    #[test]
    fn a_duration_is_shown_the_way_it_can_be_written() {
        for duration in [
            Duration::ZERO,
            Duration::from_nanos(1),
            Duration::from_micros(1500),
            Duration::from_secs(90),
            Duration::MAX,
        ] {
            let shown = duration.into_duration().to_string();
            assert_eq!(parse(&shown), Ok(duration), "{shown}");
        }
    }
}
