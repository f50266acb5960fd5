//! What a call costs when nothing is wrong: no allocation, and a future not much larger than its
//! body's.

#![allow(clippy::unwrap_used, missing_docs)]

use std::pin::pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Waker};

use resilient::{
    Classify, Dependency, Limit, RateLimit, RateLimiter, Registry, Rejection, resilient, scope,
};

#[derive(Debug, thiserror::Error, Classify)]
enum Failure {
    #[error(transparent)]
    #[classify(source)]
    Rejected(#[from] Rejection),
}

type Answer = Result<u64, Failure>;

/// What the macro may add to a body's future, beside the error kept between attempts.
const ADDED: usize = 240 + if cfg!(feature = "faults") { 8 } else { 0 };

static PAUSE: AtomicBool = AtomicBool::new(false);

async fn plain() -> Answer {
    let numbers = std::hint::black_box([1; 64]);
    if PAUSE.load(Ordering::Relaxed) {
        tokio::task::yield_now().await;
    }
    Ok(numbers.iter().sum())
}

#[resilient(dependency = "hot", idempotent)]
async fn annotated() -> Answer {
    let numbers = std::hint::black_box([1; 64]);
    if PAUSE.load(Ordering::Relaxed) {
        tokio::task::yield_now().await;
    }
    Ok(numbers.iter().sum())
}

#[resilient(rate_limit = "hot")]
async fn rate_limited() -> Answer {
    plain().await
}

async fn plain_outer() -> Answer {
    plain().await
}

#[resilient(dependency = "outer", idempotent)]
async fn annotated_outer() -> Answer {
    annotated().await
}

fn ready<F: Future>(future: F) -> F::Output {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(output) => output,
        Poll::Pending => unreachable!("the body is ready at once"),
    }
}

#[test]
fn a_ready_call_through_every_policy_allocates_nothing() {
    resilient::register(Dependency::named("hot")).unwrap();
    // The first call resolves the names and makes the thread's stack of calls.
    assert_eq!(ready(annotated()).unwrap(), 64);
    let counted = allocation_counter::measure(|| {
        for _ in 0..100 {
            assert_eq!(ready(annotated()).unwrap(), 64);
        }
    });
    assert_eq!(counted.count_total, 0);
}

#[test]
fn a_ready_call_in_a_scope_allocates_nothing() {
    let registry = Registry::new();
    registry.register(Dependency::named("hot")).unwrap();
    let call = || ready(scope(&registry, annotated())).unwrap();
    call();
    let counted = allocation_counter::measure(|| {
        for _ in 0..100 {
            call();
        }
    });
    assert_eq!(counted.count_total, 0);
}

#[test]
fn a_turn_that_has_come_allocates_nothing() {
    let registry = Registry::new();
    let limit = RateLimit::named("hot").limit(Limit::gcra("steady", 1_000, "1h"));
    let limiter = RateLimiter::in_memory(limit).unwrap();
    registry.register_limiter(limiter).unwrap();
    let call = || ready(scope(&registry, rate_limited())).unwrap();
    call();
    let counted = allocation_counter::measure(|| {
        for _ in 0..100 {
            call();
        }
    });
    assert_eq!(counted.count_total, 0);
}

#[test]
fn the_future_holds_its_body_once() {
    let body = size_of_val(&plain());
    let guarded = size_of_val(&annotated());
    let added = guarded - body;
    assert!(
        added <= ADDED + size_of::<Failure>(),
        "{added} bytes added to {body}"
    );
}

#[test]
fn nested_calls_add_up_and_do_not_multiply() {
    let body = size_of_val(&plain_outer());
    let guarded = size_of_val(&annotated_outer());
    let added = guarded - body;
    assert!(
        added <= 2 * (ADDED + size_of::<Failure>()),
        "{added} bytes added to {body}"
    );
}
