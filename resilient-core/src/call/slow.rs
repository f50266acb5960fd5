//! How long the body took, for a breaker that asks.

use std::time::Duration;

use super::Call;
use super::phase::Phase;
use crate::breaker::Verdict;
use crate::seam::clock;

impl Call {
    /// The verdict on a body that came back, as a slow one's if it was. One that was never pending
    /// took no time, and without a rule about it no clock is read.
    #[inline]
    pub(super) fn timed(&self, verdict: Verdict) -> Verdict {
        match self.phase {
            Phase::Limited { start, .. } if self.slow_after().is_some() => {
                self.slowed_after(clock::now().since(start), verdict)
            }
            _ => verdict,
        }
    }

    /// The verdict on a body that had run for so long.
    pub(super) fn slowed_after(&self, ran: Duration, verdict: Verdict) -> Verdict {
        match self.slow_after() {
            Some(longest) if ran > longest => verdict.slowed(),
            _ => verdict,
        }
    }

    fn slow_after(&self) -> Option<Duration> {
        self.plan.breaker()?.slow_after()
    }
}
