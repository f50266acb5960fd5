//! What the table needs of a database client, so that its statements and steps are written once.

use std::error::Error;
use std::fmt;

use resilient_core::idempotency::StoreError;

/// A value of a statement's parameter: three types are enough, and each may be missing.
#[derive(Clone, Copy, Debug)]
pub enum Value<'a> {
    Text(Option<&'a str>),
    Bytes(Option<&'a [u8]>),
    Number(Option<i64>),
}

impl<'a> From<&'a str> for Value<'a> {
    fn from(text: &'a str) -> Self {
        Value::Text(Some(text))
    }
}

impl From<i64> for Value<'_> {
    fn from(number: i64) -> Self {
        Value::Number(Some(number))
    }
}

/// Where connections come from.
pub trait Client: fmt::Debug + Send + Sync + 'static {
    type Lent: Connection + Send;

    fn lend(&self) -> impl Future<Output = Result<Self::Lent, Failure>> + Send;

    /// Runs several statements without parameters as one transaction.
    fn batch(&self, script: &str) -> impl Future<Output = Result<(), Failure>> + Send;
}

/// A connection, or a transaction on one.
pub trait Connection {
    type Row: Row + Send;

    fn rows(
        &mut self,
        statement: &str,
        values: &[Value<'_>],
    ) -> impl Future<Output = Result<Vec<Self::Row>, Failure>> + Send;
}

/// A row of an answer.
pub trait Row {
    fn text(&self, column: usize) -> Result<Option<String>, Failure>;
    fn bytes(&self, column: usize) -> Result<Option<Vec<u8>>, Failure>;
    fn number(&self, column: usize) -> Result<Option<i64>, Failure>;
}

/// What a client said instead of an answer.
#[derive(Debug)]
pub struct Failure {
    /// The SQLSTATE, if the server said it.
    pub(crate) code: Option<String>,
    pub(crate) source: Box<dyn Error + Send + Sync>,
}

/// `lock_not_available`
const LOCKED: &str = "55P03";

/// `undefined_table`
const NO_TABLE: &str = "42P01";

impl Failure {
    /// Whether it was a lock that was waited for too long.
    pub(super) fn is_locked(&self) -> bool {
        self.code.as_deref() == Some(LOCKED)
    }
}

impl From<Failure> for StoreError {
    fn from(failure: Failure) -> Self {
        if failure.code.as_deref() == Some(NO_TABLE) {
            return StoreError::Unsupported {
                store: super::STORE,
                what: "find its table; call `migrate` once before it is used",
            };
        }
        StoreError::unavailable(super::STORE, failure.source)
    }
}
