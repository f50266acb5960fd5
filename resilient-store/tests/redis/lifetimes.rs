//! How long keys live: what counts for nothing goes by itself, and nothing else does.

use resilient_core::idempotency::{Finish, Store};
use resilient_test_servers::Redis;

use crate::actor::{
    LEASE, TOMBSTONE, TTL, alone, answer_key, claim, finish, id, pttl, record_key, unkeyed, win,
};

/// What a slow machine may take between a step and the look at it, in milliseconds.
const SLACK: i64 = 120_000;

fn is_about(found: i64, expected: std::time::Duration) {
    let expected = i64::try_from(expected.as_millis()).unwrap();
    assert!(found <= expected && found + SLACK >= expected, "{found}");
}

const FOR_EVER: i64 = -1;
const GONE: i64 = -2;

#[tokio::test]
async fn a_record_lives_for_its_time_and_its_answer_for_less() {
    let Some(server) = Redis::start().unwrap() else {
        return;
    };
    let store = alone(&server).await;
    let fence = win(&store, &claim("k", 1)).await.fence;
    is_about(pttl(&server, &record_key("k")), LEASE + TTL + TOMBSTONE);
    store.complete(&id("k"), fence, &finish("a")).await.unwrap();
    is_about(pttl(&server, &record_key("k")), TTL + TOMBSTONE);
    is_about(pttl(&server, &answer_key("k")), TTL);
}

/// Q15: a record counts for its time from the end of its lease on.
#[tokio::test]
async fn q15_a_lease_keeps_its_record() {
    let Some(server) = Redis::start().unwrap() else {
        return;
    };
    let store = alone(&server).await;
    let fence = win(&store, &claim("k", 1)).await.fence;
    let longer = (TTL + TOMBSTONE) * 2;
    store.renew(&id("k"), fence, longer, None).await.unwrap();
    is_about(pttl(&server, &record_key("k")), longer + TTL + TOMBSTONE);
    store.renew(&id("k"), fence, LEASE, None).await.unwrap();
    is_about(pttl(&server, &record_key("k")), LEASE + TTL + TOMBSTONE);
}

#[tokio::test]
async fn a_run_that_cannot_be_repeated_is_not_forgotten_before_it_ended() {
    let Some(server) = Redis::start().unwrap() else {
        return;
    };
    let store = alone(&server).await;
    let fence = win(&store, &unkeyed("k", 1)).await.fence;
    assert_eq!(pttl(&server, &record_key("k")), FOR_EVER);
    store.renew(&id("k"), fence, LEASE, None).await.unwrap();
    assert_eq!(pttl(&server, &record_key("k")), FOR_EVER);
    store
        .complete(&id("k"), fence, &Finish::Uncertain)
        .await
        .unwrap();
    assert_eq!(pttl(&server, &record_key("k")), FOR_EVER);
    store
        .settle(&id("k"), fence, Some(&finish("a")))
        .await
        .unwrap();
    is_about(pttl(&server, &record_key("k")), TTL + TOMBSTONE);
    is_about(pttl(&server, &answer_key("k")), TTL);
}

#[tokio::test]
async fn a_run_that_may_be_repeated_and_became_uncertain_stays_too() {
    let Some(server) = Redis::start().unwrap() else {
        return;
    };
    let store = alone(&server).await;
    let fence = win(&store, &claim("k", 1)).await.fence;
    store
        .complete(&id("k"), fence, &Finish::Uncertain)
        .await
        .unwrap();
    assert_eq!(pttl(&server, &record_key("k")), FOR_EVER);
}

#[tokio::test]
async fn what_is_released_or_deleted_leaves_no_key() {
    let Some(server) = Redis::start().unwrap() else {
        return;
    };
    let store = alone(&server).await;
    let fence = win(&store, &claim("released", 1)).await.fence;
    store.release(&id("released"), fence).await.unwrap();
    let fence = win(&store, &claim("deleted", 2)).await.fence;
    store
        .complete(&id("deleted"), fence, &finish("a"))
        .await
        .unwrap();
    store.remove(&id("deleted")).await.unwrap();
    for key in ["released", "deleted"] {
        assert_eq!(pttl(&server, &record_key(key)), GONE, "{key}");
        assert_eq!(pttl(&server, &answer_key(key)), GONE, "{key}");
    }
}

/// Times beyond a century are cut, so that the scripts reckon exactly.
#[tokio::test]
async fn endless_times_are_a_century() {
    let Some(server) = Redis::start().unwrap() else {
        return;
    };
    let store = alone(&server).await;
    let mut endless = claim("k", 1);
    endless.lease = std::time::Duration::MAX;
    endless.ttl = std::time::Duration::MAX;
    endless.tombstone = std::time::Duration::MAX;
    let fence = win(&store, &endless).await.fence;
    store.complete(&id("k"), fence, &finish("a")).await.unwrap();
    let record = store.find(&id("k")).await.unwrap().unwrap();
    assert_eq!(record.answer, Some(crate::actor::answer("a")));
    let century = std::time::Duration::from_secs(100 * 365 * 24 * 3600);
    is_about(pttl(&server, &answer_key("k")), century);
}
