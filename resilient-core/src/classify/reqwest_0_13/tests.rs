use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::Arc;
use std::time::Duration;

use super::*;
use crate::classify::rules::with_rules;
use crate::classify::{IoKinds, Rules, chain};

/// Answers every connection with the same bytes and closes it; `None` never answers.
fn server(answer: Option<&'static str>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = listener.local_addr().expect("an address");
    std::thread::spawn(move || {
        let mut silent = Vec::new();
        for stream in listener.incoming() {
            let Ok(stream) = stream else { return };
            match answer {
                Some(answer) => reply(stream, answer),
                None => silent.push(stream),
            }
        }
    });
    format!("http://{address}/")
}

fn reply(mut stream: TcpStream, answer: &str) {
    let mut request = Vec::new();
    let mut byte = [0];
    while !request.ends_with(b"\r\n\r\n") {
        match stream.read(&mut byte) {
            Ok(1) => request.push(byte[0]),
            _ => return,
        }
    }
    let _ = stream.write_all(answer.as_bytes());
    let _ = stream.shutdown(Shutdown::Both);
}

fn client() -> reqwest::Client {
    reqwest::Client::builder()
        .no_proxy()
        .build()
        .expect("a client")
}

async fn get(url: &str) -> Result<Vec<u8>, reqwest::Error> {
    let response = client().get(url).send().await?.error_for_status()?;
    response.bytes().await.map(|bytes| bytes.to_vec())
}

/// A port where nobody listens.
fn closed_port() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    format!("http://{}/", listener.local_addr().expect("an address"))
}

#[tokio::test]
async fn errors_as_they_really_come() {
    let unavailable = "HTTP/1.1 503 Unavailable\r\nretry-after: 5\r\ncontent-length: 0\r\n\r\n";
    let teapot = "HTTP/1.1 418 Teapot\r\ncontent-length: 0\r\n\r\n";
    // Each answer ends its connection, and the next request must not try to use it.
    let circle =
        "HTTP/1.1 302 Found\r\nlocation: /\r\nconnection: close\r\ncontent-length: 0\r\n\r\n";
    let broken_off = "HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhal";
    for (url, class, kind) in [
        ("not a url".to_owned(), Class::Ignored, "other"),
        (closed_port(), Class::unsent(), "network"),
        (server(Some(unavailable)), Class::transient(), "server"),
        (server(Some(teapot)), Class::Permanent, "client"),
        (server(Some(circle)), Class::Fault, "server"),
        (server(Some(broken_off)), Class::transient(), "network"),
        (server(Some("")), Class::transient(), "network"),
        (
            server(Some("nonsense\r\n\r\n")),
            Class::transient(),
            "network",
        ),
    ] {
        let error = get(&url).await.expect_err("every row fails");
        assert_eq!(error.class(), class, "{error:?}");
        assert_eq!(Classify::kind(&error), kind, "{error:?}");
        let wrapped = std::io::Error::other(error);
        assert_eq!(chain(&wrapped), class, "{wrapped:?}");
    }
}

/// The paused clock runs ahead as soon as nothing else is left to do.
#[tokio::test(start_paused = true)]
async fn a_timeout_is_transient() {
    let error = client()
        .get(server(None))
        .timeout(Duration::from_secs(60))
        .send()
        .await
        .expect_err("nobody answers");
    assert!(error.is_timeout(), "{error:?}");
    assert_eq!(error.class(), Class::transient());
    assert_eq!(Classify::kind(&error), "timeout");
}

#[tokio::test]
async fn the_rules_of_the_dependency_apply() {
    let rules = Arc::new(Rules {
        io_kinds: IoKinds::new().fault([std::io::ErrorKind::ConnectionRefused]),
        ..Rules::default()
    });
    let refused = get(&closed_port()).await.expect_err("nobody listens");
    assert_eq!(with_rules(&rules, || refused.class()), Class::Fault);
    assert_eq!(refused.class(), Class::unsent());
}

#[tokio::test]
async fn outcomes() {
    for (status, retry_after, class) in [
        (200, None, Class::Success),
        (500, None, Class::Fault),
        (503, None, Class::transient()),
        (503, Some("2"), Class::transient()),
        (429, Some("2"), Class::throttled(Duration::from_secs(2))),
        (429, None, Class::Throttled { retry_after: None }),
    ] {
        let mut answer = http::Response::builder().status(status);
        if let Some(value) = retry_after {
            answer = answer.header("retry-after", value);
        }
        let answer = answer.body("").expect("a valid answer");
        let outcome: Result<_, reqwest::Error> = Ok(answer.into());
        assert_eq!(reqwest_0_13(&outcome), class, "{status}");
    }
    let error = client().get("not a url").send().await.expect_err("no url");
    assert_eq!(reqwest_0_13(&Err(error)), Class::Ignored);
}
