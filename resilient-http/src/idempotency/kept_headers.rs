//! Which headers of an answer are kept for its repeats.

use http::header::{self, HeaderMap, HeaderName};
use resilient_core::invalid::InvalidSetting;

/// What describes the body or names what was made.
const USUAL: [HeaderName; 13] = [
    header::CACHE_CONTROL,
    header::CONTENT_DISPOSITION,
    header::CONTENT_ENCODING,
    header::CONTENT_LANGUAGE,
    header::CONTENT_LOCATION,
    header::CONTENT_TYPE,
    header::ETAG,
    header::EXPIRES,
    header::LAST_MODIFIED,
    header::LINK,
    header::LOCATION,
    header::RETRY_AFTER,
    header::VARY,
];

/// How a gRPC answer ended.
const GRPC: [&str; 4] = [
    "grpc-encoding",
    "grpc-message",
    "grpc-status",
    "grpc-status-details-bin",
];

/// What belongs to one connection, one moment or one session, and so to no repeat.
const NEVER: [HeaderName; 11] = [
    header::CONNECTION,
    header::CONTENT_LENGTH,
    header::DATE,
    header::PROXY_AUTHENTICATE,
    header::PROXY_AUTHORIZATION,
    header::SET_COOKIE,
    header::TE,
    header::TRAILER,
    header::TRANSFER_ENCODING,
    header::UPGRADE,
    header::WWW_AUTHENTICATE,
];

/// The headers of an answer that are kept.
#[derive(Clone, Debug)]
pub(super) struct KeptHeaders {
    names: Vec<HeaderName>,
}

impl Default for KeptHeaders {
    fn default() -> Self {
        let grpc = GRPC.into_iter().map(HeaderName::from_static);
        KeptHeaders {
            names: USUAL.into_iter().chain(grpc).collect(),
        }
    }
}

impl KeptHeaders {
    pub(super) fn add(&mut self, names: impl IntoIterator<Item = HeaderName>) {
        self.names.extend(names);
    }

    /// The kept ones of these, several of one name apart and in their order.
    pub(super) fn of(&self, headers: &HeaderMap) -> HeaderMap {
        headers
            .iter()
            .filter(|(name, _)| self.names.contains(name))
            .map(|(name, value)| (name.clone(), value.clone()))
            .fold(HeaderMap::new(), |mut kept, (name, value)| {
                kept.append(name, value);
                kept
            })
    }

    /// Those that can never be kept but should be.
    pub(super) fn validate(&self) -> Vec<InvalidSetting> {
        self.names
            .iter()
            .filter(|name| NEVER.contains(name) || **name == "keep-alive")
            .map(|name| InvalidSetting {
                policy: "idempotency",
                setting: "keep_headers",
                value: name.to_string(),
                reason: "it belongs to one connection, moment or session: leave it out".to_owned(),
            })
            .collect()
    }
}
