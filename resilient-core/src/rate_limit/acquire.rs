//! Waiting for a turn.

use std::time::Duration;

use tokio::time::{sleep_until, timeout_at};

use super::counters::Counted;
use super::error::RateLimitError;
use super::handle::Inner;
use super::memory::Denied;
use super::waiting::Place;
use crate::seam::clock::{Moment, now};
use crate::seam::sync::Ordering;

/// What becomes of a request that does not fit now.
enum Then {
    /// It is only watched.
    Pass,
    /// It may fit so much later, and has the time.
    Wait(Duration),
}

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
            && let Then::Pass = self.after(denied, cost, max_wait)?
        {
            return Ok(());
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
            && let Then::Pass = self.after(denied, cost, max_wait)?
        {
            return Ok(());
        }
        if !first_before(deadline, &place).await {
            return Err(self.too_late(key, cost, &ahead));
        }
        loop {
            let Err(denied) = self.take(key, cost).await? else {
                self.count(Counted::Allowed);
                self.count(Counted::Waited);
                return Ok(());
            };
            let now = now();
            match self.after(denied, cost, deadline.since(now))? {
                Then::Pass => return Ok(()),
                Then::Wait(time) => sleep_to(now.plus(time)).await,
            }
        }
    }

    /// Those ahead took longer than they had to.
    fn too_late(&self, key: &str, cost: u32, ahead: &[u32]) -> RateLimitError {
        let denied = self.backend.behind(key, ahead, cost).err();
        let time = denied.as_ref().map_or(Duration::ZERO, Denied::time);
        let limit = denied.map_or_else(|| self.name.clone(), |denied| denied.limit);
        self.did_not_fit(&limit, time);
        RateLimitError::Limited {
            limiter: self.name.clone(),
            limit,
            retry_in: time,
        }
    }

    async fn take(&self, key: &str, cost: u32) -> Result<Result<(), Denied>, RateLimitError> {
        let taken = self.backend.take(&self.name, key, cost).await;
        taken.map_err(|error| self.unavailable(error))
    }

    /// What becomes of a request that was denied and may wait for so long.
    fn after(&self, denied: Denied, cost: u32, max_wait: Duration) -> Result<Then, RateLimitError> {
        let time = denied.time();
        if self.is_shadow() {
            self.did_not_fit(&denied.limit, time);
            return Ok(Then::Pass);
        }
        if denied.wait.is_none() {
            return Err(self.unsatisfiable(cost, denied));
        }
        if time <= max_wait {
            return Ok(Then::Wait(time));
        }
        self.did_not_fit(&denied.limit, time);
        Err(RateLimitError::Limited {
            limiter: self.name.clone(),
            limit: denied.limit,
            retry_in: time,
        })
    }
}

/// Waits to be the first in line, but not for longer than that.
async fn first_before(deadline: Moment, place: &Place<'_>) -> bool {
    match deadline.to_instant() {
        Some(instant) => timeout_at(instant, place.turn()).await.is_ok(),
        None => {
            place.turn().await;
            true
        }
    }
}

async fn sleep_to(moment: Moment) {
    match moment.to_instant() {
        Some(instant) => sleep_until(instant).await,
        None => std::future::pending().await,
    }
}
