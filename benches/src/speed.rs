//! Time and allocations per call.

use crate::rounds::Samples;
use crate::table::Table;
use crate::target::Bound::AtMost;
use crate::target::Target;
use crate::workloads::{self, BARE, BREAKER, CHECK, EAGER, FULL, TOKIO, Workload};

const ROUNDS: usize = 500;
/// Calls whose allocations are counted.
const COUNTED: u32 = 1000;

/// A table for every workload.
pub(crate) fn measure(targets: &mut Vec<Target>) -> Vec<Table> {
    workloads::all()
        .iter()
        .map(|workload| {
            let samples = Samples::take(&workload.lanes, ROUNDS);
            targets.extend(promised(workload, &samples));
            table(workload, &samples)
        })
        .collect()
}

fn table(workload: &Workload, samples: &Samples) -> Table {
    let columns = [
        "lane",
        "ns",
        "over bare",
        "x handwritten",
        "allocations",
        "bytes",
    ];
    let mut table = Table::new(workload.name, &columns);
    for lane in &workload.lanes {
        let heap = allocation_counter::measure(|| lane.run(COUNTED));
        let per_call = |total: u64| format!("{:.2}", total as f64 / f64::from(COUNTED));
        table.row(
            lane.name(),
            [
                format!("{:.1}", samples.nanos(lane.name())),
                format!("{:.1}", samples.over(lane.name(), BARE)),
                format!("{:.2}", samples.ratio(lane.name(), EAGER)),
                per_call(heap.count_total),
                per_call(heap.bytes_total),
            ],
        );
    }
    table
}

fn promised(workload: &Workload, samples: &Samples) -> Option<Target> {
    let over_tokio = samples.over(FULL, BARE) / samples.over(TOKIO, BARE);
    Some(match workload.name {
        workloads::READY => Target::new(
            "ready: what the full stack adds, to what tokio's timeout adds",
            over_tokio,
            AtMost(0.8),
        ),
        workloads::PENDING => Target::new(
            "pending: what the full stack adds, to what tokio's timeout adds",
            over_tokio,
            AtMost(1.0),
        ),
        workloads::FLAKY => Target::new(
            "fail, fail, ok: the full stack, to the handwritten one",
            samples.ratio(FULL, EAGER),
            AtMost(0.35),
        ),
        workloads::REJECTED => Target::new(
            "rejected: a breaker, to a handwritten check",
            samples.ratio(BREAKER, CHECK),
            AtMost(1.1),
        ),
        _ => return None,
    })
}
