//! What a store has to promise.

use std::any::Any;
use std::fmt;
use std::pin::Pin;
use std::time::Duration;

use super::{Answer, Effects, Fence, Fingerprint, Record, RecordId, Resource, State, StoreError};

/// What a store answers, later.
pub type StoreFuture<'a, T> = Pin<Box<dyn Future<Output = Result<T, StoreError>> + Send + 'a>>;

/// A request for the right to run under a key.
#[derive(Clone, Debug)]
pub struct Claim {
    /// The key and its scope.
    pub id: RecordId,
    /// What was asked for; without one, any payload is taken for the same.
    pub fingerprint: Option<Fingerprint>,
    /// What the run does.
    pub effects: Effects,
    /// 128 random bits, not all zero, that tell claims apart: a claim whose answer was lost is asked
    /// for again with the same ones, and is then won again; or it is withdrawn with them.
    pub owner: u128,
    /// How long the right holds without being renewed.
    pub lease: Duration,
    /// How long the answer is kept, from the end of the run on.
    pub ttl: Duration,
    /// How long key and fingerprint are kept after the answer, so that it does not run anew.
    pub tombstone: Duration,
}

impl Claim {
    /// Whether it asks for something else than a run that lapsed or failed. That one may have had
    /// effects, under keys derived from this one perhaps, which would be sent again with another
    /// payload.
    pub fn contradicts(&self, known: Option<&Fingerprint>) -> bool {
        known
            .zip(self.fingerprint.as_ref())
            .is_some_and(|(known, asked)| known.contradicts(asked))
    }
}

/// What became of a [`Claim`].
#[derive(Clone, Debug)]
pub enum Claimed {
    /// The right to run.
    Won(Won),
    /// Someone was first; the record tells how far they are.
    Taken(Box<Record>),
}

/// The right to run under a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Won {
    /// The number to renew, complete and release with.
    pub fence: Fence,
    /// How many runs were begun under the record, this one included.
    pub attempts: u32,
    /// How far a run before this one came.
    pub checkpoint: Option<String>,
    /// Whether the run before this one said that it failed, see [`Store::lapse`]; else it fell
    /// silent, if there was one.
    pub retried: bool,
}

/// How a run ended, for the record.
#[derive(Clone, Debug)]
pub enum Finish {
    /// Done; the answer is replayed from now on.
    Completed {
        /// The answer.
        answer: Answer,
        /// What was made.
        resource: Option<Resource>,
    },
    /// Done, but its answer is too large to be kept or came in pieces.
    BodyDropped {
        /// What was made.
        resource: Option<Resource>,
    },
    /// Nobody knows whether its effects took place.
    Uncertain,
}

/// Whether the owner of a fence still was the owner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fenced {
    /// Yes, and it was done.
    Done,
    /// No: the record was released, purged, settled or taken over. Nothing was changed.
    Lost,
}

/// Which records an operator asks for.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    /// Only those of this scope.
    pub scope: Option<super::Scope>,
    /// Only those in this state.
    pub state: Option<State>,
    /// At most this many, the oldest first.
    pub limit: u32,
}

/// What a store holds, counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Backlog {
    /// Running, lapsed ones included.
    pub running: u64,
    /// How long ago the oldest of them was claimed.
    pub oldest_running: Duration,
    /// Waiting for someone to find out.
    pub uncertain: u64,
    /// To be deleted by the next purges.
    pub expired: u64,
}

/// What a purge did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Purged {
    /// Records that are gone.
    pub deleted: u64,
    /// Records that lost their answer and remain as tombstones.
    pub stripped: u64,
}

impl Purged {
    /// Whether there was nothing to do.
    pub fn is_done(self) -> bool {
        self == Purged::default()
    }
}

