//! Requests that run once, however often they are sent.
//!
//! [`IdempotencyLayer`] stands between authentication and the handlers. It claims the key of a request
//! before the handler runs, keeps the answer under it, and gives that to every repeat.
//!
//! ```
//! use axum::extract::Request;
//! use axum::middleware::{Next, from_fn};
//! use axum::response::{IntoResponse, Response};
//! use axum::{Extension, Json, Router, routing::post};
//! use http::{StatusCode, request::Parts};
//! use resilient_core::idempotency::{
//!     Effects, Idempotency, Ledger, MemoryStore, Resource, Scope, current,
//! };
//! use resilient_http::IdempotencyLayer;
//! use std::time::Duration;
//! # use tower::ServiceExt;
//!
//! #[derive(Clone)]
//! struct Tenant(u64);
//!
//! /// Proves whose request it is; here, everyone is tenant 7.
//! async fn authenticate(mut request: Request, next: Next) -> Response {
//!     request.extensions_mut().insert(Tenant(7));
//!     next.run(request).await
//! }
//!
//! fn tenant(request: &Parts) -> Option<Scope> {
//!     request.extensions.get::<Tenant>().map(|tenant| Scope::of(tenant.0))
//! }
//!
//! async fn order() -> impl IntoResponse {
//!     // What is asked of others on behalf of this request is recognised there, too.
//!     let payment_key = current().map(|run| run.derived_key("charge"));
//!     // charge(&order, payment_key).await ..
//!     let made = Extension(Resource::new("order", 4711));
//!     (StatusCode::CREATED, made, Json(4711))
//! }
//!
//! # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let ledger = Ledger::new(MemoryStore::new(10_000), &Idempotency::of(Effects::Keyed))?;
//! let layer = IdempotencyLayer::new(ledger, tenant);
//! let drain = layer.drain().clone();
//! let app = Router::new()
//!     .route("/orders", post(order))
//!     // Unlike `layer`, these leave requests alone that no route is for.
//!     .route_layer(layer)
//!     .route_layer(from_fn(authenticate));
//!
//! // axum::serve(listener, app).with_graceful_shutdown(sigterm).await?;
//! # let request = || http::Request::post("/orders").header("idempotency-key", "k").body(axum::body::Body::empty());
//! # assert_eq!(app.clone().oneshot(request()?).await?.status(), 201);
//! # let replay = app.oneshot(request()?).await?;
//! # assert_eq!(replay.headers()["idempotent-replayed"], "true");
//! drain.drain(Duration::from_secs(25)).await?;
//! # Ok(()) }
//! ```
//!
//! # What a client meets
//!
//! | request | answer |
//! |---|---|
//! | without a key, by POST or PATCH | 400 `MISSING_IDEMPOTENCY_KEY` |
//! | with a key that is malformed, or with two | 400 `INVALID_IDEMPOTENCY_KEY` |
//! | the first with its key | the handler's answer |
//! | a repeat of one that was answered | the same answer, with `Idempotent-Replayed: true` |
//! | a repeat of one that is at work | 409 `IDEMPOTENCY_IN_PROGRESS` with `Retry-After`; its answer, if the rules say to wait |
//! | another payload under the key | 422 `IDEMPOTENCY_KEY_REUSED` |
//! | a repeat of one whose answer is not kept | 409 `IDEMPOTENCY_ANSWER_GONE`, with the `resource` |
//! | a repeat of one of which nobody knows how it ended | 409 `IDEMPOTENCY_UNCERTAIN` |
//! | a body over the limit | 413 `REQUEST_BODY_TOO_LARGE` |
//! | any, while the store is away | 503 `IDEMPOTENCY_STORE_UNAVAILABLE` with `Retry-After`; the handler's answer with `Idempotency-Bypassed: true`, if the rules say so |
//!
//! Refusals are [`Problem`] documents. Which answers are kept says [`StatusRule`]; a handler can say
//! more by an extension of its response: [`NotExecuted`], [`DoNotStore`], or the
//! [`Resource`](resilient_core::idempotency::Resource) it made.
//!
//! # What is the same request
//!
//! The same key of the same caller ([`ScopeOf`]) by the same method for the same path, with the same
//! query and the same bytes as its body (or the same JSON,
//! [`fingerprint_json`](IdempotencyLayerBuilder::fingerprint_json)). Other headers do not matter.
//! Inside nested routers of axum the path is what is left of it, so that two of them may share keys:
//! turn the feature `axum-0_8` on, or put the layer around the outer router.
//!
//! # What is replayed
//!
//! Status and body, byte by byte, and these headers, several of one name apart: `Cache-Control`,
//! `Content-Disposition`, `Content-Encoding`, `Content-Language`, `Content-Location`, `Content-Type`,
//! `ETag`, `Expires`, `Last-Modified`, `Link`, `Location`, `Retry-After`, `Vary`, and those of gRPC.
//! More can be named ([`keep_headers`](IdempotencyLayerBuilder::keep_headers)), but never cookies or
//! what belongs to one connection. Layers further out add theirs anew.
//!
//! An answer that is larger than the ledger's limit, that comes in pieces or that says
//! `Cache-Control: no-store` is passed on as it comes and not kept: what it answers does not run
//! again, and a repeat is told so. Put compression around this layer, not inside.
//!
//! # Where the handler runs
//!
//! In a task of its own. A client that goes away does not stop it half-way: it is done, and the
//! repeat is given its answer. (One that goes away before it has begun, while its key is claimed or it
//! waits for another run, does not begin it.) So a server that ends has to wait for it ([`Drain`]), and what
//! layers further out keep in task-local variables is not there; extensions of the request, the
//! tracing span and what [`resilient_core::context`] knows are. Run inside it, the code knows its
//! [`Execution`](resilient_core::idempotency::Execution): a body that is made while it is sent is not
//! inside.

mod builder;
mod catch_panic;
mod client;
mod drain;
mod fingerprint_of;
mod grpc;
mod guard;
mod kept_headers;
mod key_header;
mod layer;
mod marks;
mod operation;
mod outcome;
mod refused;
mod run;
mod scope_of;
mod service;
mod status_rule;
mod stored_response;

pub use builder::IdempotencyLayerBuilder;
pub use drain::{Drain, StillRunning};
pub use key_header::IDEMPOTENCY_KEY;
pub use layer::IdempotencyLayer;
pub use marks::{DoNotStore, NotExecuted};
pub use run::{IDEMPOTENCY_BYPASSED, IDEMPOTENT_REPLAYED};
pub use scope_of::{IntoScope, ScopeOf};
pub use service::IdempotencyService;
pub use status_rule::{StatusRule, Verdict};

pub use crate::problem::Problem;
