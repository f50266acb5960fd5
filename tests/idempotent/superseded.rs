//! Runs that lose their lease.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use resilient::bulkhead::Bulkhead;
use resilient::idempotency::Ledger;
use resilient::{Dependency, resilient, scope};

use crate::fakes::Work;
use crate::{Answer, code, pass, receipt, records, registry};

/// Sets its flag when it is dropped.
struct Dropped(Arc<AtomicBool>);

impl Drop for Dropped {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

#[resilient(
    bulkhead = "dep",
    idempotent(store = "orders", key = key, scope = shared, effects = "keyed", lease = "3s")
)]
async fn long(key: &str, work: &Work, time: Duration, dropped: &Arc<AtomicBool>) -> Answer {
    let _dropped = Dropped(Arc::clone(dropped));
    pass(time).await;
    work.run()
}

/// An operator removes the record, so that the next one runs.
async fn removed(ledger: &Ledger) {
    let id = records(ledger).await[0].id.clone();
    assert!(ledger.remove(&id, "test").await.unwrap());
}

const SECOND: Duration = Duration::from_secs(1);

#[tokio::test(start_paused = true)]
async fn a_lost_lease_ends_the_run_with_the_answer_of_the_winner() {
    let (registry, ledger) = registry();
    // One permit: the loser must have given it back for the winner to run.
    let bulkhead = Bulkhead::max_concurrent(1).max_queue(1).max_wait("10s");
    registry
        .register(Dependency::named("dep").bulkhead(bulkhead))
        .unwrap();
    let work = Work::of([]);
    let dropped = Arc::new(AtomicBool::new(false));
    let (loser, winner) = scope(&registry, async {
        tokio::join!(long("k", &work, 20 * SECOND, &dropped), async {
            pass(SECOND / 2).await;
            removed(&ledger).await;
            let free = Arc::default();
            long("k", &work, SECOND / 4, &free).await
        })
    })
    .await;
    assert_eq!(
        code(&loser),
        "IDEMPOTENCY_LEASE_LOST",
        "the winner waited for its permit"
    );
    assert!(dropped.load(Ordering::Relaxed));
    assert_eq!((winner, work.runs()), (receipt(1), 1));
}

#[resilient(idempotent(
    store = "orders",
    key = key,
    scope = shared,
    effects = "keyed",
    lease = "3s"
))]
async fn free(key: &str, work: &Work, time: Duration) -> Answer {
    pass(time).await;
    work.run()
}

/// It finds out when its lease is renewed, or when it ends.
#[tokio::test(start_paused = true)]
async fn what_the_winner_answered_stands_in_place_of_the_losers() {
    for loser_takes in [20 * SECOND, SECOND * 9 / 10] {
        let (registry, ledger) = registry();
        let work = Work::of([]);
        let (loser, winner) = scope(&registry, async {
            tokio::join!(free("k", &work, loser_takes), async {
                pass(SECOND / 2).await;
                removed(&ledger).await;
                free("k", &work, SECOND / 10).await
            })
        })
        .await;
        assert_eq!((loser, winner), (receipt(1), receipt(1)), "{loser_takes:?}");
        assert_eq!(ledger.counts().lease_lost, 1, "{loser_takes:?}");
    }
}
