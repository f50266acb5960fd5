//! Two threads on one dependency, to one thread.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Instant;
use std::{hint, thread};

use crate::lane::Lane;
use crate::peers::Peers;
use crate::rounds::{calls_per_turn, median, nanos};
use crate::table::Table;
use crate::target::Bound::AtLeast;
use crate::target::Target;
use crate::workloads::{FULL, Workload};

const ROUNDS: usize = 200;
/// How much of its time a thread must have had company, for the round to say anything.
const OVERLAP: f64 = 0.9;

/// The ready calls, alone and in company.
pub(crate) fn measure(peers: Option<&Peers>, targets: &mut Vec<Target>) -> Table {
    let lanes = Workload::Ready.lanes(peers);
    // Long enough that starting together does not take longer, too short to be interrupted much.
    let calls: Vec<u32> = lanes.iter().map(|lane| 4 * calls_per_turn(lane)).collect();
    let mut alone = vec![Vec::new(); lanes.len()];
    let mut together = alone.clone();
    for _ in 0..ROUNDS {
        for (index, lane) in lanes.iter().enumerate() {
            alone[index].extend(on_threads(lane, calls[index], 1));
            together[index].extend(on_threads(lane, calls[index], 2));
        }
    }
    let columns = ["lane", "ns, one", "ns, two", "x throughput", "rounds"];
    let mut table = Table::new("ready, on one and on two threads", &columns);
    for (lane, (alone, together)) in lanes.iter().zip(alone.into_iter().zip(together)) {
        let rounds = together.len();
        let (alone, together) = (median(alone), median(together));
        let throughput = 2.0 * alone / together;
        table.row(
            lane.name(),
            [
                format!("{alone:.1}"),
                format!("{together:.1}"),
                format!("{throughput:.2}"),
                rounds.to_string(),
            ],
        );
        if lane.name() == FULL {
            targets.push(Target::new(
                "ready: throughput of two threads, to one",
                throughput,
                AtLeast(1.8),
            ));
        }
    }
    table
}

/// Nanoseconds per call and thread, if all threads ran at the same time.
fn on_threads(lane: &Lane, calls: u32, threads: u32) -> Option<f64> {
    let arrived = AtomicU32::new(0);
    let run = || {
        // What a thread does once is not a call's cost.
        lane.run(64);
        arrived.fetch_add(1, Ordering::AcqRel);
        // Sleeping until the other one comes would let it finish before this one wakes up.
        while arrived.load(Ordering::Acquire) < threads {
            hint::spin_loop();
        }
        let start = Instant::now();
        lane.run(calls);
        (start, Instant::now())
    };
    let spans: Vec<(Instant, Instant)> = thread::scope(|scope| {
        let running: Vec<_> = (0..threads).map(|_| scope.spawn(run)).collect();
        let spans = running.into_iter().map(thread::ScopedJoinHandle::join);
        spans.filter_map(Result::ok).collect()
    });
    let longest = spans.iter().map(|(start, end)| *end - *start).max()?;
    let common = spans.iter().map(|span| span.1).min()? - spans.iter().map(|span| span.0).max()?;
    let together = nanos(common) >= nanos(longest) * OVERLAP;
    together.then_some(nanos(longest) / f64::from(calls))
}
