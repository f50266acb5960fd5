//! A deadline set by hand for the calls inside a future.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use pin_project_lite::pin_project;

use super::lent::Lent;
use super::limit::Limit;
use super::stack;
use crate::seam::clock;

pin_project! {
    /// The future of [`with_deadline`].
    #[derive(Debug)]
    #[must_use = "futures do nothing unless polled"]
    pub struct WithDeadline<F> {
        time: Duration,
        lent: Option<Lent>,
        #[pin]
        future: F,
    }
}

/// Runs `future` so that no annotated call inside it outlives `time`, counted from the first
/// poll.
///
/// The future itself is not cut: what it does outside annotated calls takes as long as it takes.
/// A call that finds no time left returns `Rejection::DeadlineExceeded` without running. Inside
/// another deadline the nearer one holds. Cancel safe: dropping it drops `future`.
///
/// ```
/// # use resilient_core as resilient;
/// # #[tokio::main(flavor = "current_thread")] async fn main() {
/// use std::time::Duration;
///
/// let remaining = resilient::with_deadline(Duration::from_secs(2), async {
///     resilient::context().remaining()
/// })
/// .await;
/// assert!(remaining.is_some_and(|left| left <= Duration::from_secs(2)));
/// # }
/// ```
pub fn with_deadline<F: Future>(time: Duration, future: F) -> WithDeadline<F> {
    WithDeadline {
        time,
        lent: None,
        future,
    }
}

impl<F: Future> Future for WithDeadline<F> {
    type Output = F::Output;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<F::Output> {
        let this = self.project();
        let time = *this.time;
        let _entered = stack::enter(this.lent.get_or_insert_with(|| begin(time)));
        this.future.poll(cx)
    }
}

/// The frame around, with a nearer end.
fn begin(time: Duration) -> Lent {
    let own = clock::now().plus(time);
    let mut lent = stack::begin(Limit::NONE);
    lent.frame.inherited = lent.frame.inherited.min(own);
    lent
}
