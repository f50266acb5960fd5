//! Who is at the other end of the connection.

use std::net::{IpAddr, SocketAddr};

use http::request::Parts;

/// The address at the other end of a request's connection, as an extension of the request.
///
/// For servers that accept connections themselves:
///
/// ```
/// use resilient_http::rate_limit::PeerAddr;
///
/// # let peer = "203.0.113.7:40123".parse()?;
/// // let (stream, peer) = listener.accept().await?;
/// let mut request = http::Request::new("a body");
/// request.extensions_mut().insert(PeerAddr(peer));
/// # Ok::<(), std::net::AddrParseError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PeerAddr(pub SocketAddr);

/// The address that is kept with the request.
pub(super) fn of(request: &Parts) -> Option<IpAddr> {
    let own = request.extensions.get::<PeerAddr>();
    own.map(|peer| peer.0.ip())
        .or_else(|| connect_info(request))
}

#[cfg(not(feature = "axum-0_8"))]
fn connect_info(_: &Parts) -> Option<IpAddr> {
    None
}

#[cfg(feature = "axum-0_8")]
fn connect_info(request: &Parts) -> Option<IpAddr> {
    use axum::extract::ConnectInfo;

    let info = request.extensions.get::<ConnectInfo<SocketAddr>>();
    info.map(|info| info.0.ip())
}
