//! How many requests arrived in each phase.

use super::Phase;

/// One phase of the script and what arrived in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    pub phase: Phase,
    pub requests: u64,
}

/// The entries in the order of the script; the last one is still being written.
pub struct Journal {
    past: Vec<Entry>,
    current: Entry,
}

impl Journal {
    pub fn opened_in(phase: Phase) -> Self {
        Journal {
            past: Vec::new(),
            current: Entry { phase, requests: 0 },
        }
    }

    pub fn enter(&mut self, phase: Phase) {
        if phase != self.current.phase {
            self.past.push(self.current);
            self.current = Entry { phase, requests: 0 };
        }
    }

    /// Notes a request and says in which phase it arrived.
    pub fn arrival(&mut self) -> Phase {
        self.current.requests += 1;
        self.current.phase
    }

    pub fn entries(&self) -> Vec<Entry> {
        let mut entries = self.past.clone();
        entries.push(self.current);
        entries
    }
}
