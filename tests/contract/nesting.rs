//! N2: calls inside calls.

use resilient::breaker::Breaker;
use resilient::budget::Budget;
use resilient::bulkhead::Bulkhead;
use resilient::retry::Retry;
use resilient::{Dependency, Registry, resilient, scope};

use crate::script::Step::F;
use crate::script::{Answer, Failure, Script};

fn registry(dependency: Dependency) -> Registry {
    let registry = Registry::seeded(1);
    registry.register(dependency).unwrap();
    registry
}

#[resilient(dependency = "dep", idempotent)]
async fn outer(script: &Script) -> Answer {
    inner(script).await
}

#[resilient(dependency = "dep", idempotent)]
async fn inner(script: &Script) -> Answer {
    script.attempt().await
}

#[resilient(dependency = "dep", idempotent)]
async fn around_single(script: &Script) -> Answer {
    single(script).await
}

#[resilient(dependency = "dep", retry(nested = "suppress"), idempotent)]
async fn single(script: &Script) -> Answer {
    script.attempt().await
}

fn steady() -> Dependency {
    Dependency::named("dep")
        .retry(Retry::max(3).base("0s"))
        .budget(Budget::unlimited())
}

#[tokio::test(start_paused = true)]
async fn n2_c11_a_call_into_a_bulkhead_it_holds_passes_through() {
    let registry = registry(steady().bulkhead(Bulkhead::max_concurrent(1)));
    let script = Script::new(&[]);
    assert_eq!(scope(&registry, outer(&script)).await, Ok(200));
}

#[tokio::test(start_paused = true)]
async fn n2_the_breaker_hears_a_nested_call_once() {
    let registry = registry(
        steady()
            .retry(Retry::never())
            .breaker(Breaker::consecutive(2)),
    );
    let script = Script::new(&[F]);
    let outcome = scope(&registry, outer(&script)).await;
    assert_eq!(outcome, Err(Failure::Transient));
    let breaker = registry.breaker("dep").unwrap();
    assert!(
        breaker.state().admits_all(),
        "one failure, not two: {:?}",
        breaker.state()
    );
}

#[tokio::test(start_paused = true)]
async fn n2_f04_nested_retries_multiply_unless_suppressed() {
    let registry = registry(steady().breaker(Breaker::disabled()));
    let script = Script::new(&[F; 9]);
    let _ = scope(&registry, outer(&script)).await;
    assert_eq!(script.starts().len(), 9);
    // One budget bounds the retries of both together.
    let bounded = self::registry(
        steady()
            .breaker(Breaker::disabled())
            .budget(Budget::tokens(3)),
    );
    let script = Script::new(&[F; 9]);
    let _ = scope(&bounded, outer(&script)).await;
    assert_eq!(script.starts().len(), 1 + 3);
    let script = Script::new(&[F; 9]);
    let _ = scope(&registry, around_single(&script)).await;
    assert_eq!(script.starts().len(), 3);
    let script = Script::new(&[F; 9]);
    let _ = scope(&registry, single(&script)).await;
    assert_eq!(script.starts().len(), 3, "on its own it retries");
}
