//! Keys that hold what no store has written.

use resilient_core::idempotency::{Filter, Store, StoreError};
use resilient_store::RedisStore;
use resilient_test_servers::Redis;

use crate::actor::{alone, answer_key, claim, finish, id, record_key, told, win};

async fn is_unreadable(store: &RedisStore, what: &str) {
    let claimed = store.claim(&claim("k", 9)).await;
    assert!(
        matches!(claimed, Err(StoreError::Unreadable { .. })),
        "{what}: {claimed:?}"
    );
    let found = store.find(&id("k")).await;
    assert!(
        matches!(found, Err(StoreError::Unreadable { .. })),
        "{what}: {found:?}"
    );
}

/// Nothing runs because of it, and an operator can delete it.
#[tokio::test]
async fn a_record_that_cannot_be_read_is_an_error_until_it_is_deleted() {
    let Some(server) = Redis::start().unwrap() else {
        return;
    };
    let store = alone(&server).await;
    let (record, answer) = (record_key("k"), answer_key("k"));
    let rows: [&[&str]; 8] = [
        &["SET", &record, "text"],
        &["HSET", &record, "state", "0"],
        &["HSET", &record, "version", "2"],
        &["HSET", &record, "expires_at", "soon"],
        &["HDEL", &record, "fence"],
        &["SET", &answer, "no answer"],
        &["SET", &answer, ""],
        &["LPUSH", &answer, "1"],
    ];
    for row in rows {
        let what = row.join(" ");
        let replaces_it = row[0] == "SET" || row[2] == "state";
        if !replaces_it || row[1] == answer {
            let won = win(&store, &claim("k", 1)).await;
            store
                .complete(&id("k"), won.fence, &finish("a"))
                .await
                .unwrap();
        }
        if row[0] == "LPUSH" {
            server.ask(&["DEL", &answer]).unwrap();
        }
        server.ask(row).unwrap();
        is_unreadable(&store, &what).await;
        assert!(store.remove(&id("k")).await.unwrap(), "{what}");
        assert_eq!(store.find(&id("k")).await.unwrap(), None, "{what}");
    }
    win(&store, &claim("k", 1)).await;
}

/// A state of a later version is an uncertain one: nothing runs because of it.
#[tokio::test]
async fn a_state_that_is_not_known_is_uncertain() {
    let Some(server) = Redis::start().unwrap() else {
        return;
    };
    let store = alone(&server).await;
    win(&store, &claim("k", 1)).await;
    server
        .ask(&["HSET", &record_key("k"), "state", "7"])
        .unwrap();
    let record = told(&store, &claim("k", 2)).await;
    assert_eq!(record.state, resilient_core::idempotency::State::Uncertain);
}

#[tokio::test]
async fn a_list_leaves_out_what_cannot_be_read() {
    let Some(server) = Redis::start().unwrap() else {
        return;
    };
    let store = alone(&server).await;
    win(&store, &claim("good", 1)).await;
    win(&store, &claim("bad", 2)).await;
    server
        .ask(&["HDEL", &record_key("bad"), "version"])
        .unwrap();
    server.ask(&["SET", &record_key("text"), "text"]).unwrap();
    let filter = Filter {
        limit: 10,
        ..Filter::default()
    };
    let listed = store.list(&filter).await.unwrap();
    let ids: Vec<_> = listed.iter().map(|record| &record.id).collect();
    assert_eq!(ids, [&id("good")]);
    assert_eq!(store.backlog().await.unwrap().running, 1);
}
