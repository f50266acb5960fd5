//! Several limits at once, all or nothing.

use std::sync::Arc;
use std::time::Duration;

use super::config::LimitSettings;
use super::decision::{Decision, Reading};
use super::engine::{Cell, CellEngine, Charge, Engine, Gcra, Log, SlidingLog};
use crate::seam::clock::nanos;

/// The engines of all limits of a key. The place of each among the limits stands with it.
#[derive(Debug)]
pub(super) struct Plan {
    limits: Arc<[LimitSettings]>,
    /// The most that fits all of them.
    capacity: u32,
    cells: Box<[(usize, CellEngine)]>,
    logs: Box<[(usize, SlidingLog)]>,
}

/// What the limits of a plan know of one key: in the usual case of a single limit two words, and
/// nothing on the heap.
#[derive(Clone, Debug)]
pub(super) enum State {
    One(Cell),
    Many(Box<Tracks>),
}

/// In the order of the plan's engines.
#[derive(Clone, Debug)]
pub(super) struct Tracks {
    cells: Box<[Cell]>,
    logs: Box<[Log]>,
}

/// A request does not fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Refused {
    /// The limit that keeps it out for longest.
    pub(super) limit: usize,
    /// How long until it would fit; nothing, if it never will, because it costs more than the limit
    /// ever allows.
    pub(super) wait: Option<u64>,
}

impl State {
    /// That of a bucket that will be full then.
    pub(super) fn full_at(nanos: u64) -> Self {
        State::One(Cell::full_at(nanos))
    }

    fn cells(&self) -> &[Cell] {
        match self {
            State::One(cell) => std::slice::from_ref(cell),
            State::Many(tracks) => &tracks.cells,
        }
    }

    fn cells_mut(&mut self) -> &mut [Cell] {
        match self {
            State::One(cell) => std::slice::from_mut(cell),
            State::Many(tracks) => &mut tracks.cells,
        }
    }

    fn logs(&self) -> &[Log] {
        match self {
            State::One(_) => &[],
            State::Many(tracks) => &tracks.logs,
        }
    }

    fn logs_mut(&mut self) -> &mut [Log] {
        match self {
            State::One(_) => &mut [],
            State::Many(tracks) => &mut tracks.logs,
        }
    }
}

impl Plan {
    pub(super) fn new(limits: &[LimitSettings]) -> Self {
        // Copies of its own, down to the names: each shard of a store has one, and threads that use
        // different shards must not meet in a reference count.
        let limits: Arc<[_]> = limits
            .iter()
            .map(|limit| LimitSettings {
                name: limit.name.unshared(),
                ..limit.clone()
            })
            .collect();
        let mut cells = Vec::new();
        let mut logs = Vec::new();
        for (index, limit) in limits.iter().enumerate() {
            if let Some(engine) = CellEngine::new(limit) {
                cells.push((index, engine));
            } else {
                let log = SlidingLog::new(limit.quota, nanos(limit.window));
                logs.push((index, log));
            }
        }
        let capacities = limits.iter().map(LimitSettings::capacity);
        Plan {
            capacity: capacities.min().unwrap_or(u32::MAX),
            limits,
            cells: cells.into(),
            logs: logs.into(),
        }
    }

    pub(super) fn limits(&self) -> &Arc<[LimitSettings]> {
        &self.limits
    }

    /// The numbers of its only limit, if that fits a word.
    pub(super) fn only_gcra(&self) -> Option<Gcra> {
        match (&*self.cells, &*self.logs) {
            ([(_, CellEngine::Gcra(gcra))], []) => Some(*gcra),
            _ => None,
        }
    }

    /// The state of a key nobody has seen.
    pub(super) fn fresh(&self) -> State {
        if self.cells.len() == 1 && self.logs.is_empty() {
            return State::One(Cell::default());
        }
        State::Many(Box::new(Tracks {
            cells: self.cells.iter().map(|_| Cell::default()).collect(),
            logs: self.logs.iter().map(|_| Log::default()).collect(),
        }))
    }

