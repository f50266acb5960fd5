//! Going through many records, and stores that share a server.

use resilient_core::idempotency::{Filter, RecordId, Scope, State, Store};
use resilient_store::{RedisConfig, RedisStore};
use resilient_test_servers::Redis;

use crate::actor::{alone, claim, finish, id, unkeyed, win};

fn first(limit: u32) -> Filter {
    Filter {
        limit,
        ..Filter::default()
    }
}

/// More than fit on one page of a scan.
#[tokio::test]
async fn all_records_are_counted_and_the_oldest_are_listed() {
    let Some(server) = Redis::start().unwrap() else {
        return;
    };
    let store = alone(&server).await;
    for owner in 0..1_500 {
        win(&store, &claim(&format!("k{owner}"), owner)).await;
        if owner == 1 {
            // Their ages are whole milliseconds.
            let claimed = store.find(&id("k1")).await.unwrap().unwrap().age;
            while store.find(&id("k1")).await.unwrap().unwrap().age == claimed {}
        }
    }
    let fence = win(&store, &unkeyed("doubtful", 1)).await.fence;
    let doubt = resilient_core::idempotency::Finish::Uncertain;
    store
        .complete(&id("doubtful"), fence, &doubt)
        .await
        .unwrap();
    let fence = win(&store, &claim("done", 1)).await.fence;
    store
        .complete(&id("done"), fence, &finish("a"))
        .await
        .unwrap();

    let backlog = store.backlog().await.unwrap();
    assert_eq!(
        (backlog.running, backlog.uncertain, backlog.expired),
        (1_500, 1, 0)
    );
    assert!(backlog.oldest_running >= store.find(&id("k1499")).await.unwrap().unwrap().age);

    let mut oldest: Vec<RecordId> = store
        .list(&first(2))
        .await
        .unwrap()
        .into_iter()
        .map(|record| record.id)
        .collect();
    oldest.sort();
    let mut expected = vec![id("k0"), id("k1")];
    expected.sort();
    assert_eq!(oldest, expected);
    assert_eq!(store.list(&first(5_000)).await.unwrap().len(), 1_502);
    assert!(store.list(&first(0)).await.unwrap().is_empty());

    let done = Filter {
        scope: Some(Scope::of("tenant")),
        state: Some(State::Completed),
        limit: 10,
    };
    let listed = store.list(&done).await.unwrap();
    assert_eq!(listed.len(), 1);
    assert_eq!(listed[0].id, id("done"));
}

#[tokio::test]
async fn whoever_has_another_prefix_has_other_records() {
    let Some(server) = Redis::start().unwrap() else {
        return;
    };
    let with = async |prefix: &str| {
        let config = RedisConfig::at(server.url()).prefix(prefix);
        RedisStore::connect(&config).await.unwrap()
    };
    let (plain, pattern) = (with("ab:").await, with("[a]?:").await);
    win(&plain, &claim("k", 1)).await;
    win(&pattern, &claim("k", 2)).await;
    win(&pattern, &claim("l", 3)).await;
    assert_eq!(plain.backlog().await.unwrap().running, 1);
    assert_eq!(pattern.backlog().await.unwrap().running, 2);
}
