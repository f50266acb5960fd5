//! How a layer is set up.

use std::sync::Arc;

use bytes::Bytes;
use http::request::Parts;
use http::{HeaderName, Method};
use resilient_core::idempotency::{Fingerprint, Ledger, Resolve};
use resilient_core::invalid::InvalidSetting;

use super::fingerprint_of::FingerprintOf;
use super::guard::Guard;
use super::kept_headers::KeptHeaders;
use super::{Drain, IDEMPOTENCY_KEY, IdempotencyLayer, ScopeOf, StatusRule};
use crate::InvalidLayer;

const DEFAULT_BODY_LIMIT: usize = 1024 * 1024;

/// Sets up an [`IdempotencyLayer`]. Setters never fail; what cannot work is reported by
/// [`build`](IdempotencyLayerBuilder::build), all at once.
///
/// ```
/// use http::Method;
/// use resilient_core::idempotency::{Effects, Idempotency, Ledger, MemoryStore, Scope};
/// use resilient_http::idempotency::{IdempotencyLayer, StatusRule};
///
/// let ledger = Ledger::new(MemoryStore::new(10_000), &Idempotency::of(Effects::Keyed))?;
/// let layer = IdempotencyLayer::builder(ledger, |_: &_| Scope::shared_by_all_callers())
///     .methods([Method::POST, Method::PUT])
///     .key_optional()
///     .fingerprint_json()
///     .statuses(StatusRule::new().store([422]))
///     .build()?;
/// # let _ = layer;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
#[must_use]
pub struct IdempotencyLayerBuilder {
    guard: Guard,
}

impl IdempotencyLayerBuilder {
    pub(super) fn new(ledger: Ledger, scope: impl ScopeOf) -> Self {
        IdempotencyLayerBuilder {
            guard: Guard {
                ledger,
                scope: Box::new(scope),
                methods: vec![Method::POST, Method::PATCH],
                header: IDEMPOTENCY_KEY,
                key_optional: false,
                body_limit: DEFAULT_BODY_LIMIT,
                fingerprint: FingerprintOf::default(),
                statuses: StatusRule::new(),
                headers: KeptHeaders::default(),
                collect_unsized: false,
                no_store_repeats: false,
                resolve: None,
                drain: Drain::new(),
            },
        }
    }

    /// The methods that need a key; default POST and PATCH. All others pass untouched.
    pub fn methods(mut self, methods: impl IntoIterator<Item = Method>) -> Self {
        self.guard.methods = methods.into_iter().collect();
        self
    }

    /// Lets requests without a key pass, unprotected, instead of refusing them.
    pub fn key_optional(mut self) -> Self {
        self.guard.key_optional = true;
        self
    }

    /// The header that the key is read from; default `Idempotency-Key`.
    pub fn key_header(mut self, name: HeaderName) -> Self {
        self.guard.header = name;
        self
    }

    /// The largest body of a request with a key, in bytes; default 1 MiB. It is read before the
    /// handler runs, because its fingerprint is claimed with the key; a larger one is answered
    /// with 413, and nothing is claimed.
    pub fn body_limit(mut self, bytes: usize) -> Self {
        self.guard.body_limit = bytes;
        self
    }

    /// Compares bodies as JSON: blanks and the order of members do not matter, every value does,
    /// and numbers beyond 64 bits as far as a double holds them; of a member that comes twice the
    /// last counts. A body that is no JSON is compared by its bytes.
    ///
    /// Unless this is called, the bytes are compared as they were sent: other blanks, another
    /// boundary of a multipart form or another compression is another request.
    pub fn fingerprint_json(mut self) -> Self {
        self.guard.fingerprint = FingerprintOf::Json;
        self
    }

    /// Compares requests by a function of one's own over head and body. Nothing else is added.
    pub fn fingerprint(
        mut self,
        of: impl Fn(&Parts, &Bytes) -> Fingerprint + Send + Sync + 'static,
    ) -> Self {
        self.guard.fingerprint = FingerprintOf::Own(Arc::new(of));
        self
    }

    /// Which answers are kept; see [`StatusRule`] for the default.
    pub fn statuses(mut self, rule: StatusRule) -> Self {
        self.guard.statuses = rule;
        self
    }

    /// Headers that are kept beside the usual ones; see the [module](super#what-is-replayed).
    pub fn keep_headers(mut self, names: impl IntoIterator<Item = HeaderName>) -> Self {
        self.guard.headers.add(names);
        self
    }

    /// Collects answers of unknown length up to the ledger's limit and keeps them, too. For unary
    /// methods of gRPC, and for handlers behind compression.
    ///
    /// Unless this is called, they are passed on piece by piece as they come, and are not kept: a
    /// repeat is told that it was done. Event streams always are.
    pub fn collect_unsized(mut self) -> Self {
        self.guard.collect_unsized = true;
        self
    }

    /// Lets the next one run after an answer with `Cache-Control: no-store`, as after
    /// [`DoNotStore`](super::DoNotStore).
    ///
    /// Unless this is called, such an answer is not kept, but what it answers does not run again: a
    /// repeat is told that it was done. That header is put on all answers of many a service, and is
    /// no word about repeats there.
    pub fn no_store_repeats(mut self) -> Self {
        self.guard.no_store_repeats = true;
        self
    }

    /// A way to find out how an uncertain run ended, asked when a repeat of it comes.
    pub fn resolve(mut self, resolve: impl Resolve + 'static) -> Self {
        self.guard.resolve = Some(Box::new(resolve));
        self
    }

    /// Counts the runs of this layer there; layers may share one.
    pub fn drain(mut self, drain: &Drain) -> Self {
        self.guard.drain = drain.clone();
        self
    }

    /// The layer.
    ///
    /// # Errors
    ///
    /// Everything that cannot work: statuses that do not exist or can never be kept, headers that
    /// can never be kept, no method at all.
    pub fn build(self) -> Result<IdempotencyLayer, InvalidLayer> {
        let mut problems = self.guard.statuses.validate();
        problems.extend(self.guard.headers.validate());
        if self.guard.methods.is_empty() {
            problems.push(InvalidSetting {
                policy: "idempotency",
                setting: "methods",
                value: "[]".to_owned(),
                reason: "no request would be protected: name one method at least".to_owned(),
            });
        }
        if !problems.is_empty() {
            return Err(InvalidLayer { problems });
        }
        Ok(self.unchecked())
    }

    /// The layer with settings that nobody changed.
    pub(super) fn unchecked(self) -> IdempotencyLayer {
        IdempotencyLayer {
            guard: Arc::new(self.guard),
        }
    }
}