    /// The limit that `cost` never fits, if there is one.
    pub(super) fn never_fits(&self, cost: u32) -> Option<Refused> {
        if cost <= self.capacity {
            return None;
        }
        let limit = self
            .limits
            .iter()
            .position(|limit| cost > limit.capacity())?;
        Some(Refused { limit, wait: None })
    }

    /// Takes `cost` from every limit, or from none.
    pub(super) fn admit(&self, state: &mut State, cost: u32, now: u64) -> Result<(), Refused> {
        // The usual case, without going through lists.
        if let (State::One(cell), [(limit, engine)]) = (&mut *state, &*self.cells)
            && cost <= self.capacity
        {
            let engine = engine.engine();
            return match engine.wait(cell, cost, now) {
                0 => {
                    engine.take(cell, cost, now);
                    Ok(())
                }
                wait => Err(Refused {
                    limit: *limit,
                    wait: Some(wait),
                }),
            };
        }
        self.fits(state, cost, now)?;
        self.take(state, cost, now);
        Ok(())
    }

    /// Whether `cost` fits every limit.
    pub(super) fn fits(&self, state: &State, cost: u32, now: u64) -> Result<(), Refused> {
        if let Some(never) = self.never_fits(cost) {
            return Err(never);
        }
        let mut longest = (0, 0);
        self.each(state, |limit, ask| {
            let wait = ask.wait(cost, now);
            if wait > longest.1 {
                longest = (limit, wait);
            }
        });
        match longest {
            (_, 0) => Ok(()),
            (limit, wait) => Err(Refused {
                limit,
                wait: Some(wait),
            }),
        }
    }

    /// Whether `cost` fits after everything in `ahead` has had its turn, one after the other, and
    /// how long that takes.
    pub(super) fn fits_behind(
        &self,
        state: &State,
        ahead: &[u32],
        cost: u32,
        now: u64,
    ) -> Result<(), Refused> {
        let mut state = state.clone();
        let mut turn = now;
        for &before in ahead {
            // What can never have its turn keeps nobody waiting.
            match self.fits(&state, before, turn) {
                Ok(()) => {}
                Err(Refused { wait: None, .. }) => continue,
                Err(Refused {
                    wait: Some(wait), ..
                }) => turn = turn.saturating_add(wait),
            }
            self.take(&mut state, before, turn);
        }
        let passed = turn.saturating_sub(now);
        match self.fits(&state, cost, turn) {
            Ok(()) if passed == 0 => Ok(()),
            Ok(()) => Err(Refused {
                limit: 0,
                wait: Some(passed),
            }),
            Err(refused) => Err(Refused {
                wait: refused.wait.map(|wait| wait.saturating_add(passed)),
                ..refused
            }),
        }
    }

    fn take(&self, state: &mut State, cost: u32, now: u64) {
        for ((_, engine), cell) in self.cells.iter().zip(state.cells_mut()) {
            engine.engine().take(cell, cost, now);
        }
        for ((_, engine), log) in self.logs.iter().zip(state.logs_mut()) {
            engine.take(log, cost, now);
        }
    }

    /// Gives back what `decision` took, limit by limit.
    pub(super) fn refund(&self, state: &mut State, decision: &Decision, now: u64) {
        let charge = |index: usize| {
            // By name: the limits may be others by now.
            let limit = self.limits.get(index)?;
            decision.charge_of(limit)
        };
        for ((index, engine), cell) in self.cells.iter().zip(state.cells_mut()) {
            if let Some(charge) = charge(*index) {
                engine.engine().refund(cell, charge, now);
            }
        }
        for ((index, engine), log) in self.logs.iter().zip(state.logs_mut()) {
            if let Some(charge) = charge(*index) {
                engine.refund(log, charge, now);
            }
        }
    }

    /// What `decision` took of the first limit.
    pub(super) fn only_charge(&self, decision: &Decision) -> Option<Charge> {
        decision.charge_of(self.limits.first()?)
    }

