//! What the limits of keys have used.

use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;

use hashbrown::HashTable;

use super::LocalStoreError;
use crate::name::Name;
use crate::rate_limit::config::LimitSettings;
use crate::rate_limit::decision::{Decision, Reading};
use crate::rate_limit::plan::{Plan, Refused, State};
use crate::rate_limit::store::Ask;

/// So many places are looked at for counts that are over, whenever there is one more.
const SWEPT: usize = 32;

/// Of so many limits the engines are shared by their keys; of others each key has its own.
const SHARED_PLANS: usize = 64;

/// One count for each limit of each key.
#[derive(Debug, Default)]
pub(super) struct Counts {
    table: HashTable<Count>,
    /// Where to look next for counts that are over.
    clock_hand: usize,
    plans: Plans,
}

/// A limit of a key.
#[derive(Debug)]
struct Count {
    limiter: Name,
    key: Box<str>,
    /// Of this limit alone.
    plan: Arc<Plan>,
    state: State,
}

/// The plans that were asked for last.
#[derive(Debug, Default)]
struct Plans(Vec<Arc<Plan>>);

impl Counts {
    /// Takes the cost from all limits or from none.
    pub(super) fn decide(
        &mut self,
        ask: &Ask<'_>,
        hasher: &RandomState,
        most: usize,
        now: u64,
    ) -> Result<Decision, LocalStoreError> {
        let cost = ask.cost;
        let hash_of = |limit| hash(hasher, ask.limiter, ask.key, limit);
        let places: Vec<_> = ask
            .limits
            .iter()
            .map(|limit| (limit, hash_of(limit)))
            .collect();
        let outcomes: Vec<Result<(), Refused>> = places
            .iter()
            .map(|&(limit, hash)| {
                self.look(ask, limit, hash, now, |plan, state| {
                    plan.fits(state, cost, now)
                })
            })
            .collect();
        let fits = outcomes.iter().all(Result::is_ok);
        if fits && ask.charge && cost > 0 {
            let new = |counts: &Counts| {
                let is_new = |&&(limit, hash): &&(_, u64)| counts.find(ask, limit, hash).is_none();
                places.iter().filter(is_new).count()
            };
            if new(self) > 0 {
                self.sweep(hasher, now);
            }
            // Counted anew: what was swept may have been one of these.
            if self.table.len() + new(self) > most {
                return Err(LocalStoreError::Full { most });
            }
            for &(limit, hash) in &places {
                self.take(ask, limit, hash, hasher, now);
            }
        }
        let readings = places
            .iter()
            .zip(&outcomes)
            .map(|(&(limit, hash), outcome)| {
                self.look(ask, limit, hash, now, |plan, state| {
                    plan.readings(state, outcome.is_err(), cost, now)
                })
            });
        let readings: Vec<Reading> = readings.flatten().collect();
        Ok(Decision::new(ask.limits.clone(), readings, fits, cost, now))
    }

    /// Gives back what `decision` took.
    pub(super) fn refund(
        &mut self,
        ask: &Ask<'_>,
        decision: &Decision,
        hasher: &RandomState,
        now: u64,
    ) {
        for limit in ask.limits.iter() {
            let hash = hash(hasher, ask.limiter, ask.key, limit);
            let found = self.table.find_mut(hash, |count| count.is_of(ask, limit));
            if let Some(count) = found {
                count.plan.refund(&mut count.state, decision, now);
            }
        }
    }

    fn find(&self, ask: &Ask<'_>, limit: &LimitSettings, hash: u64) -> Option<&Count> {
        self.table.find(hash, |count| count.is_of(ask, limit))
    }

    /// Shows what is known of a limit, under its numbers of now.
    fn look<R>(
        &mut self,
        ask: &Ask<'_>,
        limit: &LimitSettings,
        hash: u64,
        now: u64,
        look: impl FnOnce(&Plan, &State) -> R,
    ) -> R {
        let found = self.table.find_mut(hash, |count| count.is_of(ask, limit));
        if let Some(count) = found {
            count.come_under(limit, &mut self.plans, now);
            return look(&count.plan, &count.state);
        }
        let plan = self.plans.of(limit);
        look(&plan, &plan.fresh())
    }

    /// Takes a cost that fits.
    fn take(
        &mut self,
        ask: &Ask<'_>,
        limit: &LimitSettings,
        hash: u64,
        hasher: &RandomState,
        now: u64,
    ) {
        let found = self.table.find_mut(hash, |count| count.is_of(ask, limit));
        if let Some(count) = found {
            // It was seen to fit, under the same lock and at the same time.
            let _ = count.plan.admit(&mut count.state, ask.cost, now);
            return;
        }
        let plan = self.plans.of(limit);
        let mut state = plan.fresh();
        let _ = plan.admit(&mut state, ask.cost, now);
        let count = Count {
            limiter: ask.limiter.clone(),
            key: ask.key.into(),
            plan,
            state,
        };
        self.table
            .insert_unique(hash, count, |count| count.hash(hasher));
    }

    /// Takes out counts that are as good as new, and gives memory back if few are left.
    fn sweep(&mut self, hasher: &RandomState, now: u64) {
        for _ in 0..SWEPT.min(self.table.num_buckets()) {
            if self.clock_hand >= self.table.num_buckets() {
                self.clock_hand = 0;
                self.shrink(hasher);
            }
            let bucket = self.clock_hand;
            self.clock_hand += 1;
            let is_over = self
                .table
                .get_bucket(bucket)
                .is_some_and(|count| count.plan.used(&count.state, now) == 0);
            if is_over && let Ok(count) = self.table.get_bucket_entry(bucket) {
                count.remove();
            }
        }
    }

    fn shrink(&mut self, hasher: &RandomState) {
        let wanted = self.table.len() * 2;
        if self.table.capacity() > wanted.saturating_mul(2) {
            self.table.shrink_to(wanted, |count| count.hash(hasher));
        }
    }

    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.table.len()
    }
}

impl Count {
    /// None only for a plan without a limit, which is not made.
    fn limit(&self) -> Option<&LimitSettings> {
        self.plan.limits().first()
    }

    fn is_of(&self, ask: &Ask<'_>, limit: &LimitSettings) -> bool {
        let is_same =
            |own: &LimitSettings| own.algorithm == limit.algorithm && own.name == limit.name;
        *self.key == *ask.key && self.limiter == *ask.limiter && self.limit().is_some_and(is_same)
    }

    /// The limit may have other numbers by now: what is used stays used.
    fn come_under(&mut self, limit: &LimitSettings, plans: &mut Plans, now: u64) {
        if self.limit() == Some(limit) {
            return;
        }
        let plan = plans.of(limit);
        self.state = plan.adopt(&self.plan, &self.state, now);
        self.plan = plan;
    }

    fn hash(&self, hasher: &RandomState) -> u64 {
        let limit = self.limit();
        limit.map_or(0, |limit| hash(hasher, &self.limiter, &self.key, limit))
    }
}

impl Plans {
    fn of(&mut self, limit: &LimitSettings) -> Arc<Plan> {
        let found = self
            .0
            .iter()
            .position(|plan| plan.limits().first() == Some(limit));
        let plan = match found {
            Some(place) => self.0.remove(place),
            None => Arc::new(Plan::new(std::slice::from_ref(limit))),
        };
        self.0.truncate(SHARED_PLANS - 1);
        self.0.insert(0, plan.clone());
        plan
    }
}

fn hash(hasher: &RandomState, limiter: &Name, key: &str, limit: &LimitSettings) -> u64 {
    hasher.hash_one((&**limiter, key, &*limit.name, limit.algorithm))
}
