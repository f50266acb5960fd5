//! Errors of `sqlx` 0.9.

use std::error::Error as _;

use sqlx::Error;
use sqlx::error::DatabaseError;

use super::chain::{Verdict, judge};
use crate::class::{Class, Classify};

#[diagnostic::do_not_recommend]
impl Classify for Error {
    /// | error | class |
    /// |---|---|
    /// | io | by the rules for io errors |
    /// | no connection out of the pool in time | transient, unsent |
    /// | TLS | by the io error beneath, unsent; else fault |
    /// | what the database answers with | by its `SQLSTATE`, see below |
    /// | no row | permanent |
    /// | a damaged protocol, a crashed worker | fault |
    /// | wrong settings, arguments, types or columns, a closed pool | ignored: our own side |
    ///
    /// | `SQLSTATE` | class |
    /// |---|---|
    /// | `40001`, `40P01`, `40003`, `55P03`: serialisation, deadlock, lock | transient |
    /// | `57014`: cancelled, as by `statement_timeout` | transient |
    /// | `08`, `57P01`, `57P02`, `25006`: connection, shutdown, a server that became a replica | transient |
    /// | `08001`, `08004`, `57P03`, `53300`: there was no connection | transient, unsent |
    /// | `53`, `54`, `58`, `XX`: out of resources, defects | fault |
    /// | all others: constraints, data, syntax, rights | permanent |
    ///
    /// Of `SQLite`, busy and locked are transient; of what it answers else, all is permanent.
    fn class(&self) -> Class {
        verdict(self).class
    }

    fn kind(&self) -> &'static str {
        verdict(self).kind
    }
}

fn verdict(error: &Error) -> Verdict {
    match error {
        Error::Database(error) => by_answer(&**error),
        Error::Io(error) => Verdict::of(error),
        Error::Tls(source) => match judge(&**source, |_| None) {
            Some(beneath) if beneath.class.is_retryable() => Verdict {
                class: Class::unsent(),
                ..beneath
            },
            _ => Verdict::plain(Class::Fault),
        },
        Error::PoolTimedOut => Verdict {
            class: Class::unsent(),
            kind: "timeout",
        },
        Error::RowNotFound => Verdict::plain(Class::Permanent),
        Error::Protocol(_) | Error::WorkerCrashed | Error::BeginFailed => {
            Verdict::plain(Class::Fault)
        }
        other => {
            // Whoever wraps a failure of ours says so on the way.
            let source = other.source().and_then(|source| judge(source, |_| None));
            source.unwrap_or(Verdict::plain(Class::Ignored))
        }
    }
}

fn by_answer(error: &dyn DatabaseError) -> Verdict {
    let code = error.code();
    let code = code.as_deref().unwrap_or("");
    let (class, kind) = match code {
        "08001" | "08004" | "57P03" | "53300" => (Class::unsent(), "network"),
        "57014" => (Class::transient(), "timeout"),
        "40001" | "40P01" | "40003" | "55P03" | "57P01" | "57P02" | "25006" => {
            (Class::transient(), "server")
        }
        _ => match code.get(..2) {
            Some("08") => (Class::transient(), "network"),
            Some("53" | "54" | "58" | "XX") => (Class::Fault, "server"),
            _ if is_busy_sqlite(code) => (Class::transient(), "server"),
            _ => (Class::Permanent, "client"),
        },
    };
    Verdict { class, kind }
}

