//! How a layer is set up.

use std::sync::Arc;

use http::request::Parts;
use resilient_core::invalid::InvalidSetting;
use resilient_core::rate_limit::RateLimiter;

use super::fields::Fields;
use super::gate::Gate;
use super::once::Once;
use super::partition_keys::PartitionKeys;
use super::{KeyOf, RateLimitHeaders, RateLimitLayer, WithoutKey};
use crate::InvalidLayer;

/// Shorter ones can be tried out.
const LEAST_SECRET: usize = 16;

/// Sets up a [`RateLimitLayer`]. Setters never fail; what cannot work is reported by
/// [`build`](RateLimitLayerBuilder::build), all at once.
///
/// | setting | default |
/// |---|---|
/// | `cost` | 1 for each request |
/// | `without_key` | 400 if the request does not say whose it is, 500 if the server does not know its peer |
/// | `fail_open` | off: while the store is away, 503 |
/// | `exempt_replays` | off: replays count |
/// | `headers` | `X-RateLimit-*`, and those of the IETF draft |
/// | `headers_in_shadow` | off: nobody sees a limit that only watches |
/// | `partition_keys` | none |
///
/// ```
/// use http::Method;
/// use http::request::Parts;
/// use resilient_core::rate_limit::{Limit, RateLimit, RateLimiter};
/// use resilient_http::rate_limit::{ClientIp, RateLimitHeaders, RateLimitLayer};
///
/// let api = RateLimiter::in_memory(RateLimit::named("api").limit(Limit::gcra("steady", 100, "1m")))?;
/// let layer = RateLimitLayer::builder(api, ClientIp::of_peer())
///     .cost(|request: &Parts| match request.method {
///         // A preflight of a browser is not the user's request.
///         Method::OPTIONS => 0,
///         Method::POST => 5,
///         _ => 1,
///     })
///     .headers(RateLimitHeaders::RateLimit)
///     .fail_open()
///     .build()?;
/// # let _ = layer;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
#[must_use]
pub struct RateLimitLayerBuilder {
    gate: Gate,
}

impl RateLimitLayerBuilder {
    pub(super) fn new(limiter: RateLimiter, key: impl KeyOf) -> Self {
        RateLimitLayerBuilder {
            gate: Gate {
                limiter,
                key: Box::new(key),
                cost: None,
                without_key: None,
                fail_open: false,
                exempt_replays: false,
                fields: Fields::default(),
                outage: Once::default(),
            },
        }
    }

    /// What a request costs; default 1. A cost of 0 takes nothing and always passes.
    pub fn cost(mut self, of: impl Fn(&Parts) -> u32 + Send + Sync + 'static) -> Self {
        self.gate.cost = Some(Box::new(of));
        self
    }

    /// What becomes of requests that have no key; default by the cause, see
    /// [`NoKey`](super::NoKey). They never share a limit.
    pub fn without_key(mut self, rule: WithoutKey) -> Self {
        self.gate.without_key = Some(rule);
        self
    }

    /// Lets requests pass while the store of the limiter is away, uncounted and without any headers
    /// about limits. Right where the limit is there to share what there is; wrong where it keeps
    /// somebody from trying passwords.
    ///
    /// Unless this is called, they are answered with 503.
    pub fn fail_open(mut self) -> Self {
        self.gate.fail_open = true;
        self
    }

    /// Gives back what a request took whose answer is the
    /// [replay](crate::idempotency::IDEMPOTENT_REPLAYED) of an earlier one, for a layer outside of an
    /// [`IdempotencyLayer`](crate::IdempotencyLayer).
    ///
    /// Such a request takes nothing, but there has to be room for it: see the
    /// [module](super#together-with-idempotency) for a way that needs none.
    pub fn exempt_replays(mut self) -> Self {
        self.gate.exempt_replays = true;
        self
    }

    /// Which headers answers carry; default both kinds.
    pub fn headers(mut self, which: RateLimitHeaders) -> Self {
        self.gate.fields.which = which;
        self
    }

    /// Says in headers what is left also while the limiter is in
    /// [shadow mode](resilient_core::rate_limit::RateLimit::shadow) and refuses nothing.
    pub fn headers_in_shadow(mut self) -> Self {
        self.gate.fields.in_shadow = true;
        self
    }

    /// Tells clients which of their requests share a limit, by the parameter `pk` of `RateLimit` and
    /// `RateLimit-Policy`: a hash of the key, made with this secret of 16 bytes or more, so that
    /// nobody can find out the key. Processes with the same secret say the same.
    pub fn partition_keys(mut self, secret: impl AsRef<[u8]>) -> Self {
        self.gate.fields.partition_keys = Some(PartitionKeys(secret.as_ref().into()));
        self
    }

    /// The layer.
    ///
    /// # Errors
    ///
    /// A secret for partition keys that could be guessed.
    pub fn build(self) -> Result<RateLimitLayer, InvalidLayer> {
        let secret = self.gate.fields.partition_keys.as_ref();
        match secret.map(|keys| keys.0.len()) {
            Some(length) if length < LEAST_SECRET => Err(InvalidLayer {
                problems: vec![InvalidSetting {
                    policy: "rate_limit",
                    setting: "partition_keys",
                    // The secret itself would end up in a log.
                    value: format!("a secret of {length} bytes"),
                    reason: format!("write {LEAST_SECRET} random bytes or more"),
                }],
            }),
            _ => Ok(self.unchecked()),
        }
    }

    /// The layer with settings that nobody changed.
    pub(super) fn unchecked(self) -> RateLimitLayer {
        RateLimitLayer {
            gate: Arc::new(self.gate),
        }
    }
}
