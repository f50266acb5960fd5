//! What "no pause" means: tokio's sleep rounds it up to the next millisecond.

use std::time::{Duration, Instant};

use resilient_benches::lane::Driver;
use resilient_benches::table::Table;

use crate::service::flaky;
use crate::{retries, tower_resilience};

const ROUNDS: usize = 25;
const CALLS: u32 = 4;

/// How long calls last that fail twice and work then, in those libraries that sleep for zero time.
pub(crate) fn tables() -> Vec<Table> {
    let lanes = [
        retries::backon(Driver::Task, flaky),
        retries::tokio_retry2(Driver::Task, flaky),
        tower_resilience::stack(Driver::Task, flaky),
    ];
    let mut taken = vec![Vec::new(); lanes.len()];
    for _ in 0..ROUNDS {
        for (lane, taken) in lanes.iter().zip(&mut taken) {
            let start = Instant::now();
            lane.run(CALLS);
            taken.push(start.elapsed() / CALLS);
        }
    }
    let title = "fail, fail, ok, where a pause of no length sleeps";
    let mut table = Table::new(title, &["lane", "wall ms per call"]);
    for (lane, mut taken) in lanes.iter().zip(taken) {
        taken.sort();
        let median: Duration = taken[ROUNDS / 2];
        table.row(lane.name(), [format!("{:.2}", median.as_secs_f64() * 1e3)]);
    }
    vec![table]
}
