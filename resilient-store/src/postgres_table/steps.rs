//! The steps of a store, each on a connection.

use std::borrow::Cow;
use std::time::Duration;

use resilient_core::idempotency::{
    Backlog, Fence, Fenced, Filter, Finish, Purged, Record, RecordId, Scope, State, StoreError,
};

use super::client::{Connection, Value};
use super::row::{Found, duration_of, number_of, record_of};
use super::statements::Statements;

/// A thousand years: more would be beyond the times that the database knows.
const LONGEST: Duration = Duration::from_secs(1_000 * 365 * 24 * 60 * 60);

/// A duration as statements take it.
pub(super) fn micros(duration: Duration) -> i64 {
    i64::try_from(duration.min(LONGEST).as_micros()).unwrap_or(i64::MAX)
}

/// A fence as statements take it; they come from a sequence of this type.
pub(super) fn number(fence: Fence) -> i64 {
    i64::try_from(fence.0).unwrap_or(i64::MAX)
}

pub(super) fn key_of(id: &RecordId) -> [Value<'_>; 2] {
    [id.scope().as_str().into(), id.key().as_str().into()]
}

fn owned(id: &RecordId, fence: Fence) -> [Value<'_>; 3] {
    let [scope, key] = key_of(id);
    [scope, key, number(fence).into()]
}

/// Whether a statement answered with the one row that it changed.
async fn changed<C: Connection>(
    connection: &mut C,
    statement: &str,
    values: &[Value<'_>],
) -> Result<bool, StoreError> {
    Ok(!connection.rows(statement, values).await?.is_empty())
}

fn fenced(done: bool) -> Fenced {
    if done { Fenced::Done } else { Fenced::Lost }
}

pub(super) async fn read<C: Connection>(
    connection: &mut C,
    statements: &Statements,
    id: &RecordId,
) -> Result<Option<Found>, StoreError> {
    let rows = connection.rows(&statements.read, &key_of(id)).await?;
    rows.first().map(Found::of).transpose()
}

/// Writes down that nobody knows; not if its owner has been heard of meanwhile.
pub(super) async fn doubt<C: Connection>(
    connection: &mut C,
    statements: &Statements,
    id: &RecordId,
) -> Result<bool, StoreError> {
    changed(connection, &statements.doubt, &key_of(id)).await
}

pub(super) async fn renew<C: Connection>(
    connection: &mut C,
    statements: &Statements,
    id: &RecordId,
    fence: Fence,
    lease: Duration,
    checkpoint: Option<&str>,
) -> Result<Fenced, StoreError> {
    let [scope, key, fence] = owned(id, fence);
    let checkpoint = checkpoint.map(storable);
    let values = [
        scope,
        key,
        fence,
        micros(lease).into(),
        Value::Text(checkpoint.as_deref()),
    ];
    changed(connection, &statements.renew, &values)
        .await
        .map(fenced)
}

pub(super) async fn complete<C: Connection>(
    connection: &mut C,
    statements: &Statements,
    id: &RecordId,
    fence: Fence,
    finish: &Finish,
) -> Result<Fenced, StoreError> {
    let made = Made::by(finish);
    let values = finished(id, fence, finish, &made);
    if changed(connection, &statements.complete, &values).await? {
        return Ok(Fenced::Done);
    }
    // Asked after, not within the statement: one that waited for the same completion to commit does
    // not see what that has written.
    changed(connection, &statements.is_finished, &owned(id, fence))
        .await
        .map(fenced)
}

/// What a run has made, kept while a statement borrows it.
struct Made<'a> {
    kind: Option<Cow<'a, str>>,
    id: Option<Cow<'a, str>>,
}

impl<'a> Made<'a> {
    fn by(finish: &'a Finish) -> Self {
        let resource = match finish {
            Finish::Completed { resource, .. } | Finish::BodyDropped { resource } => {
                resource.as_ref()
            }
            Finish::Uncertain => None,
        };
        Made {
            kind: resource.map(|resource| storable(&resource.kind)),
            id: resource.map(|resource| storable(&resource.id)),
        }
    }
}

