//! A1 and S1: policies that follow what the dependency can do.

mod bulkhead;
mod overload;
mod throttle;

use std::pin::Pin;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use resilient::breaker::Breaker;
use resilient::budget::Budget;
use resilient::bulkhead::{Adaptive, Bulkhead};
use resilient::retry::Retry;
use resilient::throttle::Throttle;
use resilient::{Classify, Dependency, Policy, Registry, Rejection};
use tokio::time::sleep;

#[derive(Debug, PartialEq, thiserror::Error, Classify)]
enum Failure {
    #[error("connection lost")]
    #[transient]
    Lost,
    #[error("too much")]
    #[throttled]
    TooMuch,
    #[error("broken")]
    #[fault]
    Broken,
    #[error("no such thing")]
    #[permanent]
    Missing,
    #[error("our own mistake")]
    #[ignored]
    Ours,
    #[error(transparent)]
    #[classify(source)]
    Rejected(#[from] Rejection),
}

type Answer = Result<(), Failure>;

fn ms(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

/// A dependency without anything that is not looked at: one attempt, no breaker, no deadline.
fn bare() -> Dependency {
    Dependency::named("dep")
        .retry(Retry::never())
        .breaker(Breaker::disabled())
        .budget(Budget::unlimited())
        .bulkhead(Bulkhead::unlimited())
        .no_timeout()
        .no_deadline()
}

fn registered(dependency: Dependency) -> (Registry, Policy) {
    let registry = Registry::seeded(1);
    registry.register(dependency).unwrap();
    let policy = registry.policy("dep").unwrap().idempotent();
    (registry, policy)
}

/// Polls a call so that it stands where it must wait.
fn poll_once<F: Future + ?Sized>(call: Pin<&mut F>) -> Poll<F::Output> {
    call.poll(&mut Context::from_waker(Waker::noop()))
}

/// So many calls at once, each of which ends as `answer` says after so long; returns when all have.
async fn at_once(policy: &Policy, calls: usize, latency: u64, answer: fn() -> Answer) {
    let calls = (0..calls).map(|_| {
        let call = policy.call(move || async move {
            sleep(ms(latency)).await;
            answer()
        });
        Box::pin(call) as Pin<Box<dyn Future<Output = Answer>>>
    });
    all_end(calls.collect()).await;
}

type Calls<'a> = Vec<Pin<Box<dyn Future<Output = Answer> + 'a>>>;

/// Runs calls side by side until the last has ended.
async fn all_end(mut calls: Calls<'_>) {
    std::future::poll_fn(|cx| {
        calls.retain_mut(|call| call.as_mut().poll(cx).is_pending());
        if calls.is_empty() {
            Poll::Ready(())
        } else {
            Poll::Pending
        }
    })
    .await;
}

/// The limit while nobody calls.
fn limit(policy: &Policy) -> u32 {
    limit_beside(policy, 0)
}
/// So many calls that run and do not end.
fn hold(policy: &Policy, calls: usize) -> Calls<'_> {
    let mut held: Calls<'_> = Vec::new();
    for _ in 0..calls {
        let mut call = Box::pin(policy.call(std::future::pending::<Answer>));
        let polled = poll_once(call.as_mut());
        assert!(polled.is_pending());
        held.push(call);
    }
    held
}

/// The limit, if another call finds it reached.
fn full(policy: &Policy) -> Option<u32> {
    let mut call = Box::pin(policy.call(std::future::pending::<Answer>));
    match poll_once(call.as_mut()) {
        Poll::Pending => None,
        Poll::Ready(Err(Failure::Rejected(Rejection::BulkheadFull { limit, .. }))) => Some(limit),
        Poll::Ready(other) => panic!("{other:?}"),
    }
}

/// The limit, found out by filling what so many calls leave of it.
fn limit_beside(policy: &Policy, held: usize) -> u32 {
    let mut more = Vec::new();
    loop {
        if let Some(limit) = full(policy) {
            assert_eq!(held + more.len(), limit as usize, "the limit is exact");
            return limit;
        }
        more.extend(hold(policy, 1));
    }
}
#[test]
fn x3_what_cannot_work_is_said_all_at_once() {
    let adaptive = Adaptive::aimd(0..=1).backoff(2.0).smoothing(0.5);
    let dependency = bare()
        .throttle(Throttle::accepts(0.0).max_rejection(2.0))
        .bulkhead(Bulkhead::adaptive(adaptive).max_wait("1s"));
    let problems = dependency.settings().unwrap_err();
    let found: Vec<_> = problems
        .iter()
        .map(|problem| (problem.policy, problem.setting))
        .collect();
    assert_eq!(
        found,
        [
            ("throttle", "accepts"),
            ("throttle", "max_rejection"),
            ("bulkhead", "aimd"),
            ("bulkhead", "backoff"),
            ("bulkhead", "smoothing"),
            ("bulkhead", "max_wait"),
        ]
    );
}
