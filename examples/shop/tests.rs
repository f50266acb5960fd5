//! What the shop's page says, asked over its own connection.

#![allow(clippy::unwrap_used)]

use std::sync::Once;

use reqwest::{Client, RequestBuilder, Response, StatusCode};
use resilient_test_servers::{Postgres, Redis};
use serde_json::Value;
use tokio::net::TcpListener;

use super::{Arguments, Orders, Payments, ScriptedServer, ledger, open, payments};

/// A shop that serves on a port of its own until the test ends.
struct OpenShop {
    url: String,
    http: Client,
    /// Charges what the shop orders.
    _provider: ScriptedServer,
}

impl OpenShop {
    async fn with(words: &[&str]) -> Self {
        static DEPENDENCIES: Once = Once::new();
        DEPENDENCIES.call_once(|| payments::register().unwrap());
        let arguments = Arguments::read(words.iter().map(ToString::to_string)).unwrap();
        let ledger = ledger(&arguments).await.unwrap();
        if words.contains(&"transaction") {
            resilient::register_store("orders", ledger.clone()).unwrap();
        }
        let orders = Orders::open(arguments.postgres.as_deref()).await.unwrap();
        let provider = ScriptedServer::start().await.unwrap();
        let payments = Payments::at(&provider.url("/charges"));
        let (app, _) = open(&arguments, ledger, orders, payments).unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        tokio::spawn(axum::serve(listener, app).into_future());
        OpenShop {
            url,
            http: Client::new(),
            _provider: provider,
        }
    }

    fn order(&self, key: &str, reference: &str) -> RequestBuilder {
        self.http
            .post(format!("{}/orders", self.url))
            .header("X-User", "ada")
            .header("Idempotency-Key", key)
            .header("Content-Type", "application/json")
            .body(format!(r#"{{"reference": "{reference}", "amount": 1200}}"#))
    }

    async fn products(&self, user: &str) -> Response {
        let request = self.http.get(format!("{}/products", self.url));
        request.header("X-User", user).send().await.unwrap()
    }
}

async fn code(response: Response) -> String {
    let problem: Value = serde_json::from_slice(&response.bytes().await.unwrap()).unwrap();
    problem["code"].as_str().unwrap().to_owned()
}

/// An order, its repeat, another payload and a request without a key, in whatever mode.
async fn orders_are_placed_once(shop: &OpenShop) {
    let first = shop.order("k-1", "tea").send().await.unwrap();
    assert_eq!(first.status(), StatusCode::CREATED);
    let placed = first.bytes().await.unwrap();

    let repeat = shop.order("k-1", "tea").send().await.unwrap();
    assert_eq!(repeat.status(), StatusCode::CREATED);
    assert_eq!(repeat.bytes().await.unwrap(), placed);

    let other = shop.order("k-1", "coffee").send().await.unwrap();
    assert_eq!(other.status(), StatusCode::UNPROCESSABLE_ENTITY);
    assert_eq!(code(other).await, "IDEMPOTENCY_KEY_REUSED");

    let mut keyless = shop.order("k-2", "tea").build().unwrap();
    keyless.headers_mut().remove("Idempotency-Key");
    let refused = shop.http.execute(keyless).await.unwrap();
    assert_eq!(refused.status(), StatusCode::BAD_REQUEST);
    assert_eq!(code(refused).await, "MISSING_IDEMPOTENCY_KEY");
}

async fn browsing_is_limited(shop: &OpenShop) {
    let first = shop.products("ada").await;
    assert_eq!(first.status(), StatusCode::OK);
    assert_eq!(first.headers()["X-RateLimit-Limit"], "20");
    // Two windows may meet in the middle of this, but not three.
    let mut refused = None;
    for _ in 0..60 {
        let answer = shop.products("ada").await;
        if answer.status() == StatusCode::TOO_MANY_REQUESTS {
            refused = Some(answer);
            break;
        }
    }
    let refused = refused.unwrap();
    assert_ne!(refused.headers()["Retry-After"], "0");
    assert_eq!(code(refused).await, "RATE_LIMIT_EXCEEDED");
    assert_eq!(shop.products("bob").await.status(), StatusCode::OK);
}

#[tokio::test]
async fn in_memory() {
    let shop = OpenShop::with(&[]).await;
    orders_are_placed_once(&shop).await;
    browsing_is_limited(&shop).await;
}

#[tokio::test]
async fn in_memory_a_repeat_is_marked_and_one_at_work_comes_too_early() {
    let shop = OpenShop::with(&[]).await;
    shop.order("k-1", "tea").send().await.unwrap();
    let repeat = shop.order("k-1", "tea").send().await.unwrap();
    assert_eq!(repeat.headers()["Idempotent-Replayed"], "true");

    // Whichever of the two begins is at work for seconds.
    let early = tokio::select! {
        one = shop.order("k-3", "slow").send() => one.unwrap(),
        other = shop.order("k-3", "slow").send() => other.unwrap(),
    };
    assert_eq!(early.status(), StatusCode::CONFLICT);
    assert_ne!(early.headers()["Retry-After"], "0");
}

#[tokio::test]
async fn in_postgres_and_redis() {
    let (Some(postgres), Some(redis)) = (Postgres::shared().unwrap(), Redis::start().unwrap())
    else {
        return;
    };
    let (table, copies) = (postgres.url(), redis.url());
    let shop = OpenShop::with(&["--postgres", &table, "--redis", &copies]).await;
    orders_are_placed_once(&shop).await;
    browsing_is_limited(&shop).await;
}

#[tokio::test]
async fn in_one_transaction() {
    let Some(postgres) = Postgres::start().unwrap() else {
        return;
    };
    let table = postgres.url();
    let shop = OpenShop::with(&["--postgres", &table, "--mode", "transaction"]).await;
    orders_are_placed_once(&shop).await;

    let many: Vec<_> = (0..8)
        .map(|_| tokio::spawn(shop.order("k-9", "tea").send()))
        .collect();
    let mut placed = 0;
    for one in many {
        match one.await.unwrap().unwrap().status() {
            StatusCode::CREATED => placed += 1,
            other => assert_eq!(other, StatusCode::CONFLICT),
        }
    }
    assert!(placed >= 1);
    let orders = Orders::open(Some(&table)).await.unwrap();
    let connection = orders.connection().await.unwrap().unwrap();
    for books in ["orders", "charges"] {
        let count = format!("select count(*) from {books}");
        let rows: i64 = connection.query_one(&count, &[]).await.unwrap().get(0);
        assert_eq!(rows, 2, "k-1 and k-9 in {books}");
    }
}