/// Where records are kept.
///
/// Every method is one atomic step on the store's own clock. Two rules hold the promise that
/// nothing runs twice and nothing is stuck for ever:
///
/// - A claim takes over a record only if `state <> running` and it has expired, or if
///   `state = running`, its lease has lapsed, and its effects [may be repeated](Effects::may_repeat).
///   A lapsed lease over effects that may not turns the record into [`State::Uncertain`], which
///   does not expire and is never taken over. Neither is a lapsed one by a claim that
///   [contradicts](Claim::contradicts) its fingerprint: it is shown, as it stands, until it has
///   expired. A claim of the `owner` that holds the record is won again, with the same fence. A
///   takeover begins afresh: fingerprint, effects, resource and times are the new claim's,
///   `attempts` counts on if the lease had lapsed, and the checkpoint is kept then.
/// - `renew`, `complete`, `lapse` and `release` need the fence of the present owner. A lapsed lease
///   that nobody took over still counts as held, and so does a record that became uncertain because
///   of it: its owner is the one who knows (`renew` and `lapse` leave it uncertain, `complete` and
///   `release` end that). Fences come from one sequence of the store and are never given out twice.
///   A `complete` that is repeated after its answer was lost finds the record finished under its own
///   fence: that is [`Fenced::Done`].
///
/// What a claim asks to be kept is reckoned from the end of its run: from the moment in which it is
/// completed or settled, or else from the end of its lease. So a run that took longer than its `ttl`
/// is replayed for as long as any other, and the fingerprint of one that died is held against other
/// payloads for as long as that of one that was completed. Then a record has expired, unless it is
/// uncertain, its lease holds, or its effects cannot be repeated.
///
/// A [`Record`] that is past the time of its answer but not of its tombstone is shown as
/// [`State::BodyDropped`], without the answer, whether or not a purge has been there; one past all
/// of it is shown to nobody.
pub trait Store: Any + fmt::Debug + Send + Sync {
    /// The store that holds the records, of one that only stands in front of it: its transactions
    /// are the ones that can be joined.
    fn table(&self) -> Option<&dyn Store> {
        None
    }

    /// Asks for the right to run.
    fn claim<'a>(&'a self, claim: &'a Claim) -> StoreFuture<'a, Claimed>;

    /// Holds the lease for another `lease` from now on, and notes how far the run has come, if
    /// that is said.
    fn renew<'a>(
        &'a self,
        id: &'a RecordId,
        fence: Fence,
        lease: Duration,
        checkpoint: Option<&'a str>,
    ) -> StoreFuture<'a, Fenced>;

    /// Ends a run and stores how, in one step.
    fn complete<'a>(
        &'a self,
        id: &'a RecordId,
        fence: Fence,
        finish: &'a Finish,
    ) -> StoreFuture<'a, Fenced>;

    /// Ends the lease of a run that failed, at once: the next claim takes it over if its effects
    /// may be repeated, and is told then that it [failed](Won::retried). The record stays, and with
    /// it what was asked for.
    fn lapse<'a>(&'a self, id: &'a RecordId, fence: Fence) -> StoreFuture<'a, Fenced>;

    /// Deletes the record of a run that did nothing, so that the next claim wins at once, whatever
    /// its payload.
    fn release<'a>(&'a self, id: &'a RecordId, fence: Fence) -> StoreFuture<'a, Fenced>;

    /// Takes back a claim that was asked for and never heard of, if it was won: nothing ran under it.
    /// Its record is deleted if it is of the `owner`'s first run, and else [lapses](Store::lapse), so
    /// that the next claim wins at once. What others hold stays as it is.
    fn withdraw<'a>(&'a self, claim: &'a Claim) -> StoreFuture<'a, ()>;

    /// What is known about a key.
    fn find<'a>(&'a self, id: &'a RecordId) -> StoreFuture<'a, Option<Record>>;

    /// Settles an uncertain record under the fence it was seen with: as done, or, without a
    /// finish, as not executed, which deletes it.
    fn settle<'a>(
        &'a self,
        id: &'a RecordId,
        fence: Fence,
        finish: Option<&'a Finish>,
    ) -> StoreFuture<'a, Fenced>;

    /// Deletes a record whatever its state, for operators. Answers whether there was one.
    fn remove<'a>(&'a self, id: &'a RecordId) -> StoreFuture<'a, bool>;

    /// The records an operator asks for, without their answers.
    fn list<'a>(&'a self, filter: &'a Filter) -> StoreFuture<'a, Vec<Record>>;

    /// Deletes or strips up to `batch` records whose time is over: never one whose lease holds,
    /// never an uncertain one, and a lapsed one only if its effects may be repeated.
    fn purge(&self, batch: u32) -> StoreFuture<'_, Purged>;

    /// What is held, counted.
    fn backlog(&self) -> StoreFuture<'_, Backlog>;
}
