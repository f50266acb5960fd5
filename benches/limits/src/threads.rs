//! The same on two threads that share the limiter.

use resilient_benches::rounds::Timed;
use resilient_benches::table::{Table, number};
use resilient_benches::target::{Bound::AtLeast, Target};
use resilient_benches::threads::Visits;

use crate::AnyError;
use crate::limiters::{OURS, OURS_KEYED, lanes};

pub(crate) fn measure(targets: &mut Vec<Target>) -> Result<Table, AnyError> {
    let lanes = lanes()?;
    let columns = ["lane", "ns, one", "ns, two", "x throughput", "visits"];
    let mut table = Table::new("limits: on one and on two threads", &columns);
    let runs: Vec<_> = lanes
        .iter()
        .map(|(_, lane)| move |calls| lane.run(calls))
        .collect();
    let runs: Vec<&(dyn Fn(u32) + Sync)> = runs.iter().map(|run| run as _).collect();
    for ((_, lane), visits) in lanes.iter().zip(Visits::take(&runs)) {
        let cells = [
            number(visits.alone(), 1),
            number(visits.together(), 1),
            number(visits.throughput(), 2),
            visits.len().to_string(),
        ];
        table.row(lane.name(), cells);
        for (what, of) in [("direct", OURS), ("10 000 keys", OURS_KEYED)] {
            if of == lane.name() {
                let what = format!("limits: throughput of two threads, {what}, to one");
                targets.push(Target::new(what, visits.throughput(), AtLeast(1.5)));
            }
        }
    }
    Ok(table)
}
