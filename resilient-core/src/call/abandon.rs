//! A call that is dropped before its end, or whose body panicked.

use super::{Call, Phase};
use crate::breaker::Verdict;
use crate::context::UNLIMITED;
use crate::seam::clock;
use crate::telemetry;

impl Drop for Call {
    fn drop(&mut self) {
        if self.phase != Phase::Done {
            self.abandon();
        }
    }
}

impl Call {
    #[cold]
    fn abandon(&mut self) {
        if self.plan.get().is_none() {
            return;
        }
        self.hand_back();
        let verdict = if self.polling {
            Verdict::Panicked
        } else if self.hung() {
            Verdict::Failure
        } else {
            Verdict::Neutral
        };
        self.report(verdict, None);
        self.span
            .in_scope(|| telemetry::call_abandoned(self.frame.attempt, verdict));
    }

    /// Whether the attempt had run for so long that its caller's impatience says something about
    /// the dependency.
    fn hung(&self) -> bool {
        if self.phase != Phase::Limited {
            return false;
        }
        let Some(breaker) = self.plan.get().and_then(|plan| plan.breaker.as_ref()) else {
            return false;
        };
        let enough = breaker.drop_counts_after().or_else(|| {
            (self.frame.timeout != UNLIMITED)
                .then(|| std::time::Duration::from_nanos(self.frame.timeout / 2))
        });
        match (enough, self.frame.attempt_start) {
            (Some(enough), Some(start)) => clock::now().since(start) > enough,
            _ => false,
        }
    }
}
