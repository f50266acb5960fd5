//! A private Redis does what is asked of it.

#![allow(missing_docs, clippy::unwrap_used)]

use resilient_test_servers::Redis;

#[test]
fn it_is_killed_restarted_flushed_and_configured() {
    let Some(mut redis) = Redis::start_durable().unwrap() else {
        return;
    };
    redis.ask(&["SET", "k", "v"]).unwrap();
    redis.kill().unwrap();
    assert!(redis.ask(&["GET", "k"]).is_err(), "it is gone");
    redis.restart().unwrap();
    assert_eq!(redis.ask(&["GET", "k"]).unwrap().as_deref(), Some("v"));

    redis.flush().unwrap();
    assert_eq!(redis.ask(&["GET", "k"]).unwrap(), None);

    redis.set("maxmemory-policy", "allkeys-lru").unwrap();
    let policy = redis.ask(&["CONFIG", "GET", "maxmemory-policy"]).unwrap();
    assert_eq!(policy.as_deref(), Some("maxmemory-policy\nallkeys-lru"));
    assert!(redis.set("no-such-setting", "1").is_err());
}

#[test]
fn it_forgets_what_it_keeps_in_memory_only() {
    let Some(mut redis) = Redis::start().unwrap() else {
        return;
    };
    redis.ask(&["SET", "k", "v"]).unwrap();
    redis.kill().unwrap();
    redis.restart().unwrap();
    assert_eq!(redis.ask(&["GET", "k"]).unwrap(), None);
}
