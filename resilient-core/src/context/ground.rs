//! The outermost call on a thread, where it is plain data.

use std::cell::Cell;

use super::frame::Frame;
use super::lent::{Holds, NOBODY};
use super::limit::Limit;
use crate::seam::clock::Moment;

/// Room for one frame, word by word.
///
/// In this order, words that are neighbours in a frame are none here. Otherwise two of them would be
/// copied at once, and a processor that has just written them one by one waits before it reads them
/// together.
#[repr(C)]
pub(super) struct Ground {
    timeout: Cell<Limit>,
    attempt: Cell<u32>,
    breaker: Cell<u32>,
    deadline: Cell<Limit>,
    max: Cell<u32>,
    bulkhead: Cell<u32>,
    inherited: Cell<Moment>,
    throttle: Cell<u32>,
    state: Cell<State>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Vacant,
    /// The frame is as its owner has it.
    Lent,
    /// Its clocks may have been started meanwhile.
    Stamped,
}

impl Ground {
    pub(super) const fn vacant() -> Self {
        Ground {
            timeout: Cell::new(Limit::NONE),
            attempt: Cell::new(1),
            breaker: Cell::new(NOBODY),
            deadline: Cell::new(Limit::NONE),
            max: Cell::new(1),
            bulkhead: Cell::new(NOBODY),
            inherited: Cell::new(Moment::NEVER),
            throttle: Cell::new(NOBODY),
            state: Cell::new(State::Vacant),
        }
    }

    /// A frame is put here.
    #[inline]
    pub(super) fn lend(&self, frame: &Frame, holds: Holds) {
        self.timeout.set(frame.timeout);
        self.attempt.set(frame.attempt);
        self.breaker.set(holds.breaker);
        self.deadline.set(frame.deadline);
        self.max.set(frame.max);
        self.bulkhead.set(holds.bulkhead);
        self.inherited.set(frame.inherited);
        self.throttle.set(holds.throttle);
        self.state.set(State::Lent);
    }

    /// Its clocks were looked at.
    pub(super) fn stamp(&self, frame: &Frame, holds: Holds) {
        self.lend(frame, holds);
        self.state.set(State::Stamped);
    }

    /// The frame that is here.
    pub(super) fn get(&self) -> Option<(Frame, Holds)> {
        if self.state.get() == State::Vacant {
            return None;
        }
        let frame = Frame {
            attempt: self.attempt.get(),
            max: self.max.get(),
            timeout: self.timeout.get(),
            deadline: self.deadline.get(),
            inherited: self.inherited.get(),
        };
        let holds = Holds {
            breaker: self.breaker.get(),
            bulkhead: self.bulkhead.get(),
            throttle: self.throttle.get(),
        };
        Some((frame, holds))
    }

    /// The frame that is here goes elsewhere.
    pub(super) fn take(&self) -> Option<(Frame, Holds)> {
        let taken = self.get();
        self.state.set(State::Vacant);
        taken
    }

    /// The frame goes back to its owner; `false` if it is not here.
    #[inline]
    pub(super) fn give_back(&self, owner: &mut Frame) -> bool {
        match self.state.replace(State::Vacant) {
            State::Vacant => return false,
            State::Lent => {}
            State::Stamped => {
                owner.timeout = self.timeout.get();
                owner.deadline = self.deadline.get();
            }
        }
        true
    }
}
