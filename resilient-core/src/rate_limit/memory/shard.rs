//! Some of the keys.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;

use hashbrown::HashTable;

use super::Memory;
use crate::rate_limit::decision::Decision;
use crate::rate_limit::plan::{Plan, Refused, State};
use crate::seam::sync::Ordering;

/// How many keys are compared when one has to make room.
const CANDIDATES: usize = 16;

/// Some of the keys, and the limits they are under.
#[derive(Debug)]
pub(super) struct Shard {
    plan: Arc<Plan>,
    /// Of keys that have limits of their own.
    own_plans: HashMap<Box<str>, Arc<Plan>>,
    keys: HashTable<Entry>,
    /// Where to look next for keys that make room.
    clock_hand: usize,
}

#[derive(Debug)]
struct Entry {
    key: Box<str>,
    state: State,
}

impl Shard {
    pub(super) fn new(plan: Plan) -> Self {
        Shard {
            plan: Arc::new(plan),
            own_plans: HashMap::new(),
            keys: HashTable::new(),
            clock_hand: 0,
        }
    }

    pub(super) fn plan(&self) -> &Arc<Plan> {
        &self.plan
    }

    /// The limits a key is under.
    pub(super) fn plan_of(&self, key: &str) -> &Arc<Plan> {
        if self.own_plans.is_empty() {
            return &self.plan;
        }
        self.own_plans.get(key).unwrap_or(&self.plan)
    }

    /// Takes `cost`, if it fits. A key that is refused at its first request is not remembered.
    pub(super) fn take(
        &mut self,
        key: &str,
        hash: u64,
        cost: u32,
        now: u64,
        memory: &Memory,
    ) -> Result<(), Refused> {
        // By fields: the plan is only looked at while the state changes.
        let plan = if self.own_plans.is_empty() {
            &self.plan
        } else {
            self.own_plans.get(key).unwrap_or(&self.plan)
        };
        if let Some(entry) = self.keys.find_mut(hash, |entry| *entry.key == *key) {
            return plan.admit(&mut entry.state, cost, now);
        }
        let mut state = plan.fresh();
        plan.admit(&mut state, cost, now)?;
        if memory.remember_one() {
            self.make_room(now, memory);
        }
        let entry = Entry {
            key: key.into(),
            state,
        };
        let rehash = |entry: &Entry| memory.hasher.hash_one(&*entry.key);
        self.keys.insert_unique(hash, entry, rehash);
        Ok(())
    }

    /// Shows the state of a key and the limits it is under.
    pub(super) fn look<R>(&self, key: &str, hash: u64, look: impl FnOnce(&Plan, &State) -> R) -> R {
        let plan = self.plan_of(key);
        match self.keys.find(hash, |entry| *entry.key == *key) {
            Some(entry) => look(plan, &entry.state),
            None => look(plan, &plan.fresh()),
        }
    }

    pub(super) fn refund(&mut self, key: &str, hash: u64, decision: &Decision, now: u64) {
        let plan = self.plan_of(key).clone();
        if let Some(entry) = self.keys.find_mut(hash, |entry| *entry.key == *key) {
            plan.refund(&mut entry.state, decision, now);
        }
    }

    pub(super) fn reconfigure(&mut self, plan: Plan, now: u64) {
        let own_plans = &self.own_plans;
        for entry in &mut self.keys {
            if !own_plans.contains_key(&entry.key) {
                entry.state = plan.adopt(&self.plan, &entry.state, now);
            }
        }
        self.plan = Arc::new(plan);
    }

    pub(super) fn set_plan_of(&mut self, key: &str, hash: u64, plan: Option<Arc<Plan>>, now: u64) {
        let before = self.plan_of(key).clone();
        match plan {
            Some(plan) => {
                self.own_plans.insert(key.into(), plan);
            }
            None => {
                self.own_plans.remove(key);
            }
        }
        let after = self.plan_of(key).clone();
        if let Some(entry) = self.keys.find_mut(hash, |entry| *entry.key == *key) {
            entry.state = after.adopt(&before, &entry.state, now);
        }
    }

    /// Takes out the one of some keys that has used the least, which may be nothing.
    fn make_room(&mut self, now: u64, memory: &Memory) {
        let mut least: Option<(u64, usize)> = None;
        let mut found = 0;
        for _ in 0..self.keys.num_buckets() {
            self.clock_hand = (self.clock_hand + 1) % self.keys.num_buckets();
            let Some(entry) = self.keys.get_bucket(self.clock_hand) else {
                continue;
            };
            let used = self.plan_of(&entry.key).used(&entry.state, now);
            if least.is_none_or(|(known, _)| used < known) {
                least = Some((used, self.clock_hand));
            }
            found += 1;
            if found == CANDIDATES || used == 0 {
                break;
            }
        }
        let Some((used, bucket)) = least else { return };
        if let Ok(entry) = self.keys.get_bucket_entry(bucket) {
            entry.remove();
            memory.forget(1);
        }
        if used > 0 {
            memory.tally.evicted.fetch_add(1, Ordering::Relaxed);
        }
    }

    pub(super) fn num_buckets(&self) -> usize {
        self.keys.num_buckets()
    }

    /// Takes out those of some buckets that are as good as new. Returns how many.
    pub(super) fn sweep(&mut self, buckets: std::ops::Range<usize>, now: u64) -> u64 {
        let mut gone = 0;
        for bucket in buckets.start..buckets.end.min(self.keys.num_buckets()) {
            let Some(entry) = self.keys.get_bucket(bucket) else {
                continue;
            };
            if self.plan_of(&entry.key).used(&entry.state, now) > 0 {
                continue;
            }
            if let Ok(entry) = self.keys.get_bucket_entry(bucket) {
                entry.remove();
                gone += 1;
            }
        }
        gone
    }

    /// Gives memory back, if much of the table is empty.
    pub(super) fn shrink(&mut self, hasher: &RandomState) {
        let wanted = self.keys.len() * 2;
        if self.keys.capacity() > wanted.saturating_mul(2) {
            let rehash = |entry: &Entry| hasher.hash_one(&*entry.key);
            self.keys.shrink_to(wanted, rehash);
        }
    }

    #[cfg(test)]
    pub(super) fn bytes(&self) -> usize {
        self.keys.allocation_size()
    }
}
