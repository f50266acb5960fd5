//! The steps that scripts are made of. Callers have names; each name is one owner. Names that begin with
//! the same letter are of different payloads; of others nothing is known.

use resilient_core::idempotency::{Effects, Fenced, State};

/// A script of what happens to one key.
pub(crate) struct Row {
    /// The rule it holds, and the rows of the case tables.
    pub(crate) name: &'static str,
    pub(crate) effects: Effects,
    /// How long a claim asks for its tombstone to be kept, in seconds.
    pub(crate) tombstone: u64,
    pub(crate) steps: &'static [Step],
}

/// How long a claim asks for its lease and its answer to be kept, in seconds. So long, and all
/// pauses so far from their ends, that the time a slow machine takes itself does not matter.
pub(crate) const LEASE: u64 = 1_000;
pub(crate) const TTL: u64 = 10_000;

/// One step, and what comes of it.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Step {
    /// A claim is won, as the run of this number, which is told of this checkpoint.
    Wins(&'static str, u32, Option<&'static str>),
    /// A claim is won as the run of this number, because the one before it failed.
    Retries(&'static str, u32),
    /// A claim is won again by the one who holds the key.
    WinsAgain(&'static str),
    /// A claim finds a record in this state, with the fingerprint of its last winner.
    Told(&'static str, State),
    /// Time passes, in seconds.
    Pass(u64),
    Renew(&'static str, Fenced),
    Checkpoint(&'static str, &'static str, Fenced),
    /// The caller stores an answer that says its name.
    Complete(&'static str, Fenced),
    /// The caller stores that there was an answer.
    Drop(&'static str, Fenced),
    /// The caller does not know.
    Doubt(&'static str, Fenced),
    /// The caller failed.
    Lapse(&'static str, Fenced),
    Release(&'static str, Fenced),
    /// The caller never heard of its claim.
    Withdraw(&'static str),
    /// What everybody is shown: the state, and in a completed one whose answer.
    Shows(State, Option<&'static str>),
    ShowsNothing,
    /// How much of the lease and of the record's time is left, about, in seconds.
    Left(u64, Option<u64>),
    /// How much of the answer's time is left, about, in seconds.
    AnswerLeft(Option<u64>),
    /// Somebody found out: it was done, as this caller's answer says.
    SettleAnswered(&'static str, Fenced),
    /// Somebody found out: it was done.
    SettleDone(&'static str, Fenced),
    /// Somebody found out: nothing was done.
    SettleNotDone(&'static str, Fenced),
    /// An operator deletes it; whether there was one.
    Remove(bool),
    /// How many records a purge deletes, and how many it strips.
    Purge(u64, u64),
    /// In which state it is listed.
    Listed(Option<State>),
    /// How many are running, uncertain and to be purged.
    Counted(u64, u64, u64),
}
