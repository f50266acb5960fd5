//! Networks: of proxies, and of clients.

use std::fmt;
use std::net::IpAddr;

use ipnet::{IpNet, Ipv4Net, Ipv6Net};

/// How many bits of an IPv6 address stand before the IPv4 one in it.
const MAPPED_BITS: u8 = 96;

/// A network, or the one of a single address. Networks of IPv4 addresses that are written as IPv6 are
/// what they are, because addresses are compared so, too.
pub(super) fn parse(text: &str) -> Option<IpNet> {
    let text = text.trim();
    let single = || text.parse::<IpAddr>().ok().map(IpNet::from);
    let net = text.parse().ok().or_else(single)?;
    Some(match net {
        IpNet::V6(net) => unmapped(net).map_or(IpNet::V6(net), IpNet::V4),
        IpNet::V4(net) => IpNet::V4(net),
    })
}

fn unmapped(net: Ipv6Net) -> Option<Ipv4Net> {
    let address = net.addr().to_ipv4_mapped()?;
    let bits = net.prefix_len().checked_sub(MAPPED_BITS)?;
    Ipv4Net::new(address, bits).ok()
}

/// What is one client: an IPv4 address, or a prefix of an IPv6 one.
pub(super) fn network_of(address: IpAddr, ipv6_prefix: u8) -> impl fmt::Display {
    let prefix = match address {
        IpAddr::V4(_) => None,
        IpAddr::V6(address) => Ipv6Net::new(address, ipv6_prefix).ok(),
    };
    match prefix {
        Some(net) => net.trunc().to_string(),
        None => address.to_string(),
    }
}

/// Whether nobody on the internet has this address, so that it is a proxy if it forwards for others.
pub(super) fn is_private(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => {
            let [first, second, ..] = address.octets();
            // RFC 6598: between a provider and its customers, and in many clusters.
            let is_shared = first == 100 && second & 0b1100_0000 == 64;
            is_shared || address.is_private() || address.is_loopback() || address.is_link_local()
        }
        IpAddr::V6(address) => {
            address.is_unique_local() || address.is_loopback() || address.is_unicast_link_local()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Row R17, and R12 of the bugs.
    #[test]
    fn r17_a_client_is_an_address_or_a_prefix() {
        for (address, bits, expected) in [
            ("192.0.2.1", 56, "192.0.2.1"),
            ("::ffff:192.0.2.1", 56, "192.0.2.1"),
            ("2001:db8:0:1234::1", 56, "2001:db8:0:1200::/56"),
            ("2001:db8:0:12ff:ffff::", 56, "2001:db8:0:1200::/56"),
            ("2001:db8:0:1300::1", 56, "2001:db8:0:1300::/56"),
            ("2001:db8:0:1234::1", 64, "2001:db8:0:1234::/64"),
            ("2001:db8::1", 128, "2001:db8::1/128"),
        ] {
            let address: IpAddr = address.parse().unwrap();
            let network = network_of(address.to_canonical(), bits).to_string();
            assert_eq!(network, expected, "{address}");
        }
    }

    #[test]
    fn networks_and_what_is_none() {
        for (text, expected) in [
            ("10.0.0.0/8", Some("10.0.0.0/8")),
            (" 10.1.2.3 ", Some("10.1.2.3/32")),
            ("2001:db8::/32", Some("2001:db8::/32")),
            ("::ffff:10.0.0.0/104", Some("10.0.0.0/8")),
            ("::ffff:10.0.0.1", Some("10.0.0.1/32")),
            ("10.0.0.0/33", None),
            ("proxy.internal", None),
            ("", None),
        ] {
            let net = parse(text).map(|net| net.to_string());
            assert_eq!(net.as_deref(), expected, "{text}");
        }
    }

    /// R11 of the bugs.
    #[test]
    fn addresses_of_balancers() {
        for (address, expected) in [
            ("10.0.0.5", true),
            ("172.31.255.255", true),
            ("172.32.0.0", false),
            ("192.168.1.1", true),
            ("100.64.0.1", true),
            ("100.127.255.255", true),
            ("100.128.0.0", false),
            ("127.0.0.1", true),
            ("169.254.1.1", true),
            ("198.51.100.7", false),
            ("fd00::1", true),
            ("fe80::1", true),
            ("::1", true),
            ("2001:db8::1", false),
        ] {
            assert_eq!(is_private(address.parse().unwrap()), expected, "{address}");
        }
    }
}
