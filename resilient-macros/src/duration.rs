//! Durations in attributes: `humantime`'s grammar, with messages that say what to write.

use std::time::Duration;

use humantime::DurationError;

use crate::diagnostic::nearest;

const UNITS: [&str; 29] = [
    "ns", "nsec", "nanos", "us", "usec", "ms", "msec", "millis", "s", "sec", "secs", "second",
    "seconds", "m", "min", "mins", "minute", "minutes", "h", "hr", "hour", "hours", "d", "day",
    "days", "week", "weeks", "month", "year",
];

/// The duration that `text` stands for, or what is wrong with it.
pub(crate) fn parse(text: &str) -> Result<Duration, String> {
    let text = text.trim();
    if text.starts_with('-') {
        return Err("a duration cannot be negative".to_owned());
    }
    // The grammar lets a lone zero go without a unit; here every duration has one.
    if text == "0" {
        return Err(unit_missing(text));
    }
    humantime::parse_duration(text).map_err(|error| match error {
        DurationError::Empty => "the duration is empty; write for example `\"5s\"`".to_owned(),
        DurationError::UnknownUnit { unit, .. } if unit.is_empty() => unit_missing(text),
        DurationError::UnknownUnit { unit, .. } => unit_unknown(&unit),
        DurationError::NumberExpected(at) => format!(
            "expected a number at `{}`; write for example `\"1m 30s\"`",
            text.get(at..).unwrap_or(text)
        ),
        DurationError::InvalidCharacter(at) => format!(
            "unexpected {:?} in a duration; write for example `\"1m 30s\"`",
            text.get(at..)
                .and_then(|rest| rest.chars().next())
                .unwrap_or('?')
        ),
        DurationError::NumberOverflow => {
            "the duration is too large, or finer than a nanosecond".to_owned()
        }
    })
}

fn unit_missing(text: &str) -> String {
    format!("a duration needs a unit, for example `\"{text}s\"` or `\"{text}ms\"`")
}

fn unit_unknown(unit: &str) -> String {
    let meant = match nearest(unit, UNITS) {
        Some(near) => format!("; did you mean `{near}`?"),
        None => String::new(),
    };
    format!("unknown unit `{unit}` in a duration{meant} (units: ns, us, ms, s, m, h, d)")
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
                "unknown unit `sconds` in a duration; did you mean `seconds`?",
            ),
            ("5 bananas", "unknown unit `bananas` in a duration (units:"),
            ("5s 3", "needs a unit"),
            ("5,5s", "unexpected ','"),
            ("s", "expected a number at `s`"),
            ("99999999999999999999h", "too large"),
            ("584554530873y 584554530873y", "too large"),
            ("0.5ns", "finer than a nanosecond"),
            ("5秒", "unexpected '秒'"),
        ] {
            let message = parse(text).unwrap_err();
            assert!(message.contains(told), "{text:?}: {message}");
        }
    }

    #[test]
    fn every_unit_offered_is_understood() {
        for unit in UNITS {
            assert!(parse(&format!("1{unit}")).is_ok(), "{unit}");
        }
    }
}
