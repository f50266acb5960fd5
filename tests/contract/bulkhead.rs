//! K1 on whole calls; the queue itself is tested beside it.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use resilient::bulkhead::Bulkhead;
use resilient::retry::{Jitter, Retry};
use resilient::{Dependency, Rejection, resilient, scope};
use tokio::task::JoinSet;

use crate::script::Step::{F, Hang, S, SlowS};
use crate::script::{Answer, Failure, Script, registered};

fn full(outcome: &Result<u32, Failure>) -> bool {
    matches!(
        outcome,
        Err(Failure::Rejected(Rejection::BulkheadFull { .. }))
    )
}

#[tokio::test(start_paused = true)]
async fn k1_a_full_bulkhead_rejects_at_once_and_nothing_is_retried() {
    let (_registry, policy) = registered(
        Dependency::named("dep").bulkhead(Bulkhead::max_concurrent(1)),
        "dep",
    );
    let script = Script::new(&[SlowS(100)]);
    let holder = tokio::spawn({
        let (policy, script) = (policy.clone(), script.clone());
        async move { policy.call(|| script.attempt()).await }
    });
    tokio::task::yield_now().await;
    let second = policy.call(|| script.attempt()).await;
    assert!(full(&second), "{second:?}");
    assert_eq!((script.elapsed(), script.starts().len()), (0, 1));
    assert_eq!(holder.await.unwrap(), Ok(200));
    assert_eq!(policy.call(|| script.attempt()).await, Ok(200));
}

#[tokio::test(start_paused = true)]
async fn k1_c12_the_queue_is_bounded_served_in_order_and_waited_in_no_longer_than_max_wait() {
    let (_registry, policy) = registered(
        Dependency::named("dep")
            .bulkhead(Bulkhead::max_concurrent(1).max_queue(2).max_wait("150ms")),
        "dep",
    );
    let script = Script::new(&[SlowS(100), SlowS(100), SlowS(100)]);
    let mut calls = JoinSet::new();
    for caller in 0..4_u32 {
        let (policy, script) = (policy.clone(), script.clone());
        calls.spawn(async move { (caller, policy.call(|| script.attempt()).await) });
        tokio::task::yield_now().await;
    }
    let mut ended = Vec::new();
    while let Some(call) = calls.join_next().await {
        let (caller, outcome) = call.unwrap();
        ended.push((caller, script.elapsed(), outcome.is_ok()));
    }
    assert_eq!(
        ended,
        [
            (3, 0, false),
            (0, 100, true),
            (2, 150, false),
            (1, 200, true)
        ]
    );
    assert_eq!(script.starts(), [0, 100]);
}

#[resilient(bulkhead = "dep")]
async fn only_fenced_in(script: &Script) -> Answer {
    script.attempt().await
}

#[tokio::test(start_paused = true)]
async fn k1_max_wait_ends_with_the_wait() {
    let (registry, _policy) = registered(
        Dependency::named("dep")
            .bulkhead(Bulkhead::max_concurrent(1).max_queue(1).max_wait("100ms")),
        "dep",
    );
    let script = Script::new(&[SlowS(50), SlowS(500)]);
    let (first, queued) = scope(&registry, async {
        tokio::join!(only_fenced_in(&script), only_fenced_in(&script))
    })
    .await;
    assert_eq!((first, queued), (Ok(200), Ok(200)));
    assert_eq!((script.starts(), script.elapsed()), (vec![0, 50], 550));
}

#[tokio::test(start_paused = true)]
async fn k1_the_permit_is_free_during_the_backoff() {
    let (_registry, policy) = registered(
        Dependency::named("dep")
            .bulkhead(Bulkhead::max_concurrent(1))
            .retry(Retry::max(2).base("100ms").jitter(Jitter::None)),
        "dep",
    );
    let script = Script::new(&[F, S, S]);
    let retried = tokio::spawn({
        let (policy, script) = (policy.clone(), script.clone());
        async move { policy.call(|| script.attempt()).await }
    });
    tokio::time::sleep(Duration::from_millis(50)).await;
    assert_eq!(policy.call(|| script.attempt()).await, Ok(200));
    assert_eq!(retried.await.unwrap(), Ok(200));
    assert_eq!(script.starts(), [0, 50, 100]);
}

#[tokio::test(start_paused = true)]
async fn k1_r1_a_full_bulkhead_before_a_retry_returns_the_last_outcome() {
    let (_registry, policy) = registered(
        Dependency::named("dep")
            .bulkhead(Bulkhead::max_concurrent(1))
            .retry(Retry::max(2).base("100ms").jitter(Jitter::None)),
        "dep",
    );
    let script = Script::new(&[F, Hang]);
    let retried = tokio::spawn({
        let (policy, script) = (policy.clone(), script.clone());
        async move { policy.call(|| script.attempt()).await }
    });
    tokio::time::sleep(Duration::from_millis(50)).await;
    let hanging = tokio::spawn({
        let (policy, script) = (policy.clone(), script.clone());
        async move { policy.call(|| script.attempt()).await }
    });
    assert_eq!(retried.await.unwrap(), Err(Failure::Transient));
    assert_eq!(script.elapsed(), 100);
    hanging.abort();
}

#[tokio::test(start_paused = true)]
async fn t1_the_deadline_counts_the_time_in_the_queue() {
    let (_registry, policy) = registered(
        Dependency::named("dep")
            .bulkhead(Bulkhead::max_concurrent(1).max_queue(1))
            .timeout("200ms")
            .deadline("200ms"),
        "dep",
    );
    let script = Script::new(&[SlowS(150), Hang]);
    let holder = tokio::spawn({
        let (policy, script) = (policy.clone(), script.clone());
        async move { policy.call(|| script.attempt()).await }
    });
    tokio::task::yield_now().await;
    let queued = policy.call(|| script.attempt()).await;
    assert!(
        matches!(
            queued,
            Err(Failure::Rejected(Rejection::DeadlineExceeded { .. }))
        ),
        "{queued:?}"
    );
    assert_eq!((script.starts(), script.elapsed()), (vec![0, 150], 200));
    assert_eq!(holder.await.unwrap(), Ok(200));
}

#[test]
fn k1_the_limit_is_exact_on_many_threads() {
    const LIMIT: usize = 4;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(4)
        .enable_time()
        .build();
    runtime.unwrap().block_on(async {
        let (registry, policy) = registered(
            Dependency::named("dep")
                .bulkhead(Bulkhead::max_concurrent(LIMIT).max_queue(usize::MAX))
                .no_timeout()
                .no_deadline(),
            "dep",
        );
        let running = Arc::new(AtomicUsize::new(0));
        let peak = Arc::new(AtomicUsize::new(0));
        let mut calls = JoinSet::new();
        for _ in 0..2_000 {
            let (policy, running, peak) = (policy.clone(), running.clone(), peak.clone());
            calls.spawn(async move {
                policy
                    .call(|| async {
                        let now = running.fetch_add(1, Ordering::SeqCst) + 1;
                        peak.fetch_max(now, Ordering::SeqCst);
                        tokio::task::yield_now().await;
                        running.fetch_sub(1, Ordering::SeqCst);
                        Ok::<u32, Failure>(1)
                    })
                    .await
            });
        }
        let outcomes = calls.join_all().await;
        assert!(outcomes.iter().all(Result::is_ok));
        assert!(peak.load(Ordering::SeqCst) <= LIMIT);
        drop(registry);
    });
}
