//! A call that is dropped before its end, or whose body panicked.

use std::time::Duration;

use super::Call;
use super::phase::Phase;
use crate::breaker::{BreakerHandle, Verdict};
use crate::context::Cut;
use crate::seam::clock;
use crate::site::Counted;
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
    pub(super) fn abandon(&mut self) {
        if self.plan.get().is_none() {
            return;
        }
        self.count(Counted::Abandoned);
        let had_permit = self.held.permit;
        // First, because at a thread's end reading the clock may panic.
        self.hand_back();
        let verdict = if self.polling {
            Verdict::Panicked
        } else if let Some(ran) = self.hung() {
            self.ran_out(had_permit);
            self.slowed_after(ran, Verdict::Failure)
        } else {
            Verdict::Neutral
        };
        self.report(verdict, None);
        self.inside_span(|| telemetry::call_abandoned(self.frame.attempt, verdict));
    }

    /// How long the attempt had run, if for so long that its caller's impatience says something
    /// about the dependency.
    fn hung(&self) -> Option<Duration> {
        let (Phase::Limited { start, cut }, Some(plan)) = (&self.phase, self.plan.get()) else {
            return None;
        };
        let breaker = self.plan.breaker();
        if breaker.is_none() && !plan.follows_load() {
            return None;
        }
        let half = Duration::from_nanos(plan.timeout() / 2);
        let enough = breaker
            .and_then(BreakerHandle::drop_counts_after)
            .unwrap_or(half);
        let now = clock::now();
        // Cut by the call around this one, which had less time than this one asked for.
        let cut_from_outside = *cut == Cut::Inherited && now >= self.frame.inherited;
        let ran = now.since(*start);
        (!cut_from_outside && ran > enough).then_some(ran)
    }
}
