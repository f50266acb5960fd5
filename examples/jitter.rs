//! How much work jitter saves: the experiment of the AWS Architecture Blog's "Exponential Backoff And
//! Jitter", with this library's own backoff.
//!
//! ```text
//! cargo run --release --example jitter
//! ```
//!
//! Clients that all want to change one row read its version and then write, which only works if
//! nobody else wrote in between. Who fails waits and starts again; the fewer writes it takes until
//! everybody got through, and the less time, the better.

use std::error::Error;
use std::f64::consts::TAU;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use resilient::breaker::Breaker;
use resilient::budget::Budget;
use resilient::bulkhead::Bulkhead;
use resilient::retry::{Jitter, Retry};
use resilient::{Classify, Dependency, Policy, Registry, Rejection};
use tokio::runtime;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep};

const CLIENTS: [u32; 5] = [10, 20, 50, 80, 100];
const KINDS: [Jitter; 4] = [
    Jitter::None,
    Jitter::Full,
    Jitter::Equal,
    Jitter::Decorrelated,
];
const RUNS: u32 = 100;

/// What stands for a millisecond. Timers go by milliseconds of the paused clock, and hops of 10
/// ticks would lose what distinguishes them.
const MILLISECOND: Duration = Duration::from_secs(1);
const BASE: u32 = 5;
const CAP: u32 = 2_000;
/// Milliseconds of one way through the network: mean and standard deviation.
const HOP: (f64, f64) = (10.0, 2.0);

fn main() -> Result<(), Box<dyn Error>> {
    println!("clients  kind           calls  milliseconds");
    for clients in CLIENTS {
        for kind in KINDS {
            let (calls, millis) = mean(clients, kind, RUNS)?;
            println!("{clients:>7}  {kind:<12} {calls:>7.0} {millis:>13.0}");
        }
    }
    Ok(())
}

/// Writes until all clients are through, and milliseconds, in the mean over so many runs.
fn mean(clients: u32, kind: Jitter, runs: u32) -> Result<(f64, f64), Box<dyn Error>> {
    let (mut calls, mut millis) = (0, 0.0);
    for seed in 0..runs {
        let (more, took) = runtime::Builder::new_current_thread()
            .enable_time()
            .start_paused(true)
            .build()?
            .block_on(run(clients, kind, seed.into()))?;
        calls += more;
        millis += took.div_duration_f64(MILLISECOND);
    }
    let runs = f64::from(runs);
    Ok((f64::from(calls) / runs, millis / runs))
}

async fn run(clients: u32, kind: Jitter, seed: u64) -> Result<(u32, Duration), Box<dyn Error>> {
    let registry = Registry::seeded(seed);
    registry.register(
        Dependency::named("row")
            .retry(retry(kind))
            .budget(Budget::unlimited())
            .breaker(Breaker::disabled())
            .bulkhead(Bulkhead::unlimited())
            .no_timeout()
            .no_deadline(),
    )?;
    let policy = registry.policy("row")?.idempotent();
    let row = Arc::new(Row::default());
    let began = Instant::now();
    let all: JoinSet<_> = (0..u64::from(clients))
        .map(|client| {
            let network = StdRng::seed_from_u64(seed * 1_000 + client);
            update(policy.clone(), Arc::clone(&row), network)
        })
        .collect();
    for outcome in all.join_all().await {
        outcome?;
    }
    Ok((row.writes.load(Ordering::Relaxed), began.elapsed()))
}

/// As many attempts as it takes.
fn retry(kind: Jitter) -> Retry {
    // The experiment counts attempts from 1 and so begins with twice the base; decorrelated waits
    // begin with the base itself.
    let first = match kind {
        Jitter::Decorrelated => BASE,
        _ => 2 * BASE,
    };
    Retry::max(u32::MAX)
        .base(MILLISECOND * first)
        .cap(MILLISECOND * CAP)
        .factor(2.0)
        .jitter(kind)
}

/// A row of a database that counts its versions.
#[derive(Default)]
struct Row {
    version: AtomicU32,
    writes: AtomicU32,
}

#[derive(Debug, thiserror::Error, Classify)]
enum Failure {
    #[error("somebody else wrote in between")]
    #[transient]
    Conflict,
    #[error(transparent)]
    #[classify(source)]
    Rejected(#[from] Rejection),
}

impl Row {
    fn read(&self) -> u32 {
        self.version.load(Ordering::Relaxed)
    }

    fn write(&self, read: u32) -> Result<(), Failure> {
        self.writes.fetch_add(1, Ordering::Relaxed);
        self.version
            .compare_exchange(read, read + 1, Ordering::Relaxed, Ordering::Relaxed)
            .map_or(Err(Failure::Conflict), |_| Ok(()))
    }
}

/// One client, until its write succeeds.
async fn update(policy: Policy, row: Arc<Row>, mut network: StdRng) -> Result<(), Failure> {
    policy
        .call(|| {
            let hops = [(); 4].map(|()| hop(&mut network));
            let row = &row;
            async move {
                let [there, back, again, done] = hops;
                sleep(there).await;
                let version = row.read();
                sleep(back).await;
                sleep(again).await;
                let written = row.write(version);
                sleep(done).await;
                written
            }
        })
        .await
}

/// How long a message takes: |normal|, by Box and Muller.
fn hop(network: &mut StdRng) -> Duration {
    let (mean, deviation) = HOP;
    let radius = (-2.0 * (1.0 - network.random::<f64>()).ln()).sqrt();
    let normal = radius * (TAU * network.random::<f64>()).cos();
    MILLISECOND.mul_f64((mean + deviation * normal).abs())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_takes_as_many_calls_as_in_the_original() -> Result<(), Box<dyn Error>> {
        for (clients, kind, original) in [(50, Jitter::None, 620.0), (50, Jitter::Full, 332.0)] {
            let (calls, _) = mean(clients, kind, RUNS)?;
            let off = calls / original - 1.0;
            assert!(off.abs() < 0.05, "{kind}: {calls} instead of {original}");
        }
        Ok(())
    }
}
