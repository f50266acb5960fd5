//! The layer in front of handlers.

use std::sync::Arc;

use resilient_core::idempotency::Ledger;
use tower_layer::Layer;

use super::guard::Guard;
use super::{Drain, IdempotencyLayerBuilder, IdempotencyService, ScopeOf};

/// Lets a request with a key run once, however often it is sent. See the [module](super) for all of
/// it.
///
/// Cloning gives another handle to the same settings.
#[derive(Clone, Debug)]
pub struct IdempotencyLayer {
    pub(super) guard: Arc<Guard>,
}

impl IdempotencyLayer {
    /// A layer with the usual settings. `scope` says whose request it is, see [`ScopeOf`].
    pub fn new(ledger: Ledger, scope: impl ScopeOf) -> Self {
        IdempotencyLayer::builder(ledger, scope).unchecked()
    }

    /// A layer with other settings.
    pub fn builder(ledger: Ledger, scope: impl ScopeOf) -> IdempotencyLayerBuilder {
        IdempotencyLayerBuilder::new(ledger, scope)
    }

    /// Where its runs are counted, to wait for them before the process ends.
    pub fn drain(&self) -> &Drain {
        &self.guard.drain
    }
}

impl<S> Layer<S> for IdempotencyLayer {
    type Service = IdempotencyService<S>;

    fn layer(&self, inner: S) -> Self::Service {
        IdempotencyService {
            inner,
            guard: Arc::clone(&self.guard),
        }
    }
}
