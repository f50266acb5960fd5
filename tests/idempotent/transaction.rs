//! Records that are committed with the work.

use std::future::ready;
use std::sync::{Arc, Mutex};

use resilient::idempotency::{
    Claim, Claimed, Fence, Fenced, Finish, JoinTransaction, Ledger, MemoryStore, RecordId, Store,
    StoreFuture,
};
use resilient::{Class, Classify, resilient, scope};

use crate::fakes::Work;
use crate::{Answer, Failure, code, receipt, records, registry};

/// A transaction over records in memory: what it did is undone unless it is committed.
struct Transaction {
    ledger: Ledger,
    claimed: Vec<(RecordId, Fence)>,
    rows: Vec<u32>,
    /// The record goes to another owner before it is completed.
    robbed: bool,
    log: Arc<Mutex<Vec<&'static str>>>,
}

impl Transaction {
    fn begin(ledger: &Ledger) -> Self {
        Transaction {
            ledger: ledger.clone(),
            claimed: Vec::new(),
            rows: Vec::new(),
            robbed: false,
            log: Arc::default(),
        }
    }

    /// The rows it leaves behind.
    fn commit(self) -> Vec<u32> {
        self.rows
    }

    async fn roll_back(self) {
        for (id, fence) in self.claimed {
            let _ = self.ledger.store().release(&id, fence).await;
        }
    }

    fn insert(&mut self, row: u32) {
        self.rows.push(row);
    }
}

impl JoinTransaction<MemoryStore> for Transaction {
    fn claim<'a>(
        &'a mut self,
        store: &'a MemoryStore,
        claim: &'a Claim,
    ) -> StoreFuture<'a, Claimed> {
        self.log.lock().unwrap().push("claim");
        Box::pin(async move {
            let claimed = store.claim(claim).await?;
            if let Claimed::Won(won) = &claimed {
                self.claimed.push((claim.id.clone(), won.fence));
            }
            Ok(claimed)
        })
    }

    fn complete<'a>(
        &'a mut self,
        store: &'a MemoryStore,
        id: &'a RecordId,
        fence: Fence,
        finish: &'a Finish,
    ) -> StoreFuture<'a, Fenced> {
        self.log.lock().unwrap().push("complete");
        if self.robbed {
            return Box::pin(ready(Ok(Fenced::Lost)));
        }
        store.complete(id, fence, finish)
    }
}

#[resilient(
    retry(max = 3, base = "0s"),
    idempotent(store = "orders", key = key, scope = shared, tx = tx)
)]
async fn order(tx: &mut Transaction, key: &str, work: &Work) -> Answer {
    let execution = resilient::idempotency::current().expect("a run under a key");
    assert_eq!(
        tx.claimed.last().map(|(_, fence)| *fence),
        Some(execution.fence())
    );
    tx.insert(work.runs() + 1);
    work.run()
}

/// It moves what it is lent, as many functions of databases do.
#[resilient(idempotent(store = "orders", key = key, scope = shared, tx = tx))]
async fn moving(tx: &mut Transaction, key: String, work: &Work) -> Answer {
    drop(key);
    inserting(tx).await;
    work.run()
}

/// It takes its first receipt for a failure.
#[resilient(
    classify = first_is_late,
    idempotent(store = "orders", key = key, scope = shared, tx = tx)
)]
async fn doubted(tx: &mut Transaction, key: &str, work: &Work) -> Answer {
    tx.insert(work.runs() + 1);
    work.run()
}

fn first_is_late(outcome: &Answer) -> Class {
    match outcome {
        Ok(_) if *outcome == receipt(1) => Class::transient(),
        Ok(_) => Class::Success,
        Err(failure) => failure.class(),
    }
}

async fn inserting(tx: &mut Transaction) {
    tokio::task::yield_now().await;
    tx.insert(1);
}

#[tokio::test(start_paused = true)]
async fn i53_the_answer_is_committed_with_the_work_and_replayed() {
    let (registry, ledger) = registry();
    let work = Work::of([]);
    scope(&registry, async {
        let mut tx = Transaction::begin(&ledger);
        assert_eq!(order(&mut tx, "k", &work).await, receipt(1));
        assert_eq!(*tx.log.lock().unwrap(), ["claim", "complete"]);
        assert_eq!(tx.commit(), [1]);

        let mut repeat = Transaction::begin(&ledger);
        assert_eq!(order(&mut repeat, "k", &work).await, receipt(1));
        assert!(repeat.commit().is_empty());

        let mut other = Transaction::begin(&ledger);
        assert_eq!(moving(&mut other, "k".to_owned(), &work).await, receipt(2));
        assert_eq!(other.commit(), [1]);
    })
    .await;
    assert_eq!(work.runs(), 2);
}

/// What a failed attempt did is still in the transaction, so that only what was not sent is repeated;
/// and an error is not written down.
#[tokio::test(start_paused = true)]
async fn an_error_is_rolled_back_with_its_claim() {
    let (registry, ledger) = registry();
    let work = Work::of([Err(Failure::Unsent), Err(Failure::Lost)]);
    scope(&registry, async {
        let mut tx = Transaction::begin(&ledger);
        assert_eq!(order(&mut tx, "k", &work).await, Err(Failure::Lost));
        assert_eq!(*tx.log.lock().unwrap(), ["claim"]);
        assert_eq!(work.runs(), 2);
        tx.roll_back().await;
        assert!(records(&ledger).await.is_empty());

        let mut tx = Transaction::begin(&ledger);
        assert_eq!(order(&mut tx, "k", &work).await, receipt(3));
    })
    .await;
}

/// Whoever is given an `Ok` commits: what it stands for must not run again, whatever it is classified
/// as.
#[tokio::test(start_paused = true)]
async fn i33_q05_an_ok_that_counts_as_a_failure_is_committed_with_its_record() {
    let (registry, ledger) = registry();
    let work = Work::of([]);
    scope(&registry, async {
        let mut tx = Transaction::begin(&ledger);
        assert_eq!(doubted(&mut tx, "k", &work).await, receipt(1));
        assert_eq!(*tx.log.lock().unwrap(), ["claim", "complete"]);
        assert_eq!(tx.commit(), [1]);

        let mut repeat = Transaction::begin(&ledger);
        assert_eq!(doubted(&mut repeat, "k", &work).await, receipt(1));
        assert!(repeat.commit().is_empty());
    })
    .await;
    assert_eq!(work.runs(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_record_that_was_lost_refuses_the_commit() {
    let (registry, ledger) = registry();
    let work = Work::of([]);
    let mut tx = Transaction::begin(&ledger);
    tx.robbed = true;
    let outcome = scope(&registry, order(&mut tx, "k", &work)).await;
    assert_eq!(code(&outcome), "IDEMPOTENCY_LEASE_LOST");

    let mut second = Transaction::begin(&ledger);
    let outcome = scope(&registry, order(&mut second, "k", &work)).await;
    assert_eq!(
        code(&outcome),
        "IDEMPOTENCY_IN_PROGRESS",
        "the first was not rolled back yet"
    );
}
