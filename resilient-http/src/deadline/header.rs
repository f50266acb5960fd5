//! Lengths of time on the wire.

use std::time::Duration;

use http::header::{HeaderMap, HeaderName, HeaderValue};

/// How many milliseconds the client still waits.
pub const REQUEST_TIMEOUT_MS: HeaderName = HeaderName::from_static("request-timeout-ms");

pub(crate) const GRPC_TIMEOUT: HeaderName = HeaderName::from_static("grpc-timeout");

/// The largest number that `grpc-timeout` has room for.
const GRPC_MOST: u128 = 99_999_999;

/// The shortest time that these headers give.
pub(super) fn read(headers: &HeaderMap) -> Option<Duration> {
    let one = |name: HeaderName, parse: fn(&str) -> Option<Duration>| {
        let values = headers.get_all(&name).into_iter();
        let times = values.filter_map(move |value| {
            let time = value.to_str().ok().and_then(parse);
            if time.is_none() {
                tracing::debug!(target: "resilient", header = %name, "deadline.ignored");
            }
            time
        });
        times.min()
    };
    let millis = one(REQUEST_TIMEOUT_MS, parse_millis);
    let grpc = one(GRPC_TIMEOUT, parse_grpc);
    millis.into_iter().chain(grpc).min()
}

fn parse_millis(text: &str) -> Option<Duration> {
    digits(text).map(Duration::from_millis)
}

fn parse_grpc(text: &str) -> Option<Duration> {
    let (number, unit) = text.split_at_checked(text.len().checked_sub(1)?)?;
    if number.len() > 8 {
        return None;
    }
    let number = digits(number)?;
    Some(match unit {
        "H" => Duration::from_secs(number * 3600),
        "M" => Duration::from_secs(number * 60),
        "S" => Duration::from_secs(number),
        "m" => Duration::from_millis(number),
        "u" => Duration::from_micros(number),
        "n" => Duration::from_nanos(number),
        _ => return None,
    })
}

/// Checked before `parse`, which would take a sign.
fn digits(text: &str) -> Option<u64> {
    let all = text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|_| all)
}

/// Rounded down: the server should be the first to give up.
pub(crate) fn millis_value(time: Duration) -> HeaderValue {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX).into()
}

/// The finest unit that has room for it, rounded down.
pub(crate) fn grpc_value(time: Duration) -> Option<HeaderValue> {
    let seconds = u128::from(time.as_secs());
    let units = [
        (time.as_millis(), 'm'),
        (seconds, 'S'),
        (seconds / 60, 'M'),
        ((seconds / 3600).min(GRPC_MOST), 'H'),
    ];
    let fitting = units.into_iter().find(|(number, _)| *number <= GRPC_MOST);
    let (number, unit) = fitting?;
    HeaderValue::from_str(&format!("{number}{unit}")).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_and_what_is_none() {
        type Headers = &'static [(&'static str, &'static str)];
        let ms = Duration::from_millis;
        let rows: [(Headers, Option<Duration>); 18] = [
            (&[], None),
            (&[("request-timeout-ms", "1500")], Some(ms(1500))),
            (&[("Request-Timeout-Ms", "0")], Some(ms(0))),
            (
                &[("request-timeout-ms", "18446744073709551615")],
                Some(ms(u64::MAX)),
            ),
            (&[("request-timeout-ms", "18446744073709551616")], None),
            (&[("request-timeout-ms", "-1")], None),
            (&[("request-timeout-ms", "+1")], None),
            (&[("request-timeout-ms", "1.5")], None),
            (&[("request-timeout-ms", "1500ms")], None),
            (&[("request-timeout-ms", "")], None),
            (
                &[("request-timeout-ms", "soon"), ("request-timeout-ms", "9")],
                Some(ms(9)),
            ),
            (&[("grpc-timeout", "100m")], Some(ms(100))),
            (
                &[("grpc-timeout", "99999999H")],
                Some(Duration::from_secs(99_999_999 * 3600)),
            ),
            (&[("grpc-timeout", "100000000m")], None),
            (&[("grpc-timeout", "10s")], None),
            (&[("grpc-timeout", "S")], None),
            (&[("grpc-timeout", "")], None),
            (
                &[("grpc-timeout", "2S"), ("request-timeout-ms", "1500")],
                Some(ms(1500)),
            ),
        ];
        for (headers, expected) in rows {
            let mut map = HeaderMap::new();
            for (name, value) in headers {
                let name = HeaderName::from_bytes(name.as_bytes()).unwrap();
                map.append(name, HeaderValue::from_str(value).unwrap());
            }
            assert_eq!(read(&map), expected, "{headers:?}");
        }
    }

    #[test]
    fn what_is_written_is_read_again_and_never_longer() {
        for (time, millis, grpc) in [
            (Duration::ZERO, "0", "0m"),
            (Duration::from_micros(1999), "1", "1m"),
            (Duration::from_secs(100_000), "100000000", "100000S"),
            (Duration::from_secs(100_000_000), "100000000000", "1666666M"),
            (
                Duration::from_secs(u64::MAX),
                "18446744073709551615",
                "99999999H",
            ),
        ] {
            assert_eq!(millis_value(time), millis, "{time:?}");
            assert_eq!(grpc_value(time).unwrap(), grpc, "{time:?}");
            assert!(parse_millis(millis).unwrap() <= time);
            assert!(parse_grpc(grpc).unwrap() <= time);
        }
    }
}
