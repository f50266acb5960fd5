//! Values by key, a bounded number of them, in the order of their last use.

use std::collections::HashMap;
use std::time::Duration;

use super::key::BreakerKey;
use crate::seam::clock::Moment;

/// Values by key, in the order of their last use. Time comes in with every operation and never
/// runs backwards in here.
#[derive(Debug)]
pub(crate) struct Keyed<T> {
    places: HashMap<BreakerKey, usize>,
    /// Without gaps and in no order; each knows its neighbours in the order of use.
    entries: Vec<Entry<T>>,
    oldest: usize,
    newest: usize,
    latest: Moment,
}

#[derive(Debug)]
struct Entry<T> {
    key: BreakerKey,
    value: T,
    used: Moment,
    older: usize,
    newer: usize,
}

/// The place of no entry.
const NOWHERE: usize = usize::MAX;

/// What goes with a value, from the least that can be lost to the most.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Loss {
    /// Counts.
    Counts,
    /// Counts, and the outcomes of calls that are in progress.
    Outcomes,
    /// That calls are refused.
    Refusal,
    /// What an operator said.
    Order,
}

impl<T> Keyed<T> {
    pub(crate) fn new() -> Self {
        Keyed {
            places: HashMap::new(),
            entries: Vec::new(),
            oldest: NOWHERE,
            newest: NOWHERE,
            latest: Moment::from_bits(0),
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    /// The value of `key`, which counts as a use of it.
    pub(crate) fn use_at(&mut self, key: &str, now: Moment) -> Option<&T> {
        let place = *self.places.get(key)?;
        let now = self.monotonic(now);
        if self.newest != place {
            self.unlink(place);
            self.link_newest(place);
        }
        let entry = &mut self.entries[place];
        entry.used = now;
        Some(&entry.value)
    }

    /// The value of `key`, which is no use of it.
    pub(crate) fn get(&self, key: &str) -> Option<&T> {
        let place = *self.places.get(key)?;
        Some(&self.entries[place].value)
    }

    /// Adds a value, which is used now. A key has one: whoever adds has looked before.
    pub(crate) fn add(&mut self, key: BreakerKey, value: T, now: Moment) {
        let now = self.monotonic(now);
        let place = self.entries.len();
        self.entries.push(Entry {
            key: key.clone(),
            value,
            used: now,
            older: NOWHERE,
            newer: NOWHERE,
        });
        self.places.insert(key, place);
        self.link_newest(place);
    }

    /// Takes out the one with which the least is lost, and of several such the one that was not
    /// used for longest.
    pub(crate) fn evict(&mut self, lost_with: impl Fn(&T) -> Loss) -> Option<T> {
        let mut least: Option<(Loss, usize)> = None;
        let mut next = self.oldest;
        while let Some(entry) = self.entries.get(next) {
            let loss = lost_with(&entry.value);
            if least.is_none_or(|(known, _)| loss < known) {
                least = Some((loss, next));
            }
            if loss == Loss::Counts {
                break;
            }
            next = entry.newer;
        }
        least.map(|(_, place)| self.remove(place))
    }

    /// Takes out those that were not used for `idle` and that `may_go`.
    pub(crate) fn sweep(
        &mut self,
        now: Moment,
        idle: Duration,
        may_go: impl Fn(&T) -> bool,
    ) -> Vec<T> {
        let now = self.monotonic(now);
        let mut keys = Vec::new();
        let mut next = self.oldest;
        while let Some(entry) = self.entries.get(next) {
            if now.since(entry.used) < idle {
                break;
            }
            if may_go(&entry.value) {
                keys.push(entry.key.clone());
            }
            next = entry.newer;
        }
        keys.iter().filter_map(|key| self.take(key)).collect()
    }

    /// All of them, in no order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&BreakerKey, &T)> {
        self.entries.iter().map(|entry| (&entry.key, &entry.value))
    }

    fn take(&mut self, key: &str) -> Option<T> {
        let place = *self.places.get(key)?;
        Some(self.remove(place))
    }

    fn remove(&mut self, place: usize) -> T {
        self.unlink(place);
        let gone = self.entries.swap_remove(place);
        self.places.remove(&gone.key);
        // The last one has moved to where this one was.
        if let Some(moved) = self.entries.get(place) {
            let (older, newer) = (moved.older, moved.newer);
            if let Some(at) = self.places.get_mut(&moved.key) {
                *at = place;
            }
            self.join(older, place);
            self.join(place, newer);
        }
        gone.value
    }

    fn link_newest(&mut self, place: usize) {
        self.join(self.newest, place);
        self.join(place, NOWHERE);
    }

    fn unlink(&mut self, place: usize) {
        let Entry { older, newer, .. } = self.entries[place];
        self.join(older, newer);
    }

    /// Makes the two neighbours; beside [`NOWHERE`] the other one is at the end.
    fn join(&mut self, older: usize, newer: usize) {
        match self.entries.get_mut(older) {
            Some(entry) => entry.newer = newer,
            None => self.oldest = newer,
        }
        match self.entries.get_mut(newer) {
            Some(entry) => entry.older = older,
            None => self.newest = older,
        }
    }

    fn monotonic(&mut self, now: Moment) -> Moment {
        self.latest = self.latest.max(now);
        self.latest
    }
}

#[cfg(test)]
mod tests;
