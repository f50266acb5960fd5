//! Calls on a scripted dependency as rows of a table, and the one driver that plays them.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use resilient::breaker::{Breaker, BreakerState};
use resilient::budget::Budget;
use resilient::bulkhead::Bulkhead;
use resilient::retry::{Jitter, Retry};
use resilient::{Dependency, Policy, Rejection};
use tokio::time::{Instant, sleep_until, timeout, timeout_at};

use super::{Answer, Failure, Script, Step, by_value, registered, told};

/// What some calls on a dependency called `dep` come to. Times are milliseconds since the start.
///
/// Written as `Row { id: "..", .., ..ROW }`.
#[derive(Clone, Copy)]
pub(crate) struct Row {
    /// The rules and cases it holds, and what it is about.
    pub(crate) id: &'static str,
    /// Where others do otherwise: why we do not.
    pub(crate) why: &'static str,
    pub(crate) dependency: fn(Dependency) -> Dependency,
    /// What the attempts of all calls end with, in the order in which they start.
    pub(crate) steps: &'static [Step],
    /// When each call begins; in [`ROW`] it is one, at once.
    pub(crate) calls: &'static [u64],
    /// Which calls are dropped by their callers, and when.
    pub(crate) leaves: &'static [(usize, u64)],
    /// When the attempts of all calls start.
    pub(crate) starts: &'static [u64],
    /// Whose attempts they are; nothing if that does not matter.
    pub(crate) callers: &'static [usize],
    /// What each call ends with, and when.
    pub(crate) ends: &'static [(End, u64)],
    /// By how much chance may delay all of these times.
    pub(crate) late: u64,
    /// The breaker's state after the last call, if it matters.
    pub(crate) breaker: Option<BreakerState>,
    /// The breaker's failures and attempts, if they matter.
    pub(crate) counted: Option<(u64, u64)>,
    /// How many retries are left in the budget after the last call, if it matters.
    pub(crate) left: Option<usize>,
    /// How the events of these names begin, if they matter.
    pub(crate) told: &'static [&'static str],
}

/// What a row leaves out.
pub(crate) const ROW: Row = Row {
    id: "",
    why: "",
    dependency: |dependency| dependency,
    steps: &[],
    calls: &[0],
    leaves: &[],
    starts: &[],
    callers: &[],
    ends: &[],
    late: 0,
    breaker: None,
    counted: None,
    left: None,
    told: &[],
};

/// What a call ends with.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum End {
    /// The dependency's usual answer.
    Done,
    /// Another answer.
    Value(u32),
    /// The failure that this step of the script makes.
    Failed(Step),
    TimedOut,
    Deadline,
    BreakerOpen,
    BulkheadFull,
    NotRegistered,
    /// The caller dropped the call.
    Left,
    Panicked,
}

impl End {
    pub(crate) fn of(answer: &Answer) -> End {
        match answer {
            Ok(200) => End::Done,
            Ok(value) => End::Value(*value),
            Err(Failure::Transient) => End::Failed(Step::F),
            Err(Failure::Unsent) => End::Failed(Step::Unsent),
            Err(Failure::Throttled(hint)) => End::Failed(Step::Throttled(super::millis(*hint))),
            Err(Failure::Busy) => End::Failed(Step::Busy),
            Err(Failure::Fault) => End::Failed(Step::Fault),
            Err(Failure::Permanent) => End::Failed(Step::Permanent),
            Err(Failure::Ignored) => End::Failed(Step::Ignored),
            Err(Failure::Rejected(rejection)) => match rejection {
                Rejection::TimedOut { .. } => End::TimedOut,
                Rejection::DeadlineExceeded { .. } => End::Deadline,
                Rejection::BreakerOpen { .. } => End::BreakerOpen,
                Rejection::BulkheadFull { .. } => End::BulkheadFull,
                _ => End::NotRegistered,
            },
        }
    }
}

