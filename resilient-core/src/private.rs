//! What the macro's expansion names. Not part of the public interface: it changes with the macro.

pub use inventory;

pub use crate::breaker::Per;
#[cfg(feature = "idempotency")]
pub use crate::call::idempotent::{
    Asked, Begins, Codec, Driven, FingerprintData, Found, Joins, Keeping, KeptAnswer, KeptFailure,
    Known, Left, Lent, Running, ScopeText, StoreKeyText, ended, ended_in, kept, kept_failure,
    key_of, left, left_in, lent, repeated, scope_of, shared,
};
pub use crate::call::{
    Attempt, ByError, ByFn, Call, Copies, FromRejection, InTime, Judge, Outcome, Race,
    Unclassified, When, by_trait, fall_back, fallback_time, fell_back, fell_back_in_time, finish,
    in_time, race, rejected, returned, settle, settle_by_traits, succeeded,
};
pub use crate::hedge::HedgeOverrides;
#[cfg(feature = "idempotency")]
pub use crate::idempotency::Effects;
pub use crate::key::{BreakerKeyText, KeyText, RateLimitCost, RateLimitKeyText};
pub use crate::owned::Owned;
pub use crate::retry::{Jitter, RetryOverrides};
#[cfg(feature = "idempotency")]
pub use crate::site::ClaimOverrides;
pub use crate::site::{Said, Site, checked};
