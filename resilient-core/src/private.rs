//! What the macro's expansion names. Not part of the public interface: it changes with the macro.

pub use inventory;

pub use crate::breaker::Per;
pub use crate::call::{
    Attempt, ByError, ByFn, Call, Copies, FromRejection, InTime, Judge, Outcome, Race,
    Unclassified, When, by_trait, fall_back, fallback_time, fell_back, fell_back_in_time, finish,
    in_time, race, rejected, returned, settle, settle_by_traits, succeeded,
};
pub use crate::hedge::HedgeOverrides;
pub use crate::key::{BreakerKeyText, KeyText};
pub use crate::owned::Owned;
pub use crate::retry::{Jitter, RetryOverrides};
pub use crate::site::{Options, Site};
