//! Redis fails while copies are in use: the table answers.

use std::time::{Duration, Instant};

use resilient_core::idempotency::{Begun, Ended, Ledger, Request, Store};
use resilient_store::{Copies, CopyCounter, RedisConfig, Tiered};
use resilient_test_servers::Redis;

use crate::actor::{
    Outcome, answer, claim, copy_key, finish, id, ledger, pttl, replayed, request, unavailable, win,
};
use crate::copies::tiered;
use crate::spy::Spy;

fn hasty(server: &Redis) -> Copies {
    Copies::in_redis(RedisConfig::at(server.url())).timeout("100ms")
}

async fn copies_are_used_again(ledger: &Ledger, counter: &CopyCounter) {
    let hit = async {
        while counter.counts().hits == 0 {
            assert_eq!(request(ledger, "k", "a").await, replayed("a"));
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    let minute = Duration::from_secs(60);
    tokio::time::timeout(minute, hit)
        .await
        .expect("a copy is used");
}

#[tokio::test]
async fn i40_while_redis_is_down_the_table_answers() {
    let Some(mut server) = Redis::start().unwrap() else {
        return;
    };
    server.kill().unwrap();
    let table = Spy::new();
    let store = tiered(&server, &table);
    let counter = store.counter();
    let ledger = ledger(store);
    assert_eq!(request(&ledger, "k", "a").await, Outcome::Ran);
    assert_eq!(request(&ledger, "k", "a").await, replayed("a"));
    let other = request(&ledger, "k", "b").await;
    assert_eq!(other, Outcome::Refused("IDEMPOTENCY_KEY_REUSED"));
    assert_eq!((ledger.counts().executions, table.claims()), (1, 3));
    assert_eq!(ledger.counts().store_errors, 0);
    let counts = counter.counts();
    assert!(counts.errors >= 1, "{counts:?}");
    // Each request looks for a copy, and writes none that it cannot say the end of.
    assert_eq!(counts.errors + counts.skipped, 3, "{counts:?}");

    server.restart().unwrap();
    copies_are_used_again(&ledger, &counter).await;
}

/// I40: a server that does not answer costs its timeout once, and then once a second.
#[tokio::test]
async fn i40_a_frozen_redis_is_left_alone() {
    let Some(server) = Redis::start().unwrap() else {
        return;
    };
    let table = Spy::new();
    let store = Tiered::over(table.clone(), &hasty(&server)).unwrap();
    let counter = store.counter();
    let ledger = ledger(store);
    let started = Instant::now();
    server.freeze().unwrap();
    assert_eq!(request(&ledger, "k", "a").await, Outcome::Ran);
    for _ in 0..50 {
        assert_eq!(request(&ledger, "k", "a").await, replayed("a"));
    }
    let counts = counter.counts();
    let seconds = started.elapsed().as_secs();
    assert!((1..=1 + seconds).contains(&counts.errors), "{counts:?}");
    assert_eq!(counts.errors + counts.skipped, 51, "{counts:?}");

    server.thaw().unwrap();
    copies_are_used_again(&ledger, &counter).await;
}

fn scripts_run(server: &Redis) -> Option<String> {
    let counted = server.ask(&["INFO", "commandstats"]).unwrap()?;
    let scripts = counted
        .lines()
        .find(|line| line.contains("evalsha:calls"))?;
    scripts.split(',').next().map(str::to_owned)
}

/// I57: a copy that was on its way until its record had expired is none.
#[tokio::test]
async fn i57_a_copy_that_comes_too_late_is_not_kept() {
    let Some(server) = Redis::start().unwrap() else {
        return;
    };
    let table = Spy::new();
    let store = Tiered::over(table.clone(), &hasty(&server)).unwrap();
    let mut brief = claim("k", 1);
    (brief.ttl, brief.tombstone) = (Duration::from_millis(300), Duration::ZERO);
    let won = win(&store, &brief).await;
    // Makes the server know the script.
    let known = win(&store, &claim("known", 2)).await;
    store
        .complete(&id("known"), known.fence, &finish("a"))
        .await
        .unwrap();
    let before = scripts_run(&server);
    server.freeze().unwrap();
    store
        .complete(&id("k"), won.fence, &finish("a"))
        .await
        .unwrap();
    while table.find(&id("k")).await.unwrap().is_some() {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    server.thaw().unwrap();
    while scripts_run(&server) == before {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    assert_eq!(pttl(&server, &copy_key("k")), -2);
}

#[tokio::test]
async fn i41_a_copy_that_cannot_be_written_costs_nothing_but_itself() {
    let Some(server) = Redis::start().unwrap() else {
        return;
    };
    let table = Spy::new();
    let store = tiered(&server, &table);
    let counter = store.counter();
    let ledger = ledger(store);
    // Reading works, writing does not.
    server.set("maxmemory", "1").unwrap();
    assert_eq!(request(&ledger, "k", "a").await, Outcome::Ran);
    let counts = counter.counts();
    assert_eq!((counts.misses, counts.errors, counts.written), (1, 1, 0));
    assert_eq!(request(&ledger, "k", "a").await, replayed("a"));
    assert_eq!((ledger.counts().executions, table.claims()), (1, 2));
}

#[tokio::test]
async fn i41_a_server_that_dies_during_the_run_does_not_end_it() {
    let Some(mut server) = Redis::start().unwrap() else {
        return;
    };
    let table = Spy::new();
    let ledger = ledger(tiered(&server, &table));
    assert_eq!(request(&ledger, "before", "a").await, Outcome::Ran);
    let asked = Request::new(id("k"));
    let Ok(Begun::Run(run)) = ledger.begin(asked).await else {
        panic!("the key is new");
    };
    server.kill().unwrap();
    let ended = run.complete(answer("a"), None).await;
    assert!(matches!(ended, Ok(Ended::Stored)));
    assert_eq!(request(&ledger, "k", "a").await, replayed("a"));
    assert_eq!(request(&ledger, "before", "a").await, replayed("a"));
}

/// Q14, the other way round: what was copied is replayed while the table is down, and nothing runs.
#[tokio::test]
async fn q14_while_the_table_is_down_copies_are_replayed_and_nothing_runs() {
    let Some(server) = Redis::start().unwrap() else {
        return;
    };
    let table = Spy::new();
    let ledger = ledger(tiered(&server, &table));
    assert_eq!(request(&ledger, "k", "a").await, Outcome::Ran);
    table.fail();
    assert_eq!(request(&ledger, "k", "a").await, replayed("a"));
    assert_eq!(request(&ledger, "new", "a").await, unavailable());
    assert_eq!(ledger.counts().executions, 1);
}

#[tokio::test]
async fn what_is_no_copy_is_not_taken_for_one() {
    let Some(server) = Redis::start().unwrap() else {
        return;
    };
    let table = Spy::new();
    let store = tiered(&server, &table);
    let counter = store.counter();
    let ledger = ledger(store);
    let key = copy_key("k");
    let rows: [&[&str]; 4] = [
        &["SET", &key, "text", "PX", "100000"],
        &["SET", &key, "text"],
        &["SET", &key, "", "PX", "100000"],
        &["HSET", &key, "field", "value"],
    ];
    for row in rows {
        server.ask(&["DEL", &key]).unwrap();
        server.ask(row).unwrap();
        let expected = if table.claims() == 0 {
            Outcome::Ran
        } else {
            replayed("a")
        };
        assert_eq!(request(&ledger, "k", "a").await, expected, "{row:?}");
    }
    assert_eq!(table.claims(), 4);
    // Only the last is an error, and none keeps other keys from being copied.
    assert_eq!(request(&ledger, "another", "a").await, Outcome::Ran);
    let counts = counter.counts();
    assert_eq!((counts.errors, counts.written), (1, 1), "{counts:?}");
    assert_eq!(counts.skipped, 0, "{counts:?}");
}
