//! The address of a client, behind proxies or not.

mod builder;
mod forwarded;
mod network;
mod peer;

use std::fmt;
use std::net::IpAddr;
use std::sync::Arc;

use http::request::Parts;
use ipnet::IpNet;

pub use builder::ClientIpBuilder;
pub use forwarded::Forwarding;
pub use peer::PeerAddr;

use super::once::Once;
use super::{KeyOf, NoKey};
use network::{is_private, network_of};

/// Limits each client by its address: that of the peer, or the one that trusted proxies say they were
/// called from.
///
/// # Whose word counts
///
/// Anybody can write `X-Forwarded-For`, so it is believed only as far as it was written by proxies that
/// are [trusted](ClientIpBuilder::trusted_proxies). It is read from the right, where the proxy nearest to
/// this server wrote: while an address belongs to a trusted proxy, the one to its left is what that
/// proxy saw. The first that does not is the client, whatever stands to the left of it. What cannot be
/// read ends the search at the proxy that wrote it.
///
/// Behind a load balancer that is not trusted all clients share the balancer's address, and its limit.
/// A private peer that forwards for others is taken for one: that is told once, as the event
/// `client_ip.proxy_not_trusted` of level `WARN` in the target `resilient`.
///
/// # What is one client
///
/// An IPv4 address (`ip:203.0.113.7`), also where it is written as an IPv6 one; of an IPv6 address the
/// first 56 bits (`ip:2001:db8:0:1200::/56`), because a customer is given such a prefix and could have a
/// new address for every request. These texts are the keys of the limiter.
///
/// # Where the peer's address comes from
///
/// From the extension [`PeerAddr`] of the request; with the feature `axum-0_8` also from axum's
/// `ConnectInfo<SocketAddr>`, which is there if the router is served by
/// `into_make_service_with_connect_info::<SocketAddr>()`; or from wherever
/// [`peer`](ClientIpBuilder::peer) says. Without one a request has no key, and is answered with 500
/// unless the layer is [told otherwise](super::RateLimitLayerBuilder::without_key).
///
/// ```
/// use http::Request;
/// use resilient_http::rate_limit::{ClientIp, PeerAddr};
///
/// let client_ip = ClientIp::builder().trusted_proxies(["10.0.0.0/8"]).build()?;
/// let (mut request, ()) = Request::builder()
///     .header("x-forwarded-for", "6.6.6.6, 198.51.100.7, 10.0.0.9")
///     .body(())?
///     .into_parts();
/// request.extensions.insert(PeerAddr("10.0.0.5:40123".parse()?));
/// assert_eq!(client_ip.address(&request), Some("198.51.100.7".parse()?));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// For those who are not logged in, and a key of their own for those who are:
///
/// ```
/// use http::request::Parts;
/// use resilient_http::rate_limit::{ClientIp, KeyOf, NoKey};
///
/// /// Put there by authentication, which ran before.
/// #[derive(Clone)]
/// struct User(u64);
///
/// fn user_or_address(client_ip: ClientIp) -> impl Fn(&Parts) -> Result<String, NoKey> {
///     move |request| match request.extensions.get::<User>() {
///         // Not the bare number: no user may be called like an address.
///         Some(User(id)) => Ok(format!("user:{id}")),
///         None => client_ip.key_of(request),
///     }
/// }
/// # let _: &dyn KeyOf = &user_or_address(ClientIp::of_peer());
/// ```
#[derive(Clone)]
pub struct ClientIp {
    rules: Arc<Rules>,
}

/// How the client is found, checked.
struct Rules {
    trusted: Vec<IpNet>,
    forwarding: Forwarding,
    ipv6_prefix: u8,
    peer: Box<PeerOf>,
    told: Told,
}

type PeerOf = dyn Fn(&Parts) -> Option<IpAddr> + Send + Sync;

/// What is told once.
#[derive(Default)]
struct Told {
    no_peer: Once,
    not_trusted: Once,
    unreadable: Once,
}

impl ClientIp {
    /// The address of the peer, and no proxy is trusted: for servers that clients reach directly.
    #[must_use]
    pub fn of_peer() -> Self {
        ClientIp::builder().unchecked(Vec::new())
    }

    /// An extractor with other settings.
    pub fn builder() -> ClientIpBuilder {
        ClientIpBuilder::new()
    }

    /// The client's whole address; `None` if not even that of the peer is known.
    #[must_use]
    pub fn address(&self, request: &Parts) -> Option<IpAddr> {
        let rules = &*self.rules;
        let Some(peer) = (rules.peer)(request) else {
            rules.told.no_peer();
            return None;
        };
        let peer = peer.to_canonical();
        if is_private(peer) && !rules.trusts(peer) && forwarded::is_in(&request.headers) {
            rules.told.not_trusted(peer);
        }
        Some(rules.client(request, peer))
    }
}

impl Rules {
    fn client(&self, request: &Parts, peer: IpAddr) -> IpAddr {
        let mut client = peer;
        for hop in self.forwarding.nearest_first(&request.headers) {
            if !self.trusts(client) {
                break;
            }
            let Some(address) = hop else {
                self.told.unreadable(client);
                break;
            };
            client = address;
        }
        client
    }

    fn trusts(&self, address: IpAddr) -> bool {
        self.trusted.iter().any(|net| net.contains(&address))
    }
}

impl Told {
    fn no_peer(&self) {
        if self.no_peer.first() {
            tracing::warn!(
                name: "client_ip.no_peer", target: "resilient",
                "client_ip.no_peer: insert `PeerAddr` into requests, or serve with connect info"
            );
        }
    }

    fn not_trusted(&self, peer: IpAddr) {
        if self.not_trusted.first() {
            tracing::warn!(
                name: "client_ip.proxy_not_trusted", target: "resilient", %peer,
                "client_ip.proxy_not_trusted: all its clients share one limit; name it in `trusted_proxies`"
            );
        }
    }

    fn unreadable(&self, proxy: IpAddr) {
        if self.unreadable.first() {
            tracing::warn!(
                name: "client_ip.unreadable", target: "resilient", %proxy,
                "client_ip.unreadable: what this proxy says about its clients is no address; they share its limit"
            );
        }
    }
}

impl KeyOf for ClientIp {
    fn key_of(&self, request: &Parts) -> Result<String, NoKey> {
        let address = self.address(request).ok_or(NoKey::NoPeer)?;
        Ok(format!(
            "ip:{}",
            network_of(address, self.rules.ipv6_prefix)
        ))
    }
}

impl fmt::Debug for ClientIp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ClientIp")
            .field("trusted", &self.rules.trusted)
            .field("forwarding", &self.rules.forwarding)
            .field("ipv6_prefix", &self.rules.ipv6_prefix)
            .finish_non_exhaustive()
    }
}
