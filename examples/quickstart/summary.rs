//! The account at the end: what the callers got, and what the servers saw.

use std::future::Future;
use std::time::{Duration, Instant};

use super::scripted_server::{Entry, Phase};

/// What a caller got.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    Answered,
    Failed,
    /// Failed without asking the dependency.
    FailedFast,
}

/// One call, as its caller saw it.
pub(crate) struct Call {
    /// The phase in which it began, by its place in the script.
    chapter: usize,
    ending: Ending,
    took: Duration,
}

impl Call {
    pub(crate) async fn timed(chapter: usize, call: impl Future<Output = Ending>) -> Self {
        let began = Instant::now();
        let ending = call.await;
        Call {
            chapter,
            ending,
            took: began.elapsed(),
        }
    }
}

/// One way of calling, phase by phase.
pub(crate) struct Summary {
    rows: Vec<Row>,
    /// The time callers spent waiting for calls that failed.
    in_vain: Duration,
}

struct Row {
    phase: Phase,
    counts: Counts,
}

#[derive(Clone, Copy, Default)]
struct Counts {
    answered: u64,
    failed: u64,
    failed_fast: u64,
    requests: u64,
}

impl Summary {
    /// The `journal` has one entry per phase of the script, since no two in a row are alike.
    pub(crate) fn of(journal: &[Entry], calls: &[Call]) -> Self {
        let rows = journal.iter().enumerate().map(|(chapter, entry)| {
            let ended = |ending| {
                let so = |call: &&Call| call.chapter == chapter && call.ending == ending;
                calls.iter().filter(so).count() as u64
            };
            let counts = Counts {
                answered: ended(Ending::Answered),
                failed: ended(Ending::Failed),
                failed_fast: ended(Ending::FailedFast),
                requests: entry.requests,
            };
            Row {
                phase: entry.phase,
                counts,
            }
        });
        let failed = calls.iter().filter(|call| call.ending != Ending::Answered);
        Summary {
            rows: rows.collect(),
            in_vain: failed.map(|call| call.took).sum(),
        }
    }

    fn total(&self) -> Counts {
        self.rows
            .iter()
            .fold(Counts::default(), |sum, Row { counts, .. }| Counts {
                answered: sum.answered + counts.answered,
                failed: sum.failed + counts.failed,
                failed_fast: sum.failed_fast + counts.failed_fast,
                requests: sum.requests + counts.requests,
            })
    }

    /// How many requests arrived while the dependency was in trouble.
    fn requests_in_trouble(&self) -> u64 {
        let in_trouble = self.rows.iter().filter(|row| row.phase != Phase::Healthy);
        in_trouble.map(|row| row.counts.requests).sum()
    }
}

pub(crate) fn print(ours: &Summary, theirs: &Summary) {
    println!();
    println!("Calls are counted where they began, requests where they arrived; calls that fail");
    println!("fast while it is healthy again came before a probe had found that out.");
    println!("Naive retries are as many, sent at once.");
    println!();
    println!(
        "                 ------------- #[resilient] --------------    ------ naive retries -------"
    );
    println!(
        "the dependency   answered  failed  failed fast  requests    answered  failed  requests"
    );
    for (our, their) in ours.rows.iter().zip(&theirs.rows) {
        print_row(&our.phase.to_string(), our.counts, their.counts);
    }
    print_row("in all", ours.total(), theirs.total());

    println!();
    println!(
        "In trouble the dependency got {} requests, where naive retries sent it {}.",
        ours.requests_in_trouble(),
        theirs.requests_in_trouble(),
    );
    println!(
        "Callers waited {:.1} s in vain, with naive retries {:.1} s.",
        ours.in_vain.as_secs_f32(),
        theirs.in_vain.as_secs_f32(),
    );
}

fn print_row(name: &str, ours: Counts, theirs: Counts) {
    println!(
        "{name:<15}  {:>8}  {:>6}  {:>11}  {:>8}    {:>8}  {:>6}  {:>8}",
        ours.answered,
        ours.failed,
        ours.failed_fast,
        ours.requests,
        theirs.answered,
        theirs.failed,
        theirs.requests,
    );
}
