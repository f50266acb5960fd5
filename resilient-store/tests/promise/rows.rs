//! The scripts.

use Fenced::{Done, Lost};
use State::{BodyDropped, Completed, Running, Uncertain};
use Step::*;
use resilient_core::idempotency::{Effects, Fenced, State};

use crate::step::{Row, Step};

const fn row(name: &'static str, steps: &'static [Step]) -> Row {
    Row {
        name,
        effects: Effects::Keyed,
        tombstone: 0,
        steps,
    }
}

const fn unkeyed(name: &'static str, steps: &'static [Step]) -> Row {
    Row {
        effects: Effects::Unkeyed,
        ..row(name, steps)
    }
}

const fn with_tombstone(name: &'static str, steps: &'static [Step]) -> Row {
    Row {
        tombstone: 10_000,
        ..row(name, steps)
    }
}

pub(crate) const ROWS: &[Row] = &[
    row(
        "the first claim wins, the second is told, and then given the answer",
        &[
            ShowsNothing,
            Wins("a", 1, None),
            Shows(Running, None),
            Told("b", Running),
            Complete("a", Done),
            Told("b", Completed),
            Shows(Completed, Some("a")),
        ],
    ),
    row(
        "I28: a lapsed lease is taken over under a higher fence, a live one is not",
        &[
            Wins("a", 1, None),
            Pass(800),
            Told("b", Running),
            Pass(400),
            Shows(Running, None),
            Wins("b", 2, None),
            Told("c", Running),
            Pass(1200),
            Wins("c", 3, None),
        ],
    ),
    row(
        "I31: a lease that is renewed holds",
        &[
            Wins("a", 1, None),
            Pass(800),
            Renew("a", Done),
            Pass(800),
            Told("b", Running),
            Renew("a", Done),
            Left(1_000, Some(8_400)),
        ],
    ),
    row(
        "a lapsed lease that nobody took over still counts as held",
        &[
            Wins("a", 1, None),
            Pass(1200),
            Renew("a", Done),
            Told("b", Running),
            Pass(1200),
            Complete("a", Done),
            Told("b", Completed),
        ],
    ),
    row(
        "who was taken over can neither renew, complete nor release",
        &[
            Wins("a", 1, None),
            Pass(1200),
            Wins("b", 2, None),
            Renew("a", Lost),
            Checkpoint("a", "late", Lost),
            Complete("a", Lost),
            Drop("a", Lost),
            Doubt("a", Lost),
            Release("a", Lost),
            Shows(Running, None),
            Complete("b", Done),
            Complete("a", Lost),
            Shows(Completed, Some("b")),
        ],
    ),
    row(
        "I58: a fence is not given out again after its record was released",
        &[
            Wins("a", 1, None),
            Release("a", Done),
            ShowsNothing,
            Wins("b", 1, None),
            Complete("a", Lost),
            Release("a", Lost),
            Renew("a", Lost),
            Complete("b", Done),
            Shows(Completed, Some("b")),
        ],
    ),
    row(
        "I58: nor after it was deleted",
        &[
            Wins("a", 1, None),
            Remove(true),
            Renew("a", Lost),
            Complete("a", Lost),
            ShowsNothing,
            Wins("b", 1, None),
            Complete("a", Lost),
            Complete("b", Done),
        ],
    ),
    row(
        "I58: nor after it was purged",
        &[
            Wins("a", 1, None),
            Pass(11_000),
            Purge(1, 0),
            Purge(0, 0),
            Wins("b", 1, None),
            Complete("a", Lost),
            Complete("b", Done),
        ],
    ),
    row(
        "I49: an answer is kept for its time, and then the key is new",
        &[
            Wins("a", 1, None),
            Complete("a", Done),
            Pass(9_000),
            Told("b", Completed),
            Pass(2_000),
            ShowsNothing,
            Remove(false),
            Wins("b", 1, None),
            Shows(Running, None),
            Complete("a", Lost),
        ],
    ),
    row(
        "Q15: a purge leaves what counts, and a lease that holds beyond the record's time",
        &[
            Wins("a", 1, None),
            Purge(0, 0),
            Pass(9_500),
            Renew("a", Done),
            Pass(800),
            Purge(0, 0),
            Counted(1, 0, 0),
            Shows(Running, None),
            Told("b", Running),
            Pass(500),
            Counted(1, 0, 1),
            Purge(1, 0),
            ShowsNothing,
        ],
    ),
    row(
        "a purge leaves a lapsed lease that still counts",
        &[
            Wins("a", 1, None),
            Pass(1_200),
            Counted(1, 0, 0),
            Purge(0, 0),
            Wins("b", 2, None),
        ],
    ),
    with_tombstone(
        "and counts until the time of its tombstone is over",
        &[
            Wins("a", 1, None),
            Pass(12_000),
            Counted(1, 0, 0),
            Purge(0, 0),
            Wins("b", 2, None),
            Pass(21_000),
            Counted(1, 0, 1),
            Purge(1, 0),
        ],
    ),
    row(
        "what is finished is not held: it cannot be renewed or released",
        &[
            Wins("a", 1, None),
            Complete("a", Done),
            Renew("a", Lost),
            Release("a", Lost),
            Shows(Completed, Some("a")),
        ],
    ),
    row(
        "an answer that is stored twice was stored",
        &[
            Wins("a", 1, None),
            Complete("a", Done),
            Complete("a", Done),
            Drop("a", Done),
            Shows(Completed, Some("a")),
        ],
    ),
    row(
        "an owner whose claim was lost on the way wins it again",
        &[
            Wins("a", 1, None),
            WinsAgain("a"),
            Told("b", Running),
            Pass(1_200),
            WinsAgain("a"),
            Complete("a", Done),
            Told("a", Completed),
        ],
    ),
    row(
        "the checkpoint of a lapsed run is told to the next",
        &[
            Wins("a", 1, None),
            Checkpoint("a", "paid", Done),
            Renew("a", Done),
            Pass(1_200),
            Wins("b", 2, Some("paid")),
            Checkpoint("b", "packed", Done),
            WinsAgain("b"),
            Pass(1_200),
            Wins("c", 3, Some("packed")),
        ],
    ),
    row(
        "a record that has expired tells the next one nothing",
        &[
            Wins("a", 1, None),
            Checkpoint("a", "paid", Done),
            Complete("a", Done),
            Pass(11_000),
            Wins("b", 1, None),
            Shows(Running, None),
        ],
    ),
    row(
        "an answer that is too large is known, and not kept",
        &[
            Wins("a", 1, None),
            Drop("a", Done),
            Told("b", BodyDropped),
            Purge(0, 0),
            Pass(11_000),
            Wins("b", 1, None),
        ],
    ),
    with_tombstone(
        "an answer whose time is over leaves a tombstone, purged or not",
        &[
            Wins("a", 1, None),
            Complete("a", Done),
            Left(0, Some(20_000)),
            Purge(0, 0),
            Pass(12_000),
            Counted(0, 0, 1),
            Shows(BodyDropped, None),
            Told("b", BodyDropped),
            Listed(Some(BodyDropped)),
            Purge(0, 1),
            Purge(0, 0),
            Counted(0, 0, 0),
            Shows(BodyDropped, None),
            Told("b", BodyDropped),
            Complete("a", Done),
            Shows(BodyDropped, None),
            Left(0, Some(8_000)),
            Pass(9_000),
            Purge(1, 0),
            Wins("b", 1, None),
        ],
    ),
    with_tombstone(
        "a tombstone that nobody purged ends all the same",
        &[
            Wins("a", 1, None),
            Complete("a", Done),
            Pass(19_000),
            Told("b", BodyDropped),
            Pass(2_000),
            ShowsNothing,
            Wins("b", 1, None),
        ],
    ),
    with_tombstone(
        "an answer that was not kept has nothing to lose",
        &[
            Wins("a", 1, None),
            Drop("a", Done),
            Pass(12_000),
            Purge(0, 0),
            Told("b", BodyDropped),
            Pass(9_000),
            Purge(1, 0),
        ],
    ),
    unkeyed(
        "a lapsed lease over effects that cannot be repeated is never taken over",
        &[
            Wins("a", 1, None),
            Pass(1_200),
            Told("b", Uncertain),
            Told("c", Uncertain),
            Listed(Some(Uncertain)),
            Counted(0, 1, 0),
            Pass(100_000),
            Purge(0, 0),
            Told("b", Uncertain),
            Left(0, None),
        ],
    ),
    unkeyed(
        "nor is it purged before anybody has asked",
        &[
            Wins("a", 1, None),
            Pass(100_000),
            Purge(0, 0),
            Told("b", Uncertain),
        ],
    ),
    unkeyed(
        "its owner is the one who knows: renewed it stays uncertain, completed it is not",
        &[
            Wins("a", 1, None),
            Pass(1_200),
            Told("b", Uncertain),
            Renew("a", Done),
            Told("b", Uncertain),
            Complete("a", Done),
            Told("b", Completed),
            Shows(Completed, Some("a")),
            Pass(11_000),
            Purge(1, 0),
        ],
    ),
    unkeyed(
        "its owner may say that nothing was done",
        &[
            Wins("a", 1, None),
            Pass(1_200),
            Told("b", Uncertain),
            Release("a", Done),
            Wins("b", 1, None),
        ],
    ),
    unkeyed(
        "an owner who does not know says so at once",
        &[
            Wins("a", 1, None),
            Doubt("a", Done),
            Told("b", Uncertain),
            Pass(100_000),
            Purge(0, 0),
            Shows(Uncertain, None),
            Remove(true),
            Wins("b", 1, None),
        ],
    ),
    unkeyed(
        "what was found out is replayed for as long as an answer would have been",
        &[
            Wins("a", 1, None),
            Doubt("a", Done),
            Pass(100_000),
            SettleAnswered("a", Done),
            Told("b", Completed),
            Shows(Completed, Some("a")),
            Pass(9_000),
            Purge(0, 0),
            Told("b", Completed),
            Pass(2_000),
            Purge(1, 0),
        ],
    ),
    unkeyed(
        "what was found to be done does not run, what was not does",
        &[
            Wins("a", 1, None),
            Pass(1_200),
            SettleDone("a", Done),
            Told("b", BodyDropped),
            SettleNotDone("a", Lost),
            Remove(true),
            Wins("b", 1, None),
            Doubt("b", Done),
            SettleNotDone("a", Lost),
            SettleNotDone("b", Done),
            ShowsNothing,
            Wins("c", 1, None),
        ],
    ),
    row(
        "only what is uncertain can be settled",
        &[
            Wins("a", 1, None),
            SettleDone("a", Lost),
            Pass(1_200),
            SettleNotDone("a", Lost),
            Complete("a", Done),
            SettleDone("a", Lost),
            Shows(Completed, Some("a")),
        ],
    ),
    row(
        "what operators see of a key",
        &[
            Listed(None),
            Counted(0, 0, 0),
            Wins("a", 1, None),
            Listed(Some(Running)),
            Counted(1, 0, 0),
            Left(1_000, Some(10_000)),
            Complete("a", Done),
            Listed(Some(Completed)),
            Counted(0, 0, 0),
            Left(0, Some(10_000)),
            Pass(11_000),
            Listed(None),
            Counted(0, 0, 1),
            Purge(1, 0),
            Counted(0, 0, 0),
        ],
    ),
];
