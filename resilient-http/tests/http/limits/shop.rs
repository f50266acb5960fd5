//! A shop behind limits, that counts how often it runs.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use axum::routing::any;
use http::request::Parts;
use resilient_core::rate_limit::{Limit, RateLimit, RateLimiter};
use resilient_http::rate_limit::{KeyOf, RateLimitLayer, RateLimitLayerBuilder};
use tokio::time::sleep;
use tower::ServiceExt;

use crate::app::Told;

#[derive(Clone)]
pub(super) struct Shop {
    pub(super) limiter: RateLimiter,
    pub(super) router: Router,
    runs: Arc<AtomicUsize>,
}

/// How long the handler of `/slow` takes.
pub(super) const SLOW: Duration = Duration::from_secs(10);

pub(super) type Change = fn(RateLimitLayerBuilder) -> RateLimitLayerBuilder;

/// A limiter of these limits.
pub(super) fn limited(limits: impl IntoIterator<Item = Limit>) -> RateLimit {
    let named = RateLimit::named("api");
    limits.into_iter().fold(named, RateLimit::limit)
}

pub(super) fn limiter(limits: impl IntoIterator<Item = Limit>) -> RateLimiter {
    RateLimiter::in_memory(limited(limits)).unwrap()
}

/// Who the request says it is from: good enough for a test.
pub(super) fn user(request: &Parts) -> Option<String> {
    let user = request.headers.get("x-user")?;
    user.to_str().ok().map(str::to_owned)
}

pub(super) fn get(user: &str) -> Request {
    let request = Request::get("/stock").header("x-user", user);
    request.body(Body::empty()).unwrap()
}

impl Shop {
    /// Each user has these limits.
    pub(super) fn new(limits: impl IntoIterator<Item = Limit>) -> Self {
        Shop::with(limiter(limits), |builder| builder)
    }

    /// Limits by user, with other settings.
    pub(super) fn with(limiter: RateLimiter, change: Change) -> Self {
        Shop::keyed(limiter, user, change)
    }

    /// Limits by another key.
    pub(super) fn keyed(limiter: RateLimiter, key: impl KeyOf, change: Change) -> Self {
        let builder = RateLimitLayer::builder(limiter.clone(), key);
        Shop::behind(limiter, &change(builder).build().unwrap())
    }

    fn behind(limiter: RateLimiter, layer: &RateLimitLayer) -> Self {
        let runs = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&runs);
        let handler = any(move |request: Request| {
            counted.fetch_add(1, Ordering::SeqCst);
            async move {
                if request.uri().path() == "/slow" {
                    sleep(SLOW).await;
                }
                "in stock"
            }
        });
        Shop {
            limiter,
            router: Router::new()
                .route("/{*path}", handler)
                .layer(layer.clone()),
            runs,
        }
    }

    /// The same with another layer around it.
    pub(super) fn inside(self, layer: &RateLimitLayer) -> Self {
        Shop {
            router: self.router.layer(layer.clone()),
            ..self
        }
    }

    pub(super) async fn send(&self, request: Request) -> Told {
        let response = self.router.clone().oneshot(request).await.unwrap();
        Told::read(response).await
    }

    pub(super) async fn get(&self, user: &str) -> Told {
        self.send(get(user)).await
    }

    pub(super) fn runs(&self) -> usize {
        self.runs.load(Ordering::SeqCst)
    }
}
