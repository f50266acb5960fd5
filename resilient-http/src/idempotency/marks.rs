//! What a handler can say about its run beside the answer: extensions of the response.

/// An extension of a response that says that the run certainly did nothing, whatever the status:
/// the next one with the key runs.
///
/// ```
/// use resilient_http::idempotency::NotExecuted;
///
/// let mut response = http::Response::new("sold out, nothing was booked");
/// response.extensions_mut().insert(NotExecuted);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotExecuted;

/// An extension of a response that is good for this moment only: it is not kept, and the next
/// one with the key runs.
///
/// For handlers that found out that repeating them is harmless. An answer that must not be kept,
/// though what it answers must not run again, says `Cache-Control: no-store` instead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DoNotStore;
