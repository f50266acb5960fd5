//! Errors of `redis` 1.x.

use std::io;

use redis::{ErrorKind, RedisError, ServerErrorKind};

use super::chain::{Verdict, by_kind};
use crate::class::{Class, Classify};

#[diagnostic::do_not_recommend]
impl Classify for RedisError {
    /// | error | class |
    /// |---|---|
    /// | the connection failed | by the rules for io errors: refused unsent, else transient |
    /// | no node, no master to be found | transient, unsent |
    /// | loading, read-only, moved, cluster or master down, `TRYAGAIN`, `BUSY`, `NOREPLICAS`, too many clients | transient |
    /// | out of memory, `MISCONF`, an answer that cannot be parsed | fault |
    /// | every other error that the server answers with | permanent |
    /// | wrong types, wrong settings, what was found out before sending | ignored: our own side |
    fn class(&self) -> Class {
        verdict(self).class
    }

    fn kind(&self) -> &'static str {
        verdict(self).kind
    }
}

fn verdict(error: &RedisError) -> Verdict {
    match error.kind() {
        ErrorKind::Io => by_connection(error),
        ErrorKind::ClusterConnectionNotFound
        | ErrorKind::MasterNameNotFoundBySentinel
        | ErrorKind::NoValidReplicasFoundBySentinel => Verdict::plain(Class::unsent()),
        ErrorKind::Server(kind) => by_answer(kind, error),
        ErrorKind::Extension => by_word(error.code()),
        ErrorKind::Parse => Verdict::plain(Class::Fault),
        ErrorKind::AuthenticationFailed => Verdict::plain(Class::Permanent),
        _ => Verdict::plain(Class::Ignored),
    }
}

/// The io error itself cannot be reached, but it can be asked about.
fn by_connection(error: &RedisError) -> Verdict {
    by_kind(if error.is_connection_refusal() {
        io::ErrorKind::ConnectionRefused
    } else if error.is_timeout() {
        io::ErrorKind::TimedOut
    } else {
        io::ErrorKind::ConnectionReset
    })
}

fn by_answer(kind: ServerErrorKind, error: &RedisError) -> Verdict {
    match kind {
        ServerErrorKind::BusyLoading
        | ServerErrorKind::Moved
        | ServerErrorKind::Ask
        | ServerErrorKind::TryAgain
        | ServerErrorKind::ClusterDown
        | ServerErrorKind::MasterDown
        | ServerErrorKind::ReadOnly => for_now(),
        // The one general error that passes by itself.
        ServerErrorKind::ResponseError
            if error
                .detail()
                .is_some_and(|detail| detail.contains("max number of clients")) =>
        {
            for_now()
        }
        _ => Verdict::plain(Class::Permanent),
    }
}

/// Errors that the client has no name for.
fn by_word(word: Option<&str>) -> Verdict {
    match word {
        Some("BUSY" | "NOREPLICAS") => for_now(),
        Some("OOM" | "MISCONF") => Verdict::plain(Class::Fault),
        _ => Verdict::plain(Class::Permanent),
    }
}

/// The server refuses, for as long as something else goes on.
const fn for_now() -> Verdict {
    Verdict {
        class: Class::transient(),
        kind: "server",
    }
}

#[cfg(test)]
mod tests {
    use std::error::Error;

    use super::*;
    use crate::classify::chain;

    fn hold(error: RedisError, class: Class, kind: &str) {
        let told = error.to_string();
        assert_eq!(
            (error.class(), Classify::kind(&error)),
            (class, kind),
            "{told}"
        );
        let boxed: Box<dyn Error + Send + Sync> = error.into();
        assert_eq!(chain(&*boxed), class, "{told} in a box");
    }

    #[test]
    fn kinds_of_the_client() {
        for (kind, class, word) in [
            (ErrorKind::Io, Class::transient(), "network"),
            (
                ErrorKind::ClusterConnectionNotFound,
                Class::unsent(),
                "network",
            ),
            (
                ErrorKind::MasterNameNotFoundBySentinel,
                Class::unsent(),
                "network",
            ),
            (
                ErrorKind::NoValidReplicasFoundBySentinel,
                Class::unsent(),
                "network",
            ),
            (ErrorKind::Parse, Class::Fault, "server"),
            (ErrorKind::AuthenticationFailed, Class::Permanent, "client"),
            (ErrorKind::UnexpectedReturnType, Class::Ignored, "other"),
            (ErrorKind::InvalidClientConfig, Class::Ignored, "other"),
            (ErrorKind::Client, Class::Ignored, "other"),
            (ErrorKind::EmptySentinelList, Class::Ignored, "other"),
            (ErrorKind::RESP3NotSupported, Class::Ignored, "other"),
        ] {
            hold(RedisError::from((kind, "made up")), class, word);
        }
    }

    #[test]
    fn connections() {
        for (kind, class, word) in [
            (io::ErrorKind::ConnectionRefused, Class::unsent(), "network"),
            (io::ErrorKind::TimedOut, Class::transient(), "timeout"),
            (
                io::ErrorKind::ConnectionReset,
                Class::transient(),
                "network",
            ),
            (io::ErrorKind::UnexpectedEof, Class::transient(), "network"),
        ] {
            hold(RedisError::from(io::Error::from(kind)), class, word);
        }
    }

    #[test]
    fn answers_as_they_come() {
        for (answer, class, word) in [
            (
                "-LOADING Redis is loading\r\n",
                Class::transient(),
                "server",
            ),
            (
                "-READONLY You can't write\r\n",
                Class::transient(),
                "server",
            ),
            (
                "-MOVED 3999 127.0.0.1:6381\r\n",
                Class::transient(),
                "server",
            ),
            ("-ASK 3999 127.0.0.1:6381\r\n", Class::transient(), "server"),
            ("-TRYAGAIN Multiple keys\r\n", Class::transient(), "server"),
            ("-CLUSTERDOWN Hash slot\r\n", Class::transient(), "server"),
            ("-MASTERDOWN Link with\r\n", Class::transient(), "server"),
            ("-BUSY Redis is busy\r\n", Class::transient(), "server"),
            ("-NOREPLICAS Not enough\r\n", Class::transient(), "server"),
            (
                "-ERR max number of clients reached\r\n",
                Class::transient(),
                "server",
            ),
            ("-OOM command not allowed\r\n", Class::Fault, "server"),
            ("-MISCONF Redis is configured\r\n", Class::Fault, "server"),
            ("-ERR unknown command\r\n", Class::Permanent, "client"),
            ("-WRONGTYPE Operation\r\n", Class::Permanent, "client"),
            ("-NOSCRIPT No matching\r\n", Class::Permanent, "client"),
            ("-CROSSSLOT Keys\r\n", Class::Permanent, "client"),
            ("-NOPERM this user\r\n", Class::Permanent, "client"),
            ("-EXECABORT Transaction\r\n", Class::Permanent, "client"),
        ] {
            let value = redis::parse_redis_value(answer.as_bytes()).expect("an answer");
            let error = value.extract_error().expect_err("an error");
            hold(error, class, word);
        }
    }
}
