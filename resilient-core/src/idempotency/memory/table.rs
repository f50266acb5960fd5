//! The rules of [`Store`](super::Store) over a map; time comes in as an argument.

use std::collections::{HashMap, VecDeque};
use std::time::Duration;

use super::super::{Answer, Effects, Fingerprint, Resource};
use super::super::{
    Backlog, Claim, Claimed, Fence, Fenced, Filter, Finish, Purged, Record, RecordId, State,
    StoreError, Won,
};
use crate::seam::clock::Moment;

/// How many records a claim looks at to make room.
const SWEPT_PER_CLAIM: usize = 2;

#[derive(Debug)]
pub(super) struct Table {
    rows: HashMap<RecordId, Row>,
    /// Every record once, in the order in which a sweep looks at them.
    order: VecDeque<Entry>,
    capacity: usize,
    last_fence: u64,
}

/// A place in the order of the sweep: that of a record with the same number, or left behind by one
/// that is gone.
#[derive(Debug)]
struct Entry {
    id: RecordId,
    number: u64,
}

#[derive(Debug)]
struct Row {
    /// The number of its entry in the order: its first fence.
    entry: u64,
    state: State,
    fingerprint: Option<Fingerprint>,
    fence: Fence,
    /// Who claimed it; nobody any more if that run failed.
    owner: Option<u128>,
    effects: Effects,
    attempts: u32,
    checkpoint: Option<String>,
    retried: bool,
    resource: Option<Resource>,
    answer: Option<Answer>,
    claimed_at: Moment,
    leased_until: Moment,
    /// How long its answer is kept, from its end on, and then its tombstone.
    ttl: Duration,
    tombstone: Duration,
    /// When it ended.
    ended_at: Option<Moment>,
}

/// What time has made of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Age {
    /// It counts.
    Live,
    /// Its owner gave no sign of life for a lease.
    Lapsed,
    /// It counts for nothing any more.
    Expired,
}

impl Row {
    fn new(claim: &Claim, fence: Fence, now: Moment) -> Self {
        Row {
            entry: fence.0,
            state: State::Running,
            fingerprint: claim.fingerprint.clone(),
            fence,
            owner: Some(claim.owner),
            effects: claim.effects,
            attempts: 1,
            checkpoint: None,
            retried: false,
            resource: None,
            answer: None,
            claimed_at: now,
            leased_until: now.plus(claim.lease),
            ttl: claim.ttl,
            tombstone: claim.tombstone,
            ended_at: None,
        }
    }

    /// When its answer is over, or would be if its run were at an end when its lease is.
    fn answer_until(&self) -> Moment {
        self.ended_at.unwrap_or(self.leased_until).plus(self.ttl)
    }

    fn expires_at(&self) -> Moment {
        self.answer_until().plus(self.tombstone)
    }

    fn age(&self, now: Moment) -> Age {
        let over = self.expires_at() <= now;
        match self.state {
            State::Running if self.leased_until > now => Age::Live,
            State::Running if self.effects.may_repeat() && over => Age::Expired,
            State::Running => Age::Lapsed,
            State::Completed | State::BodyDropped if over => Age::Expired,
            State::Completed | State::BodyDropped | State::Uncertain => Age::Live,
        }
    }

    fn is_held_by(&self, fence: Fence) -> bool {
        self.fence == fence && matches!(self.state, State::Running | State::Uncertain)
    }

    fn finish(&mut self, finish: &Finish, now: Moment) {
        if !matches!(finish, Finish::Uncertain) {
            self.ended_at = Some(now);
        }
        match finish {
            Finish::Completed { answer, resource } => {
                self.state = State::Completed;
                self.answer = Some(answer.clone());
                self.resource.clone_from(resource);
            }
            Finish::BodyDropped { resource } => {
                self.state = State::BodyDropped;
                self.resource.clone_from(resource);
            }
            Finish::Uncertain => self.state = State::Uncertain,
        }
    }

    /// A lapsed run that may not be repeated is one of which nobody knows.
    fn doubt(&mut self, now: Moment) {
        if self.age(now) == Age::Lapsed && !self.effects.may_repeat() {
            self.state = State::Uncertain;
        }
    }

    fn strip(&mut self) {
        self.state = State::BodyDropped;
        self.answer = None;
    }

    fn has_lost_its_answer(&self, now: Moment) -> bool {
        self.state == State::Completed && self.answer_until() <= now
    }

