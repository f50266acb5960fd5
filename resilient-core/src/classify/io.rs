//! What an io error means.

use std::collections::BTreeMap;
use std::io::{Error, ErrorKind};

use super::chain::judge;
use super::rules::ambient;
use crate::class::{Class, Classify};

/// What each kind of io error means, as data.
///
/// | kind | class unless changed |
/// |---|---|
/// | `ConnectionRefused`, `AddrNotAvailable` | transient, unsent: there was no connection to send on |
/// | `NotFound`, `PermissionDenied`, `AlreadyExists`, `InvalidInput`, `InvalidFilename`, `Unsupported`, `NotADirectory`, `IsADirectory`, `DirectoryNotEmpty`, `CrossesDevices`, `TooManyLinks`, `FileTooLarge`, `NotSeekable`, `ArgumentListTooLong` | permanent |
/// | `InvalidData`, `StorageFull`, `QuotaExceeded`, `ReadOnlyFilesystem` | fault |
/// | `OutOfMemory`, `AddrInUse` | ignored: our own side |
/// | all others: resets, timeouts, unreachable hosts, and errors without a kind, such as a failed name lookup | transient |
///
/// A kind has one class: the setter called last for it wins.
///
/// ```
/// # use resilient_core as resilient;
/// use resilient::Class;
/// use resilient::classify::IoKinds;
/// use std::io::ErrorKind;
///
/// let kinds = IoKinds::new().transient([ErrorKind::NotFound]);
/// assert_eq!(kinds.of(ErrorKind::NotFound), Class::transient());
/// assert_eq!(kinds.of(ErrorKind::PermissionDenied), Class::Permanent);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[must_use]
pub struct IoKinds {
    changed: BTreeMap<ErrorKind, Class>,
}

impl IoKinds {
    /// The classes of the table above.
    ///
    /// ```
    /// # use resilient_core as resilient;
    /// use resilient::Class;
    /// use resilient::classify::IoKinds;
    /// use std::io::ErrorKind;
    ///
    /// assert_eq!(IoKinds::new().of(ErrorKind::ConnectionReset), Class::transient());
    /// ```
    pub const fn new() -> Self {
        IoKinds {
            changed: BTreeMap::new(),
        }
    }

    /// Kinds worth another attempt.
    ///
    /// ```
    /// # use resilient_core as resilient;
    /// use resilient::Class;
    /// use resilient::classify::IoKinds;
    /// use std::io::ErrorKind;
    ///
    /// let kinds = IoKinds::new().transient([ErrorKind::StorageFull]);
    /// assert_eq!(kinds.of(ErrorKind::StorageFull), Class::transient());
    /// ```
    pub fn transient(self, kinds: impl IntoIterator<Item = ErrorKind>) -> Self {
        self.with(kinds, Class::transient())
    }

    /// Kinds worth another attempt, after which nothing was certainly sent: they are retried
    /// even where repeating the call could repeat its effect.
    ///
    /// ```
    /// # use resilient_core as resilient;
    /// use resilient::Class;
    /// use resilient::classify::IoKinds;
    /// use std::io::ErrorKind;
    ///
    /// let kinds = IoKinds::new().unsent([ErrorKind::HostUnreachable]);
    /// assert_eq!(kinds.of(ErrorKind::HostUnreachable), Class::unsent());
    /// ```
    pub fn unsent(self, kinds: impl IntoIterator<Item = ErrorKind>) -> Self {
        self.with(kinds, Class::unsent())
    }

    /// Kinds of a broken dependency, not retried.
    ///
    /// ```
    /// # use resilient_core as resilient;
    /// use resilient::Class;
    /// use resilient::classify::IoKinds;
    /// use std::io::ErrorKind;
    ///
    /// let kinds = IoKinds::new().fault([ErrorKind::UnexpectedEof]);
    /// assert_eq!(kinds.of(ErrorKind::UnexpectedEof), Class::Fault);
    /// ```
    pub fn fault(self, kinds: impl IntoIterator<Item = ErrorKind>) -> Self {
        self.with(kinds, Class::Fault)
    }

