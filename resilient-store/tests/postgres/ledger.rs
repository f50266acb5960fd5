//! Runs under a ledger, in two processes.

use std::future::ready;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use resilient_core::idempotency::{
    Begun, Ended, Ledger, Record, Refusal, Resolution, Resource, Run, Store,
};

use crate::database::{Database, answer, id, request, rules};

fn run(begun: Result<Begun, Refusal>) -> Run {
    match begun {
        Ok(Begun::Run(run)) => run,
        other => panic!("{other:?}"),
    }
}

fn refused(begun: Result<Begun, Refusal>) -> &'static str {
    begun.expect_err("it is taken").code()
}

async fn two(table: &'static str) -> Option<(Database, Ledger, Ledger)> {
    let database = Database::with(table).await?;
    let ledgers = (database.ledger(&rules()), database.ledger(&rules()));
    Some((database, ledgers.0, ledgers.1))
}

/// I28, I33: a process dies in the middle of a run. The key is held until its lease has lapsed, and
/// then runs again under a higher fence: what the first one did outside stands twice, which is the
/// limit of this mode. If the first one was only asleep, it is told what stands.
#[tokio::test(flavor = "multi_thread")]
async fn i28_i33_a_dead_run_is_taken_over_after_its_lease_and_not_before() {
    let Some((database, one, two)) = two("dead_runs").await else {
        return;
    };
    let first = run(one.begin(request("k")).await);
    database.pass(Duration::from_secs(5)).await;
    assert_eq!(
        refused(two.begin(request("k")).await),
        "IDEMPOTENCY_IN_PROGRESS"
    );
    database.pass(Duration::from_secs(26)).await;
    let second = run(two.begin(request("k")).await);
    assert!(second.execution().fence() > first.execution().fence());
    assert_eq!(second.execution().attempts(), 2);
    assert_eq!((two.counts().takeovers, two.counts().conflicts), (1, 1));

    second.complete(answer("second"), None).await.unwrap();
    match first.complete(answer("first"), None).await.unwrap() {
        Ended::Superseded(stands) => assert_eq!(stands.unwrap(), answer("second")),
        Ended::Stored => panic!("it was taken over"),
    }
    assert_eq!(one.counts().lease_lost, 1);
}

