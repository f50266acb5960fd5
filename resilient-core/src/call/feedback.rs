//! What an attempt tells the policies that follow the load: the throttle, and a bulkhead whose
//! limit moves by itself.

use super::phase::Phase;
use super::{Call, Shown};
use crate::breaker::Verdict;
use crate::class::Class;
use crate::seam::clock::{self, Moment};
use crate::site::Plan;
use crate::telemetry;
use crate::throttle::ThrottleHandle;

impl Call {
    /// The throttle that counts this call's attempts.
    #[inline]
    pub(super) fn counting_throttle(&self) -> Option<&ThrottleHandle> {
        self.plan
            .get()?
            .throttle
            .as_deref()
            .filter(|_| self.shown == Shown::Itself)
    }

    /// The attempt came back with an outcome of this class.
    #[inline]
    pub(super) fn heard(&self, class: Class) {
        if self.plan.get().is_some_and(Plan::follows_load) {
            self.follow(class);
        }
    }

    #[inline(never)]
    fn follow(&self, class: Class) {
        if let Some(throttle) = self.counting_throttle() {
            throttle.heard(class);
        }
        // What was ready at once did not wait for the dependency.
        if self.held.permit
            && let Phase::Limited { start, .. } = self.phase
            && self.plan.get().is_some_and(Plan::adapts)
        {
            match class {
                Class::Success | Class::Permanent => self.measured(Some(start)),
                Class::Throttled { .. } => self.measured(None),
                _ => {}
            }
        }
    }

    /// The attempt was not admitted or was cut: only that its own time was not enough says
    /// something about the dependency.
    pub(super) fn heard_nothing(&self) {
        match self.phase {
            Phase::Cut {
                verdict: Verdict::Neutral,
                ..
            } => {}
            Phase::Cut { .. } => self.ran_out(self.held.permit),
            #[cfg(feature = "faults")]
            Phase::Injected => self.heard(Class::transient()),
            _ => {}
        }
    }

    /// The attempt took so long that it was given up, with a permit or in the shadow of a call
    /// that has one.
    #[cold]
    pub(super) fn ran_out(&self, had_permit: bool) {
        let Some(plan) = self.plan.get() else { return };
        if let Some(throttle) = self.counting_throttle()
            && throttle.is_on()
        {
            throttle.missed(clock::now());
        }
        if had_permit && plan.adapts() {
            self.measured(None);
        }
    }

    /// Tells the bulkhead how long the attempt took, if it was answered.
    #[cold]
    fn measured(&self, start: Option<Moment>) {
        let plan = self.plan.get();
        let Some(bulkhead) = plan.and_then(|plan| plan.bulkhead.as_ref()) else {
            return;
        };
        let now = clock::now();
        let latency = start.map(|start| now.since(start));
        if let Some(moved) = bulkhead.measured(latency, now) {
            self.inside_span(|| telemetry::bulkhead_limit(bulkhead.name(), moved));
        }
    }
}
