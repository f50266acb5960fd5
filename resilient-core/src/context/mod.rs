//! What surrounds the code that is running: the call it belongs to, the time it has left, and
//! the registry its names mean.

mod deadline;
mod execution;
mod frame;
mod ground;
mod lease;
mod lent;
mod limit;
mod propagate;
mod scope;
pub(crate) mod stack;

use std::time::Duration;

pub use deadline::{WithDeadline, with_deadline};
pub(crate) use frame::{Cut, Frame};
pub(crate) use lent::{Credentials, Holds, Lent, NOBODY};
pub(crate) use limit::Limit;
pub use propagate::{Propagated, propagate};
pub use scope::{Scoped, scope};

#[cfg(feature = "idempotency")]
use crate::idempotency::{self, Execution};
use crate::key::IdempotencyKey;
use crate::seam::clock::{self, Moment};

/// What an attempt can know about the call it belongs to.
///
/// A snapshot, taken by [`context`].
#[derive(Clone, Debug)]
pub struct Context {
    attempt: u32,
    max_attempts: u32,
    limit: Moment,
    key: Option<IdempotencyKey>,
    #[cfg(feature = "idempotency")]
    execution: Option<Execution>,
}

impl Context {
    /// The number of this attempt, from 1.
    pub fn attempt(&self) -> u32 {
        self.attempt
    }

    /// How many attempts the call may make in all.
    pub fn max_attempts(&self) -> u32 {
        self.max_attempts
    }

    /// The time left until the attempt's timeout, the call's deadline or an outer call's
    /// deadline, whichever comes first; `None` without any. Zero when it has passed.
    ///
    /// Send it along with a request, so that the server need not work for an answer nobody waits
    /// for.
    pub fn remaining(&self) -> Option<Duration> {
        (self.limit != Moment::NEVER).then(|| self.limit.since(clock::now()))
    }

    /// The call's idempotency key: the same in every attempt of a call.
    pub fn idempotency_key(&self) -> Option<&IdempotencyKey> {
        self.key.as_ref()
    }

    /// The run under an idempotency key that this is part of, of a function with
    /// `idempotent(store = ..)` or of [`Run::drive`](idempotency::Run::drive): its fence, and keys to
    /// send along ([`Execution::derived_key`]).
    #[cfg(feature = "idempotency")]
    pub fn execution(&self) -> Option<&Execution> {
        self.execution.as_ref()
    }
}

/// The context of the attempt that is running.
///
/// Outside any attempt it is attempt 1 of 1, without a key; a limit set by [`with_deadline`]
/// shows there too. In a spawned task, the context is lost unless [`propagate`] carried it over.
///
/// The clock that limits an attempt starts here at the latest.
///
/// ```
/// # use resilient_core as resilient;
/// let context = resilient::context();
/// assert_eq!((context.attempt(), context.max_attempts()), (1, 1));
/// assert_eq!(context.remaining(), None);
/// assert!(context.idempotency_key().is_none());
/// ```
pub fn context() -> Context {
    let mut context = Context {
        attempt: 1,
        max_attempts: 1,
        limit: Moment::NEVER,
        key: None,
        #[cfg(feature = "idempotency")]
        execution: idempotency::current(),
    };
    stack::with_innermost(|frame, key| {
        context.attempt = frame.attempt;
        context.max_attempts = frame.max;
        context.limit = frame.limit();
        context.key = key.cloned();
    });
    context
}
