//! The counts of many keys in this process.
//!
//! A key is in one of several shards, each a table behind a lock of its own. Nothing runs in the
//! background: keys that are as good as new are taken out a few at a time by whoever comes along,
//! at a pace that goes around all shards once in each window.

mod shard;
mod sweep;

use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;
use std::time::Duration;

use super::config::{LimitSettings, RateLimitSettings};
use super::decision::Decision;
use super::direct::Direct;
use super::engine::Gcra;
use super::epoch::Epoch;
use super::plan::{Plan, Refused, State};
use crate::name::Name;
use crate::seam::shard::Shards;
use crate::seam::sync::{AtomicU64, Lock, Ordering};

use shard::Shard;
use sweep::Sweep;

/// Enough that two threads seldom want the same; each is also the most that is locked at once.
const MOST_SHARDS: u32 = 64;

/// With fewer keys in each, more of them would wait for a sweep in vain.
const LEAST_KEYS_PER_SHARD: u32 = 256;

/// What all keys have used.
#[derive(Debug)]
pub(super) struct Memory {
    /// In place of the shards, for what all keys share and fits a word.
    direct: Direct,
    unkeyed: bool,
    shards: Shards<Lock<Shard>>,
    sweep: Sweep,
    hasher: RandomState,
    epoch: Epoch,
    tally: Tally,
}

/// What the shards count together, on cache lines of its own: what is around it is read by every
/// request and hardly ever changes.
#[derive(Debug, Default)]
#[repr(align(128))]
struct Tally {
    keys: AtomicU64,
    max_keys: AtomicU64,
    evicted: AtomicU64,
}

/// Why a request was not let through, by name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Denied {
    pub(super) limit: Name,
    /// The most this limit allows at once.
    pub(super) capacity: u32,
    /// How long until it fits, in nanoseconds; nothing, if it never does.
    pub(super) wait: Option<u64>,
}

impl Denied {
    fn new(plan: &Plan, refused: Refused) -> Self {
        let limit = &plan.limits()[refused.limit];
        Denied {
            limit: limit.name.clone(),
            capacity: limit.capacity(),
            wait: refused.wait,
        }
    }

    /// How long until it fits.
    pub(super) fn time(&self) -> Duration {
        self.wait.map_or(Duration::MAX, Duration::from_nanos)
    }
}

/// The same, with what there is to say about it.
pub(super) type Decided = Result<Decision, Denied>;

impl Memory {
    pub(super) fn new(settings: &RateLimitSettings) -> Self {
        Memory::at(settings, Epoch::read())
    }

    pub(super) fn at(settings: &RateLimitSettings, epoch: Epoch) -> Self {
        let shards = (settings.max_keys / LEAST_KEYS_PER_SHARD).clamp(1, MOST_SHARDS);
        // Rounded down, so that a small bound is exact in one shard.
        let shards = 1_usize << shards.ilog2();
        let tally = Tally::default();
        tally
            .max_keys
            .store(u64::from(settings.max_keys), Ordering::Relaxed);
        Memory {
            direct: Direct::new(direct(settings.unkeyed, &settings.limits)),
            unkeyed: settings.unkeyed,
            shards: Shards::with_count(shards, |_, _| {
                Lock::new(Shard::new(Plan::new(&settings.limits)))
            }),
            sweep: Sweep::new(&settings.limits, epoch.now()),
            hasher: RandomState::new(),
            epoch,
            tally,
        }
    }

    /// Takes `cost` of the key's limits, if it fits all of them.
    #[inline]
    pub(super) fn take(&self, key: &str, cost: u32) -> Result<(), Denied> {
        match self.direct.gcra() {
            Some(gcra) => {
                let taken = self.take_direct(gcra, cost, self.epoch.now());
                taken.map(drop).map_err(|refused| self.denied(refused))
            }
            None => self.take_keyed(self.own_key(key), cost),
        }
    }

    fn take_direct(&self, gcra: Gcra, cost: u32, now: u64) -> Result<u64, Refused> {
        if cost > gcra.burst {
            return Err(Refused {
                limit: 0,
                wait: None,
            });
        }
        self.direct
            .take(gcra, cost, now)
            // Others may have taken by a later clock than this one was read at.
            .or_else(|_| self.direct.take(gcra, cost, self.epoch.now()))
            .map_err(|wait| Refused {
                limit: 0,
                wait: Some(wait),
            })
    }

    #[cold]
    fn denied(&self, refused: Refused) -> Denied {
        Denied::new(&self.plan(), refused)
    }

    fn take_keyed(&self, key: &str, cost: u32) -> Result<(), Denied> {
        let hash = self.hasher.hash_one(key);
        let mut shard = self.shards.of_hash(hash).lock();
        // Under the lock, so that time does not run backwards for a key.
        let now = self.epoch.now();
        let taken = shard
            .take(key, hash, cost, now, self)
            .map_err(|refused| Denied::new(shard.plan_of(key), refused));
        drop(shard);
        self.sweep_some(now);
        taken
    }

    /// The same, with everything there is to say about it; with `charge` off nothing is taken.
    pub(super) fn decide(&self, key: &str, cost: u32, charge: bool) -> Decided {
        let charge = charge && cost > 0;
        match self.direct.gcra() {
            Some(gcra) => self.decide_direct(gcra, cost, charge),
            None => self.decide_keyed(self.own_key(key), cost, charge),
        }
    }

