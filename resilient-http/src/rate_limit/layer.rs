//! The layer in front of handlers.

use std::sync::Arc;

use resilient_core::rate_limit::RateLimiter;
use tower_layer::Layer;

use super::gate::Gate;
use super::{KeyOf, RateLimitLayerBuilder, RateLimitService};

/// Refuses requests beyond the quota of whoever sends them. See the [module](super) for all of it.
///
/// Cloning gives another handle to the same settings; what is counted belongs to the limiter, which
/// layers may share.
#[derive(Clone, Debug)]
pub struct RateLimitLayer {
    pub(super) gate: Arc<Gate>,
}

impl RateLimitLayer {
    /// A layer with the usual settings. `key` says whose limit a request counts against, see
    /// [`KeyOf`].
    pub fn new(limiter: RateLimiter, key: impl KeyOf) -> Self {
        RateLimitLayer::builder(limiter, key).unchecked()
    }

    /// A layer with other settings.
    pub fn builder(limiter: RateLimiter, key: impl KeyOf) -> RateLimitLayerBuilder {
        RateLimitLayerBuilder::new(limiter, key)
    }
}

impl<S> Layer<S> for RateLimitLayer {
    type Service = RateLimitService<S>;

    fn layer(&self, inner: S) -> Self::Service {
        RateLimitService {
            inner,
            gate: Arc::clone(&self.gate),
        }
    }
}
