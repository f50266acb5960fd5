//! A small shop behind the layer, that counts how often it runs.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use axum::response::{IntoResponse, Response};
use axum::routing::any;
use bytes::Bytes;
use http::{HeaderMap, StatusCode};
use http_body_util::BodyExt;
use resilient_core::idempotency::{
    Effects, Idempotency, Key, Ledger, MemoryStore, RecordId, Scope, Store,
};
use resilient_http::idempotency::{Drain, IdempotencyLayer, IdempotencyLayerBuilder};
use serde_json::Value;
use tower::ServiceExt;

#[derive(Clone)]
pub(crate) struct App {
    pub(crate) router: Router,
    pub(crate) ledger: Ledger,
    pub(crate) drain: Drain,
    runs: Arc<AtomicUsize>,
}

pub(crate) type Change = fn(IdempotencyLayerBuilder) -> IdempotencyLayerBuilder;

/// How the layer of an app is set up.
pub(crate) struct SetUp {
    pub(crate) ledger: Ledger,
    pub(crate) change: Change,
}

pub(crate) fn rules() -> Idempotency {
    Idempotency::of(Effects::Keyed)
}

pub(crate) fn ledger(store: impl Store, rules: &Idempotency) -> Ledger {
    Ledger::new(store, rules).unwrap()
}

impl From<Idempotency> for SetUp {
    fn from(rules: Idempotency) -> Self {
        SetUp {
            ledger: ledger(MemoryStore::new(1000), &rules),
            change: |builder| builder,
        }
    }
}

impl From<Ledger> for SetUp {
    fn from(ledger: Ledger) -> Self {
        SetUp {
            ledger,
            change: |builder| builder,
        }
    }
}

impl From<Change> for SetUp {
    fn from(change: Change) -> Self {
        SetUp {
            change,
            ..SetUp::from(rules())
        }
    }
}

impl App {
    /// An app whose handler is given the number of the run, from 1.
    pub(crate) fn new<F, R>(
        set_up: impl Into<SetUp>,
        handler: impl Fn(usize, Request) -> F + Clone + Send + Sync + 'static,
    ) -> Self
    where
        F: Future<Output = R> + Send + 'static,
        R: IntoResponse,
    {
        let SetUp { ledger, change } = set_up.into();
        let builder = IdempotencyLayer::builder(ledger.clone(), |_: &_| Scope::of("tenant"));
        let layer = change(builder).build().unwrap();
        let runs = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&runs);
        let handler = any(move |request| {
            let run = counted.fetch_add(1, Ordering::SeqCst) + 1;
            let answer = handler(run, request);
            async move { answer.await.into_response() }
        });
        App {
            drain: layer.drain().clone(),
            router: Router::new().route("/{*path}", handler).layer(layer),
            ledger,
            runs,
        }
    }

    /// An app that answers at once, by the number of the run.
    pub(crate) fn answering<R: IntoResponse>(
        set_up: impl Into<SetUp>,
        answer: impl Fn(usize) -> R + Clone + Send + Sync + 'static,
    ) -> Self {
        App::new(set_up, move |run, _| {
            std::future::ready(answer(run).into_response())
        })
    }

    /// An app that answers 201 with the number of the run.
    pub(crate) fn numbering(set_up: impl Into<SetUp>) -> Self {
        App::answering(set_up, |run| (StatusCode::CREATED, format!("run {run}")))
    }

    pub(crate) async fn send(&self, request: Request) -> Told {
        let response = self.router.clone().oneshot(request).await.unwrap();
        Told::read(response).await
    }

    pub(crate) fn runs(&self) -> usize {
        self.runs.load(Ordering::SeqCst)
    }

    pub(crate) async fn records(&self) -> usize {
        let filter = resilient_core::idempotency::Filter {
            limit: 1000,
            ..Default::default()
        };
        self.ledger.list(&filter).await.unwrap().len()
    }
}

/// The record of a key of [`post`].
pub(crate) fn id(key: &str) -> RecordId {
    let scope = Scope::of("tenant").and("POST").and("/pay");
    RecordId::new(scope, Key::parse(key).unwrap())
}

pub(crate) fn post(key: &str, body: impl Into<Body>) -> Request {
    Request::post("/pay")
        .header("idempotency-key", key)
        .body(body.into())
        .unwrap()
}

/// What a client was told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Told {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

impl Told {
    pub(crate) async fn read(response: Response) -> Self {
        let (parts, body) = response.into_parts();
        Told {
            status: parts.status.as_u16(),
            headers: parts.headers,
            body: body.collect().await.unwrap().to_bytes(),
        }
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(|value| value.to_str().unwrap())
    }

    pub(crate) fn is_replay(&self) -> bool {
        self.header("idempotent-replayed") == Some("true")
    }

    pub(crate) fn text(&self) -> &str {
        std::str::from_utf8(&self.body).unwrap()
    }

    pub(crate) fn problem(&self) -> Value {
        assert_eq!(
            self.header("content-type"),
            Some("application/problem+json"),
            "{self:?}"
        );
        serde_json::from_slice(&self.body).unwrap()
    }

    /// Status and, of a problem, the code; of an answer, `new` or `replay`.
    pub(crate) fn short(&self) -> (u16, String) {
        let is_problem = self.header("content-type") == Some("application/problem+json");
        let word = if is_problem {
            self.problem()["code"].as_str().unwrap().to_owned()
        } else if self.is_replay() {
            "replay".to_owned()
        } else {
            "new".to_owned()
        };
        (self.status, word)
    }
}

/// What a table expects of [`Told::short`].
pub(crate) fn short(status: u16, word: &str) -> (u16, String) {
    (status, word.to_owned())
}
