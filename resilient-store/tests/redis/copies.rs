//! Copies of what is final: when there is one, what it says, and for how long.

use std::time::Duration;

use resilient_core::idempotency::{
    Claim, Claimed, Fence, Fenced, Finish, JoinTransaction, Joined, RecordId, Request, State,
    Store, StoreFuture,
};
use resilient_store::{Copies, RedisConfig, Tiered};
use resilient_test_servers::Redis;

use crate::actor::{
    Outcome, claim, copy_key, finish, id, ledger, payload, pttl, replayed, request, told, unkeyed,
    win,
};
use crate::spy::Spy;

/// What copies are kept for at most, in milliseconds.
const LONGEST: i64 = 300_000;
const NONE: i64 = -2;

pub(crate) fn copies(server: &Redis) -> Copies {
    // So long that a slow machine does not end it.
    let redis = RedisConfig::at(server.url()).response_timeout("20s");
    Copies::in_redis(redis).timeout("20s")
}

pub(crate) fn tiered(server: &Redis, table: &Spy) -> Tiered<Spy> {
    Tiered::over(table.clone(), &copies(server)).unwrap()
}

fn is_copied(server: &Redis, key: &str) -> bool {
    let left = pttl(server, &copy_key(key));
    assert!(left == NONE || (0 < left && left <= LONGEST), "{left}");
    left != NONE
}

#[tokio::test]
async fn i08_i12_a_repeat_is_told_its_answer_or_its_other_payload_by_the_copy() {
    let Some(server) = Redis::start().unwrap() else {
        return;
    };
    let table = Spy::new();
    let store = tiered(&server, &table);
    let counter = store.counter();
    let ledger = ledger(store);
    assert_eq!(request(&ledger, "k", "a").await, Outcome::Ran);
    assert!(is_copied(&server, "k"));
    assert_eq!(request(&ledger, "k", "a").await, replayed("a"));
    let other = request(&ledger, "k", "b").await;
    assert_eq!(other, Outcome::Refused("IDEMPOTENCY_KEY_REUSED"));
    assert_eq!(request(&ledger, "k", "a").await, replayed("a"));
    assert_eq!(table.claims(), 1, "only the first came to the table");
    let counts = counter.counts();
    assert_eq!((counts.hits, counts.misses, counts.written), (3, 1, 1));
    assert_eq!(
        (counts.errors, counts.skipped, counts.local_hits),
        (0, 0, 0)
    );
}

#[tokio::test]
async fn i09_a_copy_that_was_flushed_comes_back_with_a_repeat() {
    let Some(server) = Redis::start().unwrap() else {
        return;
    };
    let table = Spy::new();
    let ledger = ledger(tiered(&server, &table));
    assert_eq!(request(&ledger, "k", "a").await, Outcome::Ran);
    server.flush().unwrap();
    assert_eq!(request(&ledger, "k", "a").await, replayed("a"));
    assert_eq!(table.claims(), 2);
    assert!(is_copied(&server, "k"));
    assert_eq!(request(&ledger, "k", "a").await, replayed("a"));
    assert_eq!(table.claims(), 2);
    assert_eq!(ledger.counts().executions, 1);
}

#[tokio::test]
async fn another_process_is_told_by_the_copy_too() {
    let Some(server) = Redis::start().unwrap() else {
        return;
    };
    let table = Spy::new();
    let (one, two) = (tiered(&server, &table), tiered(&server, &table));
    let won = win(&one, &claim("k", 1)).await;
    one.complete(&id("k"), won.fence, &finish("a"))
        .await
        .unwrap();
    let kept = one.find(&id("k")).await.unwrap().unwrap();
    let copied = told(&two, &claim("k", 2)).await;
    assert_eq!(table.claims(), 1);
    assert_eq!(
        (copied.state, &copied.answer, &copied.fingerprint),
        (State::Completed, &kept.answer, &kept.fingerprint)
    );
    assert_eq!((copied.fence, copied.attempts), (kept.fence, kept.attempts));
    // Redis tells whole milliseconds.
    let rounding = Duration::from_millis(1);
    assert!(copied.expires_in.unwrap() <= kept.expires_in.unwrap() + rounding);
}

#[tokio::test]
async fn i57_what_is_not_final_has_no_copy() {
    let Some(server) = Redis::start().unwrap() else {
        return;
    };
    let table = Spy::new();
    let store = Tiered::over(table.clone(), &copies(&server).in_process(1_000)).unwrap();
    let running = win(&store, &claim("running", 1)).await;
    let doubtful = win(&store, &unkeyed("doubtful", 1)).await;
    let doubt = Finish::Uncertain;
    store
        .complete(&id("doubtful"), doubtful.fence, &doubt)
        .await
        .unwrap();
    for (key, state) in [("running", State::Running), ("doubtful", State::Uncertain)] {
        assert_eq!(told(&store, &claim(key, 2)).await.state, state);
        assert!(!is_copied(&server, key), "{key}");
    }
    store.release(&id("running"), running.fence).await.unwrap();
    win(&store, &claim("running", 3)).await;
    assert_eq!(store.counter().counts().local_hits, 0);
}

