//! Addresses of clients, behind proxies or not.

use std::net::SocketAddr;

use axum::body::Body;
use axum::extract::Request;
use resilient_core::rate_limit::Limit;
use resilient_http::rate_limit::{ClientIp, ClientIpBuilder, Forwarding, KeyOf, NoKey, PeerAddr};

use super::shop::{Shop, limiter};
use crate::log;

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

/// How it is set up, the peer, its headers, and the key.
type Row = (
    SetUp,
    &'static str,
    &'static [(&'static str, &'static str)],
    &'static str,
);

fn check(rows: &[Row]) {
    for (set_up, peer, headers, expected) in rows {
        let client_ip = set_up(ClientIp::builder()).build().unwrap();
        let key = key(&client_ip, from(peer, headers));
        assert_eq!(key, *expected, "{peer} {headers:?}");
    }
}

const DIRECT: SetUp = |builder| builder;
const PROXIED: SetUp = |builder| builder.trusted_proxies(["10.0.0.0/8", "2001:db8:ffff::/48"]);
const STANDARD: SetUp = |builder| PROXIED(builder).forwarding(Forwarding::Forwarded);
const XFF: &str = "x-forwarded-for";

/// Row R17, and R12 of the bugs.
#[test]
fn r17_addresses_of_peers() {
    check(&[
        (DIRECT, "203.0.113.7:1", &[], "ip:203.0.113.7"),
        (
            DIRECT,
            "203.0.113.7:1",
            &[(XFF, "6.6.6.6")],
            "ip:203.0.113.7",
        ),
        (DIRECT, "[::ffff:192.0.2.1]:1", &[], "ip:192.0.2.1"),
        (
            DIRECT,
            "[2001:db8:0:12ab::1]:1",
            &[],
            "ip:2001:db8:0:1200::/56",
        ),
        (
            |builder| builder.ipv6_prefix(64),
            "[2001:db8:0:12ab::1]:1",
            &[],
            "ip:2001:db8:0:12ab::/64",
        ),
        (
            PROXIED,
            "203.0.113.7:1",
            &[(XFF, "6.6.6.6")],
            "ip:203.0.113.7",
        ),
        (PROXIED, "10.0.0.5:1", &[], "ip:10.0.0.5"),
    ]);
}

/// Row R15, and R11 of the bugs.
#[test]
fn r15_addresses_that_proxies_tell() {
    check(&[
        (
            PROXIED,
            "10.0.0.5:1",
            &[(XFF, "6.6.6.6, 198.51.100.7, 10.0.0.9")],
            "ip:198.51.100.7",
        ),
        (
            PROXIED,
            "[::ffff:10.0.0.5]:1",
            &[(XFF, "6.6.6.6"), (XFF, "198.51.100.7"), (XFF, "10.0.0.9")],
            "ip:198.51.100.7",
        ),
        (
            PROXIED,
            "[2001:db8:ffff::1]:1",
            &[(XFF, "2001:db8:0:1234::1")],
            "ip:2001:db8:0:1200::/56",
        ),
        // All of them are trusted.
        (
            PROXIED,
            "10.0.0.5:1",
            &[(XFF, "10.1.1.1, 10.0.0.9")],
            "ip:10.1.1.1",
        ),
        // Not the client's word: it stands to the left of what cannot be read.
        (
            PROXIED,
            "10.0.0.5:1",
            &[(XFF, "6.6.6.6, unknown, 10.0.0.9")],
            "ip:10.0.0.9",
        ),
        (
            PROXIED,
            "10.0.0.5:1",
            &[(XFF, "unknown, 198.51.100.7")],
            "ip:198.51.100.7",
        ),
    ]);
}

/// Row R15: what addresses may look like, and what is none. Where a proxy's word is none, its clients
/// share its address.
#[test]
fn r15_addresses_in_every_dress() {
    let told = |forwarding: SetUp, name: &'static str, text: &str| {
        let client_ip = forwarding(ClientIp::builder()).build().unwrap();
        let text = format!("6.6.6.6, {text}");
        key(&client_ip, from("10.0.0.5:1", &[(name, &text)]))
    };
    for (text, expected) in [
        ("198.51.100.7:65535", "ip:198.51.100.7"),
        ("::ffff:198.51.100.7", "ip:198.51.100.7"),
        ("[::ffff:198.51.100.7]:80", "ip:198.51.100.7"),
        ("::FFFF:C633:6407", "ip:198.51.100.7"),
        ("[2001:DB8:0:1234::1]:80", "ip:2001:db8:0:1200::/56"),
        // A trusted proxy in another dress is one all the same, and what it saw was the client.
        ("198.51.100.7, ::ffff:10.0.0.9", "ip:198.51.100.7"),
        ("198.51.100.7, [::ffff:10.0.0.9]:1", "ip:198.51.100.7"),
        ("198.51.100.7:65536", "ip:10.0.0.5"),
        ("198.51.100.7:", "ip:10.0.0.5"),
        ("198.51.100.007", "ip:10.0.0.5"),
        ("0xc6336407", "ip:10.0.0.5"),
        ("3325256711", "ip:10.0.0.5"),
        ("198.51.100", "ip:10.0.0.5"),
        ("198.51.100.0/24", "ip:10.0.0.5"),
        ("fe80::1%eth0", "ip:10.0.0.5"),
        ("[fe80::1%1]:80", "ip:fe80::/56"),
        ("[2001:db8::1", "ip:10.0.0.5"),
        ("2001:db8::1]", "ip:10.0.0.5"),
        ("\"198.51.100.7\"", "ip:10.0.0.5"),
        ("198.51.100.7 8.8.8.8", "ip:10.0.0.5"),
    ] {
        assert_eq!(told(PROXIED, XFF, text), expected, "{text}");
    }
    for (text, expected) in [
        ("for=\"[::ffff:198.51.100.7]:80\"", "ip:198.51.100.7"),
        ("FOR=\"198.51.100.7\";BY=_x", "ip:198.51.100.7"),
        ("for=[2001:db8::1]", "ip:10.0.0.5"),
        ("for=\"fe80::1%eth0\"", "ip:10.0.0.5"),
        ("for=\"198.51.100.7, for=8.8.8.8\"", "ip:10.0.0.5"),
        ("for=198.51.100.7;for=8.8.8.8", "ip:10.0.0.5"),
        ("for = 198.51.100.7", "ip:10.0.0.5"),
        ("for=", "ip:10.0.0.5"),
        ("198.51.100.7", "ip:10.0.0.5"),
    ] {
        assert_eq!(told(STANDARD, "forwarded", text), expected, "{text}");
    }
}

