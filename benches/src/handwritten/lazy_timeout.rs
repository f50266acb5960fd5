//! A timeout that looks at the clock when its body is first pending.

use std::pin::Pin;
use std::task::{Context, Poll};

use pin_project_lite::pin_project;
use tokio::time::{Instant, Sleep, sleep_until};

use super::{DEADLINE, TIMEOUT};

pin_project! {
    /// `None` when the body took too long.
    pub(crate) struct LazyTimeout<'call, F> {
        // The call's end, stamped when it is first needed.
        end: &'call mut Option<Instant>,
        #[pin]
        timer: Option<Sleep>,
        #[pin]
        body: F,
    }
}

impl<'call, F> LazyTimeout<'call, F> {
    /// `body` under the attempt's timeout and the call's deadline.
    #[inline]
    pub(crate) fn new(end: &'call mut Option<Instant>, body: F) -> Self {
        LazyTimeout {
            end,
            timer: None,
            body,
        }
    }
}

impl<F: Future> Future for LazyTimeout<'_, F> {
    type Output = Option<F::Output>;

    #[inline]
    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let mut this = self.project();
        if let Poll::Ready(outcome) = this.body.poll(cx) {
            return Poll::Ready(Some(outcome));
        }
        if this.timer.is_none() {
            let now = Instant::now();
            let end = *this.end.get_or_insert(now + DEADLINE);
            this.timer.set(Some(sleep_until(end.min(now + TIMEOUT))));
        }
        match this.timer.as_pin_mut() {
            Some(timer) => timer.poll(cx).map(|()| None),
            None => Poll::Pending,
        }
    }
}
