//! The lanes of every workload.

use crate::annotated::{breaker, broken, broken_breaker, bulkhead, deadline, full, retry, timeout};
use crate::body::{self, Failures};
use crate::failure::{Failure, Outcome};
use crate::handwritten::{self, Breaker, Eager, Lazy};
use crate::lane::Driver::{self, Hand, Task};
use crate::lane::{Lane, refused, worked};

/// The body is ready at once.
pub(crate) const READY: &str = "ready";
/// The body is pending once; polled by hand.
pub(crate) const PENDING: &str = "pending";
/// Two attempts fail, the third works; no backoff.
pub(crate) const FLAKY: &str = "fail, fail, ok";
/// The breaker is open.
pub(crate) const REJECTED: &str = "rejected";

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

/// Calls of one kind, made in every way.
pub(crate) struct Workload {
    /// What the table calls it.
    pub name: &'static str,
    /// The ways.
    pub lanes: Vec<Lane>,
}

/// All of them.
pub(crate) fn all() -> [Workload; 5] {
    [
        Workload {
            name: READY,
            lanes: ready(),
        },
        Workload {
            name: PENDING,
            lanes: pending(Hand),
        },
        Workload {
            name: "pending in a task",
            lanes: pending(Task),
        },
        Workload {
            name: FLAKY,
            lanes: flaky(),
        },
        Workload {
            name: REJECTED,
            lanes: rejected(),
        },
    ]
}

/// The body is ready at once.
pub(crate) fn ready() -> Vec<Lane> {
    let eager = Eager::around(Breaker::closed());
    let lazy = Lazy::around(Breaker::closed());
    vec![
        Lane::new(Task, BARE, worked, body::ready),
        Lane::new(Task, TOKIO, worked, async |n| timed(body::ready(n)).await),
        Lane::new(Task, EAGER, worked, async move |n| {
            eager.call(async || body::ready(n).await).await
        }),
        Lane::new(Task, LAZY, worked, async move |n| {
            lazy.call(async || body::ready(n).await).await
        }),
        Lane::new(Task, FULL, worked, full::ready),
        Lane::new(Task, RETRY, worked, retry::ready),
        Lane::new(Task, BREAKER, worked, breaker::ready),
        Lane::new(Task, BULKHEAD, worked, bulkhead::ready),
        Lane::new(Task, TIMEOUT, worked, timeout::ready),
        Lane::new(Task, DEADLINE, worked, deadline::ready),
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

async fn timed(body: impl Future<Output = Outcome>) -> Outcome {
    tokio::time::timeout(handwritten::TIMEOUT, body)
        .await
        .unwrap_or(Err(Failure::TimedOut))
}
