//! Keeps Rust services up when what they depend on goes down.

pub use resilient_core::{
    CheckError, Class, Classify, Context, Dependency, DependencySettings, IdempotencyKey, Name,
    NotRegistered, Policy, Problem, Propagated, RegisterError, Registry, Rejection, Scoped,
    SiteInfo, Transitions, WithDeadline, breaker, budget, bulkhead, check, classify, context,
    duration, invalid, policy, propagate, register, retry, scope, sites, subscribe, telemetry,
    testing, update, with_deadline,
};

#[doc(hidden)]
pub use resilient_core::private as __private;

pub use resilient_macros::{Classify, resilient};
