//! What repeats are given.

use std::time::Duration;

use resilient::idempotency::{Answer as Stored, Begun, Key, RecordId, Request, Scope};
use resilient::{resilient, scope, testing};
use serde::Serialize;

use crate::fakes::{Work, broken};
use crate::{Answer, Failure, Receipt, code, pass, receipt, records, registry};

#[derive(Serialize)]
struct Order<'a> {
    key: &'a str,
    amount: u32,
}

const fn order(key: &str) -> Order<'_> {
    Order { key, amount: 1 }
}

#[resilient(
    name = "orders.create",
    idempotent(
        store = "orders",
        key = order.key,
        scope = user,
        fingerprint = &order,
        effects = "keyed",
        ttl = "1h"
    )
)]
async fn create(user: &str, order: Order<'_>, work: &Work) -> Answer {
    tokio::task::yield_now().await;
    let _ = order.amount;
    work.run()
}

#[resilient(idempotent(store = "orders", key = key, scope = shared, effects = "none"))]
async fn shared_by_all(key: &str, work: &Work) -> Answer {
    work.run()
}

#[resilient(idempotent(
    store = "orders",
    key = key,
    scope = shared,
    effects = "keyed",
    store_errors,
    not_executed = broken
))]
async fn keeping_errors(key: &str, work: &Work) -> Answer {
    work.run()
}

#[tokio::test(start_paused = true)]
async fn i53_two_calls_are_one_run_with_one_value() {
    let (registry, ledger) = registry();
    let work = Work::of([]);
    scope(&registry, async {
        for _ in 0..3 {
            assert_eq!(create("ann", order("k"), &work).await, receipt(1));
        }
        assert_eq!(work.runs(), 1);
        pass(Duration::from_secs(3599)).await;
        assert_eq!(create("ann", order("k"), &work).await, receipt(1));
        pass(Duration::from_secs(2)).await;
        assert_eq!(
            create("ann", order("k"), &work).await,
            receipt(2),
            "after `ttl`"
        );
    })
    .await;
    assert_eq!(ledger.counts().replays, 3);
}

#[tokio::test(start_paused = true)]
async fn i53_an_error_runs_again_unless_it_is_kept() {
    let (registry, _) = registry();
    let work = Work::of([Err(Failure::Declined)]);
    scope(&registry, async {
        let declined = Err(Failure::Declined);
        assert_eq!(create("ann", order("k"), &work).await, declined);
        assert_eq!(create("ann", order("k"), &work).await, receipt(2));

        let kept = Work::of([Err(Failure::Declined)]);
        for _ in 0..3 {
            assert_eq!(keeping_errors("k", &kept).await, declined);
        }
        assert_eq!(kept.runs(), 1);
    })
    .await;
}

