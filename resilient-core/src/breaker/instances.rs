//! The breakers of a dependency that is really many: one for each key.
//!
//! They stand behind the dependency's breaker, which is also the one of calls without a key: that
//! one hands its settings and an operator's orders on to them.

use std::time::Duration;

use super::engine::Engine;
use super::forced::Forced;
use super::handle::BreakerHandle;
use super::key::BreakerKey;
use super::keyed::{Keyed, Loss};
use super::settings::BreakerSettings;
use super::{BreakerSnapshot, BreakerState};
use crate::seam::clock::{Moment, now};
use crate::seam::sync::{Arc, Ordering};
use crate::window::Tally;

/// However short the windows are, an instance is kept so long after its last call.
const LEAST_IDLE: Duration = Duration::from_secs(1);

/// The breakers of the keys that were called lately.
#[derive(Debug)]
pub(super) struct Instances {
    keyed: Keyed<Arc<BreakerHandle>>,
    most: usize,
    /// After so long without a call the windows are empty.
    idle: Duration,
    next_sweep: Moment,
    gone: Gone,
}

/// What those have counted for good that are no longer there.
#[derive(Clone, Copy, Debug, Default)]
struct Gone {
    panics: u64,
    would_have_refused: u64,
}

impl Instances {
    pub(super) fn new(settings: &BreakerSettings) -> Self {
        let mut instances = Instances {
            keyed: Keyed::new(),
            most: 0,
            idle: Duration::ZERO,
            next_sweep: Moment::from_bits(0),
            gone: Gone::default(),
        };
        instances.go_by(settings);
        instances
    }

    fn go_by(&mut self, settings: &BreakerSettings) {
        self.most = usize::try_from(settings.keys).unwrap_or(usize::MAX);
        self.idle = settings.look_back().max(LEAST_IDLE);
    }

    /// Takes out the idle ones, once in a while.
    fn sweep(&mut self, now: Moment) -> Vec<Arc<BreakerHandle>> {
        if now < self.next_sweep {
            return Vec::new();
        }
        self.next_sweep = now.plus(self.idle);
        let swept = self.keyed.sweep(now, self.idle, |instance| {
            !is_held(instance) && instance.is_like_new(now)
        });
        self.remember(&swept);
        swept
    }

    /// Takes out as many as there are too many, if `more` come.
    fn make_room(&mut self, more: usize, now: Moment) -> Vec<Arc<BreakerHandle>> {
        let mut evicted = Vec::new();
        while self.keyed.len() + more > self.most
            && let Some(instance) = self.keyed.evict(|instance| lost_with(instance, now))
        {
            evicted.push(instance);
        }
        self.remember(&evicted);
        evicted
    }

    fn remember(&mut self, gone: &[Arc<BreakerHandle>]) {
        for instance in gone {
            self.gone.panics += instance.panics.load(Ordering::Relaxed);
            self.gone.would_have_refused += instance.would_have_refused.load(Ordering::Relaxed);
        }
    }
}

/// Whether a call or an operator has it in hand. Only its owner gives it away, under the lock.
fn is_held(instance: &Arc<BreakerHandle>) -> bool {
    Arc::strong_count(instance) > 1
}

fn lost_with(instance: &Arc<BreakerHandle>, now: Moment) -> Loss {
    let word = instance.published.word();
    let ordered = || instance.guarded.lock().engine.order(now).is_some();
    match word.state() {
        BreakerState::Open | BreakerState::HalfOpen => Loss::Refusal,
        BreakerState::Closed if is_held(instance) => Loss::Outcomes,
        BreakerState::Closed => Loss::Counts,
        _ if ordered() => Loss::Order,
        _ if word.would_refuse() => Loss::Refusal,
        _ if is_held(instance) => Loss::Outcomes,
        _ => Loss::Counts,
    }
}

