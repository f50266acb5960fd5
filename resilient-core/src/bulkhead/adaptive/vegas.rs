//! A limit that goes by how long attempts queue inside the dependency.

use std::time::Duration;

use super::samples::Seen;
use crate::seam::clock::Moment;

/// How long a latency is remembered at least, and for at most twice as long.
const MEMORY: Duration = Duration::from_secs(600);

/// A queue up to so many steps is short: the limit may rise.
const SHORT: f64 = 3.0;

/// A queue of more steps is long: the limit must fall. Also the stride while there is no queue.
const LONG: f64 = 6.0;

/// The limit after `limit`: the formula of [`Adaptive::vegas`](super::Adaptive::vegas), before it
/// is smoothed and kept within bounds.
pub(super) fn next(
    limit: f64,
    backoff: Option<f64>,
    no_load: &mut NoLoad,
    seen: &Seen,
    now: Moment,
) -> f64 {
    let step = limit.log10().floor().max(1.0);
    let lower = backoff.map_or(limit - step, |factor| limit * factor);
    let compared = seen
        .latency
        .and_then(|latency| Some((latency, no_load.before(latency, now)?)));
    if seen.dropped {
        return lower;
    }
    let Some((latency, least)) = compared else {
        return limit;
    };
    // Of the limit there is, rounded down: beyond half of that nobody goes on to count.
    if !seen.uses_half_of(limit.trunc()) {
        return limit;
    }
    let queue = (limit * (1.0 - least / latency)).ceil();
    if queue <= step {
        limit + LONG * step
    } else if queue < SHORT * step {
        limit + step
    } else if queue > LONG * step {
        lower
    } else {
        limit
    }
}

/// The latency without load, as far as it is known: the least of the last time.
#[derive(Debug)]
pub(super) struct NoLoad {
    /// The least since `since`, and of the stretch before that; infinite if there was none.
    current: f64,
    last: f64,
    since: Moment,
}

impl NoLoad {
    pub(super) fn new(now: Moment) -> Self {
        NoLoad {
            current: f64::INFINITY,
            last: f64::INFINITY,
            since: now,
        }
    }

    /// The latency without load to compare `latency` with; `None` if that is less than all before,
    /// and so the one to compare with from now on.
    fn before(&mut self, latency: f64, now: Moment) -> Option<f64> {
        let age = now.since(self.since);
        if age >= MEMORY {
            self.last = if age < MEMORY * 2 {
                self.current
            } else {
                f64::INFINITY
            };
            self.current = f64::INFINITY;
            self.since = now;
        }
        let least = self.current.min(self.last);
        self.current = self.current.min(latency);
        (least <= latency).then_some(least)
    }
}
