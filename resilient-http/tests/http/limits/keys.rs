//! Whose limit a request counts against.

use std::net::SocketAddr;

use axum::body::Body;
use axum::extract::Request;
use http::StatusCode;
use http::request::Parts;
use resilient_core::rate_limit::Limit;
use resilient_http::Problem;
use resilient_http::rate_limit::{
    ClientIp, ClientIpBuilder, Forwarding, KeyOf, NoKey, PeerAddr, WithoutKey,
};

use super::shop::{Change, Shop, limiter};
use crate::log;

fn once() -> [Limit; 1] {
    [Limit::sliding_log("minute", 1, "60s")]
}

/// A request by this peer with these headers.
fn from(peer: &str, headers: &[(&str, &str)]) -> Request {
    let mut request = Request::get("/stock");
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let peer: SocketAddr = peer.parse().unwrap();
    let request = request.extension(PeerAddr(peer));
    request.body(Body::empty()).unwrap()
}

fn key(client_ip: &ClientIp, request: Request) -> String {
    client_ip.key_of(&request.into_parts().0).unwrap()
}

type SetUp = fn(ClientIpBuilder) -> ClientIpBuilder;

/// Rows R15 and R17, and R11 and R12 of the reported defects.
#[test]
fn r15_r17_r11_r12_addresses_of_clients() {
    let direct: SetUp = |builder| builder;
    let proxied: SetUp = |builder| builder.trusted_proxies(["10.0.0.0/8", "2001:db8:ffff::/48"]);
    let standard: SetUp = |builder| {
        let builder = builder.trusted_proxies(["10.0.0.0/8"]);
        builder.forwarding(Forwarding::Forwarded)
    };
    let xff = "x-forwarded-for";
    type Headers<'a> = &'a [(&'a str, &'a str)];
    let rows: [(SetUp, &str, Headers<'_>, &str); 16] = [
        (direct, "203.0.113.7:1", &[], "ip:203.0.113.7"),
        (
            direct,
            "203.0.113.7:1",
            &[(xff, "6.6.6.6")],
            "ip:203.0.113.7",
        ),
        (direct, "[::ffff:192.0.2.1]:1", &[], "ip:192.0.2.1"),
        (
            direct,
            "[2001:db8:0:12ab::1]:1",
            &[],
            "ip:2001:db8:0:1200::/56",
        ),
        (
            proxied,
            "10.0.0.5:1",
            &[(xff, "6.6.6.6, 198.51.100.7, 10.0.0.9")],
            "ip:198.51.100.7",
        ),
        (
            proxied,
            "[::ffff:10.0.0.5]:1",
            &[(xff, "6.6.6.6"), (xff, "198.51.100.7"), (xff, "10.0.0.9")],
            "ip:198.51.100.7",
        ),
        (
            proxied,
            "[2001:db8:ffff::1]:1",
            &[(xff, "2001:db8:0:1234::1")],
            "ip:2001:db8:0:1200::/56",
        ),
        (
            proxied,
            "203.0.113.7:1",
            &[(xff, "6.6.6.6")],
            "ip:203.0.113.7",
        ),
        (proxied, "10.0.0.5:1", &[], "ip:10.0.0.5"),
        (
            proxied,
            "10.0.0.5:1",
            &[(xff, "10.1.1.1, 10.0.0.9")],
            "ip:10.1.1.1",
        ),
        // Not the client's word: it stands to the left of what cannot be read.
        (
            proxied,
            "10.0.0.5:1",
            &[(xff, "6.6.6.6, unknown, 10.0.0.9")],
            "ip:10.0.0.9",
        ),
        (
            proxied,
            "10.0.0.5:1",
            &[(xff, "unknown, 198.51.100.7")],
            "ip:198.51.100.7",
        ),
        // The header that these proxies do not write is the client's.
        (
            proxied,
            "10.0.0.5:1",
            &[("forwarded", "for=6.6.6.6"), (xff, "198.51.100.7")],
            "ip:198.51.100.7",
        ),
        (
            standard,
            "10.0.0.5:1",
            &[(xff, "6.6.6.6"), ("forwarded", "for=198.51.100.7")],
            "ip:198.51.100.7",
        ),
        (
            standard,
            "10.0.0.5:1",
            &[(
                "forwarded",
                "for=6.6.6.6, for=\"[2001:db8::1]:80\", for=10.0.0.9",
            )],
            "ip:2001:db8::/56",
        ),
        (
            |builder| builder.ipv6_prefix(64),
            "[2001:db8:0:12ab::1]:1",
            &[],
            "ip:2001:db8:0:12ab::/64",
        ),
    ];
    for (set_up, peer, headers, expected) in rows {
        let client_ip = set_up(ClientIp::builder()).build().unwrap();
        assert_eq!(
            key(&client_ip, from(peer, headers)),
            expected,
            "{headers:?}"
        );
    }
}

/// Row R17, and R12 of the reported defects.
#[tokio::test(start_paused = true)]
async fn r17_r12_a_prefix_is_one_client() {
    let shop = Shop::keyed(limiter(once()), ClientIp::of_peer(), |builder| builder);
    for (peer, status) in [
        ("[2001:db8:0:1200::1]:1", 200),
        ("[2001:db8:0:12ff::2]:1", 429),
        ("[2001:db8:0:1300::1]:1", 200),
        ("192.0.2.1:1", 200),
        ("[::ffff:192.0.2.1]:2", 429),
    ] {
        assert_eq!(shop.send(from(peer, &[])).await.status, status, "{peer}");
    }
}

/// R11 of the reported defects: one balancer in front, and nobody said so.
#[test]
fn r11_r18_a_balancer_that_is_not_trusted_is_told_once() {
    for (peer, headers, told) in [
        ("10.0.0.5:1", &[("x-forwarded-for", "198.51.100.7")][..], 1),
        ("[fd00::1]:1", &[("forwarded", "for=198.51.100.7")], 1),
        ("10.0.0.5:1", &[], 0),
        ("203.0.113.7:1", &[("x-forwarded-for", "198.51.100.7")], 0),
    ] {
        let (log, _guard) = log::capture();
        let client_ip = ClientIp::of_peer();
        for _ in 0..3 {
            key(&client_ip.clone(), from(peer, headers));
        }
        assert_eq!(log.count("client_ip.proxy_not_trusted"), told, "{peer}");
        assert_eq!(log.count("WARN"), told, "{peer}");
    }
}

#[test]
fn r18_a_proxy_that_cannot_be_understood_is_told_once() {
    let (log, _guard) = log::capture();
    let client_ip = ClientIp::builder().trusted_proxies(["10.0.0.0/8"]);
    let client_ip = client_ip.build().unwrap();
    for _ in 0..3 {
        key(
            &client_ip,
            from("10.0.0.5:1", &[("x-forwarded-for", "unknown")]),
        );
    }
    assert_eq!(log.count("client_ip.unreadable"), 1);
    assert!(log.text().contains("proxy=10.0.0.5"));
}

fn nobody(_: &Parts) -> Option<String> {
    None
}

fn blank(_: &Parts) -> String {
    String::new()
}

fn blocked(_: &Parts) -> Result<String, Problem> {
    let problem = Problem::new(StatusCode::UNAUTHORIZED, "LOG_IN", "log in first");
    Err(problem)
}

#[tokio::test(start_paused = true)]
async fn r18_without_a_key_no_limit_is_shared() {
    let default: Change = |builder| builder;
    let refuse: Change = |builder| builder.without_key(WithoutKey::Refuse);
    let fail: Change = |builder| builder.without_key(WithoutKey::Fail);
    let pass: Change = |builder| builder.without_key(WithoutKey::Pass);
    let (missing, unknown) = ("RATE_LIMIT_KEY_MISSING", "RATE_LIMIT_KEY_UNKNOWN");
    let build = |key: &str, change| match key {
        "nobody" => Shop::keyed(limiter(once()), nobody, change),
        "blank" => Shop::keyed(limiter(once()), blank, change),
        "blocked" => Shop::keyed(limiter(once()), blocked, change),
        _ => Shop::keyed(limiter(once()), ClientIp::of_peer(), change),
    };
    for (key, change, status, code) in [
        ("nobody", default, 400, missing),
        ("nobody", fail, 500, unknown),
        ("nobody", pass, 200, ""),
        ("blank", default, 400, missing),
        ("blank", pass, 200, ""),
        ("no peer", default, 500, unknown),
        ("no peer", refuse, 400, missing),
        ("no peer", pass, 200, ""),
        ("blocked", default, 401, "LOG_IN"),
        ("blocked", pass, 401, "LOG_IN"),
    ] {
        let shop = build(key, change);
        // Twice what the limit allows.
        for _ in 0..2 {
            let request = Request::get("/stock").body(Body::empty()).unwrap();
            let told = shop.send(request).await;
            assert_eq!(told.status, status, "{key}");
            if !code.is_empty() {
                assert_eq!(told.problem()["code"], code, "{key}");
            }
            assert_eq!(told.header("ratelimit"), None);
        }
        assert_eq!(shop.limiter.snapshot().keys, 0, "{key}");
    }
}

#[test]
fn r18_a_server_without_connect_info_is_told_once() {
    let (log, _guard) = log::capture();
    let client_ip = ClientIp::of_peer();
    let (request, ()) = http::Request::new(()).into_parts();
    for _ in 0..3 {
        let why = client_ip.key_of(&request).unwrap_err();
        assert!(matches!(why, NoKey::NoPeer));
    }
    assert_eq!(log.count("client_ip.no_peer:"), 1);
}

#[test]
fn r11_the_peer_may_be_kept_elsewhere() {
    #[derive(Clone)]
    struct Own([u8; 4]);
    let client_ip = ClientIp::builder()
        .peer(|request| request.extensions.get().map(|Own(bytes)| (*bytes).into()))
        .build()
        .unwrap();
    let mut request = Request::new(Body::empty());
    request.extensions_mut().insert(Own([192, 0, 2, 1]));
    assert_eq!(key(&client_ip, request), "ip:192.0.2.1");
}

#[cfg(feature = "axum-0_8")]
#[test]
fn r11_the_peer_that_axum_knows() {
    let peer: SocketAddr = "192.0.2.1:1".parse().unwrap();
    let mut request = Request::new(Body::empty());
    let info = axum::extract::ConnectInfo(peer);
    request.extensions_mut().insert(info);
    assert_eq!(key(&ClientIp::of_peer(), request), "ip:192.0.2.1");
}
