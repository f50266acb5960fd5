//! N2: calls inside calls.

use std::time::Duration;

use resilient::breaker::Breaker;
use resilient::budget::Budget;
use resilient::bulkhead::Bulkhead;
use resilient::retry::Retry;
use resilient::{Dependency, Registry, propagate, resilient, scope};
use tokio::task::JoinHandle;

use crate::script::Step::{F, Fault, Hang, S};
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

// case C11
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

// case F04
#[tokio::test(start_paused = true)]
async fn n2_b3_a_call_inside_a_probe_is_one_attempt() {
    let registry = registry(steady().breaker(Breaker::consecutive(1).open_for("1s")));
    let script = Script::new(&[Fault]);
    assert!(scope(&registry, outer(&script)).await.is_err());
    tokio::time::sleep(Duration::from_secs(2)).await;
    let script = Script::new(&[F, F]);
    let outcome = scope(&registry, outer(&script)).await;
    assert_eq!(outcome, Err(Failure::Transient));
    assert_eq!(script.starts(), [0]);
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

#[resilient(bulkhead = "dep")]
async fn fenced(script: &Script) -> Answer {
    script.attempt().await
}

#[tokio::test(start_paused = true)]
async fn n2_a_task_that_outlives_its_call_holds_nothing() {
    #[resilient(bulkhead = "dep")]
    async fn leaves_a_task(script: Script) -> Result<JoinHandle<usize>, Failure> {
        let task = propagate(async move {
            assert_eq!(fenced(&script).await, Ok(200), "its call still runs");
            tokio::time::sleep(Duration::from_millis(20)).await;
            let calls = (0..5).map(|_| Box::pin(fenced(&script)));
            for mut call in calls.collect::<Vec<_>>() {
                let _ = tokio::time::timeout(Duration::from_millis(1), &mut call).await;
            }
            script.starts().len()
        });
        let task = tokio::spawn(task);
        tokio::time::sleep(Duration::from_millis(10)).await;
        Ok(task)
    }
    let registry = registry(steady().bulkhead(Bulkhead::max_concurrent(1)));
    let script = Script::new(&[S, Hang, Hang]);
    let task = scope(&registry, leaves_a_task(script.clone())).await;
    let elsewhere = tokio::spawn(scope(&registry, async move { fenced(&script).await }));
    assert_eq!(
        task.unwrap().await.unwrap(),
        2,
        "one passed through, one held the only permit elsewhere"
    );
    elsewhere.abort();
}
