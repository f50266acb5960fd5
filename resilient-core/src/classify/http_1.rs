//! Answers of the `http` crate, version 1.

use http::header::{DATE, HeaderMap, HeaderName, RETRY_AFTER};
use http::{Response, StatusCode};

use super::rules::ambient;
use super::status::{answer, status_kind};
use super::status_error::StatusError;
use crate::class::{Class, Classify};

#[diagnostic::do_not_recommend]
impl Classify for StatusCode {
    /// By the rules of the dependency being called. A status alone has no `Retry-After`.
    fn class(&self) -> Class {
        ambient(|rules| rules.statuses.of(self.as_u16()))
    }

    fn kind(&self) -> &'static str {
        status_kind(self.as_u16(), self.class())
    }
}

/// The class of an outcome that holds an HTTP answer, for `classify = ...`: an answer by its
/// status and `Retry-After`, an error by its own class.
///
/// ```
/// # use resilient_core as resilient;
/// use http::Response;
/// use resilient::Class;
/// use resilient::classify::http_1;
///
/// // #[resilient(dependency = "stock", classify = resilient::classify::http_1)]
/// // async fn stock(..) -> Result<http::Response<Vec<u8>>, std::io::Error> { .. }
/// let unavailable: Result<_, std::io::Error> = Ok(Response::builder().status(503).body(())?);
/// assert_eq!(http_1(&unavailable), Class::transient());
/// # Ok::<(), http::Error>(())
/// ```
pub fn http_1<B, E: Classify>(outcome: &Result<Response<B>, E>) -> Class {
    match outcome {
        Ok(response) => http_1_response(response),
        Err(error) => error.class(),
    }
}

/// The class of an HTTP answer, by its status and `Retry-After`.
///
/// Turning an answer into an error of one's own, keep the class beside it: the headers are gone
/// with the answer.
///
/// ```
/// # use resilient_core as resilient;
/// use http::Response;
/// use resilient::{Class, Classify};
/// use resilient::classify::http_1_response;
/// use std::time::Duration;
///
/// struct Refused { status: http::StatusCode, class: Class }
///
/// impl Classify for Refused {
///     fn class(&self) -> Class {
///         self.class
///     }
/// }
///
/// let answer = Response::builder().status(429).header("retry-after", "2").body(())?;
/// let error = Refused { status: answer.status(), class: http_1_response(&answer) };
/// assert_eq!(error.class(), Class::throttled(Duration::from_secs(2)));
/// # assert_eq!(error.status, 429);
/// # Ok::<(), http::Error>(())
/// ```
pub fn http_1_response<B>(response: &Response<B>) -> Class {
    by_head(response.status(), response.headers())
}

/// The answer again if it is a success, else its status and class as an error.
///
/// ```
/// # use resilient_core as resilient;
/// use http::Response;
/// use resilient::classify::http_1_checked;
/// use resilient::{Class, Classify};
///
/// assert!(http_1_checked(Response::builder().status(204).body(())?).is_ok());
/// let error = http_1_checked(Response::builder().status(404).body(())?).unwrap_err();
/// assert_eq!((error.status(), error.class()), (404, Class::Permanent));
/// # Ok::<(), http::Error>(())
/// ```
pub fn http_1_checked<B>(response: Response<B>) -> Result<Response<B>, StatusError> {
    match http_1_response(&response) {
        Class::Success => Ok(response),
        class => Err(StatusError::new(response.status().as_u16(), class)),
    }
}

/// The class of an answer by its head alone.
pub(super) fn by_head(status: StatusCode, headers: &HeaderMap) -> Class {
    // Of several values the first counts; one that is not text is as good as none.
    let text = |name: HeaderName| headers.get(name).and_then(|value| value.to_str().ok());
    answer(status.as_u16(), text(RETRY_AFTER), text(DATE))
}

#[cfg(test)]
mod tests {
    use std::io;
    use std::time::Duration;

    use super::*;

    #[test]
    fn answers_and_errors() {
        type Headers = &'static [(&'static str, &'static [u8])];
        let wait = |secs| Class::throttled(Duration::from_secs(secs));
        let rows: [(u16, Headers, Class); 9] = [
            (200, &[], Class::Success),
            (404, &[], Class::Permanent),
            (500, &[], Class::Fault),
            (503, &[], Class::transient()),
            (503, &[("retry-after", b"3")], Class::transient()),
            (429, &[("Retry-After", b"3")], wait(3)),
            (
                429,
                &[("retry-after", b"3"), ("retry-after", b"9")],
                wait(3),
            ),
            (
                429,
                &[("retry-after", b"\xff")],
                Class::Throttled { retry_after: None },
            ),
            (
                429,
                &[
                    ("date", b"Sun, 06 Nov 1994 08:49:30 GMT"),
                    ("retry-after", b"Sun, 06 Nov 1994 08:49:37 GMT"),
                ],
                wait(7),
            ),
        ];
        for (status, headers, expected) in rows {
            let mut builder = Response::builder().status(status);
            for (name, value) in headers {
                builder = builder.header(*name, *value);
            }
            let response = builder.body(()).expect("a valid answer");
            let outcome: Result<_, io::Error> = Ok(response);
            assert_eq!(http_1(&outcome), expected, "{status} {headers:?}");
        }
        let refused = io::Error::from(io::ErrorKind::ConnectionRefused);
        assert_eq!(http_1::<(), _>(&Err(refused)), Class::unsent());
    }

    #[test]
    fn a_status_alone() {
        for (status, class, kind) in [
            (StatusCode::OK, Class::Success, "success"),
            (StatusCode::NOT_FOUND, Class::Permanent, "client"),
            (StatusCode::INTERNAL_SERVER_ERROR, Class::Fault, "server"),
            (
                StatusCode::SERVICE_UNAVAILABLE,
                Class::transient(),
                "server",
            ),
            (StatusCode::GATEWAY_TIMEOUT, Class::transient(), "timeout"),
        ] {
            assert_eq!(status.class(), class, "{status}");
            assert_eq!(status.kind(), kind, "{status}");
        }
    }
}
