//! A record that an operator has deleted leaves no copy behind, and none comes back.

use std::sync::Arc;

use resilient_core::idempotency::{Store, StoreError};
use resilient_test_servers::Redis;

use crate::actor::{
    Outcome, claim, copy_key, finish, id, ledger, pttl, replayed, request, told, win,
};
use crate::copies::tiered;
use crate::spy::Spy;

#[tokio::test]
async fn a_deleted_record_is_replayed_by_nobody() {
    let Some(server) = Redis::start().unwrap() else {
        return;
    };
    let table = Spy::new();
    let (one, two) = (
        ledger(tiered(&server, &table)),
        ledger(tiered(&server, &table)),
    );
    assert_eq!(request(&one, "k", "a").await, Outcome::Ran);
    assert_eq!(request(&two, "k", "a").await, replayed("a"));
    assert!(one.remove(&id("k"), "ada").await.unwrap());
    assert_eq!(request(&two, "k", "b").await, Outcome::Ran);
    assert_eq!(request(&one, "k", "b").await, replayed("b"));
}

/// Somebody read the record before it was deleted, and copies it after.
#[tokio::test]
async fn a_late_copy_of_a_deleted_record_is_not_written() {
    let Some(server) = Redis::start().unwrap() else {
        return;
    };
    let table = Spy::new();
    let (store, slow) = (tiered(&server, &table), Arc::new(tiered(&server, &table)));
    let won = win(&store, &claim("k", 1)).await;
    store
        .complete(&id("k"), won.fence, &finish("a"))
        .await
        .unwrap();
    server.flush().unwrap();

    table.hold_answers();
    let late = tokio::spawn({
        let slow = Arc::clone(&slow);
        async move { told(&*slow, &claim("k", 2)).await }
    });
    while table.claims() < 2 {
        tokio::task::yield_now().await;
    }
    assert!(store.remove(&id("k")).await.unwrap());
    table.answer();
    assert_eq!(late.await.unwrap().answer, Some(crate::actor::answer("a")));
    assert_eq!(slow.counter().counts().written, 0);
    // None that was on its way can come after that.
    assert!(pttl(&server, &copy_key("k")) > 290_000);
    win(&store, &claim("k", 3)).await;
}

#[tokio::test]
async fn while_redis_is_down_nothing_is_deleted() {
    let Some(mut server) = Redis::start().unwrap() else {
        return;
    };
    let table = Spy::new();
    let store = tiered(&server, &table);
    win(&store, &claim("k", 1)).await;
    server.kill().unwrap();
    let removed = store.remove(&id("k")).await;
    assert!(
        matches!(removed, Err(StoreError::Unavailable { .. })),
        "{removed:?}"
    );
    assert!(table.find(&id("k")).await.unwrap().is_some());
    server.restart().unwrap();
    assert!(store.remove(&id("k")).await.unwrap());
}
