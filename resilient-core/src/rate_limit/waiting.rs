//! Who waits for a key, and in which order.

use std::collections::{HashMap, VecDeque};
use std::future::poll_fn;
use std::task::{Poll, Waker};

use crate::seam::sync::{AtomicU64, Lock, Ordering};

/// A line for each key that somebody waits for. Who is first asks again when it may fit; the others
/// wait for their turn.
#[derive(Debug, Default)]
pub(super) struct Waiting {
    /// How many wait for any key: while nobody does, looking costs one load.
    total: AtomicU64,
    lines: Lock<HashMap<Box<str>, Line>>,
}

#[derive(Debug, Default)]
struct Line {
    waiters: VecDeque<Waiter>,
    next_number: u64,
}

#[derive(Debug)]
struct Waiter {
    number: u64,
    cost: u32,
    /// Of one that has been first to look, and was not.
    waker: Option<Waker>,
}

/// A place in the line of a key. Dropping it leaves the line.
#[derive(Debug)]
pub(super) struct Place<'a> {
    waiting: &'a Waiting,
    key: &'a str,
    number: u64,
}

impl Waiting {
    /// How many wait, for any key.
    pub(super) fn total(&self) -> u64 {
        self.total.load(Ordering::Relaxed)
    }

    /// What those ask for who wait for this key, first come first.
    pub(super) fn ahead(&self, key: &str) -> Vec<u32> {
        if self.total() == 0 {
            return Vec::new();
        }
        let lines = self.lines.lock();
        lines.get(key).map_or_else(Vec::new, Line::costs)
    }

    /// Joins the line of a key at its end, and says what those before ask for; if there are `most`
    /// already, says how many there are.
    pub(super) fn join<'a>(
        &'a self,
        key: &'a str,
        cost: u32,
        most: u32,
    ) -> Result<(Place<'a>, Vec<u32>), u32> {
        let mut lines = self.lines.lock();
        let there = lines.get(key).map_or(0, |line| line.waiters.len());
        let there = u32::try_from(there).unwrap_or(u32::MAX);
        if there >= most {
            return Err(there);
        }
        self.total.fetch_add(1, Ordering::Relaxed);
        let line = lines.entry(key.into()).or_default();
        let ahead = line.costs();
        let number = line.next_number;
        line.next_number += 1;
        line.waiters.push_back(Waiter {
            number,
            cost,
            waker: None,
        });
        let place = Place {
            waiting: self,
            key,
            number,
        };
        Ok((place, ahead))
    }
}

impl Line {
    fn costs(&self) -> Vec<u32> {
        self.waiters.iter().map(|waiter| waiter.cost).collect()
    }
}

impl Place<'_> {
    /// Waits to be the first. Cancel safe.
    pub(super) async fn turn(&self) {
        poll_fn(|cx| {
            let mut lines = self.waiting.lines.lock();
            let Some(line) = lines.get_mut(self.key) else {
                return Poll::Ready(());
            };
            let place = line.waiters.iter().position(|w| w.number == self.number);
            let replaced = match place {
                None | Some(0) => return Poll::Ready(()),
                Some(place) => line.waiters[place].waker.replace(cx.waker().clone()),
            };
            drop(lines);
            // Outside of the lock: it may run the code of a task.
            drop(replaced);
            Poll::Pending
        })
        .await;
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        let mut lines = self.waiting.lines.lock();
        let Some(line) = lines.get_mut(self.key) else {
            return;
        };
        let place = line.waiters.iter().position(|w| w.number == self.number);
        let left = place.and_then(|place| line.waiters.remove(place));
        let next = line
            .waiters
            .front_mut()
            .and_then(|first| first.waker.take());
        if line.waiters.is_empty() {
            lines.remove(self.key);
        }
        drop(lines);
        self.waiting.total.fetch_sub(1, Ordering::Relaxed);
        // Outside of the lock, as above.
        drop(left);
        if let Some(next) = next {
            next.wake();
        }
    }
}
