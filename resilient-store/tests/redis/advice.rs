//! What a server is set to that loses records, and how setting up fails.

use resilient_core::idempotency::StoreError;
use resilient_store::{Copies, RedisAdvice, RedisConfig, RedisSetupError, RedisStore, Tiered};
use resilient_test_servers::{Redis, free_port};

use crate::actor::{alone, claim, win};
use resilient_core::idempotency::{MemoryStore, Store};

#[tokio::test]
async fn q16_a_server_that_may_evict_or_forget_is_told_apart() {
    let Some(server) = Redis::start_durable().unwrap() else {
        return;
    };
    let store = alone(&server).await;
    assert_eq!(store.check().await.unwrap(), []);

    server.set("maxmemory-policy", "volatile-ttl").unwrap();
    assert_eq!(
        store.check().await.unwrap(),
        [],
        "without a limit nothing goes"
    );
    server.set("maxmemory", "100mb").unwrap();
    let evicts = |policy: &str| RedisAdvice::Evicts {
        policy: policy.to_owned(),
    };
    assert_eq!(store.check().await.unwrap(), [evicts("volatile-ttl")]);

    server.set("maxmemory-policy", "allkeys-lru").unwrap();
    server.set("appendonly", "no").unwrap();
    assert_eq!(
        store.check().await.unwrap(),
        [evicts("allkeys-lru"), RedisAdvice::Forgets]
    );
}

#[tokio::test]
async fn q16_a_full_server_that_does_not_evict_refuses_new_claims() {
    let Some(server) = Redis::start().unwrap() else {
        return;
    };
    let store = alone(&server).await;
    let held = claim("held", 1);
    win(&store, &held).await;
    server.set("maxmemory", "1").unwrap();
    let refused = store.claim(&claim("new", 2)).await;
    assert!(
        matches!(refused, Err(StoreError::Unavailable { .. })),
        "{refused:?}"
    );
    server.set("maxmemory", "0").unwrap();
    assert!(store.find(&held.id).await.unwrap().is_some());
    win(&store, &claim("new", 2)).await;
}

#[tokio::test]
async fn a_server_that_is_not_there_is_an_error_for_records_and_not_for_copies() {
    let nowhere = RedisConfig::at(format!("redis://127.0.0.1:{}", free_port().unwrap()));
    let connected = RedisStore::connect(&nowhere).await;
    assert!(
        matches!(connected, Err(RedisSetupError::Unavailable { .. })),
        "{connected:?}"
    );
    assert!(Tiered::over(MemoryStore::new(1), &Copies::in_redis(nowhere)).is_ok());
}

#[test]
fn without_a_runtime_it_says_so() {
    let copies = Copies::in_redis(RedisConfig::at("redis://127.0.0.1"));
    let tiered = Tiered::over(MemoryStore::new(1), &copies);
    assert!(
        matches!(tiered, Err(RedisSetupError::NoRuntime)),
        "{tiered:?}"
    );
}

#[tokio::test]
async fn settings_of_both_are_told_at_once() {
    let copies =
        Copies::in_redis(RedisConfig::at("nonsense").connect_timeout("0s")).timeout("soon");
    let Err(RedisSetupError::Invalid { problems }) = Tiered::over(MemoryStore::new(1), &copies)
    else {
        panic!("it cannot work");
    };
    let settings: Vec<&str> = problems.iter().map(|problem| problem.setting).collect();
    assert_eq!(settings, ["timeout", "url", "connect_timeout"]);
}
