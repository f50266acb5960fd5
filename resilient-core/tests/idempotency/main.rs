//! What a ledger does with requests, repeats and time, over records in memory and the paused clock.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

mod ends;
mod flaky;
mod leases;
mod operations;
mod repeats;
mod times;

use resilient_core::idempotency::{
    Answer, Begun, Effects, Ended, Idempotency, Key, Ledger, MemoryStore, RecordId, Refusal,
    Request, Run, Scope,
};

fn ledger(rules: &Idempotency) -> Ledger {
    Ledger::new(MemoryStore::new(1000), rules).unwrap()
}

fn keyed() -> Idempotency {
    Idempotency::of(Effects::Keyed)
}

fn id(key: &str) -> RecordId {
    RecordId::new(Scope::of("tenant"), Key::literal(key).unwrap())
}

fn answer(body: &str) -> Answer {
    Answer {
        status: 201,
        head: Vec::new(),
        body: body.as_bytes().to_vec(),
    }
}

/// The right to run under `key`.
async fn run(ledger: &Ledger, key: &str) -> Run {
    match ledger.begin(Request::new(id(key))).await {
        Ok(Begun::Run(run)) => run,
        other => panic!("not the first: {other:?}"),
    }
}

/// What a repeat under `key` is answered: a body, or the code of a refusal.
async fn repeat(ledger: &Ledger, key: &str) -> Result<String, &'static str> {
    match ledger.begin(Request::new(id(key))).await {
        Ok(Begun::Replay(answer)) => Ok(text(&answer)),
        Err(refusal) => Err(refusal.code()),
        other => panic!("not a repeat: {other:?}"),
    }
}

async fn complete(run: Run, body: &str) {
    let ended = run.complete(answer(body), None).await.unwrap();
    assert!(matches!(ended, Ended::Stored), "{ended:?}");
}

/// What stands in place of a run that came too late.
async fn superseded(run: Run, body: &str) -> Result<String, Refusal> {
    match run.complete(answer(body), None).await.unwrap() {
        Ended::Superseded(instead) => instead.map(|answer| text(&answer)),
        Ended::Stored => panic!("a run that came too late was stored"),
    }
}

fn text(answer: &Answer) -> String {
    String::from_utf8(answer.body.clone()).unwrap()
}
