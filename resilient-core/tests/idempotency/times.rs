//! How long what counts.

use std::time::Duration;

use resilient_core::idempotency::{Effects, Idempotency};
use tokio::time::sleep;

use super::{complete, keyed, ledger, repeat, run};

const HOUR: Duration = Duration::from_secs(3600);
const SECOND: Duration = Duration::from_secs(1);

#[tokio::test(start_paused = true)]
async fn i49_q15_an_answer_counts_for_its_time_and_no_longer() {
    let ledger = ledger(&keyed());
    let first = run(&ledger, "k").await;
    let fence = first.execution().fence();
    complete(first, "one").await;
    sleep(23 * HOUR + 3599 * SECOND).await;
    assert_eq!(repeat(&ledger, "k").await, Ok("one".to_owned()));
    sleep(2 * SECOND).await;
    let anew = run(&ledger, "k").await;
    assert!(anew.execution().fence() > fence);
    assert_eq!(anew.execution().attempts(), 1, "nothing was taken over");
}

/// I49: what took longer than its answer is kept is replayed all the same.
#[tokio::test(start_paused = true)]
async fn i49_the_time_of_an_answer_begins_when_it_is_there() {
    let ledger = ledger(&keyed().ttl("1min"));
    let long = run(&ledger, "k").await;
    long.drive(sleep(300 * SECOND)).await.unwrap();
    complete(long, "one").await;
    sleep(59 * SECOND).await;
    assert_eq!(repeat(&ledger, "k").await, Ok("one".to_owned()));
    let record = ledger.show(&super::id("k")).await.unwrap().unwrap();
    assert_eq!(record.answer_left, Some(SECOND));
    sleep(SECOND).await;
    complete(run(&ledger, "k").await, "two").await;
}

#[tokio::test(start_paused = true)]
async fn a_tombstone_remembers_that_it_was_done() {
    let ledger = ledger(&keyed().ttl("1h").tombstone("30d"));
    complete(run(&ledger, "k").await, "one").await;
    sleep(HOUR).await;
    assert_eq!(repeat(&ledger, "k").await, Err("IDEMPOTENCY_ANSWER_GONE"));
    sleep(30 * 24 * HOUR).await;
    complete(run(&ledger, "k").await, "two").await;
}

#[test]
fn rules_that_cannot_work_are_all_told() {
    let rules = Idempotency::of(Effects::Unkeyed)
        .ttl("1s")
        .lease("1min")
        .max_run("0s")
        .wait("soon")
        .store_timeout("2min")
        .fail_open();
    let problems = rules.settings().unwrap_err();
    let settings: Vec<&str> = problems.iter().map(|problem| problem.setting).collect();
    assert_eq!(
        settings,
        ["ttl", "store_timeout", "fail_open", "max_run", "wait"]
    );
    let short = Idempotency::of(Effects::None)
        .lease("1s")
        .settings()
        .unwrap();
    assert!(
        short.store_timeout < short.lease,
        "a default gives way to a short lease"
    );
}
