//! Telling the world about changes: once each, in order, outside every lock.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use super::engine::Engine;
use super::key::BreakerKey;
use super::settings::OnTransition;
use super::transition::Transition;
use crate::name::Name;
use crate::seam::clock::{Moment, now};
use crate::seam::sync::Lock;

/// Told about every change of every breaker of a registry, before the breaker's own listener.
pub(crate) type Announcer = Arc<dyn Fn(&Transition) + Send + Sync>;

/// The dependency a breaker guards, or which of its many.
#[derive(Debug)]
pub(crate) struct Whose {
    pub(crate) dependency: Name,
    pub(crate) key: Option<BreakerKey>,
}

impl Whose {
    pub(crate) fn of(dependency: Name) -> Self {
        Whose {
            dependency,
            key: None,
        }
    }

    pub(crate) fn with_key(&self, key: BreakerKey) -> Self {
        Whose {
            dependency: self.dependency.clone(),
            key: Some(key),
        }
    }
}

/// The engine, and whether somebody is telling its changes already.
#[derive(Debug)]
pub(crate) struct Guarded {
    pub(crate) engine: Engine,
    telling: bool,
    last: Option<(Transition, Moment)>,
}

impl Guarded {
    pub(crate) fn new(engine: Engine) -> Self {
        Guarded {
            engine,
            telling: false,
            last: None,
        }
    }

    /// Whether the caller must now [`tell`] the changes. One thread at a time does, so that they
    /// stay in order; it goes on until there are none, so that a listener that causes another
    /// change just returns.
    pub(crate) fn take_over_telling(&mut self) -> bool {
        let take_over = !self.telling && self.engine.has_changes();
        self.telling |= take_over;
        take_over
    }

    /// The last change that was told, and when.
    pub(crate) fn last(&self) -> Option<(Transition, Moment)> {
        self.last.clone()
    }

    fn next(&mut self, whose: &Whose) -> Option<(Transition, Option<OnTransition>)> {
        let Some(change) = self.engine.next_change() else {
            self.telling = false;
            return None;
        };
        let transition = Transition {
            dependency: whose.dependency.clone(),
            key: whose.key.clone(),
            from: change.from,
            to: change.to,
            rule: change.rule,
            failures: change.failures,
            attempts: change.attempts,
            generation: change.generation,
            lasts: change.lasts,
            reason: change.reason,
        };
        self.last = Some((transition.clone(), now()));
        Some((transition, self.engine.settings().on_transition.clone()))
    }
}

/// Tells all changes there are. A listener's panic ends with the listener: the outcome that
/// caused the change has been counted and belongs to somebody else.
pub(crate) fn tell(guarded: &Lock<Guarded>, whose: &Whose, announcer: &Announcer) {
    loop {
        let next = guarded.lock().next(whose);
        let Some((transition, listener)) = next else {
            return;
        };
        let _ = catch_unwind(AssertUnwindSafe(|| announcer(&transition)));
        if let Some(listener) = listener {
            let _ = catch_unwind(AssertUnwindSafe(|| listener.tell(&transition)));
        }
    }
}
