//! What is decided about a request before anything runs.

use std::error::Error;
use std::fmt;

use bytes::Bytes;
use http::{HeaderName, Method, Request};
use http_body::Body;
use http_body_util::LengthLimitError;
use resilient_core::idempotency::{Fingerprint, Key, Ledger, RecordId, Refusal, Resolve};

use super::fingerprint_of::FingerprintOf;
use super::kept_headers::KeptHeaders;
use super::{Drain, Problem, ScopeOf, StatusRule, key_header, operation};
use crate::body::{BufferedBody, Collected, collect};
use crate::problem::Form;

/// The settings of a layer, checked.
pub(super) struct Guard {
    pub(super) ledger: Ledger,
    pub(super) scope: Box<dyn ScopeOf>,
    pub(super) methods: Vec<Method>,
    pub(super) header: HeaderName,
    pub(super) key_optional: bool,
    pub(super) body_limit: usize,
    pub(super) fingerprint: FingerprintOf,
    pub(super) statuses: StatusRule,
    pub(super) headers: KeptHeaders,
    pub(super) collect_unsized: bool,
    pub(super) no_store_repeats: bool,
    pub(super) resolve: Option<Box<dyn Resolve>>,
    pub(super) drain: Drain,
}

/// What is to be done with a request.
pub(super) enum Examined<B: Body> {
    /// It needs no key.
    Unguarded(Request<BufferedBody<B>>),
    Keyed(Keyed<B>),
    Refused(Problem),
}

/// A request that may be a repeat, with all its body read.
pub(super) struct Keyed<B: Body> {
    pub(super) request: Request<BufferedBody<B>>,
    pub(super) id: RecordId,
    pub(super) fingerprint: Fingerprint,
    pub(super) form: Form,
}

impl Guard {
    pub(super) async fn examine<B>(&self, request: Request<B>) -> Examined<B>
    where
        B: Body<Data = Bytes>,
        B::Error: Into<Box<dyn Error + Send + Sync>>,
    {
        if !self.methods.contains(request.method()) {
            return Examined::Unguarded(request.map(BufferedBody::unread));
        }
        let key = match key_header::read(request.headers(), &self.header) {
            Ok(Some(key)) => key,
            Ok(None) if self.key_optional => {
                return Examined::Unguarded(request.map(BufferedBody::unread));
            }
            Ok(None) => return Examined::Refused(Problem::from(&Refusal::MissingKey)),
            Err(invalid) => {
                return Examined::Refused(Problem::from(&Refusal::InvalidKey(invalid)));
            }
        };
        match self.keyed(key, request).await {
            Ok(keyed) => Examined::Keyed(keyed),
            Err(problem) => Examined::Refused(problem),
        }
    }

    async fn keyed<B>(&self, key: Key, request: Request<B>) -> Result<Keyed<B>, Problem>
    where
        B: Body<Data = Bytes>,
        B::Error: Into<Box<dyn Error + Send + Sync>>,
    {
        let (parts, body) = request.into_parts();
        let scope = operation::within(self.scope.scope_of(&parts)?, &parts);
        let (bytes, trailers) = match collect(body, self.body_limit).await {
            Collected::Whole { bytes, trailers } => (bytes, trailers),
            Collected::TooLarge(_) => return Err(Problem::body_too_large()),
            Collected::Broken(body) => {
                let too_large = body.into_error().is_some_and(is_of_length);
                return Err(if too_large {
                    Problem::body_too_large()
                } else {
                    Problem::body_broken()
                });
            }
        };
        let fingerprint = self
            .fingerprint
            .of(&parts, &bytes)
            .map_err(|refusal| Problem::from(&refusal))?;
        Ok(Keyed {
            form: Form::of(&parts.headers),
            request: Request::from_parts(parts, BufferedBody::whole(bytes, trailers)),
            id: RecordId::new(scope, key),
            fingerprint,
        })
    }
}

/// Whether a layer further out has its own limit, and this is over it.
fn is_of_length(error: impl Into<Box<dyn Error + Send + Sync>>) -> bool {
    let error = error.into();
    let first: &(dyn Error + 'static) = &*error;
    std::iter::successors(Some(first), |&error| error.source())
        .any(<dyn Error>::is::<LengthLimitError>)
}

impl fmt::Debug for Guard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Guard")
            .field("methods", &self.methods)
            .field("header", &self.header)
            .field("key_optional", &self.key_optional)
            .field("body_limit", &self.body_limit)
            .field("fingerprint", &self.fingerprint)
            .field("statuses", &self.statuses)
            .finish_non_exhaustive()
    }
}