    fn decide_direct(&self, gcra: Gcra, cost: u32, charge: bool) -> Decided {
        let plan = self.plan();
        let now = self.epoch.now();
        let full_at = self.direct.full_at();
        let (outcome, full_at) = if charge {
            match self.take_direct(gcra, cost, now) {
                Ok(full_at) => (Ok(()), full_at),
                Err(refused) => (Err(refused), full_at),
            }
        } else {
            (plan.fits(&State::full_at(full_at), cost, now), full_at)
        };
        describe(&plan, &State::full_at(full_at), outcome, cost, now)
    }

    fn decide_keyed(&self, key: &str, cost: u32, charge: bool) -> Decided {
        let hash = self.hasher.hash_one(key);
        let mut shard = self.shards.of_hash(hash).lock();
        let now = self.epoch.now();
        let outcome = if charge {
            shard.take(key, hash, cost, now, self)
        } else {
            shard.look(key, hash, |plan, state| plan.fits(state, cost, now))
        };
        let decided = shard.look(key, hash, |plan, state| {
            describe(plan, state, outcome, cost, now)
        });
        drop(shard);
        self.sweep_some(now);
        decided
    }

    /// Whether `cost` would fit once everything in `ahead` has had its turn, and when.
    pub(super) fn behind(&self, key: &str, ahead: &[u32], cost: u32) -> Result<(), Denied> {
        let now = self.epoch.now();
        let ask = |plan: &Plan, state: &State| {
            plan.fits_behind(state, ahead, cost, now)
                .map_err(|refused| Denied::new(plan, refused))
        };
        if self.direct.gcra().is_some() {
            return ask(&self.plan(), &State::full_at(self.direct.full_at()));
        }
        let key = self.own_key(key);
        let hash = self.hasher.hash_one(key);
        let shard = self.shards.of_hash(hash).lock();
        shard.look(key, hash, ask)
    }

    /// Gives back what `decision` took, as far as it has not come back by itself.
    pub(super) fn refund(&self, key: &str, decision: &Decision) {
        let now = self.epoch.now();
        if let Some(gcra) = self.direct.gcra() {
            if let Some(charge) = self.plan().only_charge(decision) {
                self.direct.refund(gcra, charge, now);
            }
            return;
        }
        let key = self.own_key(key);
        let hash = self.hasher.hash_one(key);
        let mut shard = self.shards.of_hash(hash).lock();
        shard.refund(key, hash, decision, now);
    }

    /// The one that counts: what all share is counted under one.
    fn own_key<'key>(&self, key: &'key str) -> &'key str {
        if self.unkeyed { "" } else { key }
    }

    /// The limits of keys that have none of their own.
    fn plan(&self) -> Arc<Plan> {
        self.shards.at(0).lock().plan().clone()
    }

    /// Other limits for all keys that have none of their own. What they have used stays used, as
    /// far as there is room for it.
    pub(super) fn reconfigure(&self, settings: &RateLimitSettings) {
        let max_keys = u64::from(settings.max_keys);
        self.tally.max_keys.store(max_keys, Ordering::Relaxed);
        self.sweep.reconfigure(&settings.limits);
        let direct = direct(self.unkeyed, &settings.limits);
        self.direct.reconfigure(direct, self.epoch.now());
        for shard in self.shards.iter() {
            let plan = Plan::new(&settings.limits);
            shard.lock().reconfigure(plan, self.epoch.now());
        }
    }

    /// Limits of its own for a key; none: those of all others again.
    pub(super) fn set_limits_of(&self, key: &str, limits: Option<&[LimitSettings]>) {
        let hash = self.hasher.hash_one(key);
        let plan = limits.map(|limits| Arc::new(Plan::new(limits)));
        if let Some(limits) = limits {
            self.sweep.also(limits);
        }
        let mut shard = self.shards.of_hash(hash).lock();
        shard.set_plan_of(key, hash, plan, self.epoch.now());
    }

    /// How many keys are remembered.
    pub(super) fn keys(&self) -> u64 {
        self.tally.keys.load(Ordering::Relaxed)
    }

    /// How many keys had to make room before they were as good as new.
    pub(super) fn evicted(&self) -> u64 {
        self.tally.evicted.load(Ordering::Relaxed)
    }

    /// What the tables take up, without the text of the keys.
    #[cfg(test)]
    pub(super) fn table_bytes(&self) -> usize {
        self.shards.iter().map(|shard| shard.lock().bytes()).sum()
    }

    #[inline]
    fn sweep_some(&self, now: u64) {
        if self.sweep.is_due(now) {
            let gone = self.sweep.go_on(&self.shards, &self.hasher, now);
            self.forget(gone);
        }
    }

    fn forget(&self, keys: u64) {
        if keys > 0 {
            self.tally.keys.fetch_sub(keys, Ordering::Relaxed);
        }
    }

    /// Whether one more key would be too many; it is counted in any case.
    fn remember_one(&self) -> bool {
        let before = self.tally.keys.fetch_add(1, Ordering::Relaxed);
        before >= self.tally.max_keys.load(Ordering::Relaxed)
    }
}

/// The numbers of a bucket that fits a word, if that is all there is.
fn direct(unkeyed: bool, limits: &[LimitSettings]) -> Option<Gcra> {
    Plan::new(limits).only_gcra().filter(|_| unkeyed)
}

/// What there is to say about a request; if it can never fit, only that.
fn describe(
    plan: &Plan,
    state: &State,
    outcome: Result<(), Refused>,
    cost: u32,
    now: u64,
) -> Decided {
    match outcome {
        Err(never @ Refused { wait: None, .. }) => Err(Denied::new(plan, never)),
        outcome => Ok(plan.decision(state, outcome, cost, now)),
    }
}
