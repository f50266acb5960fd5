//! What a call asks for under its key.

use std::fmt::Display;
use std::ops::ControlFlow;

use serde::Serialize;

use super::super::Call;
use super::lent::Lent;
use super::running::{Known, Running};
use crate::idempotency::{
    Begun, Fingerprint, InvalidKey, Joined, Key, Ledger, Opened, Record, RecordId, Refusal,
    Request, Resolution, Scope,
};

/// What `key = expr` may be: anything with a text.
#[diagnostic::on_unimplemented(
    message = "the key of an idempotent function must be `Display`, but `{Self}` is not",
    label = "not `Display`",
    note = "write an expression whose text is the key that the caller sent, for example the field of an argument or `format_args!(..)`"
)]
pub trait StoreKeyText {
    /// The text.
    fn text(&self) -> String;
}

#[diagnostic::do_not_recommend]
impl<T: Display + ?Sized> StoreKeyText for T {
    fn text(&self) -> String {
        self.to_string()
    }
}

/// What `scope = expr` may be: anything with a text.
#[diagnostic::on_unimplemented(
    message = "the scope of an idempotency key must be `Display`, but `{Self}` is not",
    label = "not `Display`",
    note = "write an expression whose text names the caller, for example `scope = user.id`; or `scope = shared` if all callers are one party"
)]
pub trait ScopeText {
    /// The scope with this text.
    fn scope(&self) -> Scope;
}

#[diagnostic::do_not_recommend]
impl<T: Display + ?Sized> ScopeText for T {
    fn scope(&self) -> Scope {
        Scope::of(self)
    }
}

/// What `fingerprint = expr` may be: anything that can be serialised.
#[diagnostic::on_unimplemented(
    message = "the fingerprint of a request is made of what it serialises to, but `{Self}` is not `Serialize`",
    label = "not `Serialize`",
    note = "derive `serde::Serialize` for it, or write a tuple of the fields that tell requests apart: `fingerprint = (&req.item, req.amount)`"
)]
pub trait FingerprintData {
    /// The hash of the value.
    fn fingerprint(&self) -> Result<Fingerprint, Refusal>;
}

#[diagnostic::do_not_recommend]
impl<T: Serialize + ?Sized> FingerprintData for T {
    fn fingerprint(&self) -> Result<Fingerprint, Refusal> {
        Fingerprint::of(self).map_err(|error| Refusal::NoFingerprint {
            why: error.to_string(),
        })
    }
}

/// The key with this text.
pub fn key_of<K: StoreKeyText + ?Sized>(key: &K) -> Result<Key, InvalidKey> {
    Key::literal(&key.text())
}

/// The scope of this caller.
pub fn scope_of<S: ScopeText + ?Sized>(scope: &S) -> Scope {
    scope.scope()
}

/// The scope of all callers.
pub fn shared() -> Scope {
    Scope::shared_by_all_callers()
}

/// What a call asks for under its key.
#[derive(Debug)]
pub struct Asked(For);

#[derive(Debug)]
enum For {
    /// Nothing: the call runs bare, or a name was not found.
    Nothing,
    /// What cannot be asked for.
    Refused(Refusal),
    /// The right to run.
    Claim(Box<Claim>),
}

#[derive(Debug)]
struct Claim {
    ledger: Ledger,
    id: RecordId,
    fingerprint: Option<Fingerprint>,
}

impl Claim {
    fn request(&self) -> Request<'static> {
        let request = Request::new(self.id.clone());
        match &self.fingerprint {
            Some(fingerprint) => request.fingerprint(fingerprint.clone()),
            None => request,
        }
    }
}

/// How a call under a key begins: it runs, or ends with what is known.
pub type Begins = ControlFlow<Known, Running>;

/// The same, as long as nobody was asked how an uncertain run ended.
#[derive(Debug)]
pub enum Found {
    /// It begins.
    Begun(Begins),
    /// Nobody knows how the run of this record ended.
    Uncertain(Box<Record>),
}

