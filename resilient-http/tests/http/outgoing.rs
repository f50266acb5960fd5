//! What a call says in its request. Keys of annotated calls are tested beside the attribute.

use std::time::Duration;

use resilient_core::idempotency::Key;
use resilient_core::with_deadline;
use resilient_http::Outgoing;

fn key(text: &str) -> Key {
    Key::literal(text).unwrap()
}

#[tokio::test(start_paused = true)]
async fn a_call_says_how_much_time_it_has_left() {
    assert!(Outgoing::current().unwrap().headers().is_empty());
    with_deadline(Duration::from_secs(2), async {
        tokio::time::sleep(Duration::from_millis(500)).await;
        let outgoing = Outgoing::current().unwrap();
        assert_eq!(outgoing.headers()["request-timeout-ms"], "1500");
        let grpc = outgoing.grpc().headers();
        assert_eq!(grpc["grpc-timeout"], "1500m");
        assert!(!grpc.contains_key("request-timeout-ms"));
    })
    .await;
}

#[test]
fn p02_a_header_that_is_there_stays() {
    let mut request = http::Request::post("/")
        .header("idempotency-key", "by hand")
        .body(())
        .unwrap();
    let outgoing = Outgoing::new()
        .key(key("another"))
        .time_left(Duration::from_millis(5));
    outgoing.put_into(request.headers_mut());
    assert_eq!(request.headers()["idempotency-key"], "by hand");
    assert_eq!(request.headers()["request-timeout-ms"], "5");
    assert_eq!(request.headers().len(), 2);
}

#[test]
fn reqwest_takes_the_headers_as_they_are() {
    let outgoing = Outgoing::new()
        .key(key("k"))
        .quoted()
        .time_left(Duration::from_secs(1));
    let request = reqwest::Client::new()
        .post("http://127.0.0.1/charges")
        .headers(outgoing.headers())
        .build()
        .unwrap();
    assert_eq!(request.headers()["idempotency-key"], "\"k\"");
    assert_eq!(request.headers()["request-timeout-ms"], "1000");
}
