//! Rate limits in front of handlers.
//!
//! [`RateLimitLayer`] asks a [`RateLimiter`](resilient_core::rate_limit::RateLimiter) about every
//! request, answers for the handler what does not fit, and says in headers what is left.
//!
//! ```
//! use axum::{Router, routing::get};
//! use http::request::Parts;
//! use resilient_core::rate_limit::{Limit, RateLimit, RateLimiter};
//! use resilient_http::RateLimitLayer;
//! # use tower::ServiceExt;
//!
//! /// Put there by authentication, which ran before.
//! #[derive(Clone)]
//! struct User(u64);
//!
//! fn user(request: &Parts) -> Option<String> {
//!     request.extensions.get::<User>().map(|user| format!("user:{}", user.0))
//! }
//!
//! # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let limiter = RateLimiter::in_memory(
//!     RateLimit::named("api")
//!         .limit(Limit::gcra("burst", 2, "10s"))
//!         .limit(Limit::sliding_counter("hourly", 100, "1h")),
//! )?;
//! let app = Router::new()
//!     .route("/orders", get(|| async { "all of them" }))
//!     // Unlike `layer`, this leaves requests alone that no route is for.
//!     .route_layer(RateLimitLayer::new(limiter, user));
//!
//! # let request = || http::Request::get("/orders").extension(User(7)).body(axum::body::Body::empty());
//! let answer = app.clone().oneshot(request()?).await?;
//! assert_eq!(answer.status(), 200);
//! assert_eq!(answer.headers()["ratelimit-policy"], r#""burst";q=2;w=10, "hourly";q=100;w=3600"#);
//! assert_eq!(answer.headers()["x-ratelimit-remaining"], "1");
//!
//! app.clone().oneshot(request()?).await?;
//! let refused = app.oneshot(request()?).await?;
//! assert_eq!(refused.status(), 429);
//! assert_eq!(refused.headers()["retry-after"], "5");
//! # Ok(()) }
//! ```
//!
//! Without users, limit by address: [`ClientIp`].
//!
//! # What a client meets
//!
//! | request | answer |
//! |---|---|
//! | that fits | the handler's answer |
//! | that does not fit one of the limits | 429 `RATE_LIMIT_EXCEEDED` with `Retry-After` and `violated-policies` |
//! | that costs more than a limit ever allows | 429 `RATE_LIMIT_COST_UNSATISFIABLE`, without `Retry-After` |
//! | of a key on the [deny list](resilient_core::rate_limit::RateLimiter::deny) | 403 `RATE_LIMIT_DENY_LISTED`; not counted |
//! | that does not say whose it is | 400 `RATE_LIMIT_KEY_MISSING` ([`WithoutKey`]) |
//! | whose peer the server does not know | 500 `RATE_LIMIT_KEY_UNKNOWN` ([`WithoutKey`]) |
//! | any, while the store is away | 503 `RATE_LIMIT_UNAVAILABLE` with `Retry-After`; the handler's answer, if the layer [fails open](RateLimitLayerBuilder::fail_open) |
//!
//! Refusals are [`Problem`](crate::Problem) documents, and say `Cache-Control: no-store`. Calls of gRPC
//! are told `RESOURCE_EXHAUSTED` and the like.
//!
//! # Headers
//!
//! | header | value |
//! |---|---|
//! | `X-RateLimit-Limit` | the most that can be left of the tightest limit: the one that keeps a refused request out for longest, else the one with least left |
//! | `X-RateLimit-Remaining` | how much is left of it |
//! | `X-RateLimit-Reset` | the second since 1970, on this server's clock, from which all of it is left again, if nothing more is asked for |
//! | `RateLimit-Policy` | for each limit `"name";q=<quota>;w=<seconds>` |
//! | `RateLimit` | for each limit `"name";r=<left>;t=<seconds>`: for one that the request did not fit until it would, else until all of it is left; no `t` if it is |
//! | `Retry-After` | seconds until a refused request fits all limits; never 0 |
//!
//! `RateLimit` and `RateLimit-Policy` are those of draft-ietf-httpapi-ratelimit-headers-10 and later. All
//! seconds are rounded up: at the edge of a window a client is never told to come too early, and up to a
//! second too late. What is left was counted when the request came, before the handler ran. Of several layers, `RateLimit` lists the limits of all, and `X-RateLimit-*` shows the one with
//! least left. A key that is always let through, and a request that nothing was decided about, has no
//! such headers. Scripts in browsers see them only if `Access-Control-Expose-Headers` names them.
//!
//! # Together with idempotency
//!
//! | order, from the outside | a repeat that is answered by a replay |
//! |---|---|
//! | limit, idempotency (recommended) | counts like any other: nobody can ask the store of keys more often than the quota |
//! | the same, with [`exempt_replays`](RateLimitLayerBuilder::exempt_replays) | takes nothing, but is refused while there is no room for it |
//! | idempotency, limit | does not come to the limit at all, and so always passes |
//!
//! A client that is refused repeats its request with the same key in all three: 429 is never stored.

mod builder;
mod client_ip;
mod fields;
mod gate;
mod key_of;
mod layer;
mod once;
mod partition_keys;
mod refused;
mod service;

pub use builder::RateLimitLayerBuilder;
pub use client_ip::{ClientIp, ClientIpBuilder, Forwarding, PeerAddr};
pub use fields::{
    RATELIMIT, RATELIMIT_POLICY, RateLimitHeaders, X_RATELIMIT_LIMIT, X_RATELIMIT_REMAINING,
    X_RATELIMIT_RESET,
};
pub use key_of::{IntoKey, KeyOf, NoKey, WithoutKey};
pub use layer::RateLimitLayer;
pub use service::RateLimitService;
