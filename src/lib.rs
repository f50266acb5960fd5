// One of the examples there needs `http`: without it, none of them is tested.
#![cfg_attr(any(not(doctest), feature = "http"), doc = include_str!("../README.md"))]

#[cfg(feature = "faults")]
#[doc(inline)]
pub use resilient_core::inject;
#[doc(inline)]
pub use resilient_core::{
    CheckError, Class, Classify, Context, Dependency, DependencySettings, IdempotencyKey, Levers,
    Name, NotRegistered, Policy, Problem, Propagated, RegisterError, Registry, Rejection, Scoped,
    SiteInfo, Snapshot, Transitions, WithDeadline, breaker, budget, bulkhead, check, check_crates,
    classify, context, duration, hedge, invalid, levers, levers_of, limiter, policy, propagate,
    rate_limit, register, register_limiter, retry, scope, sites, snapshot, subscribe, telemetry,
    testing, throttle, update, with_deadline,
};
#[doc(inline)]
pub use resilient_core::{
    breaker::Breaker,
    budget::Budget,
    bulkhead::Bulkhead,
    hedge::Hedge,
    rate_limit::{Limit, RateLimit, RateLimiter},
    retry::{Jitter, Retry},
    throttle::Throttle,
};
#[cfg(feature = "idempotency")]
#[doc(inline)]
pub use resilient_core::{idempotency, ledger, register_store};
#[cfg(feature = "http")]
#[doc(inline)]
pub use resilient_http as http;
/// ```
/// use resilient::{Classify, Rejection};
///
/// #[derive(Debug, thiserror::Error, Classify)]
/// enum ChargeError {
///     #[error("connection lost")]
///     #[transient]
///     Network(#[source] std::io::Error),
///     #[error("told to wait")]
///     #[throttled(retry_after = after)]
///     Busy { after: Option<std::time::Duration> },
///     #[error("card declined")]
///     #[permanent(kind = "business")]
///     Declined,
///     #[error(transparent)]
///     #[classify(source)]
///     Rejected(#[from] Rejection),
/// }
/// assert_eq!(ChargeError::Declined.kind(), "business");
/// ```
///
/// Boxed errors and `anyhow::Error` have no classification of their own to ask. What is inside them
/// is found by a function that walks the sources:
///
/// ```
/// use std::io;
/// use resilient::{Class, Classify, Rejection};
///
/// #[derive(Debug, thiserror::Error, Classify)]
/// enum LoadError {
///     #[error("not loaded")]
///     #[classify(with = resilient::classify::chain)]
///     Backend(#[source] Box<dyn std::error::Error + Send + Sync>),
///     #[error(transparent)]
///     #[classify(source)]
///     Rejected(#[from] Rejection),
/// }
/// let reset = io::Error::from(io::ErrorKind::ConnectionReset);
/// assert_eq!(LoadError::Backend(reset.into()).class(), Class::transient());
/// assert_eq!(LoadError::Backend("unheard of".into()).class(), Class::Ignored);
/// ```
pub use resilient_macros::Classify;
#[cfg(any(feature = "postgres", feature = "sqlx-postgres", feature = "redis"))]
#[doc(inline)]
pub use resilient_store as store;

/// ```
/// use std::io;
/// use resilient::resilient;
///
/// #[resilient(retry(max = 3, base = "1ms"), timeout = "1s", idempotent)]
/// async fn flaky(attempts: &mut u32) -> io::Result<u32> {
///     *attempts += 1;
///     if *attempts < 3 {
///         return Err(io::ErrorKind::ConnectionReset.into());
///     }
///     Ok(*attempts)
/// }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() {
/// assert_eq!(flaky(&mut 0).await.ok(), Some(3));
/// # }
/// ```
///
/// An argument that the body moves is cloned for each attempt:
///
/// ```
/// use std::io;
/// use resilient::resilient;
///
/// #[resilient(retry(max = 3, base = "1ms"), idempotent, clone(body))]
/// async fn post(body: String) -> io::Result<usize> {
///     send(body).await
/// }
/// # async fn send(body: String) -> io::Result<usize> { Ok(body.len()) }
/// # #[tokio::main(flavor = "current_thread")] async fn main() {
/// assert_eq!(post("order".to_owned()).await.ok(), Some(5));
/// # }
/// ```
pub use resilient_macros::resilient;

#[doc(hidden)]
pub use resilient_core::private as __private;

/// Compiles every block of the page.
#[cfg(doctest)]
#[doc = include_str!("../docs/macro.md")]
struct WhatTheMacroDoes;

/// The same for what needs a feature.
#[cfg(all(doctest, feature = "idempotency"))]
#[doc = include_str!("../docs/idempotent.md")]
struct WhatAClaimDoes;
