//! Tower layers of [`resilient`](https://docs.rs/resilient-async): what a server puts in front of its
//! handlers, and what a client says in its requests so that such a server understands it.
//!
//! - [`idempotency`]: a request with a key runs once, however often it is sent.
//! - [`rate_limit`]: what goes beyond a quota is refused, and told when to come back.
//! - [`deadline`]: the calls of a handler end when the client no longer waits.
//! - [`outgoing`]: key and time left of the running call, as headers of any client.
//!
//! The layers are generic over bodies: they stand in front of axum 0.8, of any service of hyper 1,
//! and of tonic.

pub mod deadline;
pub mod idempotency;
pub mod outgoing;
pub mod rate_limit;

mod body;
mod invalid_layer;
mod problem;

pub use body::BufferedBody;
pub use deadline::DeadlineLayer;
pub use idempotency::IdempotencyLayer;
pub use invalid_layer::InvalidLayer;
pub use outgoing::Outgoing;
pub use problem::Problem;
pub use rate_limit::RateLimitLayer;
