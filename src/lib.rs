#![doc = include_str!("../README.md")]

#[doc(inline)]
pub use resilient_core::{
    CheckError, Class, Classify, Context, Dependency, DependencySettings, IdempotencyKey, Name,
    NotRegistered, Policy, Problem, Propagated, RegisterError, Registry, Rejection, Scoped,
    SiteInfo, Transitions, WithDeadline, breaker, budget, bulkhead, check, check_crates, classify,
    context, duration, invalid, policy, propagate, register, retry, scope, sites, subscribe,
    telemetry, testing, update, with_deadline,
};
#[doc(inline)]
pub use resilient_core::{
    breaker::Breaker,
    budget::Budget,
    bulkhead::Bulkhead,
    retry::{Jitter, Retry},
};
pub use resilient_macros::{Classify, resilient};

#[doc(hidden)]
pub use resilient_core::private as __private;
