//! Waiting for a turn.

use std::time::Duration;

use tokio::time::{sleep_until, timeout_at};

use super::ask::Inner;
use super::counters::Counted;
use super::error::RateLimitError;
use super::memory::Denied;
use super::waiting::Place;
use crate::seam::clock::{Moment, now};
use crate::seam::sync::Ordering;

impl Inner {
    /// Goes on where a request was not let through at once: because it was `denied`, or because
    /// others wait, or because it takes a while to ask the store.
    pub(super) async fn ask_or_wait(
        &self,
        key: &str,
        cost: u32,
        max_wait: Duration,
        denied: Option<Denied>,
    ) -> Result<(), RateLimitError> {
        let deadline = now().plus(max_wait);
        let denied = match denied {
            None if self.waiting.ahead(key).is_empty() => match self.take(key, cost).await? {
                Ok(()) => {
                    self.count(Counted::Allowed);
                    return Ok(());
                }
                Err(denied) => Some(denied),
            },
            denied => denied,
        };
        if let Some(denied) = denied
            && self.has_no_time(&denied, max_wait)
        {
            return self.refuse(denied, cost);
        }
        self.wait_in_line(key, cost, max_wait, deadline).await
    }

    async fn wait_in_line(
        &self,
        key: &str,
        cost: u32,
        max_wait: Duration,
        deadline: Moment,
    ) -> Result<(), RateLimitError> {
        let most = self.max_waiting.load(Ordering::Relaxed);
        let (place, ahead) = self.waiting.join(key, cost, most).map_err(|waiting| {
            self.count(Counted::TooManyWaiting);
            RateLimitError::TooManyWaiting {
                limiter: self.name.clone(),
                waiting,
            }
        })?;
        if let Err(denied) = self.backend.behind(key, &ahead, cost)
            && self.has_no_time(&denied, max_wait)
        {
            return self.refuse(denied, cost);
        }
        if !first_before(deadline, &place).await {
            return self.too_late(key, cost, &ahead);
        }
        loop {
            let Err(denied) = self.take(key, cost).await? else {
                self.count(Counted::Allowed);
                self.count(Counted::Waited);
                return Ok(());
            };
            let now = now();
            if self.has_no_time(&denied, deadline.since(now)) {
                return self.refuse(denied, cost);
            }
            sleep_to(now.plus(denied.time())).await;
        }
    }

    /// Those ahead took longer than they had to.
    fn too_late(&self, key: &str, cost: u32, ahead: &[u32]) -> Result<(), RateLimitError> {
        let behind = self.backend.behind(key, ahead, cost);
        let denied = behind.err().unwrap_or_else(|| Denied {
            limit: self.name.clone(),
            capacity: 0,
            wait: Some(0),
        });
        self.refuse(denied, cost)
    }

    async fn take(&self, key: &str, cost: u32) -> Result<Result<(), Denied>, RateLimitError> {
        let taken = self.backend.take(&self.name, key, cost).await;
        taken.map_err(|error| self.unavailable(error))
    }

    /// Whether there is no use in waiting for so long; in shadow mode nobody waits.
    pub(super) fn has_no_time(&self, denied: &Denied, max_wait: Duration) -> bool {
        denied.wait.is_none() || denied.time() > max_wait || self.is_shadow()
    }

    /// Refuses, or only counts.
    #[cold]
    pub(super) fn refuse(&self, denied: Denied, cost: u32) -> Result<(), RateLimitError> {
        let shadow = self.is_shadow();
        if denied.wait.is_none() && !shadow {
            return Err(self.unsatisfiable(cost, denied));
        }
        let retry_in = denied.time();
        self.did_not_fit(&denied.limit, retry_in);
        if shadow {
            return Ok(());
        }
        Err(RateLimitError::Limited {
            limiter: self.name.clone(),
            limit: denied.limit,
            retry_in,
        })
    }
}

/// Waits to be the first in line, but not for longer than that.
async fn first_before(deadline: Moment, place: &Place<'_>) -> bool {
    let Some(instant) = deadline.to_instant() else {
        place.turn().await;
        return true;
    };
    timeout_at(instant, place.turn()).await.is_ok()
}

async fn sleep_to(moment: Moment) {
    match moment.to_instant() {
        Some(instant) => sleep_until(instant).await,
        None => std::future::pending().await,
    }
}
