//! T2 and B2: whose limit it is decides who ends, and what that says.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use resilient::breaker::{Breaker, BreakerState};
use resilient::bulkhead::Bulkhead;
use resilient::{Dependency, Registry, Rejection, propagate, resilient, scope};

use crate::script::Step::{Hang, S, SlowS};
use crate::script::{Answer, Failure, Script, registered};

fn registry(dependency: Dependency) -> Registry {
    registered(dependency, "dep").0
}

#[resilient(
    retry(max = 3, base = "0s"),
    breaker = "dep",
    timeout = "50ms",
    idempotent
)]
async fn outer(script: &Script) -> Answer {
    inner(script).await
}

#[resilient(deadline = "10s")]
async fn inner(script: &Script) -> Answer {
    script.attempt().await
}

#[resilient(bulkhead = "dep", deadline = "10s")]
async fn inner_queued(script: &Script) -> Answer {
    script.attempt().await
}

#[tokio::test(start_paused = true)]
async fn b2_an_inner_call_does_not_hide_the_timeout_around_it() {
    let with_breaker = || Dependency::named("dep").breaker(Breaker::consecutive(3));
    let script = Script::new(&[Hang, Hang, S]);
    let outcome = scope(&registry(with_breaker()), outer(&script)).await;
    assert_eq!(outcome, Ok(200));
    assert_eq!(script.starts(), [0, 50, 100], "a timeout is retried");

    let registry = registry(with_breaker());
    let script = Script::new(&[Hang; 3]);
    let after = Duration::from_millis(50);
    assert_eq!(
        scope(&registry, outer(&script)).await,
        Err(Failure::Rejected(Rejection::TimedOut { after }))
    );
    let state = registry.breaker("dep").unwrap().state();
    assert_eq!(state, BreakerState::Open, "and is a failure");
}

#[tokio::test(start_paused = true)]
async fn b2_nor_does_one_in_a_queue() {
    #[resilient(retry(max = 2, base = "0s"), timeout = "50ms", idempotent)]
    async fn outer(script: &Script) -> Answer {
        inner_queued(script).await
    }
    let bulkhead = Bulkhead::max_concurrent(1).max_queue(1);
    let registry = registry(Dependency::named("dep").bulkhead(bulkhead));
    let script = Script::new(&[SlowS(75)]);
    let both = async { tokio::join!(inner_queued(&script), outer(&script)) };
    assert_eq!(scope(&registry, both).await, (Ok(200), Ok(200)));
    assert_eq!(script.starts(), [0, 75]);
}

#[tokio::test(start_paused = true)]
async fn b2_nor_does_one_that_comes_too_late() {
    #[resilient(retry(max = 2, base = "0s"), timeout = "50ms", idempotent)]
    async fn outer(script: &Script, slept: &AtomicBool) -> Answer {
        inner(script).await?;
        if !slept.swap(true, Ordering::Relaxed) {
            tokio::time::advance(Duration::from_millis(60)).await;
        }
        inner(script).await
    }
    let script = Script::new(&[]);
    assert_eq!(outer(&script, &AtomicBool::new(false)).await, Ok(200));
    assert_eq!(script.starts(), [0, 60, 60]);
}

#[tokio::test(start_paused = true)]
async fn b2_a_call_cut_from_outside_says_nothing_about_its_dependency() {
    #[resilient(timeout = "50ms")]
    async fn outer(script: &Script) -> Answer {
        inner(script).await
    }
    #[resilient(breaker = "dep", timeout = "60ms")]
    async fn inner(script: &Script) -> Answer {
        script.attempt().await
    }
    let registry = registry(Dependency::named("dep").breaker(Breaker::consecutive(1)));
    let script = Script::new(&[Hang]);
    assert!(scope(&registry, outer(&script)).await.is_err());
    let state = registry.breaker("dep").unwrap().state();
    assert_eq!((state, script.elapsed()), (BreakerState::Closed, 50));
}

#[tokio::test(start_paused = true)]
async fn t2_a_call_in_a_task_of_its_own_ends_itself() {
    #[resilient(deadline = "50ms")]
    async fn outer(script: Script) -> Answer {
        let _ = tokio::spawn(propagate(async move { inner(&script).await })).await;
        Ok(1)
    }
    let script = Script::new(&[Hang]);
    let _ = outer(script.clone()).await;
    tokio::time::sleep(Duration::from_millis(1)).await;
    assert_eq!(script.running(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn t2_a_call_in_a_body_that_blocks_ends_itself() {
    #[resilient(timeout = "50ms")]
    async fn outer(script: Script) -> Answer {
        let runtime = tokio::runtime::Handle::current();
        tokio::task::block_in_place(|| runtime.block_on(inner(&script)))
    }
    let outcome = tokio::spawn(outer(Script::new(&[Hang]))).await.unwrap();
    assert!(
        matches!(
            outcome,
            Err(Failure::Rejected(Rejection::DeadlineExceeded { .. }))
        ),
        "{outcome:?}"
    );
}

#[tokio::test(start_paused = true)]
async fn b2_a_call_served_when_its_time_is_over_is_not_sent() {
    #[resilient(breaker = "dep", bulkhead = "dep", deadline = "100ms")]
    async fn queued(script: &Script) -> Answer {
        script.attempt().await
    }
    let dependency = Dependency::named("dep")
        .breaker(Breaker::consecutive(1))
        .bulkhead(Bulkhead::max_concurrent(1).max_queue(1));
    let registry = registry(dependency);
    let script = Script::new(&[SlowS(100), Hang]);
    let both = async { tokio::join!(biased; queued(&script), queued(&script)) };
    let (first, second) = scope(&registry, both).await;
    assert_eq!(first, Ok(200));
    assert!(second.is_err());
    assert_eq!(script.starts(), [0]);
    let state = registry.breaker("dep").unwrap().state();
    assert_eq!(state, BreakerState::Closed);
}
