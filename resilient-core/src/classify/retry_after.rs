//! How long a server asks to be left alone.

use std::time::{Duration, SystemTime};

/// The longest value worth reading; the longest date is half of it.
const LONGEST: usize = 64;

/// The wait that a `Retry-After` header asks for, or `None` if the value asks for nothing that
/// can be understood; the ordinary backoff applies then, as if the header were not there.
///
/// One rule for each form:
///
/// | value | wait |
/// |---|---|
/// | whole seconds, `120` | as written |
/// | fractions, `0.5` (not in the standard, but sent) | rounded up to whole seconds |
/// | an HTTP date, in any of the three forms of RFC 9110 | from `date`, the answer's own `Date` header, to it; from `now` if there is no valid `Date`, because the clocks may differ |
/// | a date that is past | `None` |
/// | signs, exponents, hexadecimal, other words, more than 64 characters, more than 2^64 seconds | `None` |
///
/// Blanks around the value are ignored. A far date is a long wait: bounding it is up to the
/// policy's `retry_after_cap`.
///
/// ```
/// # use resilient_core as resilient;
/// use resilient::classify::retry_after;
/// use std::time::{Duration, SystemTime};
///
/// let now = SystemTime::now();
/// assert_eq!(retry_after("120", None, now), Some(Duration::from_secs(120)));
/// assert_eq!(
///     retry_after(
///         "Sun, 06 Nov 1994 08:49:37 GMT",
///         Some("Sun, 06 Nov 1994 08:49:30 GMT"),
///         now,
///     ),
///     Some(Duration::from_secs(7)),
/// );
/// assert_eq!(retry_after("-1", None, now), None);
/// ```
pub fn retry_after(value: &str, date: Option<&str>, now: SystemTime) -> Option<Duration> {
    if value.len() > LONGEST {
        return None;
    }
    let value = value.trim();
    // No date starts with a digit, so that a bare number is never taken for a year.
    if value.starts_with(|c: char| c.is_ascii_digit()) {
        return seconds(value);
    }
    let until = httpdate::parse_http_date(value).ok()?;
    let since = date
        .filter(|date| date.len() <= LONGEST)
        .and_then(|date| httpdate::parse_http_date(date).ok())
        .unwrap_or(now);
    until
        .duration_since(since)
        .ok()
        .filter(|wait| !wait.is_zero())
}

