//! What a store knows about one key.

use std::fmt;
use std::time::Duration;

use super::{Answer, Effects, Fingerprint, RecordId, Resource};

/// A number that only the present owner of a key has.
///
/// From one sequence for the whole store, so that it is never given out twice, even after a record
/// was deleted: whatever an earlier owner does late is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Fence(pub u64);

impl fmt::Display for Fence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Where a record stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum State {
    /// Someone is at work, as long as the lease holds.
    Running,
    /// Done, and the answer is kept.
    Completed,
    /// Done, but the answer is not kept, or no longer.
    BodyDropped,
    /// Nobody knows: it had effects that cannot be repeated, and did not tell how it ended.
    Uncertain,
}

impl State {
    /// The number it is stored as.
    pub fn code(self) -> u8 {
        match self {
            State::Running => 0,
            State::Completed => 1,
            State::BodyDropped => 2,
            State::Uncertain => 3,
        }
    }

    /// The state of a number. An unknown one, of a later version perhaps, is `Uncertain`: nothing
    /// runs because of it.
    pub fn from_code(code: u8) -> Self {
        match code {
            0 => State::Running,
            1 => State::Completed,
            2 => State::BodyDropped,
            _ => State::Uncertain,
        }
    }
}

/// What a store knows about one key, with times as they were on its clock when it was asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// What it is found by.
    pub id: RecordId,
    /// Where it stands.
    pub state: State,
    /// What was asked for, if that was said.
    pub fingerprint: Option<Fingerprint>,
    /// The number of its present or last owner.
    pub fence: Fence,
    /// What its run does, as its owner said.
    pub effects: Effects,
    /// How many runs were begun under it.
    pub attempts: u32,
    /// How far a run of several steps has come, see [`Run::checkpoint`](super::Run::checkpoint).
    pub checkpoint: Option<String>,
    /// What was made.
    pub resource: Option<Resource>,
    /// The answer of a completed run.
    pub answer: Option<Answer>,
    /// How long ago it was claimed first.
    pub age: Duration,
    /// How long the owner's lease still holds; zero unless running.
    pub lease_left: Duration,
    /// How long its answer is still kept; `None` if it has none.
    pub answer_left: Option<Duration>,
    /// How long the record still counts, of a run without an end if its lease is not renewed;
    /// `None` until someone settles it.
    pub expires_in: Option<Duration>,
}
