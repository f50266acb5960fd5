//! A request with a key, and the handler that all lanes have behind them.

use std::sync::atomic::{AtomicU64, Ordering};

use resilient::idempotency::{
    Answer, Begun, Effects, Fingerprint, Idempotency, InvalidKey, Key, Ledger, RecordId, Request,
    Scope, Store,
};

use crate::AnyError;
use crate::lane::Lane;
use resilient_benches::one_thread::block_on;

/// What was asked for, and what is answered.
pub(crate) const BODY: &[u8] = &[b'x'; 256];

pub(crate) async fn handler() -> Answer {
    Answer {
        status: 201,
        head: Vec::new(),
        body: BODY.to_vec(),
    }
}

/// Keys that were not used before.
#[derive(Default)]
pub(crate) struct FreshKeys(AtomicU64);

impl FreshKeys {
    /// As long as a UUID.
    pub(crate) fn next(&self) -> String {
        format!("{:036}", self.0.fetch_add(1, Ordering::Relaxed))
    }
}

pub(crate) fn ledger(store: impl Store) -> Result<Ledger, AnyError> {
    Ok(Ledger::new(store, &Idempotency::of(Effects::Keyed))?)
}

/// Requests that are the first with their key.
pub(crate) fn first(name: &'static str, ledger: &Ledger) -> Lane {
    let (ledger, keys) = (ledger.clone(), FreshKeys::default());
    Lane::new(name, async move || {
        match once(&ledger, id(name, &keys.next())?).await? {
            Ended::Ran => Ok(()),
            Ended::Replayed => Err("a replay, where nothing had run".into()),
        }
    })
}

/// Repeats of one that was answered.
pub(crate) fn replay(name: &'static str, ledger: &Ledger) -> Result<Lane, AnyError> {
    let (ledger, id) = (ledger.clone(), id(name, &FreshKeys::default().next())?);
    block_on(once(&ledger, id.clone()))?;
    Ok(Lane::new(name, async move || {
        match once(&ledger, id.clone()).await? {
            Ended::Replayed => Ok(()),
            Ended::Ran => Err("ran again".into()),
        }
    }))
}

enum Ended {
    Ran,
    Replayed,
}

async fn once(ledger: &Ledger, id: RecordId) -> Result<Ended, AnyError> {
    match ledger.begin(request(id)).await? {
        Begun::Run(run) => {
            let answer = run.drive(handler()).await?;
            run.complete(answer, None).await?;
            Ok(Ended::Ran)
        }
        Begun::Replay(answer) if answer.body == BODY => Ok(Ended::Replayed),
        Begun::Replay(_) => Err("another answer".into()),
        Begun::Bypassed => Err("not protected".into()),
    }
}

pub(crate) fn request(id: RecordId) -> Request<'static> {
    Request::new(id).fingerprint(Fingerprint::of_bytes(&[BODY]))
}

/// Lanes that share a store share no keys.
pub(crate) fn id(lane: &str, key: &str) -> Result<RecordId, InvalidKey> {
    Ok(RecordId::new(Scope::of(lane), Key::literal(key)?))
}
