//! Finding out how uncertain runs ended.

use std::sync::Mutex;

use resilient::idempotency::{Record, Resolution, Resource};
use resilient::{resilient, scope};

use crate::fakes::Work;
use crate::{Answer, Failure, Receipt, code, receipt, registry};

/// What the payment provider says it did.
type Provider = Mutex<Option<Resolution<Receipt>>>;

async fn ask(record: &Record, provider: &Provider) -> Resolution<Receipt> {
    tokio::task::yield_now().await;
    assert_eq!(record.id.key().as_str(), "k");
    let known = provider.lock().unwrap().clone();
    known.unwrap_or(Resolution::Unknown)
}

#[resilient(idempotent(
    store = "orders",
    key = key,
    scope = shared,
    effects = "unkeyed",
    resolve = ask(provider),
    resource = order
))]
async fn charge(key: &str, work: &Work, provider: &Provider) -> Answer {
    work.run()
}

fn order(receipt: &Receipt) -> Resource {
    Resource::new("order", receipt.number)
}

#[tokio::test(start_paused = true)]
async fn an_uncertain_run_is_settled_by_who_had_its_effects() {
    let found = |answer: Option<Receipt>| match answer {
        Some(answer) => Resolution::Completed {
            answer,
            resource: None,
        },
        None => Resolution::Done {
            resource: Some(Resource::new("order", 4711)),
        },
    };
    let rows = [
        (Some(found(Some(Receipt { number: 42 }))), Ok(receipt(42))),
        (Some(found(None)), Err("IDEMPOTENCY_ANSWER_GONE")),
        (Some(Resolution::NotExecuted), Ok(receipt(2))),
        (Some(Resolution::Unknown), Err("IDEMPOTENCY_UNCERTAIN")),
    ];
    for (said, expected) in rows {
        let row = format!("{said:?}");
        let (registry, ledger) = registry();
        let work = Work::of([Err(Failure::Lost)]);
        let provider = Mutex::new(said);
        scope(&registry, async {
            let first = charge("k", &work, &provider).await;
            assert_eq!(first, Err(Failure::Lost), "{row}");
            for _ in 0..2 {
                let repeat = charge("k", &work, &provider).await;
                match &expected {
                    Ok(answer) => assert_eq!(repeat, *answer, "{row}"),
                    Err(expected) => assert_eq!(code(&repeat), *expected, "{row}"),
                }
            }
        })
        .await;
        let uncertain = ledger.backlog().await.unwrap().uncertain;
        assert_eq!(uncertain, u64::from(row.contains("Unknown")), "{row}");
    }
}

#[tokio::test(start_paused = true)]
async fn what_was_made_is_noted_with_the_answer() {
    let (registry, ledger) = registry();
    let work = Work::of([]);
    let provider = Mutex::new(None);
    assert_eq!(
        scope(&registry, charge("k", &work, &provider)).await,
        receipt(1)
    );
    let record = &crate::records(&ledger).await[0];
    assert_eq!(record.resource, Some(Resource::new("order", 1)));
}

/// Knows the run of what it is asked for, and takes that for the one of the record.
#[allow(clippy::unused_async, reason = "never asked, and awaited by its form")]
async fn look_for(_: &Record, item: &str) -> Resolution<Receipt> {
    panic!("asked about {item}");
}

#[resilient(idempotent(
    store = "orders",
    key = key,
    scope = shared,
    fingerprint = item,
    effects = "unkeyed",
    resolve = look_for(item)
))]
async fn order_item(key: &str, item: &str, work: &Work) -> Answer {
    let _ = item;
    work.run()
}

#[tokio::test(start_paused = true)]
async fn q03_nobody_is_asked_on_behalf_of_another_payload() {
    let (registry, ledger) = registry();
    let work = Work::of([Err(Failure::Lost)]);
    scope(&registry, async {
        assert_eq!(order_item("k", "tea", &work).await, Err(Failure::Lost));
        let other = order_item("k", "coffee", &work).await;
        assert_eq!(code(&other), "IDEMPOTENCY_KEY_REUSED");
    })
    .await;
    assert_eq!(ledger.backlog().await.unwrap().uncertain, 1);
}