/// I31: a run that renews its lease is not taken over, however long it takes.
#[tokio::test(flavor = "multi_thread")]
async fn i31_a_lease_is_renewed_while_the_run_goes_on() {
    let Some(database) = Database::with("long_runs").await else {
        return;
    };
    let ledger = database.ledger(&rules().lease("900ms").store_timeout("800ms"));
    let first = run(ledger.begin(request("k")).await);
    let until = "select (extract(epoch from leased_until) * 1000)::bigint from {table}";
    let begun = database.number(until).await;
    let outlived = async {
        while database.number(until).await < begun + 900 {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        refused(ledger.begin(request("k")).await)
    };
    assert_eq!(
        first.drive(outlived).await.unwrap(),
        "IDEMPOTENCY_IN_PROGRESS"
    );
    first.complete(answer("x"), None).await.unwrap();
    assert_eq!(ledger.counts().executions, 1);
}

/// I32: a run that takes longer than it may is no longer renewed, so it may be done twice; its
/// answer does not stand, and it is counted.
#[tokio::test(flavor = "multi_thread")]
async fn i32_a_run_that_is_given_up_loses_its_lease() {
    let Some((database, _, two)) = two("given_up_runs").await else {
        return;
    };
    let one = database.ledger(&rules().max_run("1s"));
    let first = run(one.begin(request("k")).await);
    let body = async {
        database.pass(Duration::from_secs(45)).await;
        run(two.begin(request("k")).await)
            .complete(answer("second"), None)
            .await
            .unwrap();
        answer("first")
    };
    let late = first.drive(body).await.unwrap();
    let ended = first.complete(late, None).await.unwrap();
    assert!(matches!(ended, Ended::Superseded(Ok(stands)) if stands == answer("second")));
    assert_eq!((one.counts().lease_lost, two.counts().takeovers), (1, 1));
}

/// I30 through ledgers: one of many takeovers wins, in two processes.
#[tokio::test(flavor = "multi_thread")]
async fn i30_one_of_many_takes_over() {
    let Some((database, one, two)) = two("crowded_runs").await else {
        return;
    };
    let first = run(one.begin(request("k")).await);
    database.pass(Duration::from_secs(31)).await;
    let crowd: Vec<_> = (0..50)
        .map(|number| {
            let ledger = if number % 2 == 0 {
                one.clone()
            } else {
                two.clone()
            };
            tokio::spawn(async move { ledger.begin(request("k")).await })
        })
        .collect();
    let mut runs = Vec::new();
    for caller in crowd {
        match caller.await.unwrap() {
            Ok(Begun::Run(run)) => runs.push(run),
            other => assert_eq!(refused(other), "IDEMPOTENCY_IN_PROGRESS"),
        }
    }
    assert_eq!(runs.len(), 1);
    assert!(runs[0].execution().fence() > first.execution().fence());
}

/// I51: the clock of a process that is ten minutes fast does not end the leases of others.
#[test]
fn i51_the_clocks_of_processes_do_not_matter() {
    let runtime = || {
        tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap()
    };
    runtime().block_on(async {
        let Some(database) = Database::with("fast_clocks").await else {
            return;
        };
        let first = run(database.ledger(&rules()).begin(request("k")).await);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                runtime().block_on(async {
                    tokio::time::pause();
                    tokio::time::advance(Duration::from_secs(600)).await;
                    tokio::time::resume();
                    let fast = database.ledger(&rules());
                    assert_eq!(
                        refused(fast.begin(request("k")).await),
                        "IDEMPOTENCY_IN_PROGRESS"
                    );
                    // And a lease it gives itself is no longer than others'.
                    let _second = run(fast.begin(request("k2")).await);
                });
            });
        });
        let left = database
            .store()
            .find(&id("k2"))
            .await
            .unwrap()
            .unwrap()
            .lease_left;
        assert!(left <= Duration::from_secs(30), "{left:?}");
        database.pass(Duration::from_secs(31)).await;
        let _second = run(database.ledger(&rules()).begin(request("k")).await);
        drop(first);
    });
}

/// A run is not to be held, and run again, because of what it calls the thing it has made.
#[tokio::test(flavor = "multi_thread")]
async fn names_that_no_text_can_hold_lose_no_record() {
    let Some(database) = Database::with("odd_names").await else {
        return;
    };
    let ledger = database.ledger(&rules());
    let Begun::Run(run) = ledger.begin(request("k")).await.unwrap() else {
        panic!("it is the first");
    };
    run.checkpoint("a\0b").await.unwrap();
    let made = Resource::new("or\0der", "a\0b");
    let ended = run.complete(answer("one"), Some(made)).await;
    assert!(matches!(ended, Ok(Ended::Stored)), "{ended:?}");
    let record = ledger.show(&id("k")).await.unwrap().unwrap();
    let shown = Resource::new("or\u{fffd}der", "a\u{fffd}b");
    assert_eq!(record.resource, Some(shown));
    assert_eq!(record.checkpoint.as_deref(), Some("a\u{fffd}b"));
}

/// A state of a later version counts as uncertain, and cannot be settled by this one.
#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_settled_is_asked_about_once() {
    let Some(database) = Database::with("later_states").await else {
        return;
    };
    let ledger = database.ledger(&rules());
    drop(ledger.begin(request("k")).await.unwrap());
    database.execute("update {table} set state = 9").await;
    let asked = Arc::new(AtomicU32::new(0));
    let resolve = move |_: &Record| {
        assert_eq!(asked.fetch_add(1, Ordering::Relaxed), 0, "asked again");
        ready(Resolution::NotExecuted)
    };
    let refused = ledger.begin(request("k").resolve(&resolve)).await;
    assert_eq!(refused.unwrap_err().code(), "IDEMPOTENCY_UNCERTAIN");
}