    fn record(&self, id: &RecordId, now: Moment) -> Record {
        let stripped = self.has_lost_its_answer(now);
        Record {
            id: id.clone(),
            state: if stripped {
                State::BodyDropped
            } else {
                self.state
            },
            fingerprint: self.fingerprint.clone(),
            fence: self.fence,
            effects: self.effects,
            attempts: self.attempts,
            checkpoint: self.checkpoint.clone(),
            resource: self.resource.clone(),
            answer: self.answer.clone().filter(|_| !stripped),
            age: now.since(self.claimed_at),
            lease_left: match self.state {
                State::Running => self.leased_until.since(now),
                _ => Duration::ZERO,
            },
            answer_left: (self.state == State::Completed && !stripped)
                .then(|| self.answer_until().since(now)),
            expires_in: (self.state != State::Uncertain).then(|| self.expires_at().since(now)),
        }
    }
}

impl Table {
    pub(super) fn new(capacity: usize) -> Self {
        Table {
            rows: HashMap::new(),
            order: VecDeque::new(),
            capacity,
            last_fence: 0,
        }
    }

    pub(super) fn claim(&mut self, claim: &Claim, now: Moment) -> Result<Claimed, StoreError> {
        let Some(row) = self.rows.get_mut(&claim.id) else {
            return self.insert(claim, now);
        };
        if row.state == State::Running && row.owner == Some(claim.owner) {
            return Ok(Claimed::Won(won(row)));
        }
        row.doubt(now);
        let age = row.age(now);
        let other = claim.contradicts(row.fingerprint.as_ref());
        if age == Age::Live || age == Age::Lapsed && other {
            return Ok(Claimed::Taken(Box::new(row.record(&claim.id, now))));
        }
        self.last_fence += 1;
        let mut new = Row::new(claim, Fence(self.last_fence), now);
        new.entry = row.entry;
        if age == Age::Lapsed {
            new.attempts = row.attempts.saturating_add(1);
            new.checkpoint = row.checkpoint.take();
            new.retried = row.owner.is_none();
        }
        *row = new;
        Ok(Claimed::Won(won(row)))
    }

    fn insert(&mut self, claim: &Claim, now: Moment) -> Result<Claimed, StoreError> {
        self.sweep(SWEPT_PER_CLAIM, now);
        if self.rows.len() >= self.capacity {
            self.sweep(self.order.len(), now);
        }
        if self.rows.len() >= self.capacity {
            return Err(StoreError::Full {
                limit: self.capacity,
            });
        }
        self.last_fence += 1;
        let row = Row::new(claim, Fence(self.last_fence), now);
        let won = won(&row);
        self.rows.insert(claim.id.clone(), row);
        self.order.push_back(Entry {
            id: claim.id.clone(),
            number: self.last_fence,
        });
        Ok(Claimed::Won(won))
    }

    pub(super) fn renew(
        &mut self,
        id: &RecordId,
        fence: Fence,
        until: Moment,
        checkpoint: Option<&str>,
    ) -> Fenced {
        self.held(id, fence, |row| {
            row.leased_until = until;
            if let Some(reached) = checkpoint {
                row.checkpoint = Some(reached.to_owned());
            }
        })
    }

    pub(super) fn complete(
        &mut self,
        id: &RecordId,
        fence: Fence,
        finish: &Finish,
        now: Moment,
    ) -> Fenced {
        match self.rows.get(id) {
            Some(row) if row.fence == fence && !row.is_held_by(fence) => Fenced::Done,
            _ => self.held(id, fence, |row| row.finish(finish, now)),
        }
    }

    pub(super) fn lapse(&mut self, id: &RecordId, fence: Fence, now: Moment) -> Fenced {
        self.held(id, fence, |row| {
            row.leased_until = now;
            row.owner = None;
        })
    }

    pub(super) fn release(&mut self, id: &RecordId, fence: Fence) -> Fenced {
        match self.rows.get(id) {
            Some(row) if row.is_held_by(fence) => {
                self.rows.remove(id);
                Fenced::Done
            }
            _ => Fenced::Lost,
        }
    }

