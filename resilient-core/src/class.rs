//! What an outcome says about the dependency: one decision, in one place per error type.

use std::time::Duration;

/// The meaning of an outcome to the policies around a call.
///
/// | class | retried | the breaker counts it as |
/// |---|---|---|
/// | [`Success`](Class::Success) | no | success |
/// | [`Transient`](Class::Transient) | yes | failure |
/// | [`Throttled`](Class::Throttled) | yes, not before the hint | nothing |
/// | [`Fault`](Class::Fault) | no | failure |
/// | [`Permanent`](Class::Permanent) | no | success: an answer proves the dependency alive |
/// | [`Ignored`](Class::Ignored) | no | nothing |
///
/// ```
/// # use resilient_core as resilient;
/// use resilient::Class;
/// use std::time::Duration;
///
/// assert_eq!(Class::transient(), Class::Transient { unsent: false });
/// assert_eq!(
///     Class::throttled(Duration::from_secs(2)),
///     Class::Throttled { retry_after: Some(Duration::from_secs(2)) },
/// );
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Class {
    /// The call did what it should.
    Success,
    /// A failure that may pass: worth another attempt.
    Transient {
        /// The request never left this process (a refused connection), so repeating it cannot
        /// repeat its effect.
        unsent: bool,
    },
    /// The dependency asked for patience.
    Throttled {
        /// How long it asked to be left alone, if it said so.
        retry_after: Option<Duration>,
    },
    /// The dependency is broken; retrying now will not help (HTTP 500).
    Fault,
    /// An answer, if an unwelcome one: a bad request, a business rule.
    Permanent,
    /// Our own side failed (a serialisation bug): says nothing about the dependency.
    Ignored,
}

impl Class {
    /// A failure that may pass, after the request may have been sent.
    pub const fn transient() -> Self {
        Class::Transient { unsent: false }
    }

    /// A failure that may pass, and whose request was certainly not sent.
    pub const fn unsent() -> Self {
        Class::Transient { unsent: true }
    }

    /// The dependency asked to be left alone for `retry_after`.
    pub const fn throttled(retry_after: Duration) -> Self {
        Class::Throttled {
            retry_after: Some(retry_after),
        }
    }

    /// The dependency asked to be left alone, for as long as `hint` says if it says so.
    ///
    /// ```
    /// # use resilient_core as resilient;
    /// use resilient::Class;
    /// use std::time::Duration;
    ///
    /// let header: Option<Duration> = None;
    /// assert_eq!(Class::throttled_by(header), Class::Throttled { retry_after: None });
    /// let wait = Duration::from_secs(2);
    /// assert_eq!(Class::throttled_by(wait), Class::throttled(wait));
    /// ```
    pub fn throttled_by(hint: impl Hint) -> Self {
        Class::Throttled {
            retry_after: hint.duration(),
        }
    }

    /// Whether another attempt may help.
    pub const fn is_retryable(self) -> bool {
        matches!(self, Class::Transient { .. } | Class::Throttled { .. })
    }

    /// The usual word for this class in events and metrics, for types that know no better.
    pub const fn kind(self) -> &'static str {
        match self {
            Class::Success => "success",
            Class::Transient { .. } => "network",
            Class::Throttled { .. } => "throttled",
            Class::Fault => "server",
            Class::Permanent => "client",
            Class::Ignored => "other",
        }
    }
}

/// What a dependency's wish to be left alone is held in: a `Duration`, or an `Option` of one.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not say how long to wait",
    label = "neither a `Duration` nor an `Option<Duration>`"
)]
pub trait Hint {
    /// The wish, if there is one.
    fn duration(self) -> Option<Duration>;
}

impl Hint for Duration {
    fn duration(self) -> Option<Duration> {
        Some(self)
    }
}

impl Hint for Option<Duration> {
    fn duration(self) -> Option<Duration> {
        self
    }
}

/// Says what an error means, once per error type.
///
/// Usually derived: one mark per variant, beside `thiserror`'s derive. By hand it is one `match`:
///
/// ```
/// # use resilient_core as resilient;
/// use resilient::{Class, Classify};
///
/// enum LookupError { Timeout, NotFound }
///
/// impl Classify for LookupError {
///     fn class(&self) -> Class {
///         match self {
///             LookupError::Timeout => Class::transient(),
///             LookupError::NotFound => Class::Permanent,
///         }
///     }
/// }
/// assert!(LookupError::Timeout.class().is_retryable());
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not say which errors are worth retrying",
    label = "needs a classification",
    note = "derive `resilient::Classify` for the error type, or implement it",
    note = "or name a function at the site, `classify = path` or `retry(when = path)`; for `anyhow::Error` and boxed errors that is `classify = resilient::classify::chained`"
)]
pub trait Classify {
    /// What this error means to the policies around the call.
    fn class(&self) -> Class;

    /// A word for events and metrics: `network`, `timeout`, `server`, `throttled`, `client`,
    /// `business` or `other`.
    fn kind(&self) -> &'static str {
        self.class().kind()
    }
}
