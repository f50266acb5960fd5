//! Rows as they are read, see `{record}` and `READ` in `statements.rs`.

use std::time::Duration;

use resilient_core::idempotency::{
    Answer, Effects, Fence, Fingerprint, Key, Record, RecordId, Resource, Scope, State, StoreError,
    Won,
};

use super::client::Row;

/// What time has made of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Standing {
    /// It counts.
    Live,
    /// It counts for nothing any more.
    Expired,
    /// Its lease has lapsed, and it may run again.
    Lapsed,
    /// Its lease has lapsed, and it may not run again.
    Doubtful,
    /// A transaction is at work on it, or did nothing.
    Announced,
}

/// How many columns `READ` has.
pub(super) const READ_COLUMNS: usize = 21;

/// A row with what only a claim needs to know of it.
#[derive(Debug)]
pub(super) struct Found {
    pub(super) record: Record,
    pub(super) owner: u128,
    pub(super) retried: bool,
    pub(super) standing: Standing,
}

impl Found {
    pub(super) fn of(row: &impl Row) -> Result<Self, StoreError> {
        let mut record = record_of(row)?;
        record.answer = answer_of(row, &record.id)?;
        let owner: Option<[u8; 16]> = row.bytes(18)?.and_then(|owner| owner.try_into().ok());
        Ok(Found {
            owner: owner
                .map(u128::from_be_bytes)
                .ok_or_else(|| unreadable(&record.id, "its owner has not 16 bytes"))?,
            retried: row.number(20)? == Some(1),
            standing: match row.number(19)? {
                Some(1) => Standing::Expired,
                Some(2) => Standing::Lapsed,
                Some(3) => Standing::Doubtful,
                Some(4) => Standing::Announced,
                _ => Standing::Live,
            },
            record,
        })
    }

    /// The right of whoever holds it already.
    pub(super) fn won(self) -> Won {
        Won {
            fence: self.record.fence,
            attempts: self.record.attempts,
            checkpoint: self.record.checkpoint,
            retried: self.retried,
        }
    }
}

/// A right as it is answered, see `{won}`, in the columns from `first` on; nothing if it is not.
pub(super) fn won_of(row: &impl Row, first: usize) -> Result<Option<Won>, StoreError> {
    if row.number(first)?.is_none() {
        return Ok(None);
    }
    Ok(Some(Won {
        fence: fence_of(row, first)?,
        attempts: number_of(row, first + 1)?,
        checkpoint: row.text(first + 2)?,
        retried: row.number(first + 3)? == Some(1),
    }))
}

pub(super) fn fence_of(row: &impl Row, column: usize) -> Result<Fence, StoreError> {
    number_of(row, column).map(Fence)
}

/// A number that is there and not out of its range: both are said by the statements themselves.
pub(super) fn number_of<T: TryFrom<i64> + Default>(
    row: &impl Row,
    column: usize,
) -> Result<T, StoreError> {
    let number = row.number(column)?;
    Ok(number.and_then(|n| n.try_into().ok()).unwrap_or_default())
}

/// A duration in microseconds, zero if it is over.
pub(super) fn duration_of(row: &impl Row, column: usize) -> Result<Duration, StoreError> {
    number_of(row, column).map(Duration::from_micros)
}

pub(super) fn record_of(row: &impl Row) -> Result<Record, StoreError> {
    let id = id_of(row)?;
    Ok(Record {
        state: State::from_code(code_of(row, 2)?),
        fence: fence_of(row, 3)?,
        effects: Effects::from_code(code_of(row, 4)?),
        attempts: number_of(row, 5)?,
        fingerprint: fingerprint_of(row, &id)?,
        checkpoint: row.text(8)?,
        resource: match (row.text(9)?, row.text(10)?) {
            (Some(kind), Some(id)) => Some(Resource { kind, id }),
            _ => None,
        },
        answer: None,
        age: duration_of(row, 11)?,
        lease_left: duration_of(row, 12)?,
        answer_left: left_of(row, 13)?,
        expires_in: left_of(row, 14)?,
        id,
    })
}

/// A duration, if there is one.
fn left_of(row: &impl Row, column: usize) -> Result<Option<Duration>, StoreError> {
    match row.number(column)? {
        Some(_) => duration_of(row, column).map(Some),
        None => Ok(None),
    }
}

fn id_of(row: &impl Row) -> Result<RecordId, StoreError> {
    let scope = Scope::stored(&row.text(0)?.unwrap_or_default());
    match Key::literal(&row.text(1)?.unwrap_or_default()) {
        Ok(key) => Ok(RecordId::new(scope, key)),
        Err(why) => Err(StoreError::Unreadable {
            digest: "?".to_owned(),
            why: why.to_string(),
        }),
    }
}

/// A state or effects that a byte does not hold are of a later version: the strictest are taken.
fn code_of(row: &impl Row, column: usize) -> Result<u8, StoreError> {
    let code = row.number(column)?;
    Ok(code.and_then(|n| n.try_into().ok()).unwrap_or(u8::MAX))
}

fn fingerprint_of(row: &impl Row, id: &RecordId) -> Result<Option<Fingerprint>, StoreError> {
    let (Some(version), Some(hash)) = (row.number(6)?, row.bytes(7)?) else {
        return Ok(None);
    };
    let version = version.try_into().ok();
    let hash = hash.try_into().ok();
    match (version, hash) {
        (Some(version), Some(hash)) => Ok(Some(Fingerprint::stored(version, hash))),
        _ => Err(unreadable(
            id,
            "its fingerprint has not 32 bytes and a version of 16 bits",
        )),
    }
}

fn answer_of(row: &impl Row, id: &RecordId) -> Result<Option<Answer>, StoreError> {
    let (Some(status), Some(head), Some(body)) = (row.number(15)?, row.bytes(16)?, row.bytes(17)?)
    else {
        return Ok(None);
    };
    let status = status
        .try_into()
        .map_err(|_| unreadable(id, "its status is not within 16 bits"))?;
    Ok(Some(Answer { status, head, body }))
}

fn unreadable(id: &RecordId, why: &str) -> StoreError {
    StoreError::Unreadable {
        digest: id.to_string(),
        why: why.to_owned(),
    }
}
