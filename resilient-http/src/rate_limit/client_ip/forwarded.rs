//! What proxies say about their clients.

use std::net::{IpAddr, SocketAddr};

use http::header::{self, HeaderMap, HeaderName};

const X_FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");

/// The header in which proxies say whom they forward for.
///
/// Only one is read. A proxy that writes one of them passes the other on as the client sent it, and
/// with it whatever the client claims to be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Forwarding {
    /// `X-Forwarded-For`: addresses, with or without a port.
    #[default]
    XForwardedFor,
    /// `Forwarded` (RFC 7239): the `for` of each element.
    Forwarded,
}

impl Forwarding {
    /// Whom each proxy forwarded for, the nearest proxy first; `None` where it does not say so in a
    /// way that can be read.
    pub(super) fn nearest_first(self, headers: &HeaderMap) -> impl Iterator<Item = Option<IpAddr>> {
        let (name, address): (_, fn(&str) -> Option<IpAddr>) = match self {
            Forwarding::XForwardedFor => (X_FORWARDED_FOR, address),
            Forwarding::Forwarded => (header::FORWARDED, forwarded_for),
        };
        let lines = headers.get_all(name).into_iter().rev();
        lines.flat_map(move |line| {
            let elements = from_the_right(line.as_bytes(), b',');
            // Other bytes than those of text spoil one element, not those of proxies beside it.
            let elements = elements.map(|element| str::from_utf8(element).map(str::trim));
            elements
                .filter(|element| *element != Ok(""))
                .map(move |element| element.ok().and_then(address))
        })
    }
}

/// Whether somebody says to forward for others.
pub(super) fn is_in(headers: &HeaderMap) -> bool {
    headers.contains_key(X_FORWARDED_FOR) || headers.contains_key(header::FORWARDED)
}

/// Splits outside of quotes, from the right: what a client wrote on the left, an open quote for
/// example, changes nothing in what proxies wrote to the right of it.
fn from_the_right(text: &[u8], separator: u8) -> impl Iterator<Item = &[u8]> {
    let mut rest = Some(text);
    std::iter::from_fn(move || {
        let text = rest?;
        let mut quoted = false;
        let place = (0..text.len()).rev().find(|&place| {
            let escaped = place > 0 && text[place - 1] == b'\\';
            quoted ^= text[place] == b'"' && !escaped;
            !quoted && text[place] == separator
        });
        rest = place.map(|place| &text[..place]);
        Some(place.map_or(text, |place| &text[place + 1..]))
    })
}

/// The client in an element of `Forwarded`.
///
/// It has to be well formed to its end: else what a client wrote might be read as a part of it.
fn forwarded_for(element: &str) -> Option<IpAddr> {
    let mut found = None;
    for pair in from_the_right(element.as_bytes(), b';') {
        let pair = str::from_utf8(pair).ok()?.trim();
        let (name, value) = pair.split_once('=')?;
        let value = unquoted(value)?;
        if name.eq_ignore_ascii_case("for") && found.replace(value).is_some() {
            return None;
        }
    }
    address(found?)
}

/// What a token or a quoted string says.
fn unquoted(value: &str) -> Option<&str> {
    let is_token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    match value.strip_prefix('"') {
        Some(rest) => rest.strip_suffix('"').filter(|text| !text.contains('"')),
        // Addresses with a port have to be quoted, but not everybody does it.
        None => Some(value).filter(|text| text.bytes().all(|byte| is_token(byte) || byte == b':')),
    }
}