    /// How much of the limit is used of which most is used, in thousandths, rounded up: with zero
    /// the key is as good as new.
    pub(super) fn used(&self, state: &State, now: u64) -> u64 {
        let mut most = 0;
        self.each(state, |limit, ask| {
            let capacity = self.limits.get(limit).map_or(1, LimitSettings::capacity);
            let used = u64::from(ask.used(now)) * 1000;
            most = most.max(used.div_ceil(u64::from(capacity.max(1))));
        });
        most
    }

    /// What there is to say about a request of `cost` and the limits after it.
    pub(super) fn decision(
        &self,
        state: &State,
        outcome: Result<(), Refused>,
        cost: u32,
        now: u64,
    ) -> Decision {
        let readings = self.readings(state, outcome.is_err(), cost, now);
        Decision::new(self.limits.clone(), readings, outcome.is_ok(), cost, now)
    }

    /// What each limit says about a request of `cost`, as it left them.
    pub(super) fn readings(
        &self,
        state: &State,
        refused: bool,
        cost: u32,
        now: u64,
    ) -> Vec<Reading> {
        let mut readings = vec![Reading::default(); self.limits.len()];
        self.each(state, |limit, ask| {
            let used = ask.used(now);
            let (Some(reading), Some(settings)) = (readings.get_mut(limit), self.limits.get(limit))
            else {
                return;
            };
            let wait = if refused { ask.wait(cost, now) } else { 0 };
            *reading = Reading {
                remaining: settings.capacity().saturating_sub(used),
                reset_after: Duration::from_nanos(ask.reset(now)),
                retry_after: Duration::from_nanos(wait),
                refundable_until: ask.refundable_until(now),
            };
        });
        readings
    }

    /// The state under this plan of a key that had `state` under `before`; limits are the same by
    /// their names.
    pub(super) fn adopt(&self, before: &Plan, state: &State, now: u64) -> State {
        let mut adopted = self.fresh();
        for ((index, engine), cell) in self.cells.iter().zip(adopted.cells_mut()) {
            let old = before.cells.iter().zip(state.cells());
            for ((old_index, old_engine), old_cell) in old {
                if self.is_same_limit(*index, before, *old_index) {
                    *cell = engine.adopt(old_engine, old_cell, now);
                }
            }
        }
        for ((index, _), log) in self.logs.iter().zip(adopted.logs_mut()) {
            let old = before.logs.iter().zip(state.logs());
            for ((old_index, old_engine), old_log) in old {
                if self.is_same_limit(*index, before, *old_index) {
                    *log = old_engine.hand_over(old_log, now);
                }
            }
        }
        adopted
    }

    fn is_same_limit(&self, index: usize, before: &Plan, old_index: usize) -> bool {
        let (new, old) = (self.limits.get(index), before.limits.get(old_index));
        matches!((new, old), (Some(new), Some(old)) if new.name == old.name)
    }

    fn each(&self, state: &State, mut look: impl FnMut(usize, &dyn Ask)) {
        for ((index, engine), cell) in self.cells.iter().zip(state.cells()) {
            look(*index, &Of(engine.engine(), cell));
        }
        for ((index, engine), log) in self.logs.iter().zip(state.logs()) {
            look(*index, &Of(engine as &dyn Engine<Log>, log));
        }
    }
}

/// An engine together with what it knows of a key.
struct Of<'a, Track>(&'a dyn Engine<Track>, &'a Track);

/// What can be asked of either kind.
trait Ask {
    fn wait(&self, cost: u32, now: u64) -> u64;
    fn used(&self, now: u64) -> u32;
    fn reset(&self, now: u64) -> u64;
    fn refundable_until(&self, now: u64) -> u64;
}

impl<Track> Ask for Of<'_, Track> {
    fn wait(&self, cost: u32, now: u64) -> u64 {
        self.0.wait(self.1, cost, now)
    }

    fn used(&self, now: u64) -> u32 {
        self.0.used(self.1, now)
    }

    fn reset(&self, now: u64) -> u64 {
        self.0.reset(self.1, now)
    }

    fn refundable_until(&self, now: u64) -> u64 {
        self.0.refundable_until(self.1, now)
    }
}

#[cfg(test)]
#[cfg(not(loom))]
mod tests;