/// `SQLite` answers with a number instead, whose lowest byte says which kind of error it is: busy or
/// locked. No `SQLSTATE` is as short, or below that range.
fn is_busy_sqlite(code: &str) -> bool {
    let number = code.parse::<u16>().ok().filter(|_| code.len() < 5);
    number.is_some_and(|number| matches!(number & 0xff, 5 | 6))
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;
    use std::error::Error as StdError;
    use std::fmt;
    use std::io;

    use sqlx::error::ErrorKind;

    use super::*;
    use crate::classify::chain;

    #[derive(Debug)]
    struct Answered(Option<&'static str>);

    impl fmt::Display for Answered {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("answered")
        }
    }

    impl StdError for Answered {}

    impl DatabaseError for Answered {
        fn message(&self) -> &'static str {
            "answered"
        }

        fn code(&self) -> Option<Cow<'_, str>> {
            self.0.map(Cow::Borrowed)
        }

        fn as_error(&self) -> &(dyn StdError + Send + Sync + 'static) {
            self
        }

        fn as_error_mut(&mut self) -> &mut (dyn StdError + Send + Sync + 'static) {
            self
        }

        fn into_error(self: Box<Self>) -> Box<dyn StdError + Send + Sync + 'static> {
            self
        }

        fn kind(&self) -> ErrorKind {
            ErrorKind::Other
        }
    }

    fn hold(error: Error, class: Class, kind: &str) {
        let told = format!("{error:?}");
        assert_eq!((error.class(), error.kind()), (class, kind), "{told}");
        let boxed: Box<dyn StdError + Send + Sync> = error.into();
        assert_eq!(chain(&*boxed), class, "{told} in a box");
    }

    #[test]
    fn answers_by_their_state() {
        for (code, class, kind) in [
            (Some("40001"), Class::transient(), "server"),
            (Some("40P01"), Class::transient(), "server"),
            (Some("40003"), Class::transient(), "server"),
            (Some("40002"), Class::Permanent, "client"),
            (Some("55P03"), Class::transient(), "server"),
            (Some("57014"), Class::transient(), "timeout"),
            (Some("57P01"), Class::transient(), "server"),
            (Some("57P03"), Class::unsent(), "network"),
            (Some("25006"), Class::transient(), "server"),
            (Some("08006"), Class::transient(), "network"),
            (Some("08001"), Class::unsent(), "network"),
            (Some("53300"), Class::unsent(), "network"),
            (Some("53100"), Class::Fault, "server"),
            (Some("58030"), Class::Fault, "server"),
            (Some("XX000"), Class::Fault, "server"),
            (Some("23505"), Class::Permanent, "client"),
            (Some("22001"), Class::Permanent, "client"),
            (Some("42601"), Class::Permanent, "client"),
            (Some("28P01"), Class::Permanent, "client"),
            // SQLite: busy, its snapshot, locked, a constraint.
            (Some("5"), Class::transient(), "server"),
            (Some("517"), Class::transient(), "server"),
            (Some("6"), Class::transient(), "server"),
            (Some("2067"), Class::Permanent, "client"),
            (Some(""), Class::Permanent, "client"),
            (Some("\u{e9}"), Class::Permanent, "client"),
            (None, Class::Permanent, "client"),
        ] {
            hold(Error::from(Answered(code)), class, kind);
        }
    }

    #[test]
    fn everything_else() {
        let io = |kind| Error::Io(io::Error::from(kind));
        let tls = |source: Box<dyn StdError + Send + Sync>| Error::Tls(source);
        let reset = io::Error::from(io::ErrorKind::ConnectionReset);
        for (error, class, kind) in [
            (
                io(io::ErrorKind::ConnectionRefused),
                Class::unsent(),
                "network",
            ),
            (
                io(io::ErrorKind::ConnectionReset),
                Class::transient(),
                "network",
            ),
            (io(io::ErrorKind::TimedOut), Class::transient(), "timeout"),
            (tls(reset.into()), Class::unsent(), "network"),
            (tls("wrong certificate".into()), Class::Fault, "server"),
            (Error::PoolTimedOut, Class::unsent(), "timeout"),
            (Error::PoolClosed, Class::Ignored, "other"),
            (Error::WorkerCrashed, Class::Fault, "server"),
            (Error::BeginFailed, Class::Fault, "server"),
            (Error::Protocol("damaged".into()), Class::Fault, "server"),
            (Error::RowNotFound, Class::Permanent, "client"),
            (Error::ColumnNotFound("a".into()), Class::Ignored, "other"),
            (
                Error::Configuration("bad url".into()),
                Class::Ignored,
                "other",
            ),
            (
                Error::Decode("not a number".into()),
                Class::Ignored,
                "other",
            ),
            (
                Error::InvalidArgument("bad".into()),
                Class::Ignored,
                "other",
            ),
        ] {
            hold(error, class, kind);
        }
    }
}