/// An address, with or without a port.
fn address(text: &str) -> Option<IpAddr> {
    let with_port = || text.parse::<SocketAddr>().ok().map(|address| address.ip());
    let bracketed = || text.strip_prefix('[')?.strip_suffix(']')?.parse().ok();
    let address: Option<IpAddr> = text.parse().ok();
    let address = address.or_else(with_port).or_else(bracketed)?;
    Some(address.to_canonical())
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    fn read(forwarding: Forwarding, lines: &[&[u8]]) -> Vec<String> {
        let name = match forwarding {
            Forwarding::XForwardedFor => X_FORWARDED_FOR,
            Forwarding::Forwarded => header::FORWARDED,
        };
        let mut headers = HeaderMap::new();
        for line in lines {
            headers.append(&name, HeaderValue::from_bytes(line).unwrap());
        }
        let hops = forwarding.nearest_first(&headers);
        hops.map(|hop| hop.map_or("?".to_owned(), |address| address.to_string()))
            .collect()
    }

    /// Row R15, and R11 of the bugs.
    #[test]
    fn r15_x_forwarded_for_is_read_from_the_right() {
        type Lines = &'static [&'static [u8]];
        let rows: [(Lines, &[&str]); 8] = [
            (&[], &[]),
            (
                &[b"6.6.6.6, 198.51.100.7,10.0.0.9"],
                &["10.0.0.9", "198.51.100.7", "6.6.6.6"],
            ),
            (&[b"6.6.6.6", b"198.51.100.7"], &["198.51.100.7", "6.6.6.6"]),
            (
                &[b"2001:db8::1, [2001:db8::2]:80, [2001:db8::3], 192.0.2.1:80"],
                &["192.0.2.1", "2001:db8::3", "2001:db8::2", "2001:db8::1"],
            ),
            (&[b"::ffff:192.0.2.1"], &["192.0.2.1"]),
            (&[b", 192.0.2.1,,"], &["192.0.2.1"]),
            (
                &[b"unknown, 192.0.2.1, _x, 1.2.3, fe80::1%eth0"],
                &["?", "?", "?", "192.0.2.1", "?"],
            ),
            (&[b"\xff\xfe, 192.0.2.1"], &["192.0.2.1", "?"]),
        ];
        for (lines, expected) in rows {
            assert_eq!(
                read(Forwarding::XForwardedFor, lines),
                expected,
                "{lines:?}"
            );
        }
    }

    /// The same for the standard header.
    #[test]
    fn r15_forwarded_is_read_from_the_right() {
        let rows: [(&[u8], &[&str]); 12] = [
            (b"for=192.0.2.1", &["192.0.2.1"]),
            (b"for=\"[2001:db8::1]:80\"", &["2001:db8::1"]),
            (
                b"For=192.0.2.1;proto=https;by=203.0.113.9, for=198.51.100.7",
                &["198.51.100.7", "192.0.2.1"],
            ),
            (
                b"host=\"a,b;c\";for=192.0.2.1, for=10.0.0.9",
                &["10.0.0.9", "192.0.2.1"],
            ),
            (b"for=192.0.2.1:8080", &["192.0.2.1"]),
            (b"for=unknown, for=_gazonk", &["?", "?"]),
            (b"proto=https", &["?"]),
            (b"for=6.6.6.6;for=192.0.2.1", &["?"]),
            // A quote that the client left open.
            (b"for=\"6.6.6.6, for=192.0.2.1", &["192.0.2.1", "?"]),
            (
                b"for=6.6.6.6;host=\"x, for=192.0.2.1;host=\"a\"",
                &["192.0.2.1", "?"],
            ),
            // A host with a quote in it, which the proxy escaped.
            (
                b"for=6.6.6.6, for=192.0.2.1;host=\"a\\\"b\"",
                &["?", "6.6.6.6"],
            ),
            // And one that is escaped twice: nothing that is left of it may be taken for the client.
            (b"for=6.6.6.6;x=y, for=192.0.2.1;host=\"a\\\\\"", &["?"]),
        ];
        for (line, expected) in rows {
            let text = String::from_utf8_lossy(line);
            assert_eq!(read(Forwarding::Forwarded, &[line]), expected, "{text}");
        }
    }

    /// Every short text of the characters that mean something.
    fn texts() -> impl Iterator<Item = Vec<u8>> {
        const ALPHABET: &[u8] = b"\",;=\\ f6";
        let lengths = 0..=4_u32;
        lengths.flat_map(|length| {
            (0..ALPHABET.len().pow(length)).map(move |number| {
                let digits = (0..length).map(|place| number / ALPHABET.len().pow(place));
                digits
                    .map(|digit| ALPHABET[digit % ALPHABET.len()])
                    .collect()
            })
        })
    }

    /// Row R15: a proxy appends to whatever the client sent.
    #[test]
    fn r15_whatever_a_client_writes_the_proxy_is_read_as_it_wrote() {
        let rows = [
            (Forwarding::XForwardedFor, "192.0.2.1"),
            (Forwarding::Forwarded, "for=192.0.2.1"),
            (Forwarding::Forwarded, "for=192.0.2.1;host=\"a:80\""),
            (Forwarding::Forwarded, "host=\"a,b;c\";for=\"192.0.2.1:80\""),
        ];
        for (forwarding, written) in rows {
            for mut text in texts() {
                text.extend(format!(", {written}").bytes());
                let hops = read(forwarding, &[&text]);
                assert_eq!(hops[0], "192.0.2.1", "{}", text.escape_ascii());
            }
        }
    }
}
