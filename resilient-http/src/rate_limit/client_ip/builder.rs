//! How the address of a client is found.

use std::fmt;
use std::net::IpAddr;
use std::sync::Arc;

use http::request::Parts;
use ipnet::IpNet;
use resilient_core::invalid::InvalidSetting;

use super::{ClientIp, Forwarding, PeerOf, Rules, Told, network, peer};
use crate::InvalidLayer;

/// What most providers give a customer.
const DEFAULT_IPV6_PREFIX: u8 = 56;

/// Below this whole providers would be one client.
const LEAST_IPV6_PREFIX: u8 = 32;

/// Sets up a [`ClientIp`]. Setters never fail; what cannot work is reported by
/// [`build`](ClientIpBuilder::build), all at once.
///
/// ```
/// use resilient_http::rate_limit::{ClientIp, Forwarding};
///
/// let client_ip = ClientIp::builder()
///     .trusted_proxies(["10.0.0.0/8", "2001:db8:1::/48", "192.0.2.10"])
///     .forwarding(Forwarding::Forwarded)
///     .ipv6_prefix(64)
///     .build()?;
/// # let _ = client_ip;
/// let wrong = ClientIp::builder().trusted_proxies(["10.0.0.0/33", "0.0.0.0/0"]).ipv6_prefix(0);
/// assert_eq!(wrong.build().unwrap_err().problems.len(), 3);
/// # Ok::<(), resilient_http::InvalidLayer>(())
/// ```
#[must_use]
pub struct ClientIpBuilder {
    trusted: Vec<String>,
    forwarding: Forwarding,
    ipv6_prefix: u8,
    peer: Box<PeerOf>,
}

impl ClientIpBuilder {
    pub(super) fn new() -> Self {
        ClientIpBuilder {
            trusted: Vec::new(),
            forwarding: Forwarding::default(),
            ipv6_prefix: DEFAULT_IPV6_PREFIX,
            peer: Box::new(peer::of),
        }
    }

    /// The proxies whose word about their clients is taken: networks such as `10.0.0.0/8`, or single
    /// addresses; default none. Name every proxy between clients and this server, and nothing else:
    /// who calls from such an address can claim to be anybody.
    pub fn trusted_proxies<T: Into<String>>(
        mut self,
        networks: impl IntoIterator<Item = T>,
    ) -> Self {
        self.trusted.extend(networks.into_iter().map(Into::into));
        self
    }

    /// The header that these proxies write; default `X-Forwarded-For`.
    pub fn forwarding(mut self, forwarding: Forwarding) -> Self {
        self.forwarding = forwarding;
        self
    }

    /// How many bits of an IPv6 address tell one client from another, 32 to 128; default 56.
    pub fn ipv6_prefix(mut self, bits: u8) -> Self {
        self.ipv6_prefix = bits;
        self
    }

    /// Where the address of the peer is, for servers that keep it in an extension of their own.
    pub fn peer(mut self, of: impl Fn(&Parts) -> Option<IpAddr> + Send + Sync + 'static) -> Self {
        self.peer = Box::new(of);
        self
    }

    /// The extractor.
    ///
    /// # Errors
    ///
    /// Everything that cannot work: text that is no network, networks that contain everybody, an
    /// IPv6 prefix that is none or makes clients of whole providers.
    pub fn build(self) -> Result<ClientIp, InvalidLayer> {
        let mut problems = Vec::new();
        let mut problem = |setting, value: &dyn fmt::Display, reason: &str| {
            problems.push(InvalidSetting {
                policy: "rate_limit",
                setting,
                value: value.to_string(),
                reason: reason.to_owned(),
            });
        };
        let mut trusted = Vec::new();
        for text in &self.trusted {
            match network::parse(text) {
                Some(net) if net.prefix_len() > 0 => trusted.push(net),
                Some(_) => {
                    let reason = "every client could claim to be any other; name your proxies";
                    problem("trusted_proxies", text, reason);
                }
                None => {
                    let reason = "write a network such as `10.0.0.0/8`, or an address";
                    problem("trusted_proxies", text, reason);
                }
            }
        }
        if !(LEAST_IPV6_PREFIX..=128).contains(&self.ipv6_prefix) {
            problem("ipv6_prefix", &self.ipv6_prefix, "write 32 to 128");
        }
        if problems.is_empty() {
            Ok(self.unchecked(trusted))
        } else {
            Err(InvalidLayer { problems })
        }
    }

    pub(super) fn unchecked(self, trusted: Vec<IpNet>) -> ClientIp {
        ClientIp {
            rules: Arc::new(Rules {
                trusted,
                forwarding: self.forwarding,
                ipv6_prefix: self.ipv6_prefix,
                peer: self.peer,
                told: Told::default(),
            }),
        }
    }
}

impl fmt::Debug for ClientIpBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ClientIpBuilder")
            .field("trusted", &self.trusted)
            .field("forwarding", &self.forwarding)
            .field("ipv6_prefix", &self.ipv6_prefix)
            .finish_non_exhaustive()
    }
}
