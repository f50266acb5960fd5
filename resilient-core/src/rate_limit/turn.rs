//! A turn with the limiter for who polls by hand, and so has no place for a borrowing future.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use super::ask::{Asked, Inner};
use super::error::RateLimitError;
use super::handle::RateLimiter;
use super::memory::Denied;
use crate::seam::sync::Lock;

/// What came of asking for a turn.
pub(crate) enum Begun {
    Done(Result<(), RateLimitError>),
    NotYet(Later),
}

/// A turn that may come later.
pub(crate) struct Later {
    limiter: Arc<Inner>,
    key: Box<str>,
    cost: u32,
    denied: Option<Denied>,
}

/// A wait for a turn. Dropping it leaves the line, see [`RateLimiter::acquire`].
///
/// Locked only for being `Sync`, as calls are: whoever polls it has it alone.
pub(crate) struct Turn(Lock<Pin<Box<Waits>>>);

type Waits = dyn Future<Output = Result<(), RateLimitError>> + Send;

impl RateLimiter {
    /// Takes `cost`, if that needs no waiting.
    pub(crate) fn begin(&self, key: &str, cost: u32, max_wait: Duration) -> Begun {
        match self.inner.ask_at_once(key, cost, max_wait) {
            Asked::Done(done) => Begun::Done(done),
            Asked::NotYet(denied) => Begun::NotYet(Later {
                limiter: self.inner.clone(),
                key: self.inner.own_key(key).into(),
                cost,
                denied,
            }),
        }
    }

    /// How long [`acquire`](RateLimiter::acquire) waits.
    pub(crate) fn max_wait(&self) -> Duration {
        self.inner.max_wait()
    }
}

impl Later {
    /// Waits, unless it is known that this would take longer than that.
    pub(crate) fn within(self, max_wait: Duration) -> Turn {
        let waits = async move {
            let Later {
                limiter,
                key,
                cost,
                denied,
            } = self;
            limiter.ask_or_wait(&key, cost, max_wait, denied).await
        };
        Turn(Lock::new(Box::pin(waits)))
    }
}

impl Turn {
    pub(crate) fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), RateLimitError>> {
        self.0.lock().as_mut().poll(cx)
    }
}

impl fmt::Debug for Turn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Turn")
    }
}
