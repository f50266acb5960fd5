//! What a client is told whose request does not pass.

use http::StatusCode;
use resilient_core::rate_limit::{Decision, RateLimitError};
use serde_json::json;

use super::{NoKey, WithoutKey};
use crate::Problem;
use crate::problem::Registered;

/// When to come back while the store is away, in seconds.
const RETRY_UNAVAILABLE: u64 = 5;

/// Of the draft that defines `RateLimit`.
static QUOTA_EXCEEDED: Registered = Registered {
    uri: "https://iana.org/assignments/http-problem-types#quota-exceeded",
    title: "Request cannot be satisfied as assigned quota has been exceeded",
};

const VIOLATED: &str = "violated-policies";

/// It does not fit.
pub(super) fn exceeded(decision: &Decision) -> Problem {
    let violated: Vec<&str> = decision.violated().map(|limit| &**limit.name).collect();
    let problem = |detail: String| {
        Problem::new(StatusCode::TOO_MANY_REQUESTS, "RATE_LIMIT_EXCEEDED", detail)
            .of_kind(&QUOTA_EXCEEDED)
            .with(VIOLATED, json!(violated))
    };
    match decision.retry_after_secs() {
        Some(seconds) => {
            let detail = format!("too many requests: send this one again in {seconds} s");
            problem(detail).retry_after(seconds)
        }
        None => problem("too many requests".to_owned()),
    }
}

/// The limiter has no decision about it.
pub(super) fn undecided(error: &RateLimitError) -> Problem {
    match error {
        // Waiting does not help, so there is no `Retry-After`.
        RateLimitError::CostUnsatisfiable {
            limit,
            cost,
            capacity,
            ..
        } => Problem::new(
            StatusCode::TOO_MANY_REQUESTS,
            "RATE_LIMIT_COST_UNSATISFIABLE",
            format!("the request costs {cost}, and {capacity} is the most that is ever allowed at once: ask for less"),
        )
        .of_kind(&QUOTA_EXCEEDED)
        .with(VIOLATED, json!([&**limit])),
        RateLimitError::DenyListed { .. } => Problem::new(
            StatusCode::FORBIDDEN,
            "RATE_LIMIT_DENY_LISTED",
            "requests of this client are not served",
        ),
        // What went wrong inside is for the log of the server.
        _ => Problem::new(
            StatusCode::SERVICE_UNAVAILABLE,
            "RATE_LIMIT_UNAVAILABLE",
            "whether the request fits its limits cannot be told at the moment",
        )
        .retry_after(RETRY_UNAVAILABLE),
    }
}

/// Nobody knows whose request it is; `None` lets it pass.
pub(super) fn without_key(why: NoKey, rule: Option<WithoutKey>) -> Option<Problem> {
    let by_cause = match why {
        NoKey::Refused(problem) => return Some(problem),
        NoKey::Unknown => WithoutKey::Refuse,
        NoKey::NoPeer => WithoutKey::Fail,
    };
    match rule.unwrap_or(by_cause) {
        WithoutKey::Refuse => Some(Problem::new(
            StatusCode::BAD_REQUEST,
            "RATE_LIMIT_KEY_MISSING",
            "the request does not say whose it is",
        )),
        WithoutKey::Fail => Some(Problem::new(
            StatusCode::INTERNAL_SERVER_ERROR,
            "RATE_LIMIT_KEY_UNKNOWN",
            "the server cannot tell whose request it is",
        )),
        WithoutKey::Pass => None,
    }
}
