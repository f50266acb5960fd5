//! The lanes of every workload.

use crate::annotated::{breaker, broken, broken_breaker, bulkhead, deadline, full, retry, timeout};
use crate::body::{self, Failures};
use crate::failure::{Failure, Outcome};
use crate::handwritten::{self, Breaker, Eager, Lazy};
use crate::lane::Driver::{self, Hand, Task, Thread};
use crate::lane::{Lane, refused, worked};
use crate::peers::Peers;

/// Calls of one kind.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Workload {
    /// The body is ready at once.
    Ready,
    /// The same on several threads of a runtime.
    ReadyOnThreads,
    /// The body is pending once; polled by hand.
    Pending,
    /// The same in a task of the runtime.
    PendingInTask,
    /// Two attempts fail, the third works; no backoff.
    Flaky,
    /// What is called does not let calls through.
    Rejected,
}

/// Nothing around the body.
pub(crate) const BARE: &str = "bare";
/// What one timer costs that is made whether it is needed or not.
pub(crate) const TOKIO: &str = "tokio::time::timeout";
/// All policies as most would write them.
pub(crate) const EAGER: &str = "handwritten, eager timers";
/// All policies as cheap as they can be.
pub(crate) const LAZY: &str = "handwritten, lower bound";
/// A breaker's check alone.
pub(crate) const CHECK: &str = "handwritten, breaker alone";
/// The attribute with a dependency: all policies.
pub(crate) const FULL: &str = "resilient, full stack";
/// The attribute with a breaker.
pub(crate) const BREAKER: &str = "resilient, breaker alone";

const RETRY: &str = "resilient, retry and budget alone";
const BULKHEAD: &str = "resilient, bulkhead alone";
const TIMEOUT: &str = "resilient, timeout alone";
const DEADLINE: &str = "resilient, deadline alone";

impl Workload {
    /// Those that one thread makes.
    pub(crate) const ALL: [Workload; 5] = [
        Workload::Ready,
        Workload::Pending,
        Workload::PendingInTask,
        Workload::Flaky,
        Workload::Rejected,
    ];

    /// What the table calls it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Workload::Ready => "ready",
            Workload::ReadyOnThreads => "ready, on one and on two threads",
            Workload::Pending => "pending",
            Workload::PendingInTask => "pending in a task",
            Workload::Flaky => "fail, fail, ok",
            Workload::Rejected => "rejected",
        }
    }

    /// Who polls its calls.
    pub fn driver(self) -> Driver {
        match self {
            Workload::Pending => Hand,
            Workload::ReadyOnThreads => Thread,
            _ => Task,
        }
    }

    /// The ways to make its calls.
    pub(crate) fn lanes(self, peers: Option<&Peers>) -> Vec<Lane> {
        let mut lanes = match self {
            Workload::Ready | Workload::ReadyOnThreads => ready(self.driver()),
            Workload::Pending | Workload::PendingInTask => pending(self.driver()),
            Workload::Flaky => flaky(),
            Workload::Rejected => rejected(),
        };
        lanes.extend(peers.map(|peers| (peers.lanes)(self)).into_iter().flatten());
        lanes
    }
}

/// The body is ready at once.
fn ready(driver: Driver) -> Vec<Lane> {
    let eager = Eager::around(Breaker::closed());
    let lazy = Lazy::around(Breaker::closed());
    vec![
        Lane::new(driver, BARE, worked, body::ready),
        Lane::new(driver, TOKIO, worked, async |n| timed(body::ready(n)).await),
        Lane::new(driver, EAGER, worked, async move |n| {
            eager.call(async || body::ready(n).await).await
        }),
        Lane::new(driver, LAZY, worked, async move |n| {
            lazy.call(async || body::ready(n).await).await
        }),
        Lane::new(driver, FULL, worked, full::ready),
        Lane::new(driver, RETRY, worked, retry::ready),
        Lane::new(driver, BREAKER, worked, breaker::ready),
        Lane::new(driver, BULKHEAD, worked, bulkhead::ready),
        Lane::new(driver, TIMEOUT, worked, timeout::ready),
        Lane::new(driver, DEADLINE, worked, deadline::ready),
    ]
}

/// The body is pending once.
fn pending(driver: Driver) -> Vec<Lane> {
    let eager = Eager::around(Breaker::closed());
    let lazy = Lazy::around(Breaker::closed());
    vec![
        Lane::new(driver, BARE, worked, body::pending),
        Lane::new(driver, TOKIO, worked, async |n| {
            timed(body::pending(n)).await
        }),
        Lane::new(driver, EAGER, worked, async move |n| {
            eager.call(async || body::pending(n).await).await
        }),
        Lane::new(driver, LAZY, worked, async move |n| {
            lazy.call(async || body::pending(n).await).await
        }),
        Lane::new(driver, FULL, worked, full::pending),
        Lane::new(driver, RETRY, worked, retry::pending),
        Lane::new(driver, BREAKER, worked, breaker::pending),
        Lane::new(driver, BULKHEAD, worked, bulkhead::pending),
        Lane::new(driver, TIMEOUT, worked, timeout::pending),
        Lane::new(driver, DEADLINE, worked, deadline::pending),
    ]
}

/// Two attempts fail, the third works; no backoff.
fn flaky() -> Vec<Lane> {
    let eager = Eager::around(Breaker::closed());
    let lazy = Lazy::around(Breaker::closed());
    vec![
        Lane::new(Task, BARE, worked, async |n| {
            let failures = Failures::new(2);
            let mut outcome = body::flaky(&failures, n).await;
            while outcome.is_err() {
                outcome = body::flaky(&failures, n).await;
            }
            outcome
        }),
        Lane::new(Task, EAGER, worked, async move |n| {
            let failures = Failures::new(2);
            eager.call(async || body::flaky(&failures, n).await).await
        }),
        Lane::new(Task, LAZY, worked, async move |n| {
            let failures = Failures::new(2);
            lazy.call(async || body::flaky(&failures, n).await).await
        }),
        Lane::new(Task, FULL, worked, async |n| {
            full::flaky(&Failures::new(2), n).await
        }),
        Lane::new(Task, RETRY, worked, async |n| {
            retry::flaky(&Failures::new(2), n).await
        }),
    ]
}

/// The breaker is open.
fn rejected() -> Vec<Lane> {
    let last_straw = async |n| broken::flaky(&Failures::new(1), n).await;
    Lane::new(Task, "the last straw", Outcome::is_err, last_straw).run(1);
    let check = Breaker::open();
    let eager = Eager::around(Breaker::open());
    let lazy = Lazy::around(Breaker::open());
    vec![
        Lane::new(Task, CHECK, refused, async move |n| {
            check.admit()?;
            body::ready(n).await
        }),
        Lane::new(Task, EAGER, refused, async move |n| {
            eager.call(async || body::ready(n).await).await
        }),
        Lane::new(Task, LAZY, refused, async move |n| {
            lazy.call(async || body::ready(n).await).await
        }),
        Lane::new(Task, FULL, refused, broken::ready),
        Lane::new(Task, BREAKER, refused, broken_breaker::ready),
    ]
}

/// Under tokio's own limit.
pub(crate) async fn timed(body: impl Future<Output = Outcome>) -> Outcome {
    tokio::time::timeout(handwritten::TIMEOUT, body)
        .await
        .unwrap_or(Err(Failure::TimedOut))
}
