//! What a caller is told in place of an outcome.

use std::time::Duration;

use super::phase::Phase;
use super::{Call, PlanRef};
use crate::breaker::BreakerState;
use crate::context::Cut;
use crate::rejection::Rejection;
use crate::site::Counted;
use crate::telemetry;

impl Call {
    /// What the caller is told about an attempt without an outcome.
    pub(super) fn rejection(&self, ended: &Phase) -> Rejection {
        let rejection = self
            .told(ended)
            .unwrap_or_else(|| Rejection::DeadlineExceeded {
                after: self.time_it_had(),
            });
        self.count(Counted::Rejection);
        self.tell_end(rejection.kind());
        self.inside_span(|| telemetry::call_rejected(&rejection));
        rejection
    }

    /// `None` if the call's time was over.
    fn told(&self, ended: &Phase) -> Option<Rejection> {
        let plan = self.plan.get();
        Some(match *ended {
            Phase::Cut { length, cut, .. } => {
                let after = Duration::from_nanos(length);
                match cut {
                    Cut::Timeout => Rejection::TimedOut { after },
                    Cut::Deadline | Cut::Inherited => Rejection::DeadlineExceeded { after },
                }
            }
            Phase::Refused { state, retry_in } => self.refusal(state, retry_in)?,
            Phase::Full { waited } => {
                let bulkhead = plan?.bulkhead.as_ref()?;
                Rejection::BulkheadFull {
                    dependency: bulkhead.name().clone(),
                    limit: u32::try_from(bulkhead.limit()).unwrap_or(u32::MAX),
                    waited: wide(waited),
                }
            }
            #[cfg(feature = "faults")]
            Phase::Injected => Rejection::Injected,
            Phase::Shed { percent } => Rejection::Shed {
                dependency: plan?.throttle.as_ref()?.name().clone(),
                percent,
            },
            Phase::RateLimited => self.plan.own()?.request.refusal.clone()?,
            Phase::Missing => match &self.plan {
                PlanRef::Missing(missing) => Rejection::NotRegistered(missing.clone()),
                _ => return None,
            },
            _ => return None,
        })
    }

    /// What the breaker says for so many nanoseconds.
    #[inline]
    pub(super) fn refusal(&self, state: BreakerState, retry_in: u64) -> Option<Rejection> {
        let breaker = self.plan.breaker()?;
        // What an operator does not force has no reason to look up.
        let forced = state == BreakerState::ForcedOpen;
        Some(Rejection::BreakerOpen {
            dependency: breaker.name().clone(),
            key: breaker.key().cloned(),
            state,
            retry_in: wide(retry_in),
            reason: forced.then(|| breaker.reason()).flatten(),
        })
    }

    /// The call's own deadline, if that is what ended it; a call around it left it no time at all.
    fn time_it_had(&self) -> Duration {
        let own = self.frame.deadline.known_end();
        match (own, self.plan.get()) {
            (Some(end), Some(plan)) if end < self.frame.inherited => {
                Duration::from_nanos(plan.deadline())
            }
            _ => Duration::ZERO,
        }
    }
}

/// The duration that was narrowed to these nanoseconds.
fn wide(nanos: u64) -> Duration {
    if nanos == u64::MAX {
        Duration::MAX
    } else {
        Duration::from_nanos(nanos)
    }
}