fn seconds(value: &str) -> Option<Duration> {
    let (whole, fraction) = match value.split_once('.') {
        Some((whole, fraction)) if !fraction.is_empty() => (whole, fraction),
        Some(_) => return None,
        None => (value, ""),
    };
    // Checked before `parse`, which would take a sign.
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if !digits(whole) || !digits(fraction) {
        return None;
    }
    let more = u64::from(fraction.bytes().any(|byte| byte != b'0'));
    let seconds = whole.parse::<u64>().ok()?.checked_add(more)?;
    Some(Duration::from_secs(seconds))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sun, 06 Nov 1994 08:49:37 GMT
    const EXAMPLE: u64 = 784_111_777;

    fn at(secs: u64, millis: u64) -> SystemTime {
        SystemTime::UNIX_EPOCH + Duration::from_secs(secs) + Duration::from_millis(millis)
    }

    // case H02, H03, H04, H05
    #[test]
    fn seconds_and_what_is_not_seconds() {
        let long = "9".repeat(10_000);
        let thirty_zeros = format!("1{}", "0".repeat(30));
        let long_blank = format!("{}5", " ".repeat(100));
        for (value, expected) in [
            ("0", Some(0)),
            ("120", Some(120)),
            (" 120\t", Some(120)),
            ("007", Some(7)),
            ("2026", Some(2026)),
            ("18446744073709551615", Some(u64::MAX)),
            ("0.5", Some(1)),
            ("1.01", Some(2)),
            ("1.5", Some(2)),
            ("1.000", Some(1)),
            ("18446744073709551615.0", Some(u64::MAX)),
            ("18446744073709551615.5", None),
            ("18446744073709551616", None),
            ("99999999999999999999.5", None),
            (thirty_zeros.as_str(), None),
            (long.as_str(), None),
            (long_blank.as_str(), None),
            ("", None),
            (" ", None),
            ("-1", None),
            ("-3", None),
            ("+3", None),
            ("-0", None),
            ("1.", None),
            (".5", None),
            ("1.-5", None),
            ("1.5.5", None),
            ("1e400", None),
            ("1e3", None),
            ("0x10", None),
            ("1_000", None),
            ("1,5", None),
            ("1 0", None),
            ("5s", None),
            ("5, 6", None),
            ("NaN", None),
            ("inf", None),
            ("soon", None),
            ("\u{0665}", None),
            ("5\u{0}", None),
        ] {
            assert_eq!(
                retry_after(value, None, at(EXAMPLE, 0)),
                expected.map(Duration::from_secs),
                "{value:?}"
            );
        }
    }

    // case H03, H07
    #[test]
    fn dates_of_all_three_forms() {
        let now = at(EXAMPLE - 10, 0);
        for (value, expected) in [
            ("Sun, 06 Nov 1994 08:49:37 GMT", Some(10)),
            ("Sunday, 06-Nov-94 08:49:37 GMT", Some(10)),
            ("Sun Nov  6 08:49:37 1994", Some(10)),
            ("  Sun, 06 Nov 1994 08:49:37 GMT ", Some(10)),
            (
                "Fri, 31 Dec 9999 23:59:59 GMT",
                Some(253_402_300_799 - EXAMPLE + 10),
            ),
            // Past, now, and before dates begin.
            ("Sun, 06 Nov 1994 08:49:26 GMT", None),
            ("Sun, 06 Nov 1994 08:49:27 GMT", None),
            ("Wed, 31 Dec 1969 23:59:59 GMT", None),
            // Not dates.
            ("Sun, 06 Nov 1994 08:49:37 CET", None),
            ("Sun, 31 Feb 2100 08:49:37 GMT", None),
            ("2100-11-06T08:49:37Z", None),
            ("Sun, 06 Nov 1994 08:49:3\u{667} GMT", None),
        ] {
            assert_eq!(
                retry_after(value, None, now),
                expected.map(Duration::from_secs),
                "{value:?}"
            );
        }
        // A minute past its day, whatever the clock here says.
        let past = "Wed, 21 Oct 2015 07:28:00 GMT";
        assert_eq!(retry_after(past, None, at(1_700_000_000, 0)), None);
    }

    // case H06
    #[test]
    fn a_date_is_measured_on_the_clock_that_wrote_it() {
        let until = "Sun, 06 Nov 1994 08:49:37 GMT";
        let an_hour_off = at(EXAMPLE + 3600, 0);
        for (date, now, expected) in [
            (
                Some("Sun, 06 Nov 1994 08:49:36 GMT"),
                an_hour_off,
                Some(1000),
            ),
            (
                Some("Sunday, 06-Nov-94 08:49:36 GMT"),
                an_hour_off,
                Some(1000),
            ),
            (Some("Sun, 06 Nov 1994 08:49:37 GMT"), an_hour_off, None),
            (Some("Sun, 06 Nov 1994 08:49:38 GMT"), at(0, 0), None),
            // No usable `Date`: the clock here, to the millisecond.
            (None, at(EXAMPLE - 1, 600), Some(400)),
            (Some("yesterday"), at(EXAMPLE - 1, 600), Some(400)),
            (Some(""), at(EXAMPLE - 1, 600), Some(400)),
            (None, an_hour_off, None),
        ] {
            assert_eq!(
                retry_after(until, date, now),
                expected.map(Duration::from_millis),
                "{date:?}"
            );
        }
        let long = "S".repeat(1_000_000);
        assert_eq!(
            retry_after(until, Some(&long), at(EXAMPLE - 1, 0)),
            Some(Duration::from_secs(1))
        );
    }

    #[test]
    fn a_number_does_not_need_a_date() {
        let date = Some("Sun, 06 Nov 1994 08:49:37 GMT");
        let wait = retry_after("7", date, at(0, 0));
        assert_eq!(wait, Some(Duration::from_secs(7)));
    }
}
