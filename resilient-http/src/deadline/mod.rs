//! The time a client still waits, told in a header, and kept by the calls that its request makes.
//!
//! A client that knows how long it will wait says so; a server that works on for longer works for
//! nobody. [`DeadlineLayer`] reads the header and runs the request inside
//! [`with_deadline`](resilient_core::with_deadline): no annotated call in it, and none in the services
//! it calls in turn if they are told ([`Outgoing`](crate::Outgoing)), outlives the client's patience.
//!
//! | header | value |
//! |---|---|
//! | `Request-Timeout-Ms` | whole milliseconds from the arrival of the request on: a length of time, because two clocks never agree on a moment |
//! | `grpc-timeout` | as gRPC has it: up to 8 digits and a unit (`H`, `M`, `S`, `m`, `u`, `n`) |
//!
//! Of several values the shortest counts. What is no such value is ignored, with an event of level
//! `DEBUG` in the target `resilient`. What is longer than the layer's maximum is cut to it.

mod header;
mod layer;
mod service;

pub use header::REQUEST_TIMEOUT_MS;
pub(crate) use header::{GRPC_TIMEOUT, grpc_value, millis_value};
pub use layer::{DeadlineLayer, DeadlineLayerBuilder};
pub use service::DeadlineService;
