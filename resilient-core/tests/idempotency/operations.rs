//! What operators see and do.

use std::time::Duration;

use resilient_core::idempotency::{Effects, Filter, Idempotency, Purged, Resolution, Scope, State};
use tokio::time::sleep;

use super::{answer, complete, id, keyed, ledger, repeat, run};

#[tokio::test(start_paused = true)]
async fn records_are_listed_counted_and_settled() {
    let ledger = ledger(&Idempotency::of(Effects::Unkeyed));
    let _running = run(&ledger, "running").await;
    sleep(Duration::from_secs(7)).await;
    complete(run(&ledger, "done").await, "x").await;
    run(&ledger, "failed").await.fail().await.unwrap();

    let all = Filter {
        limit: 10,
        ..Filter::default()
    };
    assert_eq!(ledger.list(&all).await.unwrap().len(), 3);
    let uncertain = Filter {
        state: Some(State::Uncertain),
        scope: Some(Scope::of("tenant")),
        limit: 10,
    };
    let found = ledger.list(&uncertain).await.unwrap();
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].id, id("failed"));
    let elsewhere = Filter {
        scope: Some(Scope::of("other")),
        ..all
    };
    assert!(ledger.list(&elsewhere).await.unwrap().is_empty());

    let backlog = ledger.backlog().await.unwrap();
    assert_eq!((backlog.running, backlog.uncertain), (1, 1));
    assert_eq!(backlog.oldest_running, Duration::from_secs(7));

    let found_out = Resolution::Completed {
        answer: answer("found"),
        resource: None,
    };
    assert!(
        ledger
            .resolve(&id("failed"), found_out.clone(), "ada")
            .await
            .unwrap()
    );
    assert_eq!(repeat(&ledger, "failed").await, Ok("found".to_owned()));
    for settled in ["failed", "done", "running", "nobody's"] {
        let again = ledger.resolve(&id(settled), found_out.clone(), "ada").await;
        assert!(!again.unwrap(), "{settled} is not uncertain");
    }
}

#[tokio::test(start_paused = true)]
async fn a_purge_takes_what_is_over_and_nothing_else() {
    let ledger = ledger(&keyed().ttl("1h"));
    for number in 0..5 {
        complete(run(&ledger, &format!("done {number}")).await, "x").await;
    }
    drop(run(&ledger, "killed").await);
    // What ended with its lease is kept for its time from then on.
    sleep(Duration::from_secs(3630)).await;
    let _live = run(&ledger, "live").await;
    complete(run(&ledger, "fresh").await, "x").await;
    let expired = ledger.backlog().await.unwrap().expired;

    let mut deleted = 0;
    loop {
        let purged = ledger.purge(2).await.unwrap();
        assert!(purged.deleted <= 2);
        deleted += purged.deleted;
        if purged.is_done() {
            break;
        }
    }
    assert_eq!(deleted, expired);
    let all = Filter {
        limit: 100,
        ..Filter::default()
    };
    let left = ledger.list(&all).await.unwrap();
    assert_eq!(left.len(), 2, "{left:?}");
}

#[tokio::test(start_paused = true)]
async fn a_purge_strips_answers_and_leaves_tombstones() {
    let ledger = ledger(&keyed().ttl("1h").tombstone("1d"));
    complete(run(&ledger, "k").await, "x").await;
    sleep(Duration::from_secs(3601)).await;
    let stripped = Purged {
        deleted: 0,
        stripped: 1,
    };
    assert_eq!(ledger.purge(10).await.unwrap(), stripped);
    assert!(ledger.purge(10).await.unwrap().is_done());
    assert_eq!(repeat(&ledger, "k").await, Err("IDEMPOTENCY_ANSWER_GONE"));
}

#[tokio::test(start_paused = true)]
async fn q15_a_purge_leaves_what_nobody_may_repeat() {
    let ledger = ledger(&Idempotency::of(Effects::Unkeyed).ttl("1h"));
    drop(run(&ledger, "killed").await);
    run(&ledger, "failed").await.fail().await.unwrap();
    sleep(Duration::from_secs(7200)).await;
    assert!(ledger.purge(10).await.unwrap().is_done());
    for key in ["killed", "failed"] {
        assert_eq!(
            repeat(&ledger, key).await,
            Err("IDEMPOTENCY_UNCERTAIN"),
            "{key}"
        );
    }
}
