//! What the macro's expansion names. Not part of the public interface: it changes with the macro.

pub use inventory;

pub use crate::breaker::Per;
pub use crate::call::{
    Attempt, ByFn, ByFrom, ByTrait, Call, FromRejection, Judge, Outcome, Reject, Unclassified, Via,
    When, finish, settle,
};
pub use crate::retry::{Jitter, RetryOverrides};
pub use crate::site::{Listed, Options, Site};
