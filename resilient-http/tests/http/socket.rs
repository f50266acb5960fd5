//! Over a real connection, as the server writes it.

use http::StatusCode;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use crate::app::{App, rules};

const REQUEST: &[u8] = b"POST /pay HTTP/1.1\r\nhost: a\r\nconnection: close\r\nidempotency-key: k\r\ncontent-length: 2\r\n\r\n{}";

#[tokio::test]
async fn i08_i44_a_replay_has_a_date_and_a_length_of_its_own() {
    let app = App::answering(rules(), |run| {
        let date = [("date", "Sun, 06 Nov 1994 08:49:37 GMT")];
        (StatusCode::CREATED, date, format!("run {run}"))
    });
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let router = app.router.clone();
    let server = tokio::spawn(async move { axum::serve(listener, router).await });
    for is_replay in [false, true] {
        let mut client = TcpStream::connect(address).await.unwrap();
        client.write_all(REQUEST).await.unwrap();
        let mut answer = String::new();
        client.read_to_string(&mut answer).await.unwrap();
        assert!(answer.starts_with("HTTP/1.1 201 Created\r\n"), "{answer}");
        assert!(answer.ends_with("\r\n\r\nrun 1"), "{answer}");
        assert!(answer.contains("content-length: 5\r\n"), "{answer}");
        assert_eq!(answer.matches("date: ").count(), 1, "{answer}");
        assert_eq!(answer.contains("1994"), !is_replay, "{answer}");
        let marked = answer.contains("idempotent-replayed: true\r\n");
        assert_eq!(marked, is_replay, "{answer}");
    }
    server.abort();
}
