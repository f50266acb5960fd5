//! Calls that are dropped on the way.

use std::future::Future;
use std::pin::pin;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use resilient::idempotency::State;
use resilient::{resilient, scope};

use crate::fakes::Work;
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

/// However far it came, a dropped call holds its key until its lease has lapsed.
#[tokio::test(start_paused = true)]
async fn x1_a_dropped_call_never_gives_its_key_back() {
    let mut steps = 0;
    for polls in 1.. {
        let (registry, ledger) = registry();
        let work = Work::of([]);
        let done = dropped_after(polls, scope(&registry, slow("k", &work)));
        let held = records(&ledger).await;
        assert_eq!(held.len(), 1, "{polls}");
        if done {
            assert_eq!(held[0].state, State::Completed);
            break;
        }
        steps += 1;
        assert_eq!(held[0].state, State::Running, "{polls}");
        scope(&registry, async {
            let repeat = slow("k", &work).await;
            assert_eq!(code(&repeat), "IDEMPOTENCY_IN_PROGRESS", "{polls}");
            pass(Duration::from_secs(31)).await;
            let runs = work.runs();
            assert_eq!(slow("k", &work).await, receipt(runs + 1), "{polls}");
        })
        .await;
    }
    assert!(steps >= 2, "it was dropped at {steps} places");
}

/// A long run renews its lease; nobody takes it over.
#[resilient(idempotent(
    store = "orders",
    key = key,
    scope = shared,
    effects = "keyed",
    lease = "3s"
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
