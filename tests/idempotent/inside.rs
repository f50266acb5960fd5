//! What the body knows, and what stands around it.

use std::sync::Mutex;
use std::time::Duration;

use resilient::idempotency::{Effects, Idempotency, Ledger, MemoryStore, current};
use resilient::{Dependency, Registry, Rejection, Retry, context, propagate, resilient, scope};

use crate::fakes::Work;
use crate::{Answer, Failure, code, pass, receipt, records, registry};

type Seen = Mutex<Vec<(u64, String)>>;

fn see(seen: &Seen) {
    let context = context();
    let execution = context.execution().expect("a run under a key");
    let derived = execution.derived_key("charge");
    seen.lock().unwrap().push((execution.fence().0, derived));
}

#[resilient(
    retry(max = 3, base = "0s"),
    idempotent(store = "orders", key = key, scope = shared, effects = "keyed")
)]
async fn watched(key: &str, work: &Work, seen: &'static Seen) -> Answer {
    see(seen);
    tokio::task::yield_now().await;
    let spawned = tokio::spawn(propagate(async { see(seen) }));
    spawned.await.expect("it sees a run");
    let bare = tokio::spawn(async { current().is_none() });
    assert!(bare.await.unwrap(), "without `propagate` it is lost");
    work.run()
}

#[tokio::test(start_paused = true)]
async fn all_attempts_are_one_run_with_one_fence_and_its_keys() {
    static SEEN: Seen = Mutex::new(Vec::new());
    let (registry, ledger) = registry();
    let lost = || Err(Failure::Lost);
    let work = Work::of([lost(), lost(), receipt(7), lost()]);
    scope(&registry, async {
        assert_eq!(watched("k", &work, &SEEN).await, receipt(7));
        assert_eq!((work.runs(), ledger.counts().executions), (3, 1));
        let seen = std::mem::take(&mut *SEEN.lock().unwrap());
        assert_eq!(seen.len(), 6);
        assert!(seen.iter().all(|one| *one == seen[0]), "{seen:?}");

        assert_eq!(watched("other", &work, &SEEN).await, receipt(5));
        let other = SEEN.lock().unwrap()[0].clone();
        assert!(other.0 > seen[0].0, "fences grow");
        assert_ne!(other.1, seen[0].1, "another key");
    })
    .await;
    assert!(context().execution().is_none());
}

/// What was not sent is repeated, what may have been is not.
#[resilient(
    retry(max = 3, base = "0s"),
    idempotent(store = "orders", key = key, scope = shared, effects = "unkeyed")
)]
async fn unkeyed(key: &str, work: &Work) -> Answer {
    work.run()
}

#[tokio::test(start_paused = true)]
async fn r7_effects_that_cannot_be_repeated_are_only_retried_if_they_were_not_sent() {
    let (registry, _) = registry();
    scope(&registry, async {
        let work = Work::of([Err(Failure::Unsent), Err(Failure::Unsent)]);
        assert_eq!(unkeyed("unsent", &work).await, receipt(3));
        let work = Work::of([Err(Failure::Unsent), Err(Failure::Lost)]);
        assert_eq!(unkeyed("lost", &work).await, Err(Failure::Lost));
        assert_eq!(work.runs(), 2);
        let repeat = unkeyed("lost", &work).await;
        assert_eq!(code(&repeat), "IDEMPOTENCY_UNCERTAIN");
    })
    .await;
}

#[resilient(
    dependency = "dep",
    hedge(after = "100ms"),
    timeout = "1s",
    deadline = "5s",
    idempotent(store = "orders", key = key, scope = shared, effects = "none")
)]
async fn everything(key: &str, work: &Work) -> Answer {
    pass(Duration::from_millis(150)).await;
    work.run()
}

#[tokio::test(start_paused = true)]
async fn one_claim_stands_around_retries_hedges_and_limits() {
    let (registry, ledger) = registry();
    registry
        .register(Dependency::named("dep").retry(Retry::max(2).base("0s")))
        .unwrap();
    let work = Work::of([Err(Failure::Lost)]);
    scope(&registry, async {
        let first = everything("k", &work).await;
        assert!(first.is_ok(), "{first:?}");
        let runs = work.runs();
        assert_eq!(everything("k", &work).await, first);
        assert_eq!(work.runs(), runs);
    })
    .await;
    assert_eq!(ledger.counts().executions, 1);
    assert_eq!(records(&ledger).await.len(), 1);
}

async fn instead(failure: Failure, calls: &Mutex<Vec<Failure>>) -> Answer {
    tokio::task::yield_now().await;
    calls.lock().unwrap().push(failure);
    receipt(99)
}

#[resilient(
    fallback = instead(calls),
    idempotent(store = "orders", key = key, scope = shared, effects = "keyed")
)]
async fn with_fallback(key: &str, work: &Work, calls: &Mutex<Vec<Failure>>) -> Answer {
    tokio::task::yield_now().await;
    work.run()
}

/// The fallback answers for a run that failed, and its answer is not kept; a repeat that is refused
/// is not answered by it, because another run is, was, or will be.
#[tokio::test(start_paused = true)]
async fn f1_a_fallback_stands_around_the_claim_and_answers_no_refusal() {
    let (registry, _) = registry();
    let work = Work::of([Err(Failure::Lost)]);
    let calls = Mutex::new(Vec::new());
    scope(&registry, async {
        assert_eq!(with_fallback("k", &work, &calls).await, receipt(99));
        assert_eq!(with_fallback("k", &work, &calls).await, receipt(2));
        assert_eq!(with_fallback("k", &work, &calls).await, receipt(2));
        let outcome = with_fallback("", &work, &calls).await;
        assert_eq!(code(&outcome), "INVALID_IDEMPOTENCY_KEY");
        let (first, second) = tokio::join!(
            with_fallback("two", &work, &calls),
            with_fallback("two", &work, &calls)
        );
        assert_eq!(first, receipt(3));
        assert_eq!(code(&second), "IDEMPOTENCY_IN_PROGRESS");
    })
    .await;
    assert_eq!(*calls.lock().unwrap(), [Failure::Lost]);
}

#[resilient(idempotent(store = "tiny", key = key, scope = shared, effects = "keyed"))]
async fn crowded(key: &str, work: &Work) -> Answer {
    work.run()
}

#[tokio::test(start_paused = true)]
async fn a_store_that_cannot_tell_refuses_or_lets_run_as_its_rules_say() {
    let full = |rules: &Idempotency| {
        let registry = Registry::seeded(1);
        let ledger = Ledger::new(MemoryStore::new(1), rules).unwrap();
        registry.register_store("tiny", ledger).unwrap();
        registry
    };
    let rules = Idempotency::of(Effects::Keyed);
    for (rules, open) in [(rules.clone(), false), (rules.fail_open(), true)] {
        let work = Work::of([]);
        scope(&full(&rules), async {
            assert_eq!(crowded("one", &work).await, receipt(1));
            let outcome = crowded("two", &work).await;
            if open {
                assert_eq!(outcome, receipt(2));
            } else {
                assert_eq!(code(&outcome), "IDEMPOTENCY_STORE_UNAVAILABLE");
                let Err(Failure::Rejected(rejection)) = outcome else {
                    panic!("not refused");
                };
                assert_eq!(rejection.retry_in(), Some(Duration::from_secs(5)));
                assert!(matches!(rejection, Rejection::Idempotency(_)));
            }
        })
        .await;
    }
}
