//! What a status of gRPC, in a header or trailer of its own, says about the run.

use http::header::HeaderMap;

use super::Verdict;
use crate::problem::GRPC_STATUS;

/// What the status in these headers or trailers says about the run, if there is one and it is not
/// 0, which leaves it to the HTTP status.
pub(super) fn verdict(fields: &HeaderMap) -> Option<Verdict> {
    let status = fields.get(GRPC_STATUS)?.to_str().ok()?;
    match status.parse() {
        Ok(0) => None,
        Ok(code) => Some(of_code(code)),
        // Whatever it is, it is no success.
        Err(_) => Some(Verdict::Failed),
    }
}

fn of_code(code: u16) -> Verdict {
    match code {
        // INVALID_ARGUMENT, PERMISSION_DENIED, RESOURCE_EXHAUSTED, UNIMPLEMENTED, UNAUTHENTICATED
        3 | 7 | 8 | 12 | 16 => Verdict::NotExecuted,
        // NOT_FOUND, ALREADY_EXISTS, FAILED_PRECONDITION, OUT_OF_RANGE
        5 | 6 | 9 | 11 => Verdict::Store,
        // CANCELLED, UNKNOWN, DEADLINE_EXCEEDED, ABORTED, INTERNAL, UNAVAILABLE, DATA_LOSS, and what
        // has no name yet
        _ => Verdict::Failed,
    }
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    #[test]
    fn every_code_has_its_verdict() {
        for (status, expected) in [
            ("0", None),
            ("1", Some(Verdict::Failed)),
            ("3", Some(Verdict::NotExecuted)),
            ("5", Some(Verdict::Store)),
            ("10", Some(Verdict::Failed)),
            ("14", Some(Verdict::Failed)),
            ("16", Some(Verdict::NotExecuted)),
            ("999", Some(Verdict::Failed)),
            ("soon", Some(Verdict::Failed)),
        ] {
            let mut fields = HeaderMap::new();
            fields.insert(GRPC_STATUS, HeaderValue::from_static(status));
            assert_eq!(verdict(&fields), expected, "{status}");
        }
        assert_eq!(verdict(&HeaderMap::new()), None);
    }
}
