//! What a call has beside its plan, in a box: most calls have nothing.

use std::sync::Arc;

use super::{Call, PlanRef};
use crate::breaker::BreakerHandle;
use crate::key::BreakerKeyText;
use crate::rate_limit::Turn;
use crate::rejection::Rejection;

/// What a call has beside its plan.
pub(super) struct Own {
    pub(super) plan: PlanRef,
    /// The one of its key, in place of the dependency's. The call keeps the one it began with.
    pub(super) breaker: Option<Arc<BreakerHandle>>,
    pub(super) request: Request,
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

    /// The same, with a place for it. Nothing where no policy is in force.
    pub(super) fn make_own(&mut self) -> Option<&mut Own> {
        if matches!(self, PlanRef::Site(_) | PlanRef::Shared(_)) {
            let plan = std::mem::replace(self, PlanRef::Bare);
            *self = PlanRef::Own(Box::new(Own {
                plan,
                breaker: None,
                request: Request::default(),
            }));
        }
        match self {
            PlanRef::Own(own) => Some(own),
            _ => None,
        }
    }
}

impl Call {
    /// The breaker is the one that the dependency has for `key`, in every attempt.
    pub fn set_breaker_key<K: BreakerKeyText + ?Sized>(&mut self, key: &K) {
        if self.plan.breaker().is_some() {
            self.guard_by(&key.text());
        }
    }

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
