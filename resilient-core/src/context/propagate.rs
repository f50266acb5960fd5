//! Context for tasks of one's own.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use pin_project_lite::pin_project;

use super::execution::Kept;
use super::lent::Lent;
use super::stack;
use crate::registry::Registry;

pin_project! {
    /// The future of [`propagate`].
    #[derive(Debug)]
    #[must_use = "futures do nothing unless polled"]
    pub struct Propagated<F> {
        frames: Vec<Lent>,
        registry: Option<Registry>,
        execution: Kept,
        #[pin]
        future: F,
    }
}

/// Carries the registry scope and the call context of the running code into `future`, wherever
/// that is polled; the run under an idempotency key that it is part of, too.
///
/// Without it a spawned task starts with a clean slate: the process-wide registry, no deadline,
/// no idempotency key. What was left of the time is fixed when this is called. A breaker,
/// throttle or bulkhead that the call around holds lets the task's own calls pass only until that
/// attempt has ended.
///
/// ```
/// # use resilient_core as resilient;
/// # #[tokio::main] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use std::time::Duration;
/// use resilient::{context, propagate, with_deadline};
///
/// let (bare, carried) = with_deadline(Duration::from_secs(2), async {
///     let bare = tokio::spawn(async { context().remaining() });
///     let carried = tokio::spawn(propagate(async { context().remaining() }));
///     (bare.await, carried.await)
/// })
/// .await;
/// assert_eq!(bare?, None);
/// assert!(carried?.is_some());
/// # Ok(()) }
/// ```
pub fn propagate<F: Future>(future: F) -> Propagated<F> {
    let (frames, registry) = stack::snapshot();
    Propagated {
        frames,
        registry,
        execution: Kept::current(),
        future,
    }
}

impl<F: Future> Future for Propagated<F> {
    type Output = F::Output;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<F::Output> {
        let this = self.project();
        let _in_scope = this.registry.clone().map(stack::enter_scope);
        let _in_run = this.execution.enter();
        stack::with_frames(this.frames, || this.future.poll(cx))
    }
}
