//! The one timer of a call, made when something must be waited for and moved afterwards.

use std::pin::Pin;
use std::task::{Context, Poll};

use pin_project_lite::pin_project;
use tokio::time::{Sleep, sleep_until};

use super::clock::Moment;

pin_project! {
    #[derive(Debug, Default)]
    pub(crate) struct Timer {
        #[pin]
        sleep: Option<Sleep>,
    }
}

impl Timer {
    pub(crate) fn is_armed(&self) -> bool {
        self.sleep.is_some()
    }

    /// The moment it fires.
    pub(crate) fn armed_for(&self) -> Moment {
        self.sleep.as_ref().map_or(Moment::NEVER, |sleep| {
            Moment::from_instant(sleep.deadline())
        })
    }

    /// Fires at `at`; never, for a moment no timer can reach.
    pub(crate) fn arm(self: Pin<&mut Self>, at: Moment) {
        let mut sleep = self.project().sleep;
        match (at.to_instant(), sleep.as_mut().as_pin_mut()) {
            (Some(instant), Some(armed)) => armed.reset(instant),
            (Some(instant), None) => sleep.set(Some(sleep_until(instant))),
            (None, _) => sleep.set(None),
        }
    }

    /// Ready once it has fired; pending for ever if it is not armed.
    pub(crate) fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let Some(mut sleep) = self.project().sleep.as_pin_mut() else {
            return Poll::Pending;
        };
        match sleep.as_mut().poll(cx) {
            // A body that used up the task's cooperation budget leaves none for the timer, and
            // would never be cut if that alone decided.
            Poll::Pending if sleep.is_elapsed() => Poll::Ready(()),
            other => other,
        }
    }
}
