//! Claims, answers and ledgers as the tests want them.

use std::time::Duration;

use resilient_core::idempotency::{
    Answer, Begun, Claim, Claimed, Effects, Fingerprint, Finish, Idempotency, Key, Ledger, Record,
    RecordId, Refusal, Request, Scope, Store, Won,
};
use resilient_store::{RedisConfig, RedisStore};
use resilient_test_servers::Redis;

/// Far from all that a slow machine may take itself.
pub(crate) const LEASE: Duration = Duration::from_secs(1_000);
pub(crate) const TTL: Duration = Duration::from_secs(10_000);
pub(crate) const TOMBSTONE: Duration = Duration::from_secs(50_000);

pub(crate) fn id(key: &str) -> RecordId {
    RecordId::new(Scope::of("tenant"), Key::literal(key).unwrap())
}

pub(crate) fn claim(key: &str, owner: u128) -> Claim {
    Claim {
        id: id(key),
        fingerprint: Some(payload("a")),
        effects: Effects::Keyed,
        owner,
        lease: LEASE,
        ttl: TTL,
        tombstone: TOMBSTONE,
    }
}

pub(crate) fn unkeyed(key: &str, owner: u128) -> Claim {
    Claim {
        effects: Effects::Unkeyed,
        ..claim(key, owner)
    }
}

pub(crate) fn payload(text: &str) -> Fingerprint {
    Fingerprint::of_bytes(&[text.as_bytes()])
}

pub(crate) fn answer(body: &str) -> Answer {
    Answer {
        status: 201,
        head: b"location: /1".to_vec(),
        body: body.as_bytes().to_vec(),
    }
}

pub(crate) fn finish(body: &str) -> Finish {
    Finish::Completed {
        answer: answer(body),
        resource: None,
    }
}

pub(crate) async fn win(store: &dyn Store, claim: &Claim) -> Won {
    match store.claim(claim).await.unwrap() {
        Claimed::Won(won) => won,
        Claimed::Taken(record) => panic!("taken: {record:?}"),
    }
}

pub(crate) async fn told(store: &dyn Store, claim: &Claim) -> Record {
    match store.claim(claim).await.unwrap() {
        Claimed::Won(won) => panic!("won: {won:?}"),
        Claimed::Taken(record) => *record,
    }
}

/// A store on a server of its own.
pub(crate) async fn alone(server: &Redis) -> RedisStore {
    let config = RedisConfig::at(server.url()).response_timeout("20s");
    RedisStore::connect(&config).await.unwrap()
}

pub(crate) fn ledger(store: impl Store) -> Ledger {
    let rules = Idempotency::of(Effects::Keyed)
        .lease(LEASE)
        .ttl(TTL)
        .tombstone(TOMBSTONE)
        .store_timeout("30s");
    Ledger::new(store, &rules).unwrap()
}

/// Asks for a run with payload `a`, runs it if it may, and says what came of it: the body.
pub(crate) async fn request(ledger: &Ledger, key: &str, payload_text: &str) -> Outcome {
    let request = Request::new(id(key)).fingerprint(payload(payload_text));
    match ledger.begin(request).await {
        Ok(Begun::Run(run)) => {
            run.complete(answer(payload_text), None).await.unwrap();
            Outcome::Ran
        }
        Ok(Begun::Replay(answer)) => Outcome::Replayed(String::from_utf8(answer.body).unwrap()),
        Ok(Begun::Bypassed) => panic!("bypassed"),
        Err(refusal) => Outcome::Refused(refusal.code()),
    }
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    Ran,
    Replayed(String),
    Refused(&'static str),
}

pub(crate) fn replayed(body: &str) -> Outcome {
    Outcome::Replayed(body.to_owned())
}

pub(crate) fn unavailable() -> Outcome {
    let source = resilient_core::idempotency::StoreError::unavailable("redis", "down");
    Outcome::Refused(
        Refusal::Unavailable {
            source: source.into(),
            retry_after: Duration::ZERO,
        }
        .code(),
    )
}

/// What a key lives for, in milliseconds: -1 for ever, -2 if there is none.
pub(crate) fn pttl(server: &Redis, key: &str) -> i64 {
    let left = server.ask(&["PTTL", key]).unwrap().unwrap();
    left.parse().unwrap()
}

pub(crate) fn record_key(key: &str) -> String {
    format!("idem:{{{}}}:c", id(key).digest())
}

pub(crate) fn answer_key(key: &str) -> String {
    format!("idem:{{{}}}:a", id(key).digest())
}

pub(crate) fn copy_key(key: &str) -> String {
    format!("idem:{{{}}}:r", id(key).digest())
}
