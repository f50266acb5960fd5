//! Runs that lose their lease.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use resilient::bulkhead::Bulkhead;
use resilient::idempotency::{Effects, Idempotency, Ledger};
use resilient::{Dependency, Registry, resilient, scope};

use crate::fakes::{Remote, Work};
use crate::{Answer, pass, receipt, records, registry};

/// Sets its flag when it is dropped.
struct Dropped(Arc<AtomicBool>);

impl Drop for Dropped {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

#[resilient(
    bulkhead = "dep",
    idempotent(store = "orders", key = key, scope = shared, effects = "keyed", lease = "9s")
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

/// The store takes a second to find the answer of the winner, who waits for the permit of the loser.
#[tokio::test(start_paused = true)]
async fn a_run_that_lost_its_lease_is_gone_before_it_asks_for_the_answer() {
    let store = Remote::finding_in(SECOND);
    let ledger = Ledger::new(store, &Idempotency::of(Effects::Keyed)).unwrap();
    let registry = Registry::seeded(1);
    registry.register_store("orders", ledger.clone()).unwrap();
    let bulkhead = Bulkhead::max_concurrent(1).max_queue(1).max_wait("60s");
    registry
        .register(Dependency::named("dep").bulkhead(bulkhead))
        .unwrap();
    let work = Work::of([]);
    let dropped = Arc::new(AtomicBool::new(false));
    let (loser, winner) = scope(&registry, async {
        tokio::join!(long("k", &work, 20 * SECOND, &dropped), async {
            pass(SECOND / 2).await;
            removed(&ledger).await;
            long("k", &work, SECOND / 4, &Arc::default()).await
        })
    })
    .await;
    assert_eq!((loser, winner), (receipt(1), receipt(1)));
    assert_eq!(work.runs(), 1);
    assert!(dropped.load(Ordering::Relaxed));
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
