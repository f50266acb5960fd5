//! How much time a request is given.

use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use axum::routing::any;
use resilient_core::context;
use resilient_http::DeadlineLayer;
use tower::ServiceExt;

use crate::app::{App, Told, post, rules};

async fn left() -> String {
    context()
        .remaining()
        .map_or_else(|| "none".to_owned(), |left| left.as_millis().to_string())
}

#[tokio::test(start_paused = true)]
async fn a_request_is_given_the_time_its_client_has() {
    type Headers = &'static [(&'static str, &'static str)];
    let with = DeadlineLayer::builder()
        .max("30s")
        .otherwise("10s")
        .build()
        .unwrap();
    let rows: [(&DeadlineLayer, Headers, &str); 9] = [
        (&DeadlineLayer::new(), &[], "none"),
        (
            &DeadlineLayer::new(),
            &[("request-timeout-ms", "1500")],
            "1500",
        ),
        (&DeadlineLayer::new(), &[("request-timeout-ms", "0")], "0"),
        (
            &DeadlineLayer::new(),
            &[("request-timeout-ms", "86400000")],
            "60000",
        ),
        (
            &DeadlineLayer::new(),
            &[("request-timeout-ms", "soon")],
            "none",
        ),
        (&DeadlineLayer::new(), &[("grpc-timeout", "2S")], "2000"),
        (&with, &[], "10000"),
        (&with, &[("request-timeout-ms", "-5")], "10000"),
        (
            &with,
            &[("request-timeout-ms", "18446744073709551615")],
            "30000",
        ),
    ];
    for (layer, headers, expected) in rows {
        let router = Router::new().route("/", any(left)).layer(layer.clone());
        let mut request = Request::get("/");
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let request = request.body(Body::empty()).unwrap();
        let told = Told::read(router.oneshot(request).await.unwrap()).await;
        assert_eq!(told.text(), expected, "{headers:?}");
    }
}

/// The run has a task of its own; the time goes with it.
#[tokio::test(start_paused = true)]
async fn a_run_with_a_key_has_the_same_time() {
    let app = App::new(rules(), |_, _| async {
        tokio::time::sleep(Duration::from_millis(400)).await;
        left().await
    });
    let router = app.router.clone().layer(DeadlineLayer::new());
    let mut request = post("k", "{}");
    let value = "1500".parse().unwrap();
    request.headers_mut().insert("request-timeout-ms", value);
    let told = Told::read(router.oneshot(request).await.unwrap()).await;
    assert_eq!(told.text(), "1100");
}

#[test]
fn limits_that_cannot_work_are_all_reported() {
    let error = DeadlineLayer::builder()
        .max("0s")
        .otherwise("soon")
        .build()
        .unwrap_err();
    assert_eq!(error.problems.len(), 2);
    let error = DeadlineLayer::builder()
        .max("5s")
        .otherwise("6s")
        .build()
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "deadline.otherwise = 6s: write at most the maximum, 5s"
    );
}
