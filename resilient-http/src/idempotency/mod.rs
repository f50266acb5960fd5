//! Requests that run once, however often they are sent.

mod builder;
mod catch_panic;
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
mod problem;
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
pub use problem::Problem;
pub use run::{IDEMPOTENCY_BYPASSED, IDEMPOTENT_REPLAYED};
pub use scope_of::{IntoScope, ScopeOf};
pub use service::IdempotencyService;
pub use status_rule::{StatusRule, Verdict};
