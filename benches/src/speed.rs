//! Time, allocations and the size of the future, per call.

use crate::lane::Lane;
use crate::peers::Peers;
use crate::rounds::Samples;
use crate::table::{Table, number};
use crate::target::Bound::AtMost;
use crate::target::Target;
use crate::workloads::{BARE, BREAKER, CHECK, EAGER, FULL, TOKIO, Workload};

const ROUNDS: usize = 500;
/// Calls whose allocations are counted.
const COUNTED: u32 = 1000;

/// A table for every workload.
pub(crate) fn measure(peers: Option<&Peers>, targets: &mut Vec<Target>) -> Vec<Table> {
    Workload::ALL
        .into_iter()
        .map(|workload| {
            let lanes = workload.lanes(peers);
            let samples = Samples::take(&lanes, ROUNDS, EAGER);
            targets.extend(promised(workload, &samples));
            targets.extend(peers.and_then(|peers| ahead(workload, peers, &samples)));
            table(workload, &lanes, &samples)
        })
        .collect()
}

fn table(workload: Workload, lanes: &[Lane], samples: &Samples) -> Table {
    let columns = [
        "lane",
        "ns",
        "over bare",
        "x handwritten",
        "spread",
        "x resilient",
        "allocations",
        "bytes",
        "future, bytes",
    ];
    let mut table = Table::new(
        format!("{}, {} rounds", workload.name(), samples.rounds()),
        &columns,
    );
    for lane in lanes {
        let heap = allocation_counter::measure(|| lane.run(COUNTED));
        let per_call = |total: u64| format!("{:.2}", total as f64 / f64::from(COUNTED));
        let name = lane.name();
        table.row(
            name,
            [
                number(samples.nanos(name), 1),
                number(samples.over(name, BARE), 1),
                number(samples.ratio(name, EAGER), 2),
                format!("{:.0} %", samples.spread(name, EAGER) * 100.0),
                number(samples.ratio(name, FULL), 2),
                per_call(heap.count_total),
                per_call(heap.bytes_total),
                lane.future().to_string(),
            ],
        );
    }
    table
}

fn promised(workload: Workload, samples: &Samples) -> Option<Target> {
    let over_tokio = samples.over(FULL, BARE) / samples.over(TOKIO, BARE);
    Some(match workload {
        Workload::Ready => Target::new(
            "ready: what the full stack adds, to what tokio's timeout adds",
            over_tokio,
            AtMost(0.8),
        ),
        Workload::Pending => Target::new(
            "pending: what the full stack adds, to what tokio's timeout adds",
            over_tokio,
            AtMost(1.0),
        ),
        Workload::Flaky => Target::new(
            "fail, fail, ok: the full stack, to the handwritten one",
            samples.ratio(FULL, EAGER),
            AtMost(0.35),
        ),
        Workload::Rejected => Target::new(
            "rejected: a breaker, to a handwritten check",
            samples.ratio(BREAKER, CHECK),
            AtMost(1.1),
        ),
        Workload::PendingInTask | Workload::ReadyOnThreads => return None,
    })
}

/// No peer's stack is to be faster, though each does less.
fn ahead(workload: Workload, peers: &Peers, samples: &Samples) -> Option<Target> {
    let ratios = peers.stacks.iter().map(|stack| samples.ratio(FULL, stack));
    let closest = ratios.filter(|ratio| ratio.is_finite()).reduce(f64::max)?;
    let what = format!(
        "{}: the full stack, to the fastest stack of a peer",
        workload.name()
    );
    Some(Target::new(what, closest, AtMost(1.0)))
}