    /// Kinds that are answers, not retried.
    ///
    /// ```
    /// # use resilient_core as resilient;
    /// use resilient::Class;
    /// use resilient::classify::IoKinds;
    /// use std::io::ErrorKind;
    ///
    /// let kinds = IoKinds::new().permanent([ErrorKind::InvalidData]);
    /// assert_eq!(kinds.of(ErrorKind::InvalidData), Class::Permanent);
    /// ```
    pub fn permanent(self, kinds: impl IntoIterator<Item = ErrorKind>) -> Self {
        self.with(kinds, Class::Permanent)
    }

    /// Kinds that say nothing about the dependency.
    ///
    /// ```
    /// # use resilient_core as resilient;
    /// use resilient::Class;
    /// use resilient::classify::IoKinds;
    /// use std::io::ErrorKind;
    ///
    /// let kinds = IoKinds::new().ignored([ErrorKind::Interrupted]);
    /// assert_eq!(kinds.of(ErrorKind::Interrupted), Class::Ignored);
    /// ```
    pub fn ignored(self, kinds: impl IntoIterator<Item = ErrorKind>) -> Self {
        self.with(kinds, Class::Ignored)
    }

    fn with(mut self, kinds: impl IntoIterator<Item = ErrorKind>, class: Class) -> Self {
        self.changed
            .extend(kinds.into_iter().map(|kind| (kind, class)));
        self
    }

    /// The class of a kind.
    ///
    /// ```
    /// # use resilient_core as resilient;
    /// use resilient::Class;
    /// use resilient::classify::IoKinds;
    /// use std::io::ErrorKind;
    ///
    /// assert_eq!(IoKinds::new().of(ErrorKind::ConnectionRefused), Class::unsent());
    /// ```
    pub fn of(&self, kind: ErrorKind) -> Class {
        match self.changed.get(&kind) {
            Some(class) => *class,
            None => usual(kind),
        }
    }
}

const fn usual(kind: ErrorKind) -> Class {
    match kind {
        ErrorKind::ConnectionRefused | ErrorKind::AddrNotAvailable => Class::unsent(),
        ErrorKind::NotFound
        | ErrorKind::PermissionDenied
        | ErrorKind::AlreadyExists
        | ErrorKind::InvalidInput
        | ErrorKind::InvalidFilename
        | ErrorKind::Unsupported
        | ErrorKind::NotADirectory
        | ErrorKind::IsADirectory
        | ErrorKind::DirectoryNotEmpty
        | ErrorKind::CrossesDevices
        | ErrorKind::TooManyLinks
        | ErrorKind::FileTooLarge
        | ErrorKind::NotSeekable
        | ErrorKind::ArgumentListTooLong => Class::Permanent,
        ErrorKind::InvalidData
        | ErrorKind::StorageFull
        | ErrorKind::QuotaExceeded
        | ErrorKind::ReadOnlyFilesystem => Class::Fault,
        ErrorKind::OutOfMemory | ErrorKind::AddrInUse => Class::Ignored,
        _ => Class::transient(),
    }
}

#[diagnostic::do_not_recommend]
impl Classify for Error {
    /// By its kind and the rules of the dependency being called, unless it carries something
    /// that says more: a [`Rejection`](crate::Rejection), a
    /// [`Classified`](super::Classified) error, or, for an error of kind `Other`, an io error
    /// with a kind.
    fn class(&self) -> Class {
        judge(self, |_| None).map_or(Class::transient(), |verdict| verdict.class)
    }

    fn kind(&self) -> &'static str {
        judge(self, |_| None).map_or("other", |verdict| verdict.kind)
    }
}

/// The class of an io error kind by the rules of the dependency being called.
pub(super) fn class_of(kind: ErrorKind) -> Class {
    ambient(|rules| rules.io_kinds.of(kind))
}

