//! What a copy says of a run that the one who completes it does not.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use resilient_core::idempotency::{Claim, Fence, Finish, Record, RecordId, State, Won};
use tokio::time::Instant;

use super::copies::Clock;
use super::generations::Generations;

/// Runs at work in one process, at most; that of one more is copied when it is first repeated.
const CAPACITY: usize = 10_000;

/// The claims that were won here and have not ended.
#[derive(Debug)]
pub(super) struct Runs {
    at_work: Mutex<Generations<(RecordId, Fence), AtWork>>,
}

#[derive(Debug)]
struct AtWork {
    claim: Claim,
    won: Won,
    /// When it was asked for.
    asked: Instant,
    clock: Option<Clock>,
}

impl Runs {
    pub(super) fn new() -> Self {
        Runs {
            at_work: Mutex::new(Generations::new(CAPACITY)),
        }
    }

    /// A claim was won. One whose effects cannot be repeated may be settled by others under the
    /// same fence, so only the table knows how it ended.
    pub(super) fn begin(&self, claim: &Claim, won: &Won, asked: Instant, clock: Option<Clock>) {
        if !claim.effects.may_repeat() {
            return;
        }
        let entry = AtWork {
            claim: claim.clone(),
            won: won.clone(),
            asked,
            clock,
        };
        self.locked(|runs| runs.insert((claim.id.clone(), won.fence), entry));
    }

    /// The record of a run that was completed, as it was when the table was `asked` to, so that no time
    /// of the copy ends later than that of its record; and what the claim heard of Redis's clock.
    pub(super) fn end(
        &self,
        id: &RecordId,
        fence: Fence,
        finish: &Finish,
        asked: Instant,
    ) -> Option<(Record, Option<Clock>)> {
        let key = (id.clone(), fence);
        let run = self.locked(|runs| runs.remove(&key))?;
        let clock = run.clock;
        Some((run.record(key.0, finish, asked)?, clock))
    }

    fn locked<T>(&self, step: impl FnOnce(&mut Generations<(RecordId, Fence), AtWork>) -> T) -> T {
        step(&mut self.at_work.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl AtWork {
    fn record(self, id: RecordId, finish: &Finish, asked: Instant) -> Option<Record> {
        let (state, answer, resource) = match finish {
            Finish::Completed { answer, resource } => {
                (State::Completed, Some(answer.clone()), resource)
            }
            Finish::BodyDropped { resource } => (State::BodyDropped, None, resource),
            Finish::Uncertain => return None,
        };
        let kept = self.claim.ttl.saturating_add(self.claim.tombstone);
        Some(Record {
            id,
            state,
            fingerprint: self.claim.fingerprint,
            fence: self.won.fence,
            effects: self.claim.effects,
            attempts: self.won.attempts,
            checkpoint: self.won.checkpoint,
            resource: resource.clone(),
            answer_left: answer.is_some().then_some(self.claim.ttl),
            answer,
            age: asked.saturating_duration_since(self.asked),
            lease_left: Duration::ZERO,
            expires_in: Some(kept),
        })
    }
}