/// Only what is an answer is kept: no failure that may pass, none that says that it did nothing, and
/// none that cannot be written.
#[tokio::test(start_paused = true)]
async fn only_permanent_errors_are_kept() {
    let (registry, _) = registry();
    scope(&registry, async {
        for passing in [
            Failure::Lost,
            Failure::Unsent,
            Failure::Broken,
            Failure::Secret,
        ] {
            let key = format!("{passing:?}");
            let work = Work::of([Err(passing.clone())]);
            assert_eq!(keeping_errors(&key, &work).await, Err(passing));
            assert_eq!(keeping_errors(&key, &work).await, receipt(2), "{key}");
        }
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn i54_a_value_that_no_longer_decodes_is_refused_and_not_run() {
    let (registry, ledger) = registry();
    let work = Work::of([]);
    let scope_of_it = Scope::of("ann").and("orders.create");
    for (key, status, body) in [
        ("another type", 0, &b"{\"total\":1}"[..]),
        ("no JSON", 0, b"\xff"),
        ("an error", 1, b"\"Declined\""),
        ("an HTTP answer", 201, b"{\"number\":1}"),
    ] {
        let id = RecordId::new(scope_of_it.clone(), Key::literal(key).unwrap());
        let Begun::Run(run) = ledger.begin(Request::new(id)).await.unwrap() else {
            panic!("{key} is new");
        };
        let stored = Stored {
            status,
            head: Vec::new(),
            body: body.to_vec(),
        };
        run.complete(stored, None).await.unwrap();
        let outcome = scope(&registry, create("ann", order(key), &work)).await;
        assert_eq!(code(&outcome), "IDEMPOTENCY_ANSWER_UNREADABLE", "{key}");
    }
    assert_eq!(work.runs(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_key_means_something_inside_its_scope_and_its_function() {
    let (registry, ledger) = registry();
    let work = Work::of([]);
    scope(&registry, async {
        assert_eq!(create("ann", order("k"), &work).await, receipt(1));
        assert_eq!(create("bob", order("k"), &work).await, receipt(2));
        assert_eq!(shared_by_all("k", &work).await, receipt(3));
        assert_eq!(keeping_errors("k", &work).await, receipt(4));
        assert_eq!(create("ann", order("other"), &work).await, receipt(5));
    })
    .await;
    assert_eq!(records(&ledger).await.len(), 5);
}

#[tokio::test(start_paused = true)]
async fn another_payload_and_what_is_no_key_are_refused() {
    let (registry, _) = registry();
    let work = Work::of([]);
    scope(&registry, async {
        assert_eq!(create("ann", order("k"), &work).await, receipt(1));
        let other = Order {
            key: "k",
            amount: 2,
        };
        let outcome = create("ann", other, &work).await;
        assert_eq!(code(&outcome), "IDEMPOTENCY_KEY_REUSED");
        for key in ["", "  ", "na\u{ef}ve"] {
            let outcome = create("ann", order(key), &work).await;
            assert_eq!(code(&outcome), "INVALID_IDEMPOTENCY_KEY", "{key:?}");
        }
    })
    .await;
    assert_eq!(work.runs(), 1);
}

#[tokio::test(start_paused = true)]
async fn two_at_once_are_one_run() {
    let (registry, _) = registry();
    let work = Work::of([]);
    let (first, second) = scope(&registry, async {
        tokio::join!(
            create("ann", order("k"), &work),
            create("ann", order("k"), &work)
        )
    })
    .await;
    assert_eq!(first, receipt(1));
    assert_eq!(code(&second), "IDEMPOTENCY_IN_PROGRESS");
}

#[resilient(idempotent(
    store = "orders",
    key = key,
    scope = shared,
    effects = "none",
    wait = "10s"
))]
async fn waited_for(key: &str, work: &Work) -> Answer {
    pass(Duration::from_secs(5)).await;
    work.run()
}

#[tokio::test(start_paused = true)]
async fn a_repeat_that_may_wait_is_given_the_answer() {
    let (registry, _) = registry();
    let work = Work::of([]);
    let both = scope(&registry, async {
        tokio::join!(waited_for("k", &work), waited_for("k", &work))
    });
    assert_eq!(both.await, (receipt(1), receipt(1)));
}

/// A value that can be written but not as JSON: it was done, and is not run again.
#[derive(Debug, PartialEq, serde::Serialize, serde::Deserialize)]
struct Keyed(std::collections::BTreeMap<(u8, u8), u8>);

#[resilient(idempotent(store = "orders", key = "k".repeat(n), scope = shared, effects = "none"))]
async fn unwritable(n: usize) -> Result<Keyed, Failure> {
    Ok(Keyed([((1, 2), 3)].into()))
}

#[tokio::test(start_paused = true)]
async fn what_cannot_be_written_is_answered_once() {
    let (registry, _) = registry();
    scope(&registry, async {
        assert!(unwritable(1).await.is_ok());
        let outcome = unwritable(1).await.map(|_| Receipt { number: 0 });
        assert_eq!(code(&outcome), "IDEMPOTENCY_ANSWER_GONE");
    })
    .await;
}

#[tokio::test]
async fn in_passthrough_nothing_is_claimed() {
    let work = Work::of([]);
    scope(&testing::passthrough(), async {
        assert_eq!(create("ann", order(""), &work).await, receipt(1));
        assert_eq!(create("ann", order(""), &work).await, receipt(2));
    })
    .await;
}
