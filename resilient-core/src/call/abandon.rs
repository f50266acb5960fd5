//! A call that is dropped before its end, or whose body panicked.

use std::time::Duration;

use super::Call;
use super::phase::Phase;
use crate::breaker::Verdict;
use crate::context::Cut;
use crate::seam::clock;
use crate::telemetry;

impl Drop for Call {
    fn drop(&mut self) {
        if !matches!(self.phase, Phase::Done) {
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
        let had_permit = self.held.permit;
        // First, because at a thread's end reading the clock may panic.
        self.hand_back();
        let hung = !self.polling && self.hung();
        if hung {
            self.ran_out(had_permit);
        }
        let verdict = if self.polling {
            Verdict::Panicked
        } else if hung {
            Verdict::Failure
        } else {
            Verdict::Neutral
        };
        self.report(verdict, None);
        self.inside_span(|| telemetry::call_abandoned(self.frame.attempt, verdict));
    }

    /// Whether the attempt had run for so long that its caller's impatience says something about
    /// the dependency.
    fn hung(&self) -> bool {
        let (Phase::Limited { start, cut }, Some(plan)) = (&self.phase, self.plan.get()) else {
            return false;
        };
        if plan.breaker.is_none() && !plan.follows_load() {
            return false;
        }
        let half = Duration::from_nanos(plan.timeout() / 2);
        let breaker = plan.breaker.as_ref();
        let enough = breaker
            .and_then(|breaker| breaker.drop_counts_after())
            .unwrap_or(half);
        let now = clock::now();
        // Cut by the call around this one, which had less time than this one asked for.
        let cut_from_outside = *cut == Cut::Inherited && now >= self.frame.inherited;
        !cut_from_outside && now.since(*start) > enough
    }
}