/// What others may have settled meanwhile is copied as the table has it.
#[tokio::test]
async fn effects_that_cannot_be_repeated_are_copied_when_they_are_repeated() {
    let Some(server) = Redis::start().unwrap() else {
        return;
    };
    let table = Spy::new();
    let store = tiered(&server, &table);
    let lapsing = Claim {
        lease: Duration::ZERO,
        ..unkeyed("k", 1)
    };
    let won = win(&store, &lapsing).await;
    let (key, found_out) = (id("k"), finish("settled"));
    let settled = store.settle(&key, won.fence, Some(&found_out)).await;
    assert_eq!(settled.unwrap(), Fenced::Done);
    let late = store.complete(&id("k"), won.fence, &finish("late")).await;
    assert_eq!(late.unwrap(), Fenced::Done);
    assert!(!is_copied(&server, "k"));
    let settled = crate::actor::answer("settled");
    for _ in 0..2 {
        let record = told(&store, &unkeyed("k", 2)).await;
        assert_eq!(record.answer.as_ref(), Some(&settled));
    }
    assert!(is_copied(&server, "k"));
    assert_eq!(table.claims(), 2);
}

/// I57: neither the answer nor the record is told past its time.
#[tokio::test]
async fn i57_a_copy_ends_with_what_it_is_of() {
    let Some(server) = Redis::start().unwrap() else {
        return;
    };
    let second = Duration::from_secs(1);
    let short = Claim {
        lease: second,
        ttl: second * 100,
        ..claim("answered", 1)
    };
    let store = tiered(&server, &Spy::new());
    let won = win(&store, &short).await;
    store
        .complete(&short.id, won.fence, &finish("a"))
        .await
        .unwrap();
    assert!(
        pttl(&server, &copy_key("answered")) <= 100_000,
        "on completing"
    );
    server.flush().unwrap();
    told(&store, &short).await;
    assert!(is_copied(&server, "answered"));
    assert!(
        pttl(&server, &copy_key("answered")) <= 100_000,
        "on repeating"
    );
}

#[tokio::test]
async fn i57_copies_in_the_process_spare_redis() {
    let Some(mut server) = Redis::start().unwrap() else {
        return;
    };
    let table = Spy::new();
    let store = Tiered::over(table.clone(), &copies(&server).in_process(10)).unwrap();
    let counter = store.counter();
    let ledger = ledger(store);
    assert_eq!(request(&ledger, "k", "a").await, Outcome::Ran);
    server.kill().unwrap();
    assert_eq!(request(&ledger, "k", "a").await, replayed("a"));
    let other = request(&ledger, "k", "b").await;
    assert_eq!(other, Outcome::Refused("IDEMPOTENCY_KEY_REUSED"));
    // Both within the five seconds it lives, or else the table was asked: never anything else.
    assert_eq!(table.claims() + counter.counts().local_hits, 3);
}

/// A transaction of the table's kind.
struct Transaction;

impl JoinTransaction<Spy> for Transaction {
    fn claim<'a>(&'a mut self, table: &'a Spy, claim: &'a Claim) -> StoreFuture<'a, Claimed> {
        table.claim(claim)
    }

    fn complete<'a>(
        &'a mut self,
        table: &'a Spy,
        id: &'a RecordId,
        fence: Fence,
        finish: &'a Finish,
    ) -> StoreFuture<'a, Fenced> {
        table.complete(id, fence, finish)
    }
}

#[tokio::test]
async fn a_transaction_is_joined_with_the_table() {
    let Some(server) = Redis::start().unwrap() else {
        return;
    };
    let table = Spy::new();
    let ledger = ledger(tiered(&server, &table));
    let asked = Request::new(id("k")).fingerprint(payload("a"));
    let begun = ledger.begin_in(&mut Transaction, asked).await.unwrap();
    let Joined::Run(execution) = begun else {
        panic!("the key is new");
    };
    let stored = crate::actor::answer("a");
    ledger
        .complete_in(&mut Transaction, &execution, stored, None)
        .await
        .unwrap();
    assert!(
        !is_copied(&server, "k"),
        "nobody knows whether it is committed"
    );
    assert_eq!(request(&ledger, "k", "a").await, replayed("a"));
    assert!(is_copied(&server, "k"));
}
