//! Very many calls at a time, as a busy service has them.

use std::io;
use std::time::Instant;

use tokio::runtime::{Builder, Runtime};

use crate::annotated::crowded;
use crate::body;
use crate::failure::Outcome;
use crate::handwritten::{Breaker, Eager, Lazy};
use crate::own_time::OwnTime;
use crate::peers::Peers;
use crate::rounds::{median, nanos};
use crate::table::Table;
use crate::workloads::{BARE, EAGER, FULL, LAZY, TOKIO, timed};

const ROUNDS: usize = 31;
const CALLS: u64 = 10_000;
const WORKERS: usize = 2;

/// A named way to make them, each in a task of its own.
pub struct Crowd {
    name: &'static str,
    all: Box<dyn Fn(&Runtime)>,
}

impl Crowd {
    /// Makes calls with `call`.
    ///
    /// # Panics
    ///
    /// When they are made, if one does not work.
    pub fn new<Call, Future>(name: &'static str, call: Call) -> Self
    where
        Call: Fn(u64) -> Future + 'static,
        Future: std::future::Future<Output = Outcome> + Send + 'static,
    {
        let all = move |runtime: &Runtime| {
            runtime.block_on(async {
                let calls: Vec<_> = (0..CALLS)
                    .map(|number| tokio::spawn(call(number)))
                    .collect();
                for call in calls {
                    let outcome = call.await;
                    assert!(matches!(outcome, Ok(Ok(_))), "{name}: {outcome:?}");
                }
            });
        };
        Crowd {
            name,
            all: Box::new(all),
        }
    }
}

/// Processor time of 10 000 calls that wait a millisecond each, all at once.
pub(crate) fn measure(peers: Option<&Peers>) -> io::Result<Table> {
    let runtime = Builder::new_multi_thread()
        .worker_threads(WORKERS)
        .enable_time()
        .build()?;
    let crowds = {
        let _context = runtime.enter();
        let mut crowds = own();
        crowds.extend(peers.map(|peers| (peers.crowds)()).into_iter().flatten());
        crowds
    };
    let mut used = vec![Vec::new(); crowds.len()];
    let mut passed = used.clone();
    for round in 0..=ROUNDS {
        for step in 0..crowds.len() {
            let turn = (round + step) % crowds.len();
            let (processor, wall) = (OwnTime::of_process(), Instant::now());
            (crowds[turn].all)(&runtime);
            // What only the first ones pay for, as growing the timer wheel, is no call's cost.
            if round > 0 {
                used[turn].push(nanos(processor.elapsed()) / CALLS as f64);
                passed[turn].push(nanos(wall.elapsed()) / 1e6);
            }
        }
    }
    let columns = ["lane", "CPU ns", "over bare", "x handwritten", "wall ms"];
    let mut table = Table::new("10 000 calls at a time, 1 ms each, two workers", &columns);
    let position = |name: &str| crowds.iter().position(|crowd| crowd.name == name);
    let (Some(bare), Some(handwritten)) = (position(BARE), position(EAGER)) else {
        return Ok(table);
    };
    let compared = |turn: usize, base: usize, how: fn(f64, f64) -> f64| {
        let pairs = used[turn].iter().zip(&used[base]);
        median(pairs.map(|(own, base)| how(*own, *base)).collect())
    };
    for (turn, crowd) in crowds.iter().enumerate() {
        table.row(
            crowd.name,
            [
                format!("{:.0}", median(used[turn].clone())),
                format!("{:.0}", compared(turn, bare, |own, bare| own - bare)),
                format!("{:.2}", compared(turn, handwritten, |own, base| own / base)),
                format!("{:.1}", median(passed[turn].clone())),
            ],
        );
    }
    Ok(table)
}

fn own() -> Vec<Crowd> {
    // Handwritten policies live as long as the program, as those of a registry do.
    let eager: &'static Eager = Box::leak(Box::new(Eager::around(Breaker::closed())));
    let lazy: &'static Lazy = Box::leak(Box::new(Lazy::around(Breaker::closed())));
    vec![
        Crowd::new(BARE, body::sleeping),
        Crowd::new(TOKIO, |number| timed(body::sleeping(number))),
        Crowd::new(EAGER, move |number| {
            eager.call(async move || body::sleeping(number).await)
        }),
        Crowd::new(LAZY, move |number| {
            lazy.call(async move || body::sleeping(number).await)
        }),
        Crowd::new(FULL, crowded::sleeping),
    ]
}
