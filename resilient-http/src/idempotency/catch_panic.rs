//! A handler that panics ends its run, and nothing else.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::task::{Context, Poll};

use pin_project_lite::pin_project;

pin_project! {
    /// A future whose panic is its output. It is not polled after that.
    pub(super) struct CatchPanic<F> {
        #[pin]
        future: F,
    }
}

/// The future panicked; the panic hook has told the rest.
#[derive(Clone, Copy, Debug)]
pub(super) struct Panicked;

impl<F> CatchPanic<F> {
    pub(super) fn new(future: F) -> Self {
        CatchPanic { future }
    }
}

impl<F: Future> Future for CatchPanic<F> {
    type Output = Result<F::Output, Panicked>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let future = self.project().future;
        // What it may have left in disorder is its own, and dropped with it.
        match catch_unwind(AssertUnwindSafe(|| future.poll(cx))) {
            Ok(polled) => polled.map(Ok),
            Err(_) => Poll::Ready(Err(Panicked)),
        }
    }
}
