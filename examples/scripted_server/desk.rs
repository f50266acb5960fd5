//! What all connections share: the phase, the journal, the ledger.

use std::sync::{Mutex, MutexGuard, PoisonError};

use super::ledger::Receipt;
use super::{Entry, Ledger, Phase, journal::Journal};

pub struct Desk {
    books: Mutex<Books>,
}

struct Books {
    journal: Journal,
    ledger: Ledger,
}

impl Desk {
    pub fn opened_in(phase: Phase) -> Self {
        Desk {
            books: Mutex::new(Books {
                journal: Journal::opened_in(phase),
                ledger: Ledger::default(),
            }),
        }
    }

    pub fn enter(&self, phase: Phase) {
        self.books().journal.enter(phase);
    }

    pub fn arrival(&self) -> Phase {
        self.books().journal.arrival()
    }

    pub fn charge(&self, order: &str, key: Option<&str>) -> Receipt {
        self.books().ledger.charge(order, key)
    }

    pub fn journal(&self) -> Vec<Entry> {
        self.books().journal.entries()
    }

    pub fn ledger(&self) -> Ledger {
        self.books().ledger.clone()
    }

    fn books(&self) -> MutexGuard<'_, Books> {
        // Nothing panics while holding the books, and a count too few would only spoil a report.
        self.books.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
