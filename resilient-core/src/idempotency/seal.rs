//! Bodies that are stored so that only their owner can read them.

use std::error::Error;
use std::fmt;

use super::RecordId;

/// Encrypts the bodies of answers before they are stored, and decrypts them before they are
/// replayed.
///
/// The record's id is there to be bound to the text (as associated data), so that a body cannot be
/// moved to another record.
pub trait Seal: fmt::Debug + Send + Sync {
    /// The body as it is stored.
    ///
    /// # Errors
    ///
    /// The answer is then not stored, and what it answered does not run again.
    fn seal(&self, id: &RecordId, body: Vec<u8>) -> Result<Vec<u8>, Box<dyn Error + Send + Sync>>;

    /// The body as it was.
    ///
    /// # Errors
    ///
    /// The repeat is then refused, see [`Refusal::Unreadable`](super::Refusal::Unreadable).
    fn open(&self, id: &RecordId, body: Vec<u8>) -> Result<Vec<u8>, Box<dyn Error + Send + Sync>>;
}
