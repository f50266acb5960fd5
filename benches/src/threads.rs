//! Two threads on one dependency, to one thread.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};
use std::{fs, hint, thread};

use crate::own_time::OwnTime;
use crate::peers::Peers;
use crate::rounds::{Timed, calls_per_turn, median, nanos};
use crate::table::{Table, number};
use crate::target::Bound::AtLeast;
use crate::target::Target;
use crate::workloads::{FULL, Workload};

/// How often a lane must have been measured alone and in company.
const VISITS: usize = 9;
/// On a busy machine most visits are in vain; this is when to stop hoping.
const TRIES: usize = 80;
/// Rounds of a visit, before it is the next lane's turn: what the neighbours do changes slowly.
const ROUNDS: u32 = 25;
/// How much of its time a thread must have had company, for the round to say anything.
const OVERLAP: f64 = 0.9;

/// The ready calls, alone and in company.
pub(crate) fn measure(peers: Option<&Peers>, targets: &mut Vec<Target>) -> Table {
    let lanes = Workload::ReadyOnThreads.lanes(peers);
    let columns = ["lane", "ns, one", "ns, two", "x throughput", "visits"];
    let mut table = Table::new(Workload::ReadyOnThreads.name(), &columns);
    let runs: Vec<_> = lanes.iter().map(|lane| |calls| lane.run(calls)).collect();
    let runs: Vec<&(dyn Fn(u32) + Sync)> = runs.iter().map(|run| run as _).collect();
    for (lane, visits) in lanes.iter().zip(Visits::take(&runs)) {
        table.row(
            lane.name(),
            [
                number(visits.alone(), 1),
                number(visits.together(), 1),
                number(visits.throughput(), 2),
                visits.len().to_string(),
            ],
        );
        if lane.name() == FULL {
            targets.push(Target::new(
                "ready: throughput of two threads, to one",
                visits.throughput(),
                AtLeast(1.8),
            ));
        }
    }
    table
}

/// What calls took, alone and in company.
#[derive(Default)]
pub struct Visits {
    /// Nanoseconds of processor time per call.
    taken: Vec<(f64, f64)>,
}

impl Visits {
    /// Makes so many calls by each of these, on one thread and on two, in turns.
    pub fn take(runs: &[&(dyn Fn(u32) + Sync)]) -> Vec<Self> {
        let calls: Vec<u32> = runs.iter().map(|run| calls_per_turn(&Run(*run))).collect();
        let mut all: Vec<Visits> = runs.iter().map(|_| Visits::default()).collect();
        for _ in 0..TRIES {
            for ((run, &calls), visits) in runs.iter().zip(&calls).zip(&mut all) {
                if visits.len() < VISITS {
                    visits.taken.extend(visit(*run, calls));
                }
            }
        }
        all
    }

    /// How often that could be measured.
    #[expect(clippy::len_without_is_empty, reason = "a number for a table")]
    pub fn len(&self) -> usize {
        self.taken.len()
    }

    /// Nanoseconds of a call on one thread.
    pub fn alone(&self) -> f64 {
        self.typical(|(alone, _)| *alone)
    }

    /// The same on each of two.
    pub fn together(&self) -> f64 {
        self.typical(|(_, together)| *together)
    }

    /// How many times as many calls two threads make.
    pub fn throughput(&self) -> f64 {
        self.typical(|(alone, together)| 2.0 * alone / together)
    }

    fn typical(&self, how: fn(&(f64, f64)) -> f64) -> f64 {
        median(self.taken.iter().map(how).collect())
    }
}

/// By the thread's own time.
struct Run<'a>(&'a (dyn Fn(u32) + Sync));

impl Timed for Run<'_> {
    const FEWEST: u32 = 64;

    fn name(&self) -> &'static str {
        ""
    }

    fn time(&self, calls: u32) -> Duration {
        let start = OwnTime::of_thread();
        (self.0)(calls);
        start.elapsed()
    }
}

/// Nanoseconds of processor time per call, alone and in company.
fn visit(run: &(dyn Fn(u32) + Sync), calls: u32) -> Option<(f64, f64)> {
    let (alone, together) = (on_threads(run, calls, 1), on_threads(run, calls, 2));
    let measured = !alone.is_empty() && !together.is_empty();
    measured.then(|| (median(alone), median(together)))
}

/// What one thread did in one round.
struct Span {
    start: Instant,
    end: Instant,
    used: f64,
    interrupted: bool,
}

/// Nanoseconds per call in each round in which all threads ran all the time, and at the same time.
fn on_threads(run: &(dyn Fn(u32) + Sync), calls: u32, threads: u32) -> Vec<f64> {
    let arrived = AtomicU32::new(0);
    let thread = || {
        // What a thread does once is not a call's cost.
        run(64);
        let rounds = 1..=ROUNDS;
        let spans = rounds.map(|round| {
            let before = interruptions();
            arrived.fetch_add(1, Ordering::AcqRel);
            // Sleeping until the other one comes would let it finish before this one wakes up.
            while arrived.load(Ordering::Acquire) < threads * round {
                hint::spin_loop();
            }
            let (start, used) = (Instant::now(), OwnTime::of_thread());
            run(calls);
            Span {
                used: nanos(used.elapsed()) / f64::from(calls),
                start,
                end: Instant::now(),
                interrupted: before.is_none() || interruptions() != before,
            }
        });
        spans.collect()
    };
    let spans: Vec<Vec<Span>> = thread::scope(|scope| {
        let running: Vec<_> = (0..threads).map(|_| scope.spawn(thread)).collect();
        let spans = running.into_iter().map(thread::ScopedJoinHandle::join);
        spans.filter_map(Result::ok).collect()
    });
    let rounds = 0..ROUNDS as usize;
    rounds
        .filter_map(|round| undisturbed(&spans.iter().map(|own| &own[round]).collect::<Vec<_>>()))
        .collect()
}

fn undisturbed(spans: &[&Span]) -> Option<f64> {
    let longest = spans.iter().map(|span| span.end - span.start).max()?;
    let common =
        spans.iter().map(|span| span.end).min()? - spans.iter().map(|span| span.start).max()?;
    let together = nanos(common) >= nanos(longest) * OVERLAP;
    let calm = spans.iter().all(|span| !span.interrupted);
    let used = spans.iter().map(|span| span.used);
    (together && calm).then(|| used.fold(0.0, f64::max))
}

/// How often the system took the core away from this thread. Linux only.
fn interruptions() -> Option<u64> {
    let status = fs::read_to_string("/proc/thread-self/status").ok()?;
    let count = status
        .lines()
        .find_map(|line| line.strip_prefix("nonvoluntary_ctxt_switches:"));
    count?.trim().parse().ok()
}
