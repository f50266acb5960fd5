//! `idempotent(..)` on whole calls, over records in memory and a paused clock.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

mod answers;
mod fakes;
mod held;
mod inside;
mod names;
mod outcomes;
mod resolving;
mod shapes;
mod superseded;
mod transaction;

use std::time::Duration;

use resilient::idempotency::{Effects, Filter, Idempotency, Ledger, MemoryStore, Record, Refusal};
use resilient::{Classify, Registry, Rejection};
use serde::{Deserialize, Serialize};

/// What a function of these tests answers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Receipt {
    pub(crate) number: u32,
}

#[derive(Debug, Clone, PartialEq, thiserror::Error, Classify, Serialize, Deserialize)]
pub(crate) enum Failure {
    #[error("connection lost")]
    #[transient]
    Lost,
    #[error("connection refused")]
    #[transient(unsent)]
    Unsent,
    #[error("broken")]
    #[fault]
    Broken,
    #[error("declined")]
    #[permanent]
    Declined,
    #[error("not to be written down")]
    #[permanent]
    #[serde(skip)]
    Secret,
    #[error(transparent)]
    #[classify(source)]
    #[serde(skip)]
    Rejected(#[from] Rejection),
}

pub(crate) type Answer = Result<Receipt, Failure>;

#[allow(clippy::unnecessary_wraps, reason = "what calls are compared with")]
pub(crate) fn receipt(number: u32) -> Answer {
    Ok(Receipt { number })
}

/// A registry with a store `orders` in memory.
pub(crate) fn registry() -> (Registry, Ledger) {
    let rules = Idempotency::of(Effects::Keyed);
    let ledger = Ledger::new(MemoryStore::new(1000), &rules).unwrap();
    let registry = Registry::seeded(1);
    registry.register_store("orders", ledger.clone()).unwrap();
    (registry, ledger)
}

/// All records of a store.
pub(crate) async fn records(ledger: &Ledger) -> Vec<Record> {
    let all = Filter {
        limit: 100,
        ..Filter::default()
    };
    ledger.list(&all).await.unwrap()
}

/// The code of the refusal an outcome holds.
pub(crate) fn code(outcome: &Answer) -> &'static str {
    match outcome {
        Err(Failure::Rejected(Rejection::Idempotency(refusal))) => Refusal::code(refusal),
        other => panic!("not refused: {other:?}"),
    }
}

pub(crate) async fn pass(time: Duration) {
    tokio::time::sleep(time).await;
}