/// Nothing on, for rows about one policy.
pub(crate) fn bare(dependency: Dependency) -> Dependency {
    dependency
        .retry(Retry::never())
        .budget(Budget::unlimited())
        .breaker(Breaker::disabled())
        .bulkhead(Bulkhead::unlimited())
        .no_timeout()
        .no_deadline()
}

/// Attempts without a wait between them.
pub(crate) fn at_once(max: u32) -> Retry {
    Retry::max(max).base("0s")
}

/// Attempts `wait` ms after each other.
pub(crate) fn steady(max: u32, wait: u64) -> Retry {
    exponential(max, wait).factor(1.0)
}

/// Attempts after `wait` ms, twice that, and so on.
pub(crate) fn exponential(max: u32, wait: u64) -> Retry {
    Retry::max(max)
        .base(Duration::from_millis(wait))
        .cap(Duration::MAX)
        .jitter(Jitter::None)
}

/// Starts that lie `step` apart.
pub(crate) const fn every<const N: usize>(step: u64) -> [u64; N] {
    let mut starts = [0; N];
    let mut attempt = 1;
    while attempt < N {
        starts[attempt] = starts[attempt - 1] + step;
        attempt += 1;
    }
    starts
}

/// Starts whose distance doubles from `first` on.
pub(crate) const fn doubling<const N: usize>(first: u64) -> [u64; N] {
    let mut starts = [0; N];
    let mut attempt = 1;
    while attempt < N {
        starts[attempt] = starts[attempt - 1] * 2 + first;
        attempt += 1;
    }
    starts
}

