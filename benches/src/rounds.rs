//! Measures lanes side by side: the machine is never the same twice.

use std::time::Duration;

use crate::lane::Lane;
use crate::own_time::OwnTime;

/// How long a lane runs before it is the next one's turn.
const TURN: Duration = Duration::from_micros(300);

/// What each lane took in each round.
pub(crate) struct Samples {
    names: Vec<&'static str>,
    /// Nanoseconds per call, by lane and round.
    taken: Vec<Vec<f64>>,
}

impl Samples {
    /// Runs all lanes in turn, `rounds` times, each round in another order.
    pub(crate) fn take(lanes: &[Lane], rounds: usize) -> Self {
        let calls: Vec<u32> = lanes.iter().map(calls_per_turn).collect();
        let mut taken = vec![Vec::with_capacity(rounds); lanes.len()];
        for round in 0..rounds {
            for step in 0..lanes.len() {
                let mut turn = (round / 2 + step) % lanes.len();
                if round % 2 == 1 {
                    turn = lanes.len() - 1 - turn;
                }
                let time = time(&lanes[turn], calls[turn]);
                taken[turn].push(nanos(time) / f64::from(calls[turn]));
            }
        }
        Samples {
            names: lanes.iter().map(Lane::name).collect(),
            taken,
        }
    }

    /// Nanoseconds per call.
    pub(crate) fn nanos(&self, lane: &str) -> f64 {
        median(self.of(lane).to_vec())
    }

    /// Nanoseconds per call that `lane` takes longer than `base`.
    pub(crate) fn over(&self, lane: &str, base: &str) -> f64 {
        let pairs = self.of(lane).iter().zip(self.of(base));
        median(pairs.map(|(lane, base)| lane - base).collect())
    }

    /// How many times as long as `base` a call takes.
    pub(crate) fn ratio(&self, lane: &str, base: &str) -> f64 {
        let pairs = self.of(lane).iter().zip(self.of(base));
        median(pairs.map(|(lane, base)| lane / base).collect())
    }

    fn of(&self, lane: &str) -> &[f64] {
        let position = self.names.iter().position(|name| *name == lane);
        position.map_or(&[], |position| &self.taken[position])
    }
}

/// The middle one; not a number if there is none.
pub(crate) fn median(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    let middle = numbers.len() / 2;
    numbers.get(middle).copied().unwrap_or(f64::NAN)
}

/// A duration as a number to calculate with.
pub(crate) fn nanos(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1e9
}

/// How many calls fill a turn.
pub(crate) fn calls_per_turn(lane: &Lane) -> u32 {
    let mut calls = 64;
    while time(lane, calls) < TURN {
        calls *= 2;
    }
    calls
}

/// The thread's own time: the neighbours' does not count.
fn time(lane: &Lane, calls: u32) -> Duration {
    let start = OwnTime::now();
    lane.run(calls);
    start.elapsed()
}
