//! Who waits for a place, in which order, and whom to wake.

use std::collections::BTreeMap;
use std::mem;
use std::task::Waker;

/// A place in the queue of one bulkhead.
///
/// Plain data, without an allocation of its own. Whoever holds it must end it: by
/// [`poll_granted`](super::BulkheadHandle::poll_granted) returning ready, after which the permit
/// is his to release, or by [`abandon`](super::BulkheadHandle::abandon).
#[derive(Debug)]
#[must_use = "a place that is dropped keeps its turn and loses the permit"]
pub(crate) struct Waiter {
    pub(super) number: u64,
}

impl Waiter {
    fn into_number(self) -> u64 {
        self.number
    }
}

/// First come, first served. Numbers rise, are never used again, and leave in rising order or by
/// giving up; so whoever still waits and has a number below [`Queue::served`] was served.
#[derive(Debug, Default)]
pub(super) struct Queue {
    waiting: BTreeMap<u64, Waker>,
    next_number: u64,
    served: u64,
}

impl Queue {
    pub(super) fn len(&self) -> usize {
        self.waiting.len()
    }

    /// Joins at the end.
    pub(super) fn join(&mut self, waker: Waker) -> Waiter {
        let number = self.next_number;
        self.next_number += 1;
        self.waiting.insert(number, waker);
        Waiter { number }
    }

    /// Serves the first: removes it and returns how to wake it.
    pub(super) fn serve(&mut self) -> Option<Waker> {
        let (number, waker) = self.waiting.pop_first()?;
        self.served = number + 1;
        Some(waker)
    }

    /// All numbers below this one were served or gave up.
    pub(super) fn served(&self) -> u64 {
        self.served
    }

    /// Leaves without being served; `None` if it was served before.
    pub(super) fn leave(&mut self, waiter: Waiter) -> Option<Waker> {
        self.waiting.remove(&waiter.into_number())
    }

    /// Changes whom to wake for `waiter`.
    pub(super) fn rewake(&mut self, waiter: &Waiter, waker: &Waker) -> Rewoken {
        match self.waiting.get_mut(&waiter.number) {
            None => Rewoken::Served,
            Some(current) if current.will_wake(waker) => Rewoken::Same,
            Some(current) => Rewoken::Replaced(mem::replace(current, waker.clone())),
        }
    }
}

/// What became of a changed waker.
pub(super) enum Rewoken {
    /// Its owner was served meanwhile.
    Served,
    /// It wakes the same task as before.
    Same,
    /// The one before, to be dropped outside of the lock: that may run the code of a task, which
    /// may come back here.
    Replaced(Waker),
}

/// Tasks to wake once the lock is released, few at a time: without an allocation, and without
/// holding back the others while many are served.
#[derive(Debug, Default)]
pub(super) struct Batch {
    wakers: [Option<Waker>; Batch::SIZE],
    len: usize,
}

impl Batch {
    const SIZE: usize = 8;

    /// How many more fit.
    pub(super) fn room(&self) -> usize {
        Batch::SIZE - self.len
    }

    /// Adds one; the caller has seen that there is room.
    pub(super) fn push(&mut self, waker: Waker) {
        if let Some(place) = self.wakers.get_mut(self.len) {
            *place = Some(waker);
            self.len += 1;
        }
    }

    /// Takes back the one added last.
    pub(super) fn pop(&mut self) -> Option<Waker> {
        self.len = self.len.checked_sub(1)?;
        self.wakers[self.len].take()
    }

    /// Wakes all, in the order in which they were added.
    pub(super) fn wake(self) {
        self.wakers.into_iter().flatten().for_each(Waker::wake);
    }
}
