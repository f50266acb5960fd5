//! A claim whose answer may be lost on the way.

use std::future::poll_fn;
use std::pin::pin;
use std::task::Poll;
use std::time::Duration;

use super::ledger::sleep;
use super::{Claim, Claimed, Ledger, StoreError};
use crate::seam::clock::{self, Moment};

/// The parts of the store's time after which it is asked once more, and after which it is given up.
const ASKED_AGAIN: f64 = 0.5;
const GIVEN_UP: f64 = 0.875;

impl Ledger {
    /// Asks once more, as the same owner, if the connection is cut or half of the time is over: the
    /// claim may have been won without being told, and is then won again, instead of standing in its
    /// own way until its lease lapses. If nothing is heard at all it is withdrawn, as well as that can
    /// be done in the time that is left.
    pub(super) async fn claim(&self, claim: &Claim) -> Result<Claimed, StoreError> {
        let limit = self.settings().store_timeout;
        let start = clock::now();
        let asked = self.ask_twice(claim, limit.mul_f64(ASKED_AGAIN));
        let lost = match before(start.plus(limit.mul_f64(GIVEN_UP)), asked).await {
            Some(Err(error @ StoreError::Unavailable { .. })) => error,
            Some(answered) => return answered.inspect_err(|error| self.failed(error)),
            None => StoreError::TimedOut { after: limit },
        };
        self.failed(&lost);
        // A run without protection is better off with a claim that holds others up for a lease.
        if !self.settings().fail_open {
            // What goes wrong here has gone wrong before.
            let _ = before(start.plus(limit), self.store().withdraw(claim)).await;
        }
        Err(lost)
    }

    async fn ask_twice(&self, claim: &Claim, after: Duration) -> Result<Claimed, StoreError> {
        let mut late = pin!(sleep(after));
        // Both are listened to: whichever is answered, it is the same claim.
        let mut asked = vec![self.store().claim(claim)];
        let mut again = false;
        poll_fn(|cx| {
            loop {
                let mut cut = None;
                for at in (0..asked.len()).rev() {
                    match asked[at].as_mut().poll(cx) {
                        Poll::Ready(Err(error @ StoreError::Unavailable { .. })) => {
                            drop(asked.swap_remove(at));
                            cut = Some(error);
                        }
                        Poll::Ready(answer) => return Poll::Ready(answer),
                        Poll::Pending => {}
                    }
                }
                if again || (cut.is_none() && late.as_mut().poll(cx).is_pending()) {
                    return match cut {
                        Some(error) if asked.is_empty() => Poll::Ready(Err(error)),
                        Some(error) => {
                            self.failed(&error);
                            Poll::Pending
                        }
                        None => Poll::Pending,
                    };
                }
                if let Some(error) = cut {
                    self.failed(&error);
                }
                again = true;
                asked.push(self.store().claim(claim));
            }
        })
        .await
    }
}

async fn before<F: Future>(end: Moment, step: F) -> Option<F::Output> {
    match end.to_instant() {
        Some(end) => tokio::time::timeout_at(end, step).await.ok(),
        None => Some(step.await),
    }
}
