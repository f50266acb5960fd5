//! What a story comes to.

use std::ops::Range;
use std::time::Duration;

use super::record::{Record, Second};
use super::scenario::{BEFORE, Scenario};

/// Seconds in a row in which the service is as good as before, to be called recovered.
const LASTING: usize = 3;
/// The share of the calls that succeed in such a second.
const RECOVERED: f64 = 0.95;
/// Over so many seconds the budget looks back.
const LONG: usize = 10;

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Figures {
    /// The measured seconds.
    pub(crate) seconds: Vec<Second>,
    /// The share of the calls begun during the trouble that succeeded.
    pub(crate) during: f64,
    /// The same after it.
    pub(crate) after: f64,
    /// Requests per call during the trouble.
    pub(crate) amplification: f64,
    /// The same in the worst ten seconds, from the trouble on.
    pub(crate) worst_ten: f64,
    /// The same in the worst second.
    pub(crate) worst: f64,
    /// Seconds until nearly all calls succeed again; `None` if that never happens.
    pub(crate) recovery: Option<usize>,
    /// 99 % of the calls took no longer, whatever they ended with.
    pub(crate) p99: Duration,
    /// How often breakers opened, in all processes together.
    pub(crate) openings: u32,
}

impl Figures {
    pub(crate) fn of(scenario: &Scenario, record: &Record) -> Self {
        let (mut seconds, p99) = record.take();
        seconds.truncate(scenario.measured());
        let (end, measured) = (scenario.end(), scenario.measured());
        let share = |range| ratio(&seconds, range, |second| second.succeeded);
        let requests = |range| ratio(&seconds, range, |second| second.attempts);
        let worst = |length| {
            (BEFORE..=measured - length)
                .map(|begin| requests(begin..begin + length))
                .fold(0.0, f64::max)
        };
        Figures {
            during: share(BEFORE..end),
            after: share(end..measured),
            amplification: requests(BEFORE..end),
            worst_ten: worst(LONG),
            worst: worst(1),
            recovery: (end..=measured - LASTING)
                .find(|&begin| (begin..begin + LASTING).all(|at| share(at..at + 1) >= RECOVERED))
                .map(|begin| begin - end),
            p99,
            openings: seconds[BEFORE..].iter().map(|second| second.openings).sum(),
            seconds,
        }
    }
}

/// So much of it per call.
fn ratio(seconds: &[Second], range: Range<usize>, of: fn(&Second) -> u32) -> f64 {
    let seconds = &seconds[range];
    let calls: u32 = seconds.iter().map(|second| second.calls).sum();
    let sum: u32 = seconds.iter().map(of).sum();
    f64::from(sum) / f64::from(calls.max(1))
}