/// Plays every row on a dependency of its own; all mismatches are reported together.
pub(crate) async fn run(rows: &[Row]) {
    let mut wrong = Vec::new();
    for row in rows {
        if let Err(mismatch) = play(row).await {
            wrong.push(format!("{}: {mismatch}", row.id));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of {} rows:\n{}",
        wrong.len(),
        rows.len(),
        wrong.join("\n")
    );
}

async fn play(row: &Row) -> Result<(), String> {
    if !row.told.is_empty() {
        told::listen();
    }
    let (registry, policy) = registered((row.dependency)(Dependency::named("dep")), "dep");
    let played = Played::of(row, &policy).await?;
    played.differs(row)?;
    let breaker = registry.breaker("dep").map_err(|miss| miss.to_string())?;
    let snapshot = breaker.snapshot();
    same("state", row.breaker, snapshot.state)?;
    same(
        "failures and attempts",
        row.counted,
        (snapshot.failures, snapshot.attempts),
    )?;
    if !row.told.is_empty() {
        hears(row.told, &told::take())?;
    }
    if row.left.is_some() {
        same("retries left", row.left, retries_left(&policy).await)?;
    }
    Ok(())
}

/// Spends the budget: how many retries it pays for.
pub(crate) async fn retries_left(policy: &Policy) -> usize {
    let mut left = 0;
    loop {
        let script = Script::new(&[Step::F; 99]);
        let _ = policy.call(|| script.attempt()).await;
        match script.starts().len() {
            0 | 1 => return left,
            _ if left > 9_999 => return usize::MAX,
            attempts => left += attempts - 1,
        }
    }
}

fn same<T: Copy + PartialEq + std::fmt::Debug>(
    what: &str,
    expected: Option<T>,
    got: T,
) -> Result<(), String> {
    match expected {
        Some(expected) if expected != got => {
            Err(format!("{what}: got {got:?}, expected {expected:?}"))
        }
        _ => Ok(()),
    }
}

/// What the calls of a row did.
struct Played {
    starts: Vec<u64>,
    callers: Vec<usize>,
    ends: Vec<(End, u64)>,
}

impl Played {
    async fn of(row: &Row, policy: &Policy) -> Result<Played, String> {
        let script = Script::new(row.steps);
        let callers = Arc::new(Mutex::new(Vec::new()));
        let begun = Instant::now();
        let at = |millis| begun + Duration::from_millis(millis);
        let by_value = row.steps.iter().any(|step| matches!(step, Step::Value(_)));
        let mut calls = Vec::new();
        for (caller, begins) in row.calls.iter().enumerate() {
            sleep_until(at(*begins)).await;
            let leaves = row.leaves.iter().find(|(leaver, _)| *leaver == caller);
            let leaves = leaves.map(|(_, millis)| at(*millis));
            let call = one(
                policy.clone(),
                script.clone(),
                callers.clone(),
                caller,
                by_value,
            );
            let call = tokio::spawn(until(leaves, call));
            let script = script.clone();
            calls.push(tokio::spawn(async move {
                (call.await.unwrap_or(End::Panicked), script.elapsed())
            }));
            tokio::task::yield_now().await;
        }
        let mut ends = Vec::new();
        for call in calls {
            // Longer than any row, so that a call that hangs is a mismatch.
            let end = timeout(Duration::from_secs(20 * 31_536_000), call).await;
            let end = end.map_err(|_| format!("call {} does not end", ends.len()))?;
            ends.push(end.map_err(|error| error.to_string())?);
        }
        let callers = callers.lock().unwrap().clone();
        Ok(Played {
            starts: script.starts(),
            callers,
            ends,
        })
    }

    fn differs(&self, row: &Row) -> Result<(), String> {
        let in_time = |got: u64, said: u64| (said..=said + row.late).contains(&got);
        let starts = self.starts.len() == row.starts.len()
            && std::iter::zip(&self.starts, row.starts).all(|(got, said)| in_time(*got, *said));
        let ends = self.ends.len() == row.ends.len()
            && std::iter::zip(&self.ends, row.ends)
                .all(|(got, said)| got.0 == said.0 && in_time(got.1, said.1));
        let callers = row.callers.is_empty() || self.callers == row.callers;
        if starts && ends && callers {
            return Ok(());
        }
        Err(format!(
            "got starts {:?} of callers {:?}, ends {:?}; expected starts {:?} of callers {:?}, ends {:?}",
            self.starts, self.callers, self.ends, row.starts, row.callers, row.ends
        ))
    }
}

async fn one(
    policy: Policy,
    script: Script,
    callers: Arc<Mutex<Vec<usize>>>,
    caller: usize,
    values: bool,
) -> End {
    let attempt = || {
        callers.lock().unwrap().push(caller);
        script.attempt()
    };
    let answer = if values {
        policy.call_classified(by_value, attempt).await
    } else {
        policy.call(attempt).await
    };
    End::of(&answer)
}

/// Drops `call` at `leaves`; before its first poll if that is now.
async fn until(leaves: Option<Instant>, call: impl Future<Output = End>) -> End {
    match leaves {
        None => call.await,
        Some(leaves) if leaves <= Instant::now() => End::Left,
        Some(leaves) => timeout_at(leaves, call).await.unwrap_or(End::Left),
    }
}

/// The events that have the name of an expected one are those, in order. `no retry.attempt` expects
/// none of that name.
pub(crate) fn hears(expected: &[&str], lines: &[String]) -> Result<(), String> {
    let name = |line: &str| line.split(' ').next().unwrap_or_default().to_owned();
    let (silent, expected): (Vec<&str>, Vec<&str>) =
        expected.iter().partition(|line| line.starts_with("no "));
    let mut names: Vec<_> = expected.iter().map(|line| name(line)).collect();
    names.extend(silent.iter().map(|line| line["no ".len()..].to_owned()));
    let told: Vec<_> = lines
        .iter()
        .filter_map(|line| {
            let (_span, event) = line.split_once(' ')?;
            Some(event.replace('"', "").replace(" message=", " "))
        })
        .filter(|event| names.contains(&name(event)))
        .collect();
    let heard = told.len() == expected.len()
        && std::iter::zip(&told, &expected).all(|(told, expected)| told.starts_with(expected));
    if heard {
        return Ok(());
    }
    Err(format!(
        "told {told:#?}; expected {expected:#?}, and {silent:?}"
    ))
}