/// The word of events and metrics for an io error of this class.
pub(super) fn kind_of(kind: ErrorKind, class: Class) -> &'static str {
    if kind == ErrorKind::TimedOut {
        "timeout"
    } else {
        class.kind()
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::rejection::Rejection;

    #[test]
    fn the_usual_classes() {
        for (kind, class, word) in [
            (ErrorKind::ConnectionRefused, Class::unsent(), "network"),
            (ErrorKind::AddrNotAvailable, Class::unsent(), "network"),
            (ErrorKind::ConnectionReset, Class::transient(), "network"),
            (ErrorKind::ConnectionAborted, Class::transient(), "network"),
            (ErrorKind::NotConnected, Class::transient(), "network"),
            (ErrorKind::HostUnreachable, Class::transient(), "network"),
            (ErrorKind::NetworkUnreachable, Class::transient(), "network"),
            (ErrorKind::NetworkDown, Class::transient(), "network"),
            (ErrorKind::BrokenPipe, Class::transient(), "network"),
            (ErrorKind::UnexpectedEof, Class::transient(), "network"),
            (ErrorKind::Interrupted, Class::transient(), "network"),
            (ErrorKind::WouldBlock, Class::transient(), "network"),
            (ErrorKind::ResourceBusy, Class::transient(), "network"),
            (ErrorKind::Other, Class::transient(), "network"),
            (ErrorKind::TimedOut, Class::transient(), "timeout"),
            (ErrorKind::NotFound, Class::Permanent, "client"),
            (ErrorKind::PermissionDenied, Class::Permanent, "client"),
            (ErrorKind::InvalidInput, Class::Permanent, "client"),
            (ErrorKind::AlreadyExists, Class::Permanent, "client"),
            (ErrorKind::InvalidData, Class::Fault, "server"),
            (ErrorKind::StorageFull, Class::Fault, "server"),
            (ErrorKind::OutOfMemory, Class::Ignored, "other"),
            (ErrorKind::AddrInUse, Class::Ignored, "other"),
        ] {
            let error = Error::from(kind);
            assert_eq!(error.class(), class, "{kind:?}");
            assert_eq!(Classify::kind(&error), word, "{kind:?}");
            let told = Error::new(kind, "with a message");
            assert_eq!(told.class(), class, "{kind:?}");
        }
    }

    #[test]
    fn the_last_setter_of_a_kind_wins() {
        let kinds = IoKinds::new()
            .fault([ErrorKind::TimedOut, ErrorKind::NotFound])
            .transient([ErrorKind::NotFound])
            .unsent([ErrorKind::NetworkDown])
            .ignored([ErrorKind::Other])
            .permanent([ErrorKind::InvalidData]);
        for (kind, class) in [
            (ErrorKind::TimedOut, Class::Fault),
            (ErrorKind::NotFound, Class::transient()),
            (ErrorKind::NetworkDown, Class::unsent()),
            (ErrorKind::Other, Class::Ignored),
            (ErrorKind::InvalidData, Class::Permanent),
            (ErrorKind::ConnectionReset, Class::transient()),
        ] {
            assert_eq!(kinds.of(kind), class, "{kind:?}");
        }
    }

    #[test]
    fn what_an_io_error_carries_says_more_than_its_kind() {
        let after = Duration::from_secs(1);
        let late = Error::from(Rejection::DeadlineExceeded { after });
        assert_eq!(late.kind(), ErrorKind::TimedOut);
        assert_eq!(late.class(), Class::Ignored);
        assert_eq!(Classify::kind(&late), "deadline");

        let cut = Error::from(Rejection::TimedOut { after });
        assert_eq!(Error::other(cut).class(), Class::transient());

        let missing = Error::other(Error::from(ErrorKind::NotFound));
        assert_eq!(missing.class(), Class::Permanent);

        let named = Error::new(ErrorKind::NotFound, Error::from(ErrorKind::TimedOut));
        assert_eq!(named.class(), Class::Permanent);
    }

    /// A failed name lookup, which has no kind of its own.
    #[test]
    fn an_error_of_the_system_without_a_kind_is_transient() {
        assert_eq!(
            Error::from_raw_os_error(i32::MAX).class(),
            Class::transient()
        );
    }
}