impl BreakerHandle {
    /// The breaker of `key`, which is made if there is none. Whoever has it keeps it, even if it is
    /// not the one of its key any longer.
    pub(crate) fn of_key(&self, key: &str) -> Arc<BreakerHandle> {
        let now = now();
        let mut instances = self.instances.lock();
        let swept = instances.sweep(now);
        let known = instances.keyed.use_at(key, now).cloned();
        let (instance, evicted) = if let Some(known) = known {
            (known, Vec::new())
        } else {
            let evicted = instances.make_room(1, now);
            let key = BreakerKey::new(key);
            let made = self.instance(key.clone(), now);
            instances.keyed.add(key, made.clone(), now);
            (made, evicted)
        };
        // Before what has gone: it may be the last to hold a user's listener.
        drop(instances);
        drop((swept, evicted));
        instance
    }

    /// The breaker of `key` to look at: one that a call would make is not kept.
    pub(super) fn look_at(&self, key: &BreakerKey) -> Arc<BreakerHandle> {
        let instances = self.instances.lock();
        match instances.keyed.get(key) {
            Some(known) => known.clone(),
            None => self.instance(key.clone(), now()),
        }
    }

    /// The keys that have a breaker now.
    pub(super) fn keys(&self) -> Vec<BreakerKey> {
        let (listed, _) = self.listed(now());
        let mut keys: Vec<_> = listed
            .iter()
            .filter_map(|instance| instance.key().cloned())
            .collect();
        keys.sort_unstable();
        keys
    }

    /// A breaker like this one, without what this one has counted. An operator's order holds for
    /// it, too.
    fn instance(&self, key: BreakerKey, now: Moment) -> Arc<BreakerHandle> {
        let guarded = self.guarded.lock();
        let settings = guarded.engine.settings().clone();
        let order = guarded.engine.order(now);
        drop(guarded);
        let engine = Engine::under(order, settings, now);
        // Not one counter for each thread: there may be thousands of these.
        let tally = Tally::with_shards(engine.generation(), 1);
        let whose = self.whose.with_key(key);
        BreakerHandle::with_engine(
            whose,
            engine,
            self.random.clone(),
            self.announcer.clone(),
            tally,
        )
    }

    fn listed(&self, now: Moment) -> (Vec<Arc<BreakerHandle>>, Gone) {
        let mut instances = self.instances.lock();
        let swept = instances.sweep(now);
        let listed = instances.keyed.iter().map(|(_, known)| known.clone());
        let listed = (listed.collect(), instances.gone);
        drop(instances);
        drop(swept);
        listed
    }

    /// Lets `act` change the breaker of each key, told what an operator has ordered of this one.
    ///
    /// That is read where it is acted upon: of two operators who act at once, all breakers follow the
    /// same.
    pub(super) fn lead(&self, act: impl Fn(&mut Engine, Option<Forced>, Moment)) {
        let now = now();
        for instance in self.listed(now).0 {
            instance.locked(now, |engine| {
                let order = self.guarded.lock().engine.order(now);
                act(engine, order, now);
            });
        }
    }

    /// Hands this one's settings on.
    pub(super) fn reconfigure_instances(&self, now: Moment) {
        let mut instances = self.instances.lock();
        instances.go_by(self.guarded.lock().engine.settings());
        let evicted = instances.make_room(0, now);
        drop(instances);
        drop(evicted);
        for instance in self.listed(now).0 {
            instance.locked(now, |engine| {
                let settings = self.guarded.lock().engine.settings().clone();
                instance.published.publish_settings(&settings);
                engine.reconfigure(settings, now);
            });
        }
    }

    /// Adds what the breakers of all keys have counted.
    pub(super) fn add_instances(&self, snapshot: &mut BreakerSnapshot, now: Moment) {
        let (instances, gone) = self.listed(now);
        snapshot.panics += gone.panics;
        snapshot.would_have_refused += gone.would_have_refused;
        for instance in instances {
            let one = instance.own_snapshot(now);
            snapshot.keys += 1;
            snapshot.keys_refusing += u32::from(!one.state.admits_all());
            snapshot.failures += one.failures;
            snapshot.slow += one.slow;
            snapshot.attempts += one.attempts;
            snapshot.panics += one.panics;
            snapshot.would_have_refused += one.would_have_refused;
        }
    }

    /// Whether a new one would be the same.
    fn is_like_new(&self, now: Moment) -> bool {
        self.locked(now, |engine| engine.is_like_new(now))
    }
}

#[cfg(test)]
#[cfg(not(loom))]
mod tests;
