//! What an answer says about its run, and what is kept of it.

use bytes::Bytes;
use http::header::{self, HeaderMap};
use http::response::Parts;
use http::{Response, StatusCode};
use http_body::Body;
use resilient_core::idempotency::Resource;

use super::guard::Guard;
use super::stored_response::StoredResponse;
use super::{DoNotStore, NotExecuted, Verdict, grpc};
use crate::body::{BufferedBody, Collected, collect};

/// Bodies that are made while they are sent.
const ENDLESS: [&[u8]; 2] = [b"text/event-stream", b"multipart/x-mixed-replace"];

/// A handler's answer, and how its run ends.
pub(super) struct Outcome<B: Body> {
    pub(super) response: Response<BufferedBody<B>>,
    pub(super) end: End,
    /// What was made, as the handler said.
    pub(super) resource: Option<Resource>,
}

pub(super) enum End {
    /// Done, with this answer.
    Answered(Box<StoredResponse>),
    /// Done, with an answer that is not kept.
    Done,
    NotExecuted,
    Failed,
}

impl Guard {
    /// Reads an answer as far as it is to be kept.
    pub(super) async fn outcome<B: Body<Data = Bytes>>(&self, response: Response<B>) -> Outcome<B> {
        let (parts, body) = response.into_parts();
        let resource = parts.extensions.get::<Resource>().cloned();
        let (body, end) = match self.verdict(&parts) {
            Verdict::Store if self.keeps(&parts, &body) => self.read(&parts, body).await,
            Verdict::Store => (BufferedBody::unread(body), End::Done),
            Verdict::NotExecuted => (BufferedBody::unread(body), End::NotExecuted),
            Verdict::Failed => (BufferedBody::unread(body), End::Failed),
        };
        Outcome {
            response: Response::from_parts(parts, body),
            end,
            resource,
        }
    }

    fn verdict(&self, parts: &Parts) -> Verdict {
        if parts.extensions.get::<NotExecuted>().is_some() {
            return Verdict::NotExecuted;
        }
        let verdict = grpc::verdict(&parts.headers)
            .unwrap_or_else(|| self.statuses.of(parts.status.as_u16()));
        let repeats = parts.extensions.get::<DoNotStore>().is_some()
            || (self.no_store_repeats && forbids_storing(&parts.headers));
        match verdict {
            Verdict::Store if repeats => Verdict::NotExecuted,
            verdict => verdict,
        }
    }

    fn keeps(&self, parts: &Parts, body: &impl Body) -> bool {
        parts.status != StatusCode::SWITCHING_PROTOCOLS
            && !forbids_storing(&parts.headers)
            && !is_endless(&parts.headers)
            && (self.collect_unsized || body.size_hint().exact().is_some())
    }

    async fn read<B: Body<Data = Bytes>>(&self, parts: &Parts, body: B) -> (BufferedBody<B>, End) {
        let (bytes, trailers) = match collect(body, self.ledger.settings().body_limit).await {
            Collected::Whole { bytes, trailers } => (bytes, trailers),
            Collected::TooLarge(body) => return (body, End::Done),
            Collected::Broken(body) => return (body, End::Failed),
        };
        let end = match trailers.as_ref().and_then(grpc::verdict) {
            None | Some(Verdict::Store) => End::Answered(Box::new(StoredResponse {
                status: parts.status,
                headers: self.headers.of(&parts.headers),
                body: bytes.clone(),
                trailers: trailers.as_ref().map(|trailers| self.headers.of(trailers)),
            })),
            Some(Verdict::NotExecuted) => End::NotExecuted,
            Some(Verdict::Failed) => End::Failed,
        };
        (BufferedBody::whole(bytes, trailers), end)
    }
}

fn forbids_storing(headers: &HeaderMap) -> bool {
    headers
        .get_all(header::CACHE_CONTROL)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .any(|directive| directive.trim().eq_ignore_ascii_case("no-store"))
}

fn is_endless(headers: &HeaderMap) -> bool {
    headers.get(header::CONTENT_TYPE).is_some_and(|kind| {
        ENDLESS.iter().any(|endless| {
            let start = kind.as_bytes().get(..endless.len());
            start.is_some_and(|start| start.eq_ignore_ascii_case(endless))
        })
    })
}
