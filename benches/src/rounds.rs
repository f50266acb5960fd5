//! Measures lanes side by side: the machine is never the same twice.

use std::time::Duration;

/// How long a lane runs before it is the next one's turn.
const TURN: Duration = Duration::from_micros(300);
/// More rounds follow while the middle half of a lane's ratios is wider than this, to their median.
const CALM: f64 = 0.2;
/// But not more than so many times as many.
const PATIENCE: usize = 4;

/// Something that is done again and again, and timed.
pub trait Timed {
    /// How often it is done in a turn at the least.
    const FEWEST: u32;

    /// What the table calls it.
    fn name(&self) -> &'static str;

    /// How long so many calls take.
    fn time(&self, calls: u32) -> Duration;
}

/// What each lane took in each round.
pub struct Samples {
    names: Vec<&'static str>,
    /// Nanoseconds per call, by lane and round.
    taken: Vec<Vec<f64>>,
}

impl Samples {
    /// Runs all lanes in turn, each round in another order: `rounds` times, and again while their
    /// ratios to `base` are all over the place.
    pub fn take<T: Timed>(lanes: &[T], rounds: usize, base: &str) -> Self {
        let calls: Vec<u32> = lanes.iter().map(calls_per_turn).collect();
        let mut samples = Samples {
            names: lanes.iter().map(Timed::name).collect(),
            taken: vec![Vec::with_capacity(rounds); lanes.len()],
        };
        for round in 0..rounds * PATIENCE {
            if round > 0 && round % rounds == 0 && samples.calm(base) {
                break;
            }
            for step in 0..lanes.len() {
                let mut turn = (round / 2 + step) % lanes.len();
                if round % 2 == 1 {
                    turn = lanes.len() - 1 - turn;
                }
                let time = lanes[turn].time(calls[turn]);
                samples.taken[turn].push(nanos(time) / f64::from(calls[turn]));
            }
        }
        samples
    }

    /// How many rounds there were.
    pub fn rounds(&self) -> usize {
        self.taken.first().map_or(0, Vec::len)
    }

    /// Nanoseconds per call.
    pub fn nanos(&self, lane: &str) -> f64 {
        median(self.of(lane).to_vec())
    }

    /// Nanoseconds per call that `lane` takes longer than `base`.
    pub fn over(&self, lane: &str, base: &str) -> f64 {
        let pairs = self.of(lane).iter().zip(self.of(base));
        median(pairs.map(|(lane, base)| lane - base).collect())
    }

    /// How many times as long as `base` a call takes.
    pub fn ratio(&self, lane: &str, base: &str) -> f64 {
        median(self.ratios(lane, base))
    }

    /// How wide the middle half of these ratios is, to their median.
    pub fn spread(&self, lane: &str, base: &str) -> f64 {
        let mut ratios = self.ratios(lane, base);
        ratios.sort_by(f64::total_cmp);
        let quarter = |quarters: usize| ratios.get(ratios.len() * quarters / 4);
        match (quarter(1), quarter(2), quarter(3)) {
            (Some(low), Some(middle), Some(high)) => (high - low) / middle,
            _ => f64::NAN,
        }
    }

    fn calm(&self, base: &str) -> bool {
        let mut spreads = self.names.iter().map(|lane| self.spread(lane, base));
        spreads.all(|spread| spread <= CALM)
    }

    fn ratios(&self, lane: &str, base: &str) -> Vec<f64> {
        let pairs = self.of(lane).iter().zip(self.of(base));
        pairs.map(|(lane, base)| lane / base).collect()
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
pub(crate) fn calls_per_turn<T: Timed>(lane: &T) -> u32 {
    // What only the first call does would make a turn look long.
    lane.time(1);
    let mut calls = T::FEWEST;
    while lane.time(calls) < TURN {
        calls *= 2;
    }
    calls
}
