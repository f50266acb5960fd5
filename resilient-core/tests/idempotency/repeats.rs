//! Whoever comes second.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use resilient_core::idempotency::{
    Begun, Fingerprint, Ledger, MemoryStore, RecordId, Request, Scope, StoreError,
};
use resilient_core::idempotency::{Key, Refusal};
use tokio::time::{Instant, sleep};

use super::{complete, id, keyed, ledger, repeat, run, text};

#[tokio::test(start_paused = true)]
async fn i08_a_repeat_is_given_the_answer() {
    let ledger = ledger(&keyed());
    complete(run(&ledger, "k").await, "one").await;
    assert_eq!(repeat(&ledger, "k").await, Ok("one".to_owned()));
    let counts = ledger.counts();
    assert_eq!((counts.executions, counts.replays), (1, 1));
}

#[tokio::test(start_paused = true)]
async fn i17_of_fifty_at_once_one_runs() {
    let ledger = ledger(&keyed());
    let first = run(&ledger, "k").await;
    for _ in 1..50 {
        assert_eq!(repeat(&ledger, "k").await, Err("IDEMPOTENCY_IN_PROGRESS"));
    }
    complete(first, "one").await;
    assert_eq!(ledger.counts().conflicts, 49);
}

/// Runs for a while, unless it is a repeat.
async fn run_or_repeat(ledger: Ledger, runs: &'static AtomicU32, length: Duration) -> String {
    match ledger.begin(Request::new(id("k"))).await.unwrap() {
        Begun::Run(run) => {
            run.drive(sleep(length)).await.unwrap();
            let number = runs.fetch_add(1, Ordering::Relaxed) + 1;
            complete(run, &format!("run {number}")).await;
            format!("run {number}")
        }
        Begun::Replay(answer) => text(&answer),
        Begun::Bypassed => panic!("the store is there"),
    }
}

#[tokio::test(start_paused = true)]
async fn i18_q08_repeats_that_wait_are_given_the_answer() {
    static RUNS: AtomicU32 = AtomicU32::new(0);
    let ledger = ledger(&keyed().wait("2s"));
    let all: Vec<_> = (0..50)
        .map(|_| {
            let call = run_or_repeat(ledger.clone(), &RUNS, Duration::from_millis(300));
            tokio::spawn(call)
        })
        .collect();
    for one in all {
        assert_eq!(one.await.unwrap(), "run 1");
    }
    assert_eq!(ledger.counts().replays, 49);
}

#[tokio::test(start_paused = true)]
async fn i19_a_repeat_waits_no_longer_than_it_may() {
    let ledger = ledger(&keyed().wait("100ms"));
    let _first = run(&ledger, "k").await;
    let start = Instant::now();
    assert_eq!(repeat(&ledger, "k").await, Err("IDEMPOTENCY_IN_PROGRESS"));
    assert_eq!(start.elapsed(), Duration::from_millis(100));
}

#[tokio::test(start_paused = true)]
async fn q03_i11_i21_another_payload_is_refused_at_once() {
    let ledger = ledger(&keyed().wait("1s"));
    let of = |text: &'static str| {
        Request::new(id("k")).fingerprint(Fingerprint::of_bytes(&[text.as_bytes()]))
    };
    let Ok(Begun::Run(first)) = ledger.begin(of("one")).await else {
        panic!("the first runs");
    };
    let start = Instant::now();
    let refused = ledger.begin(of("two")).await.unwrap_err();
    assert_eq!(refused.code(), "IDEMPOTENCY_KEY_REUSED");
    assert_eq!(
        start.elapsed(),
        Duration::ZERO,
        "there is nothing to wait for"
    );
    complete(first, "one").await;
    assert!(matches!(
        ledger.begin(of("two")).await,
        Err(Refusal::KeyReused)
    ));
    assert!(matches!(
        ledger.begin(of("one")).await,
        Ok(Begun::Replay(_))
    ));
    assert_eq!(ledger.counts().reused, 2);
}

#[tokio::test(start_paused = true)]
async fn i14_i15_q10_a_key_means_something_in_its_scope_only() {
    let ledger = ledger(&keyed());
    for scope in [
        Scope::of("a"),
        Scope::of("b"),
        Scope::of("a").and("POST /x"),
        Scope::of("a").and("POST /y"),
        Scope::shared_by_all_callers(),
    ] {
        let id = RecordId::new(scope, Key::literal("k").unwrap());
        let Ok(Begun::Run(run)) = ledger.begin(Request::new(id)).await else {
            panic!("nobody has used it here");
        };
        complete(run, "mine").await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_full_store_refuses_and_expired_records_make_room() {
    let rules = keyed().ttl("1h");
    let ledger = Ledger::new(MemoryStore::new(2), &rules).unwrap();
    complete(run(&ledger, "a").await, "a").await;
    complete(run(&ledger, "b").await, "b").await;
    let refused = ledger.begin(Request::new(id("c"))).await.unwrap_err();
    let Refusal::Unavailable { source, .. } = &refused else {
        panic!("{refused:?}");
    };
    assert!(matches!(**source, StoreError::Full { limit: 2 }));
    sleep(Duration::from_secs(3600)).await;
    complete(run(&ledger, "c").await, "c").await;
}
