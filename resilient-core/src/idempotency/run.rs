//! A run under a key, from the claim to its end.

use std::future::poll_fn;
use std::pin::pin;
use std::task::Poll;
use std::time::Duration;

use super::execution::Within;
use super::ledger::{lease_lost, sleep, sleep_until};
use super::{Answer, Execution, Fenced, Finish, Ledger, Lost, Refusal, Resource, StoreError};
use crate::seam::clock::{self, Moment};

/// How often a step is tried by which a run ends, and the pause in between: an answer that was
/// made should not be lost to a store that was away for a moment.
const END_TRIES: u32 = 3;
const END_PAUSE: Duration = Duration::from_millis(50);

/// The right to run under a key.
///
/// Dropped without having ended, it is neither completed nor released: nobody knows what it did,
/// so its lease decides.
#[derive(Debug)]
#[must_use = "a run that is dropped holds its key until the lease lapses"]
pub struct Run {
    ledger: Ledger,
    execution: Execution,
    /// When the lease is no longer renewed.
    given_up: Moment,
}

/// How the end of a run was taken.
#[derive(Debug)]
pub enum Ended {
    /// It was written down.
    Stored,
    /// The lease had gone to another owner. Its answer stands in place of this one.
    Superseded(Result<Answer, Refusal>),
}

/// How a run ends that has no answer.
#[derive(Clone, Copy)]
enum Leaving {
    /// Its record stays.
    Lapse,
    Release,
}

impl Run {
    pub(super) fn new(ledger: Ledger, execution: Execution) -> Self {
        let given_up = clock::now().plus(ledger.settings().max_run);
        Run {
            ledger,
            execution,
            given_up,
        }
    }

    /// What the code of the run may know.
    pub fn execution(&self) -> &Execution {
        &self.execution
    }

    /// Runs `body` while renewing the lease. Inside, [`current`](super::current) answers with
    /// [`Run::execution`].
    ///
    /// A store that does not answer does not end the run: nobody can take it over meanwhile who
    /// asks the same store.
    ///
    /// # Errors
    ///
    /// [`Lost`] if the lease went to another owner; `body` was dropped then.
    pub async fn drive<F: Future>(&self, body: F) -> Result<F::Output, Lost> {
        let mut body = pin!(Within::new(self.execution.clone(), body));
        let mut lost = pin!(self.hold());
        poll_fn(|cx| {
            if let Poll::Ready(output) = body.as_mut().poll(cx) {
                return Poll::Ready(Ok(output));
            }
            lost.as_mut()
                .poll(cx)
                .map(|()| Err(Lost(self.execution.clone())))
        })
        .await
    }

    /// Renews the lease until it goes to another owner, or the run has taken too long.
    async fn hold(&self) {
        let lease = self.ledger.settings().lease;
        loop {
            let next = clock::now().plus(lease / 3);
            if next >= self.given_up {
                return std::future::pending().await;
            }
            sleep_until(next).await;
            if let Ok(Fenced::Lost) = self.renew(None).await {
                return;
            }
        }
    }

    /// Notes how far the run has come: whoever takes over after a crash is told so.
    ///
    /// # Errors
    ///
    /// [`Refusal::LeaseLost`] if the lease went to another owner, or what the store said.
    pub async fn checkpoint(&self, reached: &str) -> Result<(), Refusal> {
        match self.renew(Some(reached)).await {
            Ok(Fenced::Done) => Ok(()),
            Ok(Fenced::Lost) => Err(lease_lost()),
            Err(error) => Err(super::ledger::unavailable(error)),
        }
    }

    async fn renew(&self, checkpoint: Option<&str>) -> Result<Fenced, StoreError> {
        let (id, fence) = (self.execution.id(), self.execution.fence());
        let lease = self.ledger.settings().lease;
        let store = self.ledger.store();
        self.ledger
            .ask(store.renew(id, fence, lease, checkpoint))
            .await
    }

