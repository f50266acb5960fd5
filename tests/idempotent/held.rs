//! Calls that are dropped on the way.

use std::future::Future;
use std::pin::pin;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use resilient::idempotency::{Effects, Idempotency, Ledger, State};
use resilient::{Registry, resilient, scope};

use crate::fakes::{Remote, Work};
use crate::{Answer, code, pass, receipt, records, registry};

#[resilient(
    retry(max = 2, base = "0s"),
    idempotent(store = "orders", key = key, scope = shared, effects = "keyed")
)]
async fn slow(key: &str, work: &Work) -> Answer {
    tokio::task::yield_now().await;
    let answer = work.run();
    tokio::task::yield_now().await;
    answer
}

/// Polls a call so often, and drops it. True if it was done.
fn dropped_after(polls: usize, call: impl Future<Output = Answer>) -> bool {
    let mut call = pin!(call);
    let mut cx = Context::from_waker(Waker::noop());
    (0..polls).any(|_| matches!(call.as_mut().poll(&mut cx), Poll::Ready(_)))
}

/// A store behind a connection, so that every step of it is a place to be dropped at.
fn remote() -> (Registry, Ledger) {
    let ledger = Ledger::new(Remote::new(), &Idempotency::of(Effects::Keyed)).unwrap();
    let registry = Registry::seeded(1);
    registry.register_store("orders", ledger.clone()).unwrap();
    (registry, ledger)
}

/// However far it came, a dropped call does not give its key back: once it has the right to run,
/// nobody else has it before its lease has lapsed, whatever the body did.
#[tokio::test(start_paused = true)]
async fn x1_a_dropped_call_holds_its_key_until_the_lease_lapses() {
    let mut seen = Vec::new();
    for polls in 1.. {
        let (registry, ledger) = remote();
        let work = Work::of([]);
        if dropped_after(polls, scope(&registry, slow("k", &work))) {
            break;
        }
        let state = records(&ledger).await.first().map(|record| record.state);
        let runs = work.runs();
        scope(&registry, async {
            let repeat = slow("k", &work).await;
            match state {
                None => assert_eq!(repeat, receipt(1), "it had not asked yet"),
                Some(State::Running) => {
                    assert_eq!(code(&repeat), "IDEMPOTENCY_IN_PROGRESS", "{polls}");
                    assert_eq!(work.runs(), runs);
                    pass(Duration::from_secs(31)).await;
                    assert_eq!(slow("k", &work).await, receipt(runs + 1), "{polls}");
                }
                Some(_) => assert_eq!(repeat, receipt(runs), "it was written down"),
            }
        })
        .await;
        seen.push((state, runs));
    }
    let running = Some(State::Running);
    assert_eq!(
        seen,
        [
            (None, 0),
            (running, 0),
            (running, 0),
            (running, 1),
            (running, 1),
            (Some(State::Completed), 1),
        ]
    );
}

/// A long run renews its lease; nobody takes it over. The lease is shorter than what the rules of the
/// store let one of its steps take.
#[resilient(idempotent(
    store = "orders",
    key = key,
    scope = shared,
    effects = "keyed",
    lease = "1s"
))]
async fn long(key: &str, work: &Work) -> Answer {
    pass(Duration::from_secs(60)).await;
    work.run()
}

#[tokio::test(start_paused = true)]
async fn a_run_that_is_longer_than_its_lease_keeps_it() {
    let (registry, _) = registry();
    let work = Work::of([]);
    let (first, second) = scope(&registry, async {
        tokio::join!(long("k", &work), async {
            pass(Duration::from_secs(50)).await;
            long("k", &work).await
        })
    })
    .await;
    assert_eq!(first, receipt(1));
    assert_eq!(code(&second), "IDEMPOTENCY_IN_PROGRESS");
}
