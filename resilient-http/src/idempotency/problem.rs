//! What a client is told in place of an answer.

use std::borrow::Cow;

use bytes::Bytes;
use http::header::{self, HeaderValue};
use http::{Response, StatusCode};
use http_body::Body;
use resilient_core::idempotency::{Refusal, Resource};
use serde_json::{Value, json};

use super::grpc;
use crate::body::BufferedBody;

/// What a client is told in place of an answer: an `application/problem+json` document (RFC 9457).
///
/// | member | |
/// |---|---|
/// | `type` | `about:blank`: the status says which kind of problem it is, `code` which one |
/// | `title`, `status` | of the status |
/// | `detail` | a sentence for whoever reads the log of the client |
/// | `code` | a stable word for programs, such as `IDEMPOTENCY_IN_PROGRESS` |
/// | `error` | `code` and `message` once more, for clients that expect an error there; `retryAfter` in seconds |
/// | `resource` | `kind` and `id` of what was made, if its answer is gone |
///
/// gRPC clients are told the same by a `grpc-status`.
///
/// Every response made of one carries it as an extension, so that a layer further out can write it in
/// the form of its own API.
///
/// ```
/// use http::StatusCode;
/// use resilient_http::idempotency::Problem;
///
/// let blocked = Problem::new(StatusCode::FORBIDDEN, "TENANT_BLOCKED", "the tenant is blocked");
/// assert_eq!(blocked.code(), "TENANT_BLOCKED");
/// ```
#[derive(Clone, Debug)]
pub struct Problem {
    status: StatusCode,
    code: Cow<'static, str>,
    detail: Cow<'static, str>,
    retry_after: Option<u64>,
    resource: Option<Resource>,
}

impl Problem {
    /// A problem of one's own. What `detail` says is seen by the client.
    pub fn new(
        status: StatusCode,
        code: impl Into<Cow<'static, str>>,
        detail: impl Into<Cow<'static, str>>,
    ) -> Self {
        Problem {
            status,
            code: code.into(),
            detail: detail.into(),
            retry_after: None,
            resource: None,
        }
    }

    /// A caller nobody knows, whose keys could be anybody's.
    pub fn anonymous() -> Self {
        Problem::new(
            StatusCode::UNAUTHORIZED,
            "IDEMPOTENCY_CALLER_UNKNOWN",
            "an idempotency key belongs to a caller: authenticate before you send one",
        )
    }

    /// In how many seconds the request may be repeated.
    #[must_use]
    pub fn retry_after(mut self, seconds: u64) -> Self {
        self.retry_after = Some(seconds);
        self
    }

    /// Its HTTP status.
    pub fn status(&self) -> StatusCode {
        self.status
    }

    /// Its word for programs.
    pub fn code(&self) -> &str {
        &self.code
    }

    /// Its sentence for people.
    pub fn detail(&self) -> &str {
        &self.detail
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

    /// The handler panicked, or the runtime ends.
    pub(super) fn internal() -> Self {
        Problem::new(
            StatusCode::INTERNAL_SERVER_ERROR,
            "INTERNAL_SERVER_ERROR",
            "the request failed",
        )
    }

    /// The response, in the form that the client reads.
    pub(super) fn into_response<B: Body>(self, form: Form) -> Response<BufferedBody<B>> {
        let mut response = match form {
            Form::Http => self.document(),
            Form::Grpc => {
                let mut response = Response::default();
                *response.headers_mut() = grpc::refused(&self, self.retry_after);
                response
            }
        };
        response.extensions_mut().insert(self);
        response
    }

    fn document<B: Body>(&self) -> Response<BufferedBody<B>> {
        let text = self.members().to_string();
        let mut response = Response::new(BufferedBody::from(Bytes::from(text)));
        *response.status_mut() = self.status;
        let headers = response.headers_mut();
        let json = HeaderValue::from_static("application/problem+json");
        headers.insert(header::CONTENT_TYPE, json);
        if let Some(seconds) = self.retry_after {
            headers.insert(header::RETRY_AFTER, seconds.into());
        }
        response
    }

    fn members(&self) -> Value {
        let mut members = json!({
            "type": "about:blank",
            "title": self.status.canonical_reason().unwrap_or("Error"),
            "status": self.status.as_u16(),
            "detail": self.detail,
            "code": self.code,
            "error": { "code": self.code, "message": self.detail },
        });
        if let Some(seconds) = self.retry_after {
            members["error"]["retryAfter"] = seconds.into();
        }
        if let Some(resource) = &self.resource {
            members["resource"] = json!({ "kind": resource.kind, "id": resource.id });
        }
        members
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
        Problem {
            status,
            code: refusal.code().into(),
            detail,
            retry_after: refusal.retry_after(),
            resource: match refusal {
                Refusal::AnswerGone { resource } => resource.clone(),
                _ => None,
            },
        }
    }
}

/// The form in which a client reads what it is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    Http,
    Grpc,
}

impl Form {
    pub(super) fn of(request: &http::HeaderMap) -> Self {
        let kind = request.get(header::CONTENT_TYPE);
        if kind.is_some_and(|kind| kind.as_bytes().starts_with(b"application/grpc")) {
            Form::Grpc
        } else {
            Form::Http
        }
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
