//! Records in Redis alone while it is down, frozen, or has forgotten its scripts.

use std::time::Duration;

use resilient_core::idempotency::{Fenced, Finish, State, Store, StoreError};
use resilient_store::{RedisConfig, RedisStore};
use resilient_test_servers::Redis;

use crate::actor::{
    LEASE, Outcome, alone, answer, claim, finish, id, ledger, replayed, request, told, unavailable,
    win,
};

/// What does not happen for so long does not happen.
const PATIENCE: Duration = Duration::from_secs(60);

/// Q14: nothing runs that cannot be recorded, and the first request after the outage is served.
#[tokio::test]
async fn q14_while_redis_is_down_keyed_requests_are_refused() {
    let Some(mut server) = Redis::start_durable().unwrap() else {
        return;
    };
    let ledger = ledger(alone(&server).await);
    assert_eq!(request(&ledger, "before", "a").await, Outcome::Ran);
    server.kill().unwrap();
    for _ in 0..3 {
        assert_eq!(request(&ledger, "during", "a").await, unavailable());
    }
    assert_eq!(ledger.counts().executions, 1);
    server.restart().unwrap();
    assert_eq!(request(&ledger, "during", "a").await, Outcome::Ran);
    assert_eq!(
        request(&ledger, "before", "b").await,
        Outcome::Refused("IDEMPOTENCY_KEY_REUSED")
    );
    assert_eq!(request(&ledger, "before", "a").await, replayed("a"));
}

/// The client keeps the refusal of its last attempt, which is news of the past. That attempt is a
/// task of its own, which needs a thread to fail on while the server is down.
#[tokio::test(flavor = "multi_thread")]
async fn the_first_step_after_an_outage_is_done() {
    let Some(mut server) = Redis::start_durable().unwrap() else {
        return;
    };
    let store = alone(&server).await;
    win(&store, &claim("k", 1)).await;
    server.kill().unwrap();
    for _ in 0..3 {
        assert!(store.find(&id("k")).await.is_err());
    }
    server.restart().unwrap();
    assert!(store.find(&id("k")).await.unwrap().is_some());
}

/// Q14, between claim and finish: the owner is told, and may still store its answer.
#[tokio::test]
async fn q14_a_run_outlives_a_server_that_was_killed() {
    let Some(mut server) = Redis::start_durable().unwrap() else {
        return;
    };
    let store = alone(&server).await;
    let won = win(&store, &claim("k", 1)).await;
    server.kill().unwrap();
    let refused = store.complete(&id("k"), won.fence, &finish("a")).await;
    assert!(
        matches!(refused, Err(StoreError::Unavailable { .. })),
        "{refused:?}"
    );
    server.restart().unwrap();
    assert_eq!(told(&store, &claim("k", 2)).await.state, State::Running);
    let completed = store.complete(&id("k"), won.fence, &finish("a")).await;
    assert_eq!(completed.unwrap(), Fenced::Done);
    assert_eq!(told(&store, &claim("k", 2)).await.answer, Some(answer("a")));
}

/// A claim whose answer was lost is won again by its owner, and by nobody else.
#[tokio::test]
async fn a_claim_that_a_frozen_server_took_late_is_its_owners() {
    let Some(server) = Redis::start().unwrap() else {
        return;
    };
    let patient = alone(&server).await;
    let config = RedisConfig::at(server.url()).response_timeout("100ms");
    let hasty = RedisStore::connect(&config).await.unwrap();
    // So that the server knows the script, and does the step it is sent.
    win(&patient, &claim("another", 1)).await;
    server.freeze().unwrap();
    let asked = hasty.claim(&claim("k", 1)).await;
    assert!(
        matches!(asked, Err(StoreError::Unavailable { .. })),
        "{asked:?}"
    );
    server.thaw().unwrap();
    let taken = async {
        loop {
            if let Some(record) = patient.find(&id("k")).await.unwrap() {
                break record;
            }
        }
    };
    let taken = tokio::time::timeout(PATIENCE, taken)
        .await
        .expect("it is taken");
    assert_eq!(told(&patient, &claim("k", 2)).await.state, State::Running);
    let again = win(&patient, &claim("k", 1)).await;
    assert_eq!((again.fence, again.attempts), (taken.fence, 1));
}

/// The rule of R25 for keys: a server that was told to forget its scripts is told them again, and
/// nobody notices.
#[tokio::test]
async fn scripts_that_were_flushed_are_loaded_again() {
    let Some(server) = Redis::start().unwrap() else {
        return;
    };
    let store = alone(&server).await;
    let key = id("k");
    let forget = || server.ask(&["SCRIPT", "FLUSH"]).unwrap();
    forget();
    let won = win(&store, &claim("k", 1)).await;
    forget();
    let renewed = store.renew(&key, won.fence, LEASE, Some("paid")).await;
    assert_eq!(renewed.unwrap(), Fenced::Done);
    forget();
    let doubted = store.complete(&key, won.fence, &Finish::Uncertain).await;
    assert_eq!(doubted.unwrap(), Fenced::Done);
    forget();
    let settled = store.settle(&key, won.fence, Some(&finish("a"))).await;
    assert_eq!(settled.unwrap(), Fenced::Done);
    forget();
    let record = store.find(&key).await.unwrap().unwrap();
    assert_eq!(record.answer, Some(answer("a")));
    assert_eq!(record.checkpoint.as_deref(), Some("paid"));
    forget();
    assert_eq!(store.backlog().await.unwrap().running, 0);
    let won = win(&store, &claim("other", 1)).await;
    forget();
    let released = store.release(&id("other"), won.fence).await;
    assert_eq!(released.unwrap(), Fenced::Done);
}
