//! Problems as gRPC tells them: by a status in a header of its own.

use std::fmt::Write as _;

use http::StatusCode;
use http::header::{self, HeaderMap, HeaderValue};

use super::Problem;

pub(crate) const GRPC_STATUS: &str = "grpc-status";

/// The headers of an answer that consists of a status alone.
pub(super) fn refused(problem: &Problem, retry_after: Option<u64>) -> HeaderMap {
    let mut headers = HeaderMap::new();
    let grpc = HeaderValue::from_static("application/grpc");
    headers.insert(header::CONTENT_TYPE, grpc);
    headers.insert(GRPC_STATUS, code_of(problem).into());
    let message = format!("{}: {}", problem.code(), problem.detail());
    if let Ok(message) = HeaderValue::from_str(&escaped(&message)) {
        headers.insert("grpc-message", message);
    }
    if let Some(seconds) = retry_after {
        let millis = seconds.saturating_mul(1000);
        headers.insert("grpc-retry-pushback-ms", millis.into());
    }
    headers
}

fn code_of(problem: &Problem) -> u16 {
    match (problem.code(), problem.status()) {
        ("IDEMPOTENCY_ANSWER_GONE", _) => 6,
        ("IDEMPOTENCY_UNCERTAIN", _) => 9,
        (_, StatusCode::BAD_REQUEST | StatusCode::UNPROCESSABLE_ENTITY) => 3,
        (_, StatusCode::UNAUTHORIZED) => 16,
        (_, StatusCode::FORBIDDEN) => 7,
        (_, StatusCode::CONFLICT) => 10,
        (_, StatusCode::PAYLOAD_TOO_LARGE | StatusCode::TOO_MANY_REQUESTS) => 8,
        (_, StatusCode::SERVICE_UNAVAILABLE) => 14,
        _ => 13,
    }
}

/// The percent encoding of `grpc-message`: all but printable ASCII, and the percent sign itself.
fn escaped(message: &str) -> String {
    message.bytes().fold(String::new(), |mut text, byte| {
        match byte {
            b' '..=b'~' if byte != b'%' => text.push(char::from(byte)),
            // Writing into a string cannot fail.
            _ => _ = write!(text, "%{byte:02X}"),
        }
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_has_a_code_a_message_and_a_time() {
        let busy = Problem::new(StatusCode::CONFLICT, "IDEMPOTENCY_IN_PROGRESS", "50 %");
        let headers = refused(&busy, Some(2));
        assert_eq!(headers[GRPC_STATUS], "10");
        assert_eq!(headers["grpc-message"], "IDEMPOTENCY_IN_PROGRESS: 50 %25");
        assert_eq!(headers["grpc-retry-pushback-ms"], "2000");
        assert!(!refused(&busy, None).contains_key("grpc-retry-pushback-ms"));
    }

    #[test]
    fn a_message_is_escaped() {
        assert_eq!(escaped("50 % of na\u{ef}ve"), "50 %25 of na%C3%AFve");
    }
}
