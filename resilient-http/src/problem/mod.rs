//! What a client is told in place of an answer.

use std::borrow::Cow;

use bytes::Bytes;
use http::header::{self, HeaderValue};
use http::{Response, StatusCode};
use http_body::Body;
use serde_json::{Value, json};

use crate::body::BufferedBody;

mod grpc;

pub(crate) use grpc::GRPC_STATUS;

/// What a client is told in place of an answer: an `application/problem+json` document (RFC 9457).
///
/// | member | |
/// |---|---|
/// | `type` | `about:blank`: the status says which kind of problem it is, `code` which one; for a quota that is used up the registered `quota-exceeded` |
/// | `title`, `status` | of the type; of the status, if that says which it is |
/// | `detail` | a sentence for whoever reads the log of the client |
/// | `code` | a stable word for programs, such as `IDEMPOTENCY_IN_PROGRESS` |
/// | `error` | `code` and `message` once more, for clients that expect an error there; `retryAfter` in seconds |
/// | `resource` | `kind` and `id` of what was made, if its answer is gone |
/// | `violated-policies` | the names of the limits that a request did not fit |
///
/// gRPC clients are told the same by a `grpc-status`.
///
/// Every response made of one carries it as an extension, so that a layer further out can write it in
/// the form of its own API.
///
/// ```
/// use http::StatusCode;
/// use resilient_http::Problem;
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
    kind: Option<&'static Registered>,
    members: Vec<(&'static str, Value)>,
}

/// A type of problems that is known to more than this library.
#[derive(Debug)]
pub(crate) struct Registered {
    pub(crate) uri: &'static str,
    pub(crate) title: &'static str,
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
            kind: None,
            members: Vec::new(),
        }
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

    /// It is of this type.
    pub(crate) fn of_kind(mut self, kind: &'static Registered) -> Self {
        self.kind = Some(kind);
        self
    }

    /// With a member that only some problems have.
    pub(crate) fn with(mut self, name: &'static str, value: Value) -> Self {
        self.members.push((name, value));
        self
    }

    /// The handler panicked, or the runtime ends.
    pub(crate) fn internal() -> Self {
        Problem::new(
            StatusCode::INTERNAL_SERVER_ERROR,
            "INTERNAL_SERVER_ERROR",
            "the request failed",
        )
    }

    /// The response, in the form that the client reads.
    pub(crate) fn into_response<B: Body>(self, form: Form) -> Response<BufferedBody<B>> {
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

    pub(crate) fn members(&self) -> Value {
        let of_status = Registered {
            uri: "about:blank",
            title: self.status.canonical_reason().unwrap_or("Error"),
        };
        let kind = self.kind.unwrap_or(&of_status);
        let mut members = json!({
            "type": kind.uri,
            "title": kind.title,
            "status": self.status.as_u16(),
            "detail": self.detail,
            "code": self.code,
            "error": { "code": self.code, "message": self.detail },
        });
        if let Some(seconds) = self.retry_after {
            members["error"]["retryAfter"] = seconds.into();
        }
        for (name, value) in &self.members {
            members[name] = value.clone();
        }
        members
    }
}

/// The form in which a client reads what it is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    Http,
    Grpc,
}

impl Form {
    pub(crate) fn of(request: &http::HeaderMap) -> Self {
        let kind = request.get(header::CONTENT_TYPE);
        if kind.is_some_and(|kind| kind.as_bytes().starts_with(b"application/grpc")) {
            Form::Grpc
        } else {
            Form::Http
        }
    }
}