/// The one character that a `text` cannot hold is shown as missing: a record is not to be lost over
/// it.
fn storable(text: &str) -> Cow<'_, str> {
    if text.contains('\0') {
        text.replace('\0', "\u{fffd}").into()
    } else {
        text.into()
    }
}

/// What `{finished}` of the statements takes.
fn finished<'a>(
    id: &'a RecordId,
    fence: Fence,
    finish: &'a Finish,
    made: &'a Made<'_>,
) -> [Value<'a>; 9] {
    let (state, answer) = match finish {
        Finish::Completed { answer, .. } => (State::Completed, Some(answer)),
        Finish::BodyDropped { .. } => (State::BodyDropped, None),
        Finish::Uncertain => (State::Uncertain, None),
    };
    let [scope, key, fence] = owned(id, fence);
    [
        scope,
        key,
        fence,
        i64::from(state.code()).into(),
        Value::Text(made.kind.as_deref()),
        Value::Text(made.id.as_deref()),
        Value::Number(answer.map(|answer| answer.status.into())),
        Value::Bytes(answer.map(|answer| &*answer.head)),
        Value::Bytes(answer.map(|answer| &*answer.body)),
    ]
}

pub(super) async fn lapse<C: Connection>(
    connection: &mut C,
    statements: &Statements,
    id: &RecordId,
    fence: Fence,
) -> Result<Fenced, StoreError> {
    let values = owned(id, fence);
    changed(connection, &statements.lapse, &values)
        .await
        .map(fenced)
}

pub(super) async fn release<C: Connection>(
    connection: &mut C,
    statements: &Statements,
    id: &RecordId,
    fence: Fence,
) -> Result<Fenced, StoreError> {
    let values = owned(id, fence);
    changed(connection, &statements.release, &values)
        .await
        .map(fenced)
}

pub(super) async fn settle<C: Connection>(
    connection: &mut C,
    statements: &Statements,
    id: &RecordId,
    fence: Fence,
    finish: Option<&Finish>,
) -> Result<Fenced, StoreError> {
    let settled = match finish {
        Some(finish) => {
            let made = Made::by(finish);
            let values = finished(id, fence, finish, &made);
            changed(connection, &statements.settle, &values).await
        }
        None => changed(connection, &statements.settle_not_done, &owned(id, fence)).await,
    };
    settled.map(fenced)
}

pub(super) async fn remove<C: Connection>(
    connection: &mut C,
    statements: &Statements,
    id: &RecordId,
) -> Result<bool, StoreError> {
    changed(connection, &statements.remove, &key_of(id)).await
}

pub(super) async fn list<C: Connection>(
    connection: &mut C,
    statements: &Statements,
    filter: &Filter,
) -> Result<Vec<Record>, StoreError> {
    let values = [
        Value::Text(filter.scope.as_ref().map(Scope::as_str)),
        Value::Number(filter.state.map(|state| state.code().into())),
        i64::from(filter.limit).into(),
    ];
    let rows = connection.rows(&statements.list, &values).await?;
    rows.iter().map(record_of).collect()
}

pub(super) async fn purge<C: Connection>(
    connection: &mut C,
    statements: &Statements,
    batch: u32,
) -> Result<Purged, StoreError> {
    let rows = connection
        .rows(&statements.purge, &[i64::from(batch).into()])
        .await?;
    let Some(row) = rows.first() else {
        return Ok(Purged::default());
    };
    Ok(Purged {
        deleted: number_of(row, 0)?,
        stripped: number_of(row, 1)?,
    })
}

pub(super) async fn backlog<C: Connection>(
    connection: &mut C,
    statements: &Statements,
) -> Result<Backlog, StoreError> {
    let rows = connection.rows(&statements.backlog, &[]).await?;
    let Some(row) = rows.first() else {
        return Ok(Backlog::default());
    };
    Ok(Backlog {
        running: number_of(row, 0)?,
        oldest_running: duration_of(row, 1)?,
        uncertain: number_of(row, 2)?,
        expired: number_of(row, 3)?,
    })
}
