//! What is left, as headers.

use std::fmt::{self, Write};
use std::time::{Duration, SystemTime};

use http::header::{HeaderMap, HeaderName, HeaderValue};
use resilient_core::rate_limit::{Decision, LimitState};

use super::gate::Decided;
use super::partition_keys::PartitionKeys;

/// The most that can be left of the tightest limit.
pub const X_RATELIMIT_LIMIT: HeaderName = HeaderName::from_static("x-ratelimit-limit");

/// How much is left of it.
pub const X_RATELIMIT_REMAINING: HeaderName = HeaderName::from_static("x-ratelimit-remaining");

/// The second since 1970 from which all of it is left again.
pub const X_RATELIMIT_RESET: HeaderName = HeaderName::from_static("x-ratelimit-reset");

/// What each limit allows in how many seconds.
pub const RATELIMIT_POLICY: HeaderName = HeaderName::from_static("ratelimit-policy");

/// How much is left of each limit, and in how many seconds there is more.
pub const RATELIMIT: HeaderName = HeaderName::from_static("ratelimit");

/// Two limits with short names fit without growing.
const USUAL_LENGTH: usize = 64;

/// Which headers answers carry.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum RateLimitHeaders {
    /// `X-RateLimit-*` and those of the IETF draft.
    #[default]
    Both,
    /// `X-RateLimit-Limit`, `X-RateLimit-Remaining` and `X-RateLimit-Reset`.
    XRateLimit,
    /// `RateLimit` and `RateLimit-Policy`.
    RateLimit,
    /// None. Refusals still say `Retry-After`.
    None,
}

impl RateLimitHeaders {
    fn has_x(self) -> bool {
        matches!(self, RateLimitHeaders::Both | RateLimitHeaders::XRateLimit)
    }

    fn has_ietf(self) -> bool {
        matches!(self, RateLimitHeaders::Both | RateLimitHeaders::RateLimit)
    }
}

/// How answers say what is left.
#[derive(Debug, Default)]
pub(super) struct Fields {
    pub(super) which: RateLimitHeaders,
    pub(super) in_shadow: bool,
    pub(super) partition_keys: Option<PartitionKeys>,
}

impl Fields {
    /// Adds what a decision says; nothing for a key that has no limits.
    pub(super) fn write(&self, headers: &mut HeaderMap, limiter: &str, decided: &Decided) {
        let Some(tightest) = decided.decision.tightest() else {
            return;
        };
        // The handler may have taken a while.
        let age = decided.age();
        if self.which.has_x() {
            let now = SystemTime::now();
            write_tightest(headers, &tightest, now.checked_sub(age).unwrap_or(now));
        }
        if self.which.has_ietf() {
            let partition = self.partition_keys.as_ref();
            let partition = partition.map(|keys| keys.parameter(limiter, &decided.key));
            write_all(
                headers,
                &decided.decision,
                age,
                &partition.unwrap_or_default(),
            );
        }
    }
}

/// There is room for one limit only. That of a layer further in stays if there is less left of it.
fn write_tightest(headers: &mut HeaderMap, limit: &LimitState<'_>, then: SystemTime) {
    let inner = headers.get(X_RATELIMIT_REMAINING);
    let inner = inner.and_then(|left| left.to_str().ok()?.parse::<u32>().ok());
    if inner.is_some_and(|left| left <= limit.remaining) {
        return;
    }
    headers.insert(X_RATELIMIT_LIMIT, limit.quota.into());
    headers.insert(X_RATELIMIT_REMAINING, limit.remaining.into());
    headers.insert(X_RATELIMIT_RESET, limit.reset_at(then).into());
}

/// Both are lists (RFC 9651), so that those of layers further in stay beside them.
fn write_all(headers: &mut HeaderMap, decision: &Decision, age: Duration, partition: &str) {
    let policies = list(decision, |item, limit| {
        let window = whole_secs(limit.window);
        write!(
            item,
            r#""{}";q={};w={window}{partition}"#,
            limit.name, limit.quota
        )
    });
    let left = list(decision, |item, limit| {
        write!(item, r#""{}";r={}"#, limit.name, limit.remaining)?;
        match limit.available_in() {
            Duration::ZERO => {}
            time => {
                // Never 0: what is left was counted before it came back.
                let more = whole_secs(time.saturating_sub(age)).max(1);
                write!(item, ";t={more}")?;
            }
        }
        item.write_str(partition)
    });
    for (name, list) in [(RATELIMIT_POLICY, policies), (RATELIMIT, left)] {
        if let Ok(value) = HeaderValue::from_str(&list) {
            headers.append(name, value);
        }
    }
}

fn list(decision: &Decision, write: impl Fn(&mut String, LimitState<'_>) -> fmt::Result) -> String {
    let mut list = String::with_capacity(USUAL_LENGTH);
    for (place, limit) in decision.limits().enumerate() {
        if place > 0 {
            list.push_str(", ");
        }
        // Writing into a string cannot fail.
        let _ = write(&mut list, limit);
    }
    list
}

/// Rounded up: who waits that long is not early, and who keeps to the quota in it keeps to the limit.
fn whole_secs(time: Duration) -> u64 {
    let more = u64::from(time.subsec_nanos() > 0);
    time.as_secs().saturating_add(more)
}
