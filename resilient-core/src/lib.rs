//! The runtime of [`resilient`](https://docs.rs/resilient-async): policies, registry and call engine.
//!
//! Applications depend on the facade, `resilient-async`, which re-exports what is public here.
//! Libraries that only classify their errors can depend on this crate with default features off:
//! [`Class`], [`Classify`], `Rejection` and the configuration types need no async runtime.

pub mod breaker;
pub mod budget;
pub mod bulkhead;
pub mod classify;
pub mod duration;
pub mod hedge;
#[cfg(feature = "idempotency")]
pub mod idempotency;
pub mod invalid;
pub mod rate_limit;
pub mod retry;
pub mod throttle;

mod class;
mod dependency;
#[cfg(feature = "runtime")]
mod levers;
mod name;
#[cfg(feature = "runtime")]
mod owned;
#[cfg(test)]
#[cfg(all(not(loom), feature = "runtime"))]
mod reference;
mod rejection;

#[cfg(feature = "runtime")]
mod call;
#[cfg(feature = "runtime")]
mod context;
#[cfg(feature = "runtime")]
mod key;
#[cfg(feature = "runtime")]
mod policy;
#[cfg(feature = "runtime")]
#[doc(hidden)]
pub mod private;
#[cfg(feature = "runtime")]
mod registry;
#[cfg(feature = "runtime")]
mod seam;
#[cfg(feature = "runtime")]
mod site;
#[cfg(feature = "runtime")]
pub mod snapshot;
#[cfg(feature = "runtime")]
pub mod telemetry;
#[cfg(feature = "runtime")]
pub mod testing;
#[cfg(feature = "runtime")]
mod window;

pub use class::{Class, Classify};
pub use dependency::{Dependency, DependencySettings};
pub use name::{Name, is_valid_name};
pub use rejection::{NotRegistered, Rejection};

#[cfg(feature = "runtime")]
pub use context::{
    Context, Propagated, Scoped, WithDeadline, context, propagate, scope, with_deadline,
};
#[cfg(feature = "runtime")]
pub use key::IdempotencyKey;
#[cfg(feature = "runtime")]
pub use levers::Levers;
#[cfg(feature = "runtime")]
pub use policy::{Policy, policy};
#[cfg(feature = "faults")]
pub use registry::inject;
#[cfg(feature = "runtime")]
pub use registry::{
    CheckError, Problem, RegisterError, Registry, Transitions, breaker, check, check_crates,
    levers, levers_of, limiter, register, register_limiter, subscribe, update,
};
#[cfg(feature = "idempotency")]
pub use registry::{ledger, register_store};
#[cfg(feature = "runtime")]
pub use site::{SiteInfo, sites};
#[cfg(feature = "runtime")]
pub use snapshot::{Snapshot, snapshot};