    /// Stores the answer, to be replayed. One over the limit is not kept, but what it answered does
    /// not run again; the same if it cannot be sealed.
    ///
    /// # Errors
    ///
    /// What the store said at the last of three tries. The answer should be given to the caller all
    /// the same: it is true. Its lease decides what becomes of the record.
    pub async fn complete(
        self,
        answer: Answer,
        resource: Option<Resource>,
    ) -> Result<Ended, StoreError> {
        let finish = self.ledger.finish(self.execution.id(), answer, resource);
        self.end(&finish).await
    }

    /// Stores that it was done, for an answer that came in pieces or is too large to be kept.
    ///
    /// # Errors
    ///
    /// As for [`Run::complete`].
    pub async fn complete_without_body(
        self,
        resource: Option<Resource>,
    ) -> Result<Ended, StoreError> {
        self.end(&Finish::BodyDropped { resource }).await
    }

    /// It failed, and nobody knows how far it came: if its effects may be repeated the next one with
    /// the same payload may run at once, else the record becomes uncertain.
    ///
    /// # Errors
    ///
    /// As for [`Run::complete`].
    pub async fn fail(self) -> Result<Ended, StoreError> {
        if self.ledger.settings().effects.may_repeat() {
            self.ledger.counters().failed.add();
            return self.leave(Leaving::Lapse).await;
        }
        self.ledger.counters().uncertain.add();
        tracing::warn!(target: "resilient", record = %self.execution.id(), "idempotency.uncertain");
        self.end(&Finish::Uncertain).await
    }

    /// It certainly did nothing: the next one may run, and with another payload, too. Not so if runs
    /// before it failed or fell silent: this one does not know what they did, so the next one has to
    /// have the same payload.
    ///
    /// # Errors
    ///
    /// As for [`Run::complete`].
    pub async fn release(self) -> Result<Ended, StoreError> {
        self.ledger.counters().released.add();
        let leaving = if self.execution.attempts() > 1 {
            Leaving::Lapse
        } else {
            Leaving::Release
        };
        self.leave(leaving).await
    }

    async fn leave(&self, how: Leaving) -> Result<Ended, StoreError> {
        let (id, fence) = (self.execution.id(), self.execution.fence());
        let store = self.ledger.store();
        let mut tries = 1;
        loop {
            let step = match how {
                Leaving::Lapse => store.lapse(id, fence),
                Leaving::Release => store.release(id, fence),
            };
            match self.ledger.ask(step).await {
                // One that is repeated may find nothing: whether the first one was done or the lease
                // was lost makes no difference to a run without an answer.
                Ok(_) => return Ok(Ended::Stored),
                Err(error) if tries == END_TRIES => return Err(error),
                Err(_) => tries += 1,
            }
            sleep(END_PAUSE).await;
        }
    }

    async fn end(&self, finish: &Finish) -> Result<Ended, StoreError> {
        let (id, fence) = (self.execution.id(), self.execution.fence());
        let mut tries = 1;
        loop {
            let step = self.ledger.store().complete(id, fence, finish);
            match self.ledger.ask(step).await {
                Ok(Fenced::Done) => return Ok(Ended::Stored),
                Ok(Fenced::Lost) => return Ok(Ended::Superseded(self.instead().await)),
                Err(error) if tries == END_TRIES => return Err(error),
                Err(_) => tries += 1,
            }
            sleep(END_PAUSE).await;
        }
    }

    /// What to answer in place of a run that lost its lease.
    pub async fn instead(&self) -> Result<Answer, Refusal> {
        self.ledger.counters().lease_lost.add();
        let id = self.execution.id();
        tracing::warn!(target: "resilient", record = %id, fence = self.execution.fence().0, "idempotency.lease_lost");
        match self.ledger.ask(self.ledger.store().find(id)).await {
            Ok(Some(record)) => match self.ledger.judge(record, None) {
                Err(Refusal::InProgress { .. }) => Err(lease_lost()),
                judged => judged,
            },
            Ok(None) => Err(lease_lost()),
            Err(error) => Err(super::ledger::unavailable(error)),
        }
    }
}
