//! Claims, with a lease and inside a transaction.

use resilient_core::idempotency::{
    Claim, Claimed, Effects, Fence, Fingerprint, Record, RecordId, State, StoreError, Won,
};

use super::client::{Connection, Row, Value};
use super::row::{Found, READ_COLUMNS, Standing, fence_of, won_of};
use super::statements::Statements;
use super::steps::{doubt, key_of, micros, number, read};

/// How often a row may vanish between being met and being read.
const TRIES: u32 = 3;

/// What a claim met that did not win.
enum Met {
    Taken(Box<Record>),
    /// Its own, from before: the answer was lost on the way.
    Own(Won),
    /// Nothing, or something that has just become free.
    Free,
}

pub(super) async fn claim<C: Connection>(
    connection: &mut C,
    statements: &Statements,
    claim: &Claim,
    patience: &str,
) -> Result<Claimed, StoreError> {
    for _ in 0..TRIES {
        let met = match take(connection, statements, claim, patience).await? {
            Taking::Won(won) => return Ok(Claimed::Won(won)),
            Taking::Seen(found) => judge(connection, statements, claim, *found, false).await?,
            Taking::Overtaken => meet(connection, statements, claim, false).await?,
            Taking::Locked => meet(connection, statements, claim, true).await?,
        };
        match met {
            Met::Taken(record) => return Ok(Claimed::Taken(record)),
            Met::Own(won) => return Ok(Claimed::Won(won)),
            Met::Free => {}
        }
    }
    Err(vanished(&claim.id))
}

enum Taking {
    Won(Won),
    /// Somebody was first.
    Seen(Box<Found>),
    /// Somebody was quicker, and was not seen.
    Overtaken,
    /// Somebody has a lock on the row, or on the place where it is about to be: a claim inside a
    /// transaction, or an operator.
    Locked,
}

async fn take<C: Connection>(
    connection: &mut C,
    statements: &Statements,
    claim: &Claim,
    patience: &str,
) -> Result<Taking, StoreError> {
    let owner = claim.owner.to_be_bytes();
    let print = Print::of(claim);
    let mut values = values(claim, claim.effects, &owner, &print);
    values.push(micros(claim.lease).into());
    values.push(patience.into());
    match connection.rows(&statements.claim, &values).await {
        Ok(rows) => match rows.first() {
            Some(row) => taken(row),
            None => Ok(Taking::Overtaken),
        },
        Err(failure) if failure.is_locked() => Ok(Taking::Locked),
        Err(failure) => Err(failure.into()),
    }
}

fn taken(row: &impl Row) -> Result<Taking, StoreError> {
    if let Some(won) = won_of(row, READ_COLUMNS)? {
        return Ok(Taking::Won(won));
    }
    if row.text(0)?.is_none() {
        return Ok(Taking::Overtaken);
    }
    Found::of(row).map(Box::new).map(Taking::Seen)
}

/// Reads what was in the way of a claim. What is free and yet `busy` belongs to somebody who has
/// not committed.
async fn meet<C: Connection>(
    connection: &mut C,
    statements: &Statements,
    claim: &Claim,
    busy: bool,
) -> Result<Met, StoreError> {
    match read(connection, statements, &claim.id).await? {
        Some(found) => judge(connection, statements, claim, found, busy).await,
        None => Ok(Met::Free),
    }
}

async fn judge<C: Connection>(
    connection: &mut C,
    statements: &Statements,
    claim: &Claim,
    found: Found,
    busy: bool,
) -> Result<Met, StoreError> {
    if found.record.state == State::Running && found.owner == claim.owner {
        return Ok(Met::Own(found.won()));
    }
    Ok(match found.standing {
        Standing::Live => Met::Taken(Box::new(found.record)),
        Standing::Lapsed if claim.contradicts(found.record.fingerprint.as_ref()) => {
            Met::Taken(running(found))
        }
        Standing::Lapsed | Standing::Announced | Standing::Expired if busy => {
            Met::Taken(running(found))
        }
        Standing::Doubtful if doubt(connection, statements, &claim.id).await? => {
            Met::Taken(Box::new(Record {
                state: State::Uncertain,
                expires_in: None,
                ..found.record
            }))
        }
        Standing::Lapsed | Standing::Announced | Standing::Expired | Standing::Doubtful => {
            Met::Free
        }
    })
}

