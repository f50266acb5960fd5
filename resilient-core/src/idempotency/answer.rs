//! What is kept of a run, to be given to whoever asks again.

use std::fmt;

/// An answer as it is kept: bytes, so that a replay is identical to the last one of them.
///
/// What they mean is up to whoever stored them: an HTTP layer keeps a status, its headers and a
/// body; an annotated function keeps a serialised value.
///
/// `Debug` shows lengths only.
///
/// ```
/// # use resilient_core as resilient;
/// use resilient::idempotency::Answer;
///
/// let answer = Answer { status: 201, head: Vec::new(), body: b"{\"id\":1}".to_vec() };
/// assert_eq!(format!("{answer:?}"), "Answer { status: 201, head: 0 bytes, body: 8 bytes }");
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Answer {
    /// A number that says what kind of answer it is: an HTTP status, for one.
    pub status: u16,
    /// What comes before the body: serialised headers, for one.
    pub head: Vec<u8>,
    /// The body.
    pub body: Vec<u8>,
}

impl fmt::Debug for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Answer")
            .field("status", &self.status)
            .field("head", &format_args!("{} bytes", self.head.len()))
            .field("body", &format_args!("{} bytes", self.body.len()))
            .finish()
    }
}

/// What a run made, by which it can be looked up when its answer is gone: `order`, `4711`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resource {
    /// What it is: `order`.
    pub kind: String,
    /// Which one it is: `4711`.
    pub id: String,
}

impl Resource {
    /// The resource `id` of a kind.
    pub fn new(kind: impl Into<String>, id: impl fmt::Display) -> Self {
        Resource {
            kind: kind.into(),
            id: id.to_string(),
        }
    }
}

impl fmt::Display for Resource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.kind, self.id)
    }
}
