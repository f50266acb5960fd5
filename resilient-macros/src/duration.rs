//! Durations in attributes: `humantime`'s grammar, with messages that say what to write.

use std::time::Duration;

use humantime::DurationError;

use crate::diagnostic::nearest;

/// The units that are told, and the other words for each, whether the grammar knows them or not.
const UNITS: [(&str, &[&str]); 8] = [
    ("ns", &["nsec", "nanos", "nanoseconds"]),
    ("us", &["usec", "micros", "microseconds"]),
    ("ms", &["msec", "millis", "milliseconds"]),
    ("s", &["sec", "secs", "second", "seconds"]),
    ("m", &["min", "mins", "minute", "minutes"]),
    ("h", &["hr", "hrs", "hour", "hours"]),
    ("d", &["day", "days"]),
    ("w", &["week", "weeks"]),
];

/// The duration that `text` stands for, or what is wrong with it.
pub(crate) fn parse(text: &str) -> Result<Duration, String> {
    let text = text.trim();
    if text.starts_with('-') {
        return Err("a duration cannot be negative; write for example `\"5s\"`".to_owned());
    }
    if text.is_empty() {
        return Err("the duration is empty; write for example `\"5s\"`".to_owned());
    }
    spans(text).try_fold(Duration::ZERO, |sum, (span, rest)| {
        // The grammar lets a lone zero go without a unit; here every duration has one.
        if span.trim() == "0" {
            return Err(unit_missing(text));
        }
        let part = humantime::parse_duration(span).map_err(|error| wrong(text, rest, &error))?;
        sum.checked_add(part).ok_or_else(too_large)
    })
}

/// The text cut before every number that follows a unit, each part with all that follows its start:
/// added up by `humantime` itself, spans whose
/// sum is less than a second too large make it panic.
fn spans(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let mut in_unit = false;
        let next = rest.find(|c: char| {
            in_unit |= c.is_alphabetic();
            in_unit && c.is_ascii_digit()
        });
        let from_here = rest;
        let (span, tail) = rest.split_at(next.unwrap_or(rest.len()));
        rest = tail;
        (!span.is_empty()).then_some((span, from_here))
    })
}

/// What is wrong with the first span of `rest`, the end of `text`.
fn wrong(text: &str, rest: &str, error: &DurationError) -> String {
    match error {
        DurationError::Empty => unit_missing(text),
        DurationError::UnknownUnit { unit, .. } if unit.is_empty() => unit_missing(text),
        DurationError::UnknownUnit { unit, .. } => unit_unknown(unit),
        DurationError::NumberExpected(at) => format!(
            "expected a number at `{}`; write for example `\"1m 30s\"`",
            rest.get(*at..).unwrap_or(rest)
        ),
        DurationError::InvalidCharacter(at) => format!(
            "unexpected {:?} in a duration; write for example `\"1m 30s\"`",
            rest.get(*at..)
                .and_then(|rest| rest.chars().next())
                .unwrap_or('?')
        ),
        DurationError::NumberOverflow => too_large(),
    }
}

fn too_large() -> String {
    "the duration is too large, or finer than a nanosecond; write for example `\"5s\"`".to_owned()
}

fn unit_missing(text: &str) -> String {
    format!("a duration needs a unit, for example `\"{text}s\"` or `\"{text}ms\"`")
}

fn unit_unknown(unit: &str) -> String {
    let words = UNITS
        .iter()
        .flat_map(|(short, long)| long.iter().copied().chain([*short]));
    let meant = nearest(unit, words).and_then(|word| {
        let same = |(short, long): &&(&str, &[&str])| *short == word || long.contains(&word);
        UNITS.iter().find(same)
    });
    let meant = match meant {
        Some((short, _)) => format!("; did you mean `{short}`?"),
        None => String::new(),
    };
    let short: Vec<&str> = UNITS.iter().map(|(short, _)| *short).collect();
    format!(
        "unknown unit `{unit}` in a duration{meant} (units: {})",
        short.join(", ")
    )
}

#[cfg(test)]
mod tests {
    use super::{UNITS, parse};
    use std::time::Duration;

    #[test]
    fn durations() {
        for (text, millis) in [
            ("200ms", 200),
            ("5s", 5_000),
            (" 1m 30s ", 90_000),
            ("2h37min", 9_420_000),
            ("1.5s", 1_500),
            ("0s", 0),
            ("0s 1 000ms", 1_000),
        ] {
            assert_eq!(parse(text), Ok(Duration::from_millis(millis)), "{text}");
        }
    }

    #[test]
    fn mistakes_say_what_to_write() {
        for (text, told) in [
            ("", "the duration is empty"),
            ("  ", "the duration is empty"),
            ("5", "needs a unit, for example `\"5s\"`"),
            ("0", "needs a unit"),
            ("-5s", "cannot be negative"),
            (
                "5 sconds",
                "unknown unit `sconds` in a duration; did you mean `s`? (units: ns, us, ms, s, m, h, d, w)",
            ),
            (
                "5sek",
                "unknown unit `sek` in a duration; did you mean `s`?",
            ),
            ("5 milliseconds", "did you mean `ms`?"),
            ("5S", "did you mean `s`?"),
            ("2 wekes", "did you mean `w`?"),
            ("5 bananas", "unknown unit `bananas` in a duration (units:"),
            ("5s 3", "needs a unit"),
            ("5,5s", "unexpected ','"),
            ("s", "expected a number at `s`"),
            ("99999999999999999999h", "too large"),
            ("584554530873y 584554530873y", "too large"),
            ("18446744073709551615s 1000000000ns", "too large"),
            ("1m 0", "needs a unit"),
            ("0.5ns", "finer than a nanosecond"),
            ("5秒", "unexpected '秒'"),
        ] {
            let message = parse(text).unwrap_err();
            assert!(message.contains(told), "{text:?}: {message}");
        }
    }

    #[test]
    fn every_unit_offered_is_understood() {
        for (short, long) in UNITS {
            let one = parse(&format!("1{short}"));
            assert!(one.is_ok(), "{short}");
            for word in long {
                let same = parse(&format!("1{word}"));
                assert!(same.is_err() || same == one, "{word}");
            }
        }
    }
}
