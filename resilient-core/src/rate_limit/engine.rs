//! How limits count. Pure: the state of one key goes in and comes out, time is an argument.
//!
//! Times are nanoseconds since 1970, the scale that fixed windows are aligned to. Time may run
//! backwards between two calls, when two threads read it and came in the other order: a window takes
//! that for a time that stands still, and a bucket asks at most for the step back again.

mod cell;
mod fixed;
mod gcra;
mod sliding_counter;
mod sliding_log;
mod token_bucket;

pub(super) use cell::Cell;
pub(super) use gcra::Gcra;
pub(super) use sliding_log::{Log, SlidingLog};

use fixed::Fixed;
use sliding_counter::SlidingCounter;
use token_bucket::TokenBucket;

use super::config::{Algorithm, LimitSettings};
use crate::seam::clock::nanos;

/// One way to count, with its numbers. `Track` is what it knows of one key; a default one knows
/// nothing.
pub(super) trait Engine<Track> {
    /// How long until `cost` fits, if nothing else is taken until then; zero: it fits now. `cost`
    /// is no more than the limit's capacity.
    fn wait(&self, track: &Track, cost: u32, now: u64) -> u64;

    /// Counts `cost`, which the caller has seen to fit.
    fn take(&self, track: &mut Track, cost: u32, now: u64);

    /// Until when what was just taken can be given back: then it would have come back by itself.
    fn refundable_until(&self, track: &Track, now: u64) -> u64;

    /// Gives back what a charge took, as far as it has not come back by itself.
    fn refund(&self, track: &mut Track, charge: Charge, now: u64);

    /// How much of the capacity is used, rounded up; a track that has used nothing is as good as a
    /// new one.
    fn used(&self, track: &Track, now: u64) -> u32;

    /// How long until nothing is used any longer.
    fn reset(&self, track: &Track, now: u64) -> u64;
}

/// Something that was taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Charge {
    pub(super) cost: u32,
    /// When it was taken.
    pub(super) at: u64,
    /// See [`Engine::refundable_until`].
    pub(super) until: u64,
}

/// The engines whose state is one cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CellEngine {
    Fixed(Fixed),
    SlidingCounter(SlidingCounter),
    TokenBucket(TokenBucket),
    Gcra(Gcra),
}

impl CellEngine {
    /// The engine with the numbers of `limit`; none for a log, whose state is no cell.
    pub(super) fn new(limit: &LimitSettings) -> Option<Self> {
        let window = nanos(limit.window).max(1);
        let quota = limit.quota.max(1);
        Some(match limit.algorithm {
            Algorithm::Fixed => CellEngine::Fixed(Fixed { quota, window }),
            Algorithm::SlidingCounter => {
                CellEngine::SlidingCounter(SlidingCounter { quota, window })
            }
            Algorithm::TokenBucket => {
                CellEngine::TokenBucket(TokenBucket::new(quota, window, limit.burst))
            }
            Algorithm::Gcra => CellEngine::Gcra(Gcra::new(quota, window, limit.burst)),
            Algorithm::SlidingLog => return None,
        })
    }

    /// The state under these numbers of a key that had `cell` under `before`: what it has used
    /// stays used, as far as there is room for it.
    pub(super) fn adopt(&self, before: &CellEngine, cell: &Cell, now: u64) -> Cell {
        if self.reads_cells_of(before) {
            return *cell;
        }
        let used = before.engine().used(cell, now).min(self.capacity());
        let mut adopted = Cell::default();
        if used > 0 {
            self.engine().take(&mut adopted, used, now);
        }
        adopted
    }

    /// Whether a cell means the same to both, though the quotas may be different.
    fn reads_cells_of(&self, before: &CellEngine) -> bool {
        match (self, before) {
            (CellEngine::Fixed(new), CellEngine::Fixed(old)) => new.window == old.window,
            (CellEngine::SlidingCounter(new), CellEngine::SlidingCounter(old)) => {
                new.window == old.window
            }
            (new, old) => new == old,
        }
    }

    fn capacity(&self) -> u32 {
        match self {
            CellEngine::Fixed(engine) => engine.quota,
            CellEngine::SlidingCounter(engine) => engine.quota,
            CellEngine::TokenBucket(engine) => engine.burst,
            CellEngine::Gcra(engine) => engine.burst,
        }
    }

    pub(super) fn engine(&self) -> &dyn Engine<Cell> {
        match self {
            CellEngine::Fixed(engine) => engine,
            CellEngine::SlidingCounter(engine) => engine,
            CellEngine::TokenBucket(engine) => engine,
            CellEngine::Gcra(engine) => engine,
        }
    }
}
