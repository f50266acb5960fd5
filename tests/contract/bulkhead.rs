//! K1 on whole calls; the queue itself is tested beside it.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use resilient::breaker::Breaker;
use resilient::bulkhead::Bulkhead;
use resilient::retry::{Jitter, Retry};
use resilient::{Dependency, Policy, Rejection, resilient, scope, with_deadline};
use tokio::task::JoinSet;

use crate::script::Step::{BlockS, F, Hang, Ignored, Panic, Permanent, S, SlowS, Throttled};
use crate::script::{Answer, Failure, Script, Step, poll_once, registered};

fn full(outcome: &Result<u32, Failure>) -> bool {
    matches!(
        outcome,
        Err(Failure::Rejected(Rejection::BulkheadFull { .. }))
    )
}

// case C13
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

// case C12
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

// case C05
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

/// How the only attempt ends, and after how long its caller gives up.
const ENDINGS: [(&str, Step, u64); 10] = [
    ("a success", S, 99),
    ("a failure", F, 99),
    ("a permanent failure", Permanent, 99),
    ("our own mistake", Ignored, 99),
    ("throttled", Throttled(90_000), 99),
    ("M01 cut by its timeout", Hang, 99),
    ("M01 dropped", Hang, 10),
    ("K03 a panic", Panic, 99),
    ("J04 blocking", BlockS(70), 99),
    ("a rejection from within", Step::Rejected, 99),
];

// case M01, K03, K04, J04
#[tokio::test(start_paused = true)]
async fn k1_every_way_out_gives_the_permit_back_once() {
    for (id, ending, patience) in ENDINGS {
        let (_registry, policy) = registered(
            Dependency::named("dep")
                .bulkhead(Bulkhead::max_concurrent(1))
                .breaker(Breaker::disabled())
                .retry(Retry::never())
                .timeout("50ms"),
            "dep",
        );
        for _ in 0..3 {
            let (script, policy) = (Script::new(&[ending]), policy.clone());
            let ends = async move { policy.call(|| script.attempt()).await };
            let ends = tokio::time::timeout(Duration::from_millis(patience), ends);
            let ended = tokio::spawn(ends).await;
            assert!(
                !matches!(&ended, Ok(Ok(outcome)) if full(outcome)),
                "{id}: {ended:?}"
            );
        }
        assert_eq!(running_at_once(&policy), 1, "{id}");
    }
}

/// As many calls as may run at once.
fn running_at_once(policy: &Policy) -> usize {
    let script = Script::new(&[Hang; 9]);
    let mut calls: Vec<_> = (0..9)
        .map(|_| Box::pin(policy.call(|| script.attempt())))
        .collect();
    for call in &mut calls {
        let _ = poll_once(call.as_mut());
    }
    script.running()
}

// case C11
#[tokio::test(start_paused = true)]
async fn k1_c11_the_permit_is_free_before_the_future_is_dropped() {
    let (_registry, policy) = registered(
        Dependency::named("dep").bulkhead(Bulkhead::max_concurrent(1)),
        "dep",
    );
    let script = Script::new(&[]);
    let mut ended = Box::pin(policy.call(|| script.attempt()));
    assert!(poll_once(ended.as_mut()).is_ready());
    assert_eq!(running_at_once(&policy), 1);
    drop(ended);
}

// case C02, C03
#[tokio::test(start_paused = true)]
async fn k1_c02_c03_a_permit_for_a_waiter_that_is_gone_goes_to_the_next() {
    let (_registry, policy) = registered(
        Dependency::named("dep").bulkhead(Bulkhead::max_concurrent(1).max_queue(2)),
        "dep",
    );
    for round in 0..1_000 {
        let script = Script::new(&[Hang, Hang, Hang]);
        let mut calls: Vec<_> = (0..3)
            .map(|_| Box::pin(policy.call(|| script.attempt())))
            .collect();
        for call in &mut calls {
            assert!(poll_once(call.as_mut()).is_pending());
        }
        let mut last = calls.pop().unwrap();
        // The first gives its permit to the second, which is dropped before it looks.
        calls.truncate(2);
        calls.drain(..).for_each(drop);
        assert!(poll_once(last.as_mut()).is_pending());
        assert_eq!((script.starts().len(), script.running()), (2, 1), "{round}");
    }
    assert_eq!(running_at_once(&policy), 1);
}

// case G02
#[tokio::test(start_paused = true)]
async fn k1_g02_a_turn_that_comes_after_the_deadline_is_not_taken() {
    let (_registry, policy) = registered(
        Dependency::named("dep")
            .bulkhead(Bulkhead::max_concurrent(1).max_queue(1))
            .timeout("100ms")
            .deadline("200ms"),
        "dep",
    );
    let script = Script::new(&[SlowS(50), S]);
    let mut calls = JoinSet::new();
    for caller in 0..2 {
        let (policy, script) = (policy.clone(), script.clone());
        calls.spawn(async move { (caller, policy.call(|| script.attempt()).await.is_ok()) });
    }
    tokio::task::yield_now().await;
    tokio::time::advance(Duration::from_secs(60)).await;
    let mut ended = calls.join_all().await;
    ended.sort_unstable();
    assert_eq!(ended, [(0, true), (1, false)]);
    assert_eq!(script.starts(), [0], "a minute late");
    assert_eq!(running_at_once(&policy), 1);
}

#[tokio::test(start_paused = true)]
async fn b2_a_deadline_that_ends_in_the_queue_says_nothing() {
    let (registry, policy) = registered(
        Dependency::named("dep")
            .bulkhead(Bulkhead::max_concurrent(1).max_queue(1))
            .breaker(Breaker::consecutive(1))
            .timeout("1s")
            .deadline("1s"),
        "dep",
    );
    let holder = Script::new(&[Hang]);
    let mut holder = Box::pin(policy.call(|| holder.attempt()));
    assert!(poll_once(holder.as_mut()).is_pending());
    // So that the holder outlives the queue.
    tokio::time::advance(Duration::from_millis(10)).await;
    let waits = with_deadline(Duration::from_millis(20), async {
        policy.call(|| async { Ok::<u32, Failure>(1) }).await
    });
    let outcome = waits.await;
    assert!(
        matches!(
            outcome,
            Err(Failure::Rejected(Rejection::DeadlineExceeded { .. }))
        ),
        "{outcome:?}"
    );
    assert!(registry.breaker("dep").unwrap().state().admits_all());
    drop(holder);
    assert_eq!(running_at_once(&policy), 1);
}
