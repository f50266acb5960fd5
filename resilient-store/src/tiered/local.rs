//! Copies in this process, for keys that are repeated many times in a row.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use resilient_core::idempotency::{Record, RecordId};
use tokio::time::Instant;

use super::copy::{aged, told_for};
use super::generations::Generations;

/// How long a copy is kept: an operator who deletes a record cannot reach into other processes.
const LIFETIME: Duration = Duration::from_secs(5);

/// Answers over this are left to Redis, so that the number of copies bounds their memory.
const LARGEST: usize = 16 * 1024;

/// Copies in this process, a bounded number of them.
#[derive(Debug)]
pub(super) struct Local {
    entries: Mutex<Generations<RecordId, Entry>>,
}

#[derive(Debug)]
struct Entry {
    record: Record,
    made: Instant,
    lifetime: Duration,
}

impl Local {
    pub(super) fn new(capacity: usize) -> Self {
        Local {
            entries: Mutex::new(Generations::new(capacity)),
        }
    }

    /// The record as it is now.
    pub(super) fn get(&self, id: &RecordId, now: Instant) -> Option<Record> {
        let entries = self.entries();
        let entry = entries.get(id)?;
        let age = now.duration_since(entry.made);
        (age < entry.lifetime).then(|| aged(entry.record.clone(), age))
    }

    /// Keeps a final record.
    pub(super) fn put(&self, record: &Record, now: Instant) {
        let size = record.answer.as_ref();
        if size.is_some_and(|answer| answer.head.len() + answer.body.len() > LARGEST) {
            return;
        }
        let entry = Entry {
            record: record.clone(),
            made: now,
            lifetime: told_for(record).min(LIFETIME),
        };
        self.entries().insert(record.id.clone(), entry);
    }

    pub(super) fn forget(&self, id: &RecordId) {
        self.entries().remove(id);
    }

    fn entries(&self) -> MutexGuard<'_, Generations<RecordId, Entry>> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use resilient_core::idempotency::{Answer, Effects, Fence, Key, Scope, State};

    use super::*;

    fn record(key: &str, body: usize) -> Record {
        Record {
            id: RecordId::new(Scope::of("t"), Key::literal(key).unwrap()),
            state: State::Completed,
            fingerprint: None,
            fence: Fence(1),
            effects: Effects::Keyed,
            attempts: 1,
            checkpoint: None,
            resource: None,
            answer: Some(Answer {
                status: 200,
                head: Vec::new(),
                body: vec![b'x'; body],
            }),
            age: Duration::ZERO,
            lease_left: Duration::ZERO,
            answer_left: Some(Duration::from_secs(60)),
            expires_in: Some(Duration::from_secs(60)),
        }
    }

    #[tokio::test(start_paused = true)]
    async fn i57_nothing_is_answered_past_its_time() {
        let local = Local::new(10);
        let (mut short, long) = (record("short", 1), record("long", 1));
        short.answer_left = Some(Duration::from_secs(2));
        let now = Instant::now();
        local.put(&short, now);
        local.put(&long, now);

        let at = |seconds: u64| now + Duration::from_millis(seconds * 1000 - 1);
        let found = local.get(&short.id, at(2)).unwrap();
        assert_eq!(found.age, Duration::from_millis(1_999));
        assert_eq!(found.expires_in, Some(Duration::from_millis(58_001)));
        assert_eq!(local.get(&short.id, now + Duration::from_secs(2)), None);
        assert!(local.get(&long.id, at(5)).is_some());
        assert_eq!(local.get(&long.id, now + LIFETIME), None);
    }

    #[tokio::test(start_paused = true)]
    async fn a_large_answer_is_not_kept_and_a_forgotten_one_is_gone() {
        let local = Local::new(10);
        let now = Instant::now();
        let (fits, large) = (record("fits", LARGEST), record("large", LARGEST + 1));
        local.put(&fits, now);
        local.put(&large, now);
        assert!(local.get(&fits.id, now).is_some());
        assert_eq!(local.get(&large.id, now), None);
        local.forget(&fits.id);
        assert_eq!(local.get(&fits.id, now), None);
    }
}
