//! Statuses of `tonic` 0.14.

use std::error::Error;
use std::time::Duration;

use tonic::{Code, Status};

use super::chain::{Verdict, judge};
use crate::class::{Class, Classify};

/// How long a server asks not to be called again (gRFC A6), in milliseconds; negative for "not at
/// all".
const PUSHBACK: &str = "grpc-retry-pushback-ms";

#[diagnostic::do_not_recommend]
impl Classify for Status {
    /// | code | class |
    /// |---|---|
    /// | `OK` | success |
    /// | `UNAVAILABLE`, `ABORTED`, `DEADLINE_EXCEEDED` | transient; unsent if there was no connection |
    /// | `RESOURCE_EXHAUSTED` | throttled, for as long as `grpc-retry-pushback-ms` says |
    /// | `UNKNOWN` | by the error beneath, if the transport failed; else fault |
    /// | `INTERNAL`, `DATA_LOSS` | fault |
    /// | `CANCELLED` | ignored: our own side ended it |
    /// | all others | permanent: an answer |
    ///
    /// A server that asks not to be called again at all is not: what would have been transient is
    /// a fault then, what would have been throttled permanent.
    fn class(&self) -> Class {
        verdict(self).class
    }

    fn kind(&self) -> &'static str {
        verdict(self).kind
    }
}

fn verdict(status: &Status) -> Verdict {
    match status.code() {
        Code::Ok => Verdict::plain(Class::Success),
        Code::Unavailable | Code::Aborted | Code::Unknown => failed(status),
        Code::DeadlineExceeded => Verdict {
            class: transient_unless_told(status, Class::transient()),
            kind: "timeout",
        },
        Code::ResourceExhausted => Verdict {
            class: throttled(status),
            kind: "throttled",
        },
        Code::Internal | Code::DataLoss => Verdict::plain(Class::Fault),
        Code::Cancelled => Verdict::plain(Class::Ignored),
        _ => Verdict::plain(Class::Permanent),
    }
}

/// What the transport says, where it failed; else what the server said.
fn failed(status: &Status) -> Verdict {
    let beneath = status.source().and_then(|source| judge(source, |_| None));
    if let Some(beneath) = beneath {
        return beneath;
    }
    if status.code() == Code::Unknown {
        return Verdict::plain(Class::Fault);
    }
    Verdict {
        class: transient_unless_told(status, Class::transient()),
        kind: "server",
    }
}

fn transient_unless_told(status: &Status, class: Class) -> Class {
    match pushback(status) {
        Some(Pushback::Never) => Class::Fault,
        _ => class,
    }
}

fn throttled(status: &Status) -> Class {
    match pushback(status) {
        Some(Pushback::After(wait)) => Class::throttled(wait),
        Some(Pushback::Never) => Class::Permanent,
        None => Class::Throttled { retry_after: None },
    }
}

enum Pushback {
    After(Duration),
    Never,
}

/// What is no number is taken for "not at all", as gRFC A6 has it.
fn pushback(status: &Status) -> Option<Pushback> {
    let value = status.metadata().get(PUSHBACK)?;
    let millis = value.to_str().ok().and_then(|text| text.parse().ok());
    Some(millis.map_or(Pushback::Never, |millis| {
        Pushback::After(Duration::from_millis(millis))
    }))
}

#[cfg(test)]
mod tests {
    use std::io;
    use std::sync::Arc;

    use super::*;
    use crate::classify::chain;

    #[test]
    fn every_code() {
        let throttled = Class::Throttled { retry_after: None };
        for (code, class, kind) in [
            (Code::Ok, Class::Success, "success"),
            (Code::Cancelled, Class::Ignored, "other"),
            (Code::Unknown, Class::Fault, "server"),
            (Code::InvalidArgument, Class::Permanent, "client"),
            (Code::DeadlineExceeded, Class::transient(), "timeout"),
            (Code::NotFound, Class::Permanent, "client"),
            (Code::AlreadyExists, Class::Permanent, "client"),
            (Code::PermissionDenied, Class::Permanent, "client"),
            (Code::ResourceExhausted, throttled, "throttled"),
            (Code::FailedPrecondition, Class::Permanent, "client"),
            (Code::Aborted, Class::transient(), "server"),
            (Code::OutOfRange, Class::Permanent, "client"),
            (Code::Unimplemented, Class::Permanent, "client"),
            (Code::Internal, Class::Fault, "server"),
            (Code::Unavailable, Class::transient(), "server"),
            (Code::DataLoss, Class::Fault, "server"),
            (Code::Unauthenticated, Class::Permanent, "client"),
        ] {
            let status = Status::new(code, "told");
            assert_eq!((status.class(), status.kind()), (class, kind), "{code:?}");
            let boxed: Box<dyn Error + Send + Sync> = status.into();
            assert_eq!(chain(&*boxed), class, "{code:?} in a box");
        }
    }

    #[test]
    fn what_the_server_asks_for() {
        let wait = Class::throttled(Duration::from_millis(250));
        let none = Class::Throttled { retry_after: None };
        for (code, value, expected) in [
            (Code::ResourceExhausted, Some("250"), wait),
            (Code::ResourceExhausted, Some("-1"), Class::Permanent),
            (Code::ResourceExhausted, Some("soon"), Class::Permanent),
            (Code::ResourceExhausted, None, none),
            (Code::Unavailable, Some("250"), Class::transient()),
            (Code::Unavailable, Some("-1"), Class::Fault),
            (Code::DeadlineExceeded, Some("-1"), Class::Fault),
            (Code::NotFound, Some("250"), Class::Permanent),
        ] {
            let mut status = Status::new(code, "");
            if let Some(value) = value {
                let value = value.parse().expect("a value");
                status.metadata_mut().insert(PUSHBACK, value);
            }
            assert_eq!(status.class(), expected, "{code:?} {value:?}");
        }
    }

    #[test]
    fn what_the_transport_says() {
        for (code, kind, expected) in [
            (
                Code::Unavailable,
                io::ErrorKind::ConnectionRefused,
                Class::unsent(),
            ),
            (
                Code::Unknown,
                io::ErrorKind::ConnectionRefused,
                Class::unsent(),
            ),
            (
                Code::Unknown,
                io::ErrorKind::ConnectionReset,
                Class::transient(),
            ),
            (Code::Unknown, io::ErrorKind::InvalidData, Class::Fault),
            // An answer is an answer, whatever hangs on it.
            (
                Code::NotFound,
                io::ErrorKind::ConnectionReset,
                Class::Permanent,
            ),
        ] {
            let mut status = Status::new(code, "");
            status.set_source(Arc::new(io::Error::from(kind)));
            assert_eq!(status.class(), expected, "{code:?} {kind:?}");
        }
    }
}