fn running(found: Found) -> Box<Record> {
    Box::new(Record {
        state: State::Running,
        answer: None,
        resource: None,
        ..found.record
    })
}

fn vanished(id: &RecordId) -> StoreError {
    StoreError::Vanished {
        digest: id.to_string(),
        times: TRIES,
    }
}

pub(super) async fn withdraw<C: Connection>(
    connection: &mut C,
    statements: &Statements,
    claim: &Claim,
) -> Result<(), StoreError> {
    let owner = claim.owner.to_be_bytes();
    let [scope, key] = key_of(&claim.id);
    let values = [scope, key, Value::Bytes(Some(&owner))];
    for statement in &statements.withdraw {
        connection.rows(statement, &values).await?;
    }
    Ok(())
}

/// Tells everybody that a transaction is about to take the row, and answers with its fence; or with
/// what is in the way.
pub(super) async fn announce<C: Connection>(
    connection: &mut C,
    statements: &Statements,
    claim: &Claim,
) -> Result<Result<Fence, Box<Record>>, StoreError> {
    let owner = claim.owner.to_be_bytes();
    let print = Print::of(claim);
    // What is rolled back had no effects.
    let values = values(claim, Effects::None, &owner, &print);
    for _ in 0..TRIES {
        for statement in [&statements.announce, &statements.announce_again] {
            if let Some(row) = connection.rows(statement, &values).await?.first() {
                return fence_of(row, 0).map(Ok);
            }
        }
        match meet(connection, statements, claim, true).await? {
            Met::Taken(record) => return Ok(Err(record)),
            Met::Own(won) => return Ok(Ok(won.fence)),
            Met::Free => {}
        }
    }
    Err(vanished(&claim.id))
}

/// Takes the row that was announced for the rest of the transaction, unless somebody has it.
pub(super) async fn lock<C: Connection>(
    transaction: &mut C,
    statements: &Statements,
    id: &RecordId,
    fence: Fence,
) -> Result<Option<Won>, StoreError> {
    let [scope, key] = key_of(id);
    let values = [scope, key, number(fence).into()];
    let rows = transaction.rows(&statements.lock, &values).await?;
    match rows.first() {
        Some(row) => won_of(row, 0),
        None => Ok(None),
    }
}

/// What came before a transaction could lock what it had announced.
pub(super) async fn overtaken<C: Connection>(
    connection: &mut C,
    statements: &Statements,
    id: &RecordId,
) -> Result<Claimed, StoreError> {
    match read(connection, statements, id).await? {
        Some(found) if found.standing == Standing::Live => {
            Ok(Claimed::Taken(Box::new(found.record)))
        }
        Some(found) => Ok(Claimed::Taken(running(found))),
        None => Err(vanished(id)),
    }
}

/// The parts of a fingerprint, kept while a statement borrows them.
struct Print(Option<(u16, [u8; 32])>);

impl Print {
    fn of(claim: &Claim) -> Self {
        Print(claim.fingerprint.as_ref().map(Fingerprint::parts))
    }
}

/// What `{claimed}` of the statements takes.
fn values<'a>(
    claim: &'a Claim,
    effects: Effects,
    owner: &'a [u8; 16],
    print: &'a Print,
) -> Vec<Value<'a>> {
    let [scope, key] = key_of(&claim.id);
    let print = print.0.as_ref();
    vec![
        scope,
        key,
        Value::Bytes(Some(owner)),
        i64::from(effects.code()).into(),
        Value::Number(print.map(|(version, _)| i64::from(*version))),
        Value::Bytes(print.map(|(_, hash)| &hash[..])),
        micros(claim.ttl).into(),
        micros(claim.tombstone).into(),
    ]
}
