//! Where Redis is, and how long it may take.

use std::fmt;
use std::time::Duration;

use redis::{ConnectionInfo, IntoConnectionInfo};
use resilient_core::duration::{GivenDuration, IntoDuration};
use resilient_core::invalid::InvalidSetting;

const DEFAULT_TIMEOUT: Duration = Duration::from_secs(1);

/// The longest prefix, in bytes: it is a part of every key.
const LONGEST_PREFIX: usize = 64;

/// Where Redis or Valkey is, and how long it may take.
///
/// Setters never fail; what cannot work is reported, all of it at once, when it is connected to.
/// `Debug` does not show the URL, which may hold a password.
///
/// ```
/// use resilient_store::RedisConfig;
///
/// let config = RedisConfig::at("redis://127.0.0.1:6379")
///     .prefix("orders:")
///     .response_timeout("200ms");
/// # let _ = config;
/// ```
#[derive(Clone)]
pub struct RedisConfig {
    url: String,
    prefix: Option<String>,
    connect_timeout: Option<GivenDuration>,
    response_timeout: Option<GivenDuration>,
}

/// The same, checked.
#[derive(Debug)]
pub(crate) struct RedisSettings {
    pub(crate) server: ConnectionInfo,
    /// What was asked for, if anything was.
    pub(crate) prefix: Option<String>,
    pub(crate) connect_timeout: Duration,
    pub(crate) response_timeout: Duration,
}

impl RedisConfig {
    /// A server by its URL: `redis://[<user>][:<password>@]<host>[:<port>][/<database>]`.
    #[must_use]
    pub fn at(url: impl Into<String>) -> Self {
        RedisConfig {
            url: url.into(),
            prefix: None,
            connect_timeout: None,
            response_timeout: None,
        }
    }

    /// What the names of all keys begin with; up to 64 bytes; default `idem:` for records and `rl:`
    /// for rate limits. Whoever shares a prefix shares what is kept under it.
    #[must_use]
    pub fn prefix(mut self, prefix: impl Into<String>) -> Self {
        self.prefix = Some(prefix.into());
        self
    }

    /// How long connecting may take; default 1 s.
    #[must_use]
    pub fn connect_timeout(mut self, timeout: impl IntoDuration) -> Self {
        self.connect_timeout = Some(timeout.into_duration());
        self
    }

    /// How long an answer may take; default 1 s.
    #[must_use]
    pub fn response_timeout(mut self, timeout: impl IntoDuration) -> Self {
        self.response_timeout = Some(timeout.into_duration());
        self
    }

    pub(crate) fn settings(&self) -> Result<RedisSettings, Vec<InvalidSetting>> {
        let mut problems = Vec::new();
        let server = self.url.as_str().into_connection_info();
        if let Err(error) = &server {
            // Not the URL itself, which may hold a password.
            problems.push(invalid(
                "url",
                "(hidden)",
                format!("write redis://<host>:<port> ({error})"),
            ));
        }
        if let Some(prefix) = &self.prefix
            && prefix.len() > LONGEST_PREFIX
        {
            let reason = format!("write at most {LONGEST_PREFIX} bytes");
            problems.push(invalid("prefix", prefix, reason));
        }
        let mut timeout = |setting, given: &Option<GivenDuration>| {
            time(&mut problems, setting, given.as_ref(), DEFAULT_TIMEOUT)
        };
        let connect_timeout = timeout("connect_timeout", &self.connect_timeout);
        let response_timeout = timeout("response_timeout", &self.response_timeout);
        match server {
            Ok(server) if problems.is_empty() => Ok(RedisSettings {
                server,
                prefix: self.prefix.clone(),
                connect_timeout,
                response_timeout,
            }),
            _ => Err(problems),
        }
    }
}

impl fmt::Debug for RedisConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RedisConfig")
            .field("prefix", &self.prefix)
            .finish_non_exhaustive()
    }
}

/// A time longer than zero, or a problem more.
pub(crate) fn time(
    problems: &mut Vec<InvalidSetting>,
    setting: &'static str,
    given: Option<&GivenDuration>,
    default: Duration,
) -> Duration {
    let Some(given) = given else {
        return default;
    };
    match given.get() {
        Ok(time) if !time.is_zero() => return time,
        Ok(_) => problems.push(invalid(setting, given, "write a time longer than zero")),
        Err(error) => problems.push(invalid(setting, given, error.to_string())),
    }
    default
}

pub(crate) fn invalid(
    setting: &'static str,
    value: impl fmt::Display,
    reason: impl Into<String>,
) -> InvalidSetting {
    InvalidSetting {
        policy: "redis",
        setting,
        value: value.to_string(),
        reason: reason.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_that_is_wrong_is_told_at_once() {
        let problems = RedisConfig::at("http://ada:secret@host")
            .prefix("p".repeat(LONGEST_PREFIX + 1))
            .connect_timeout("soon")
            .response_timeout("0s")
            .settings()
            .unwrap_err();
        let settings: Vec<&str> = problems.iter().map(|problem| problem.setting).collect();
        assert_eq!(
            settings,
            ["url", "prefix", "connect_timeout", "response_timeout"]
        );
        let told: Vec<String> = problems.iter().map(ToString::to_string).collect();
        assert!(!told.join("\n").contains("secret"), "{told:?}");
    }

    #[test]
    fn debug_hides_the_password() {
        let config = RedisConfig::at("redis://:secret@host");
        assert!(!format!("{config:?}").contains("secret"));
        let settings = config.settings().unwrap();
        assert!(!format!("{settings:?}").contains("secret"));
    }
}
