//! A limit that goes by how latencies compare with those of a longer time.

use super::samples::Seen;

/// Windows in which the average of a longer time forgets most of what it was.
const MEMORY: f64 = 600.0;

/// So many windows are in that average as they are, before it begins to forget.
const FIRST: f64 = 10.0;

/// The limit never falls by more than this at once: one slow window may be chance.
const STEEPEST: f64 = 0.5;

/// Above so many times the latencies of now, the average is one of worse times.
const FAR_OFF: f64 = 2.0;

/// What is left of such an average after each window.
const DECAY: f64 = 0.95;

/// What [`Adaptive::gradient`](super::Adaptive::gradient) was given.
#[derive(Clone, Copy, Debug)]
pub(super) struct Numbers {
    pub(super) tolerance: f64,
    pub(super) queue: Option<u32>,
    pub(super) smoothing: f64,
    pub(super) backoff: f64,
}

/// The limit after `limit`: the formula of [`Adaptive::gradient`](super::Adaptive::gradient),
/// before it is kept within bounds.
pub(super) fn next(limit: f64, numbers: Numbers, usual: &mut Usual, seen: &Seen) -> f64 {
    let compared = seen.latency.map(|latency| (usual.with(latency), latency));
    if seen.dropped {
        return limit * numbers.backoff;
    }
    let Some((usual, latency)) = compared.filter(|_| seen.uses_half_of(limit.trunc())) else {
        return limit;
    };
    let allowed = usual * numbers.tolerance;
    // Not a division alone: a latency may be nothing at all.
    let gradient = if latency > allowed {
        (allowed / latency).max(STEEPEST)
    } else {
        1.0
    };
    let queue = numbers.queue.map_or_else(|| limit.sqrt(), f64::from);
    limit + (limit * gradient + queue - limit) * numbers.smoothing
}

/// The latency of a longer time: a mean of the first windows, and exponential after them.
#[derive(Debug, Default)]
pub(super) struct Usual {
    mean: f64,
    windows: f64,
}

impl Usual {
    /// The mean with a window of this latency in it.
    fn with(&mut self, latency: f64) -> f64 {
        let share = if self.windows < FIRST {
            self.windows += 1.0;
            1.0 / self.windows
        } else {
            2.0 / (MEMORY + 1.0)
        };
        self.mean += (latency - self.mean) * share;
        let mean = self.mean;
        if mean > latency * FAR_OFF {
            self.mean *= DECAY;
        }
        mean
    }
}