/// Row R15: however much a client claims, and even if it claims to be proxies, it is who it is.
#[test]
fn r15_no_number_of_forged_hops_counts() {
    let proxied = PROXIED(ClientIp::builder()).build().unwrap();
    for forged in ["6.6.6.6, ", "10.0.0.9, ", ", ", "\", ", "x, "] {
        let line = forged.repeat(20_000) + "198.51.100.7";
        let lines = [(XFF, &*line), (XFF, "10.0.0.9")];
        assert_eq!(key(&proxied, from("10.0.0.5:1", &lines)), "ip:198.51.100.7");
    }
    let many = vec![(XFF, "10.0.0.9"); 10_000];
    let lines = [&[(XFF, "198.51.100.7")], &many[..]].concat();
    assert_eq!(key(&proxied, from("10.0.0.5:1", &lines)), "ip:198.51.100.7");
}

/// The header that the proxies do not write is the client's; R11 of the bugs.
#[test]
fn r15_only_one_header_is_believed() {
    check(&[
        (
            PROXIED,
            "10.0.0.5:1",
            &[("forwarded", "for=6.6.6.6"), (XFF, "198.51.100.7")],
            "ip:198.51.100.7",
        ),
        (
            STANDARD,
            "10.0.0.5:1",
            &[(XFF, "6.6.6.6"), ("forwarded", "for=198.51.100.7")],
            "ip:198.51.100.7",
        ),
        (
            STANDARD,
            "10.0.0.5:1",
            &[(
                "forwarded",
                "for=6.6.6.6, for=\"[2001:db8::1]:80\", for=10.0.0.9",
            )],
            "ip:2001:db8::/56",
        ),
    ]);
}

/// Row R17, and R12 of the bugs.
#[tokio::test(start_paused = true)]
async fn r17_a_prefix_is_one_client() {
    let shop = Shop::keyed(
        limiter([Limit::sliding_log("minute", 1, "60s")]),
        ClientIp::of_peer(),
        |builder| builder,
    );
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

/// R11 of the bugs: one balancer in front, and nobody said so.
#[test]
fn r18_a_balancer_that_is_not_trusted_is_told_once() {
    for (peer, headers, told) in [
        ("10.0.0.5:1", &[("x-forwarded-for", "198.51.100.7")][..], 1),
        ("[fd00::1]:1", &[("forwarded", "for=198.51.100.7")], 1),
        ("10.0.0.5:1", &[], 0),
        ("203.0.113.7:1", &[("x-forwarded-for", "198.51.100.7")], 0),
        ("[2001:db8::1]:1", &[("forwarded", "for=198.51.100.7")], 0),
    ] {
        for trusted in [&[][..], &["192.168.0.0/16"]] {
            let (log, _guard) = log::capture();
            let client_ip = ClientIp::builder().trusted_proxies(trusted.iter().copied());
            let client_ip = client_ip.build().unwrap();
            for _ in 0..3 {
                key(&client_ip.clone(), from(peer, headers));
            }
            assert_eq!(log.count("client_ip.proxy_not_trusted"), told, "{peer}");
            assert_eq!(log.count("WARN"), told, "{peer}");
        }
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

/// R11 of the bugs.
#[test]
fn the_peer_may_be_kept_elsewhere() {
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

/// Over a real connection; another port is the same client.
#[cfg(feature = "axum-0_8")]
#[tokio::test]
async fn r01_the_peer_that_axum_knows() {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::{TcpListener, TcpStream};

    let minute = Limit::sliding_log("minute", 1, "60s");
    let shop = Shop::keyed(limiter([minute]), ClientIp::of_peer(), |builder| builder);
    let app = shop
        .router
        .into_make_service_with_connect_info::<SocketAddr>();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let server = tokio::spawn(async move { axum::serve(listener, app).await });
    for status in ["200 OK", "429 Too Many Requests"] {
        let mut client = TcpStream::connect(address).await.unwrap();
        let request = b"GET /stock HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n";
        client.write_all(request).await.unwrap();
        let mut answer = String::new();
        client.read_to_string(&mut answer).await.unwrap();
        let start = format!("HTTP/1.1 {status}\r\n");
        assert!(answer.starts_with(&start), "{answer}");
        let (_, body) = answer.split_once("\r\n\r\n").unwrap();
        let said = format!("content-length: {}\r\n", body.len());
        assert!(answer.contains(&said), "{answer}");
        assert!(answer.contains("ratelimit: \"minute\";r=0;t="), "{answer}");
    }
    server.abort();
}
