//! What a client is told whose request does not run.

use std::borrow::Cow;

use http::StatusCode;
use resilient_core::idempotency::Refusal;
use serde_json::json;

use super::Problem;

impl Problem {
    /// A caller nobody knows, whose keys could be anybody's.
    pub fn anonymous() -> Self {
        Problem::new(
            StatusCode::UNAUTHORIZED,
            "IDEMPOTENCY_CALLER_UNKNOWN",
            "an idempotency key belongs to a caller: authenticate before you send one",
        )
    }

    pub(super) fn body_too_large() -> Self {
        Problem::new(
            StatusCode::PAYLOAD_TOO_LARGE,
            "REQUEST_BODY_TOO_LARGE",
            "the body of the request is larger than a request with an idempotency key may have",
        )
    }

    pub(super) fn body_broken() -> Self {
        Problem::new(
            StatusCode::BAD_REQUEST,
            "REQUEST_BODY_BROKEN",
            "the body of the request broke off: send it again, with the same idempotency key",
        )
    }
}

impl From<&Refusal> for Problem {
    fn from(refusal: &Refusal) -> Self {
        let status =
            StatusCode::from_u16(refusal.status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let detail: Cow<'static, str> = match refusal {
            // What went wrong inside is for the log of the server, where the ledger has written it.
            Refusal::Unavailable { .. } => {
                "whether the request is a repeat cannot be told at the moment".into()
            }
            Refusal::Unreadable { .. } => {
                "the request was done, but its answer cannot be read".into()
            }
            Refusal::NoFingerprint { .. } => "the request cannot be told from others".into(),
            other if other.status() >= 500 => "the request failed".into(),
            other => other.to_string().into(),
        };
        let mut problem = Problem::new(status, refusal.code(), detail);
        if let Some(seconds) = refusal.retry_after() {
            problem = problem.retry_after(seconds);
        }
        if let Refusal::AnswerGone {
            resource: Some(resource),
        } = refusal
        {
            let resource = json!({ "kind": resource.kind, "id": resource.id });
            problem = problem.with("resource", resource);
        }
        problem
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Duration;

    use resilient_core::idempotency::StoreError;

    use super::*;

    #[test]
    fn i42_what_went_wrong_inside_is_not_told() {
        let secret = || "10.0.0.5".to_owned();
        let unavailable = Refusal::Unavailable {
            source: Arc::new(StoreError::unavailable("postgres", secret())),
            retry_after: Duration::from_secs(5),
        };
        let unreadable = Refusal::Unreadable { why: secret() };
        let no_fingerprint = Refusal::NoFingerprint { why: secret() };
        for refusal in [unavailable, unreadable, no_fingerprint] {
            assert!(refusal.to_string().contains("10.0.0.5"));
            let problem = Problem::from(&refusal);
            assert!(problem.status().is_server_error());
            assert_eq!(problem.code(), refusal.code());
            assert!(!problem.members().to_string().contains("10.0.0.5"));
        }
    }
}