impl Asked {
    /// The right to run `call` under the key of a caller. The function is a part of the scope: the
    /// same key means something else for another one.
    pub fn new(call: &Call, scope: Scope, key: Result<Key, InvalidKey>) -> Self {
        let Some(ledger) = call.ledger() else {
            return Asked(For::Nothing);
        };
        let ledger = match &*ledger {
            Ok(ledger) => ledger.clone(),
            Err(problems) => return Asked(For::Refused(Refusal::InvalidRules(problems.clone()))),
        };
        Asked(match key {
            Ok(key) => For::Claim(Box::new(Claim {
                ledger,
                id: RecordId::new(scope.and(call.operation()), key),
                fingerprint: None,
            })),
            Err(invalid) => For::Refused(invalid.into()),
        })
    }

    /// Another payload under the key is refused.
    pub fn fingerprint<V: FingerprintData + ?Sized>(&mut self, value: &V) {
        let For::Claim(claim) = &mut self.0 else {
            return;
        };
        match value.fingerprint() {
            Ok(fingerprint) => claim.fingerprint = Some(fingerprint),
            Err(refusal) => self.0 = For::Refused(refusal),
        }
    }

    /// Asks for the right to run, which a lease holds.
    pub async fn begin(&self) -> Begins {
        match self.find().await {
            Found::Begun(begins) => begins,
            Found::Uncertain(record) => self.told(*record),
        }
    }

    /// The same up to a record of which nobody knows how its run ended.
    pub async fn find(&self) -> Found {
        let claim = match &self.0 {
            For::Claim(claim) => claim,
            other => return Found::Begun(other.begins()),
        };
        Found::Begun(match claim.ledger.open(&claim.request()).await {
            Ok(Opened::Uncertain(record)) => return Found::Uncertain(record),
            Ok(Opened::Begun(Begun::Run(run))) => ControlFlow::Continue(Running::leased(run)),
            Ok(Opened::Begun(Begun::Bypassed)) => ControlFlow::Continue(Running::unprotected()),
            Ok(Opened::Begun(Begun::Replay(answer))) => ControlFlow::Break(Ok(answer)),
            Err(refusal) => ControlFlow::Break(Err(refusal)),
        })
    }

    /// Settles an uncertain record as was found out, and asks again.
    pub async fn found_out(&self, record: Box<Record>, resolution: Resolution) -> Begins {
        let For::Claim(claim) = &self.0 else {
            return self.0.begins();
        };
        match claim.ledger.found_out(&record, resolution).await {
            Ok(true) => self.begin().await,
            Ok(false) => self.told(*record),
            Err(refusal) => ControlFlow::Break(Err(refusal)),
        }
    }

    /// Asks for the right to run, which ends with a transaction.
    pub async fn begin_in(&self, mut transaction: Lent<'_>) -> Begins {
        let claim = match &self.0 {
            For::Claim(claim) => claim,
            other => return other.begins(),
        };
        match transaction.begin(&claim.ledger, claim.request()).await {
            Ok(Joined::Run(execution)) => {
                ControlFlow::Continue(Running::joined(claim.ledger.clone(), execution))
            }
            Ok(Joined::Replay(answer)) => ControlFlow::Break(Ok(answer)),
            Err(refusal) => ControlFlow::Break(Err(refusal)),
        }
    }

    fn told(&self, record: Record) -> Begins {
        match &self.0 {
            For::Claim(claim) => ControlFlow::Break(claim.ledger.replay(record, &claim.request())),
            other => other.begins(),
        }
    }
}

impl For {
    /// How a call begins that claims nothing.
    fn begins(&self) -> Begins {
        match self {
            For::Refused(refusal) => ControlFlow::Break(Err(refusal.clone())),
            For::Nothing | For::Claim(_) => ControlFlow::Continue(Running::unprotected()),
        }
    }
}
