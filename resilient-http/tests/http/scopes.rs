//! Whose key it is, and for what.

use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use axum::routing::any;
use http::StatusCode;
use http::request::Parts;
use resilient_core::idempotency::{MemoryStore, Scope};
use resilient_http::IdempotencyLayer;
use resilient_http::idempotency::{Problem, ScopeOf};
use tower::ServiceExt;

use crate::app::{Told, ledger, rules, short};

/// Answers with who asked for what.
async fn echo(request: Request) -> (StatusCode, String) {
    let who = request.headers()["user"].to_str().unwrap();
    let answer = format!("{who} {} {}", request.method(), request.uri().path());
    (StatusCode::CREATED, answer)
}

fn router(scope: impl ScopeOf) -> Router {
    let ledger = ledger(MemoryStore::new(100), &rules());
    let layer = IdempotencyLayer::new(ledger, scope);
    Router::new().route("/{*path}", any(echo)).layer(layer)
}

async fn send(router: &Router, user: &str, method: &str, uri: &str) -> Told {
    let request = Request::builder()
        .method(method)
        .uri(uri)
        .header("user", user)
        .header("idempotency-key", "k")
        .body(Body::from("{}"))
        .unwrap();
    Told::read(router.clone().oneshot(request).await.unwrap()).await
}

fn user(request: &Parts) -> Option<Scope> {
    let user = request.headers.get("user")?.to_str().ok()?;
    (!user.is_empty()).then(|| Scope::of(user))
}

#[tokio::test(start_paused = true)]
async fn i14_i15_q10_the_same_key_of_another_user_method_or_path_is_another() {
    let router = router(user);
    let requests = [
        ("I15 ada", "ada", "POST", "/pay"),
        ("I15 bob", "bob", "POST", "/pay"),
        ("I14 another route", "ada", "POST", "/ship"),
        ("Q10 another method", "ada", "PATCH", "/pay"),
        ("Q10 /x/1", "ada", "POST", "/x/1"),
        ("Q10 /x/2", "ada", "POST", "/x/2"),
    ];
    for expected in ["new", "replay"] {
        for (id, user, method, uri) in requests {
            let told = send(&router, user, method, uri).await;
            assert_eq!(told.short(), short(201, expected), "{id}");
            assert_eq!(told.text(), format!("{user} {method} {uri}"), "{id}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn q10_a_caller_nobody_knows_is_refused() {
    let told = send(&router(user), "", "POST", "/pay").await;
    assert_eq!(told.short(), short(401, "IDEMPOTENCY_CALLER_UNKNOWN"));

    let blocked = |_: &Parts| {
        Err::<Scope, _>(Problem::new(StatusCode::FORBIDDEN, "BLOCKED", "blocked").retry_after(9))
    };
    let told = send(&router(blocked), "ada", "POST", "/pay").await;
    assert_eq!(told.short(), short(403, "BLOCKED"));
    assert_eq!(told.header("retry-after"), Some("9"));
    assert_eq!(told.problem()["error"]["retryAfter"], 9);
}

#[tokio::test(start_paused = true)]
async fn q10_callers_share_keys_only_where_that_is_written() {
    let router = router(|_: &Parts| Scope::shared_by_all_callers());
    assert_eq!(
        send(&router, "ada", "POST", "/pay").await.text(),
        "ada POST /pay"
    );
    let told = send(&router, "bob", "POST", "/pay").await;
    assert_eq!(told.text(), "ada POST /pay");
}

/// Inside nested routers, what is left of both paths is the same.
#[cfg(feature = "axum-0_8")]
#[tokio::test(start_paused = true)]
async fn q10_nested_routers_do_not_share_keys() {
    let layer = IdempotencyLayer::new(ledger(MemoryStore::new(100), &rules()), user);
    let nested = || {
        Router::new()
            .route("/pay", axum::routing::post(echo))
            .layer(layer.clone())
    };
    let router = Router::new().nest("/eu", nested()).nest("/us", nested());
    for uri in ["/eu/pay", "/us/pay"] {
        let told = send(&router, "ada", "POST", uri).await;
        assert_eq!(told.short(), short(201, "new"), "{uri}");
    }
    let told = send(&router, "ada", "POST", "/eu/pay").await;
    assert_eq!(told.short(), short(201, "replay"));
}
