//! What a call has beside its plan, in a box: most calls have nothing.

use std::sync::Arc;

use super::{Call, PlanRef};
use crate::breaker::BreakerHandle;
use crate::rate_limit::Turn;
use crate::rejection::Rejection;
use crate::telemetry::CallSpan;

/// What a call has beside its plan.
pub(super) struct Own {
    pub(super) plan: PlanRef,
    /// The one of its key, in place of the dependency's. The call keeps the one it began with.
    pub(super) breaker: Option<Arc<BreakerHandle>>,
    pub(super) request: Request,
    /// Only a call that somebody listens to has one.
    pub(super) span: Option<CallSpan>,
}

/// What it asks of the rate limiter before each attempt, and what came of it.
#[derive(Default)]
pub(super) struct Request {
    /// Empty for the one key of who names none.
    pub(super) key: String,
    /// In place of the site's.
    pub(super) cost: Option<u32>,
    /// The attempt waits for it.
    pub(super) turn: Option<Turn>,
    /// Why the attempt has none.
    pub(super) refusal: Option<Rejection>,
}

impl PlanRef {
    /// What the call has beside its plan, if it has anything.
    #[cold]
    pub(super) fn own(&self) -> Option<&Own> {
        match self {
            PlanRef::Own(own) => Some(own),
            _ => None,
        }
    }

    /// The span of a call that somebody listens to.
    #[inline]
    pub(super) fn span(&self) -> Option<&CallSpan> {
        match self {
            PlanRef::Own(own) => own.span.as_ref(),
            _ => None,
        }
    }

    pub(super) fn span_mut(&mut self) -> Option<&mut CallSpan> {
        match self {
            PlanRef::Own(own) => own.span.as_mut(),
            _ => None,
        }
    }

    /// The same, with a place for it. Nothing where no policy is in force.
    pub(super) fn make_own(&mut self) -> Option<&mut Own> {
        if matches!(self, PlanRef::Site(_) | PlanRef::Shared(_)) {
            let plan = std::mem::replace(self, PlanRef::Bare);
            *self = PlanRef::Own(Box::new(Own {
                plan,
                breaker: None,
                request: Request::default(),
                span: None,
            }));
        }
        match self {
            PlanRef::Own(own) => Some(own),
            _ => None,
        }
    }
}

impl Call {
    pub(crate) fn guard_by(&mut self, key: &str) {
        let Some(breaker) = self.plan.breaker() else {
            return;
        };
        let breaker = breaker.of_key(key);
        if let Some(own) = self.plan.make_own() {
            own.breaker = Some(breaker);
        }
    }
}