    pub(super) fn withdraw(&mut self, claim: &Claim, now: Moment) {
        let held = self
            .rows
            .get(&claim.id)
            .filter(|row| row.owner == Some(claim.owner) && row.is_held_by(row.fence));
        match held.map(|row| (row.fence, row.attempts)) {
            Some((fence, 1)) => self.release(&claim.id, fence),
            Some((fence, _)) => self.lapse(&claim.id, fence, now),
            None => return,
        };
    }

    pub(super) fn find(&self, id: &RecordId, now: Moment) -> Option<Record> {
        let row = self.rows.get(id)?;
        (row.age(now) != Age::Expired).then(|| row.record(id, now))
    }

    pub(super) fn settle(
        &mut self,
        id: &RecordId,
        fence: Fence,
        finish: Option<&Finish>,
        now: Moment,
    ) -> Fenced {
        let Some(row) = self.rows.get_mut(id) else {
            return Fenced::Lost;
        };
        row.doubt(now);
        if row.state != State::Uncertain || row.fence != fence {
            return Fenced::Lost;
        }
        match finish {
            Some(finish) => row.finish(finish, now),
            None => {
                self.rows.remove(id);
            }
        }
        Fenced::Done
    }

    pub(super) fn remove(&mut self, id: &RecordId, now: Moment) -> bool {
        let known = self.find(id, now).is_some();
        if known {
            self.rows.remove(id);
        }
        known
    }

    pub(super) fn list(&self, filter: &Filter, now: Moment) -> Vec<Record> {
        let mut found: Vec<Record> = self
            .rows
            .iter()
            .filter(|(id, row)| {
                row.age(now) != Age::Expired
                    && filter
                        .scope
                        .as_ref()
                        .is_none_or(|scope| scope == id.scope())
            })
            .map(|(id, row)| Record {
                answer: None,
                ..row.record(id, now)
            })
            .filter(|record| filter.state.is_none_or(|state| state == record.state))
            .collect();
        found.sort_by(|a, b| b.age.cmp(&a.age).then_with(|| a.id.cmp(&b.id)));
        found.truncate(filter.limit as usize);
        found
    }

    pub(super) fn purge(&mut self, batch: u32, now: Moment) -> Purged {
        let mut purged = Purged::default();
        let mut left = u64::from(batch);
        for _ in 0..self.order.len() {
            if left == 0 {
                break;
            }
            let step = self.sweep(1, now);
            left -= (step.deleted + step.stripped).min(left);
            purged.deleted += step.deleted;
            purged.stripped += step.stripped;
        }
        purged
    }

    pub(super) fn backlog(&self, now: Moment) -> Backlog {
        let mut backlog = Backlog::default();
        for row in self.rows.values() {
            match row.state {
                State::Running => {
                    backlog.running += 1;
                    let age = now.since(row.claimed_at);
                    backlog.oldest_running = backlog.oldest_running.max(age);
                }
                State::Uncertain => backlog.uncertain += 1,
                State::Completed | State::BodyDropped => {}
            }
            if row.age(now) == Age::Expired || row.has_lost_its_answer(now) {
                backlog.expired += 1;
            }
        }
        backlog
    }

    /// Looks at the next few records: those that are waste go, those past their answer lose it.
    fn sweep(&mut self, looks: usize, now: Moment) -> Purged {
        let mut purged = Purged::default();
        for _ in 0..looks {
            let Some(entry) = self.order.pop_front() else {
                break;
            };
            let row = self.rows.get_mut(&entry.id);
            let Some(row) = row.filter(|row| row.entry == entry.number) else {
                continue;
            };
            if row.age(now) == Age::Expired {
                self.rows.remove(&entry.id);
                purged.deleted += 1;
                continue;
            }
            if row.has_lost_its_answer(now) {
                row.strip();
                purged.stripped += 1;
            }
            self.order.push_back(entry);
        }
        if self.rows.len() < self.rows.capacity() / 4 {
            self.rows.shrink_to_fit();
            self.order.shrink_to_fit();
        }
        purged
    }

    fn held(&mut self, id: &RecordId, fence: Fence, change: impl FnOnce(&mut Row)) -> Fenced {
        match self.rows.get_mut(id) {
            Some(row) if row.is_held_by(fence) => {
                change(row);
                Fenced::Done
            }
            _ => Fenced::Lost,
        }
    }
}

fn won(row: &Row) -> Won {
    Won {
        fence: row.fence,
        attempts: row.attempts,
        checkpoint: row.checkpoint.clone(),
        retried: row.retried,
    }
}
