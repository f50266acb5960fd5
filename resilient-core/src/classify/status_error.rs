//! An HTTP answer as an error, with what it means.

use super::status::status_kind;
use crate::class::{Class, Classify};

/// An HTTP answer that is no success, with its class: the wait its `Retry-After` asked for
/// included.
///
/// Made by `reqwest_0_13_checked` or `http_1_checked`; in an error type of one's own it is one
/// variant:
///
/// ```
/// # use resilient_core as resilient;
/// use resilient::classify::StatusError;
/// use resilient::{Class, Classify};
///
/// #[derive(Debug, thiserror::Error)]
/// enum StockError {
///     #[error(transparent)]
///     Status(#[from] StatusError), // with the derive: #[classify(source)]
/// }
///
/// let error = StatusError::new(503, Class::transient());
/// assert_eq!((error.status(), error.class()), (503, Class::transient()));
/// assert_eq!(StockError::from(error).to_string(), "answered with HTTP status 503");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("answered with HTTP status {status}")]
pub struct StatusError {
    status: u16,
    class: Class,
}

impl StatusError {
    /// An answer with this status, which means `class`.
    pub const fn new(status: u16, class: Class) -> Self {
        StatusError { status, class }
    }

    /// The status.
    pub const fn status(&self) -> u16 {
        self.status
    }
}

#[diagnostic::do_not_recommend]
impl Classify for StatusError {
    fn class(&self) -> Class {
        self.class
    }

    fn kind(&self) -> &'static str {
        status_kind(self.status, self.class)
    }
}
