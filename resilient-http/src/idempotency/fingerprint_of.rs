//! What was asked for, as it is compared with the next request under the same key.

use std::fmt;
use std::sync::Arc;

use bytes::Bytes;
use http::request::Parts;
use resilient_core::idempotency::{Fingerprint, Refusal};
use serde::Serialize;

type Own = dyn Fn(&Parts, &Bytes) -> Fingerprint + Send + Sync;

/// How the fingerprint of a request is made. Method, path and query are always a part of it, except
/// in a function of one's own.
#[derive(Clone, Default)]
pub(super) enum FingerprintOf {
    #[default]
    Bytes,
    Json,
    Own(Arc<Own>),
}

impl FingerprintOf {
    pub(super) fn of(&self, request: &Parts, body: &Bytes) -> Result<Fingerprint, Refusal> {
        let target = request
            .uri
            .path_and_query()
            .map_or("", |target| target.as_str());
        match self {
            FingerprintOf::Bytes => Ok(Fingerprint::of_bytes(&[
                request.method.as_str().as_bytes(),
                target.as_bytes(),
                body,
            ])),
            FingerprintOf::Json => {
                Fingerprint::of(&(request.method.as_str(), target, Payload::read(body))).map_err(
                    |error| Refusal::NoFingerprint {
                        why: error.to_string(),
                    },
                )
            }
            FingerprintOf::Own(own) => Ok(own(request, body)),
        }
    }
}

impl fmt::Debug for FingerprintOf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            FingerprintOf::Bytes => "Bytes",
            FingerprintOf::Json => "Json",
            FingerprintOf::Own(_) => "Own(..)",
        })
    }
}

/// A body as it is compared where JSON is expected.
///
/// What is no JSON must differ from all that is, so it is made a fingerprint in the same way: two
/// ways cannot be compared.
#[derive(Serialize)]
enum Payload {
    Json(serde_json::Value),
    Other([u8; 32]),
}

impl Payload {
    fn read(body: &[u8]) -> Self {
        match serde_json::from_slice(body) {
            Ok(value) => Payload::Json(value),
            Err(_) => Payload::Other(Fingerprint::of_bytes(&[body]).parts().1),
        }
    }
}
