//! One attempt, as a future.

use std::pin::Pin;
use std::task::{Context, Poll, ready};

use pin_project_lite::pin_project;

use super::Call;
use crate::seam::timer::Timer;

pin_project! {
    /// One attempt of a call: waits for its turn, then runs the body under its limits.
    ///
    /// `None` means that the body has no outcome: it was not admitted or it was cut. Written by
    /// hand because an async function would keep the body twice, and small because it is compiled
    /// anew for every body.
    #[derive(Debug)]
    #[must_use = "futures do nothing unless polled"]
    pub struct Attempt<'call, F> {
        call: &'call mut Call,
        #[pin]
        timer: Timer,
        #[pin]
        body: F,
    }
}

impl<'call, F: Future> Attempt<'call, F> {
    #[inline]
    pub(super) fn new(call: &'call mut Call, body: F) -> Self {
        Attempt {
            call,
            timer: Timer::default(),
            body,
        }
    }
}

impl<F: Future> Future for Attempt<'_, F> {
    type Output = Option<F::Output>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let mut this = self.project();
        let Some(inside) = ready!(this.call.enter(this.timer.as_mut(), cx)) else {
            return Poll::Ready(None);
        };
        let polled = this.body.poll(cx);
        inside.leave();
        match polled {
            Poll::Ready(outcome) => Poll::Ready(Some(outcome)),
            Poll::Pending => this.call.keep_limits(this.timer, cx).map(|()| None),
        }
    }
}
