//! What calls read of the state machine without its lock.

use super::{Engine, Phase};
use crate::breaker::shadow::Shadow;
use crate::breaker::word::Word;
use crate::seam::clock::Moment;

/// What may be read without the lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct View {
    pub(crate) word: Word,
    /// Before this moment a call that is not admitted by the word alone is refused without asking
    /// the engine; for a forced state that admits calls, its end.
    pub(crate) until: Option<Moment>,
    /// When the engine wants to be told the time.
    pub(crate) next_tick: Moment,
}

impl Engine {
    pub(crate) fn view(&self) -> View {
        let counting = self.is_counting();
        let shadow = self.shadow();
        let half_open = matches!(self.phase, Phase::HalfOpen(_))
            || matches!(shadow, Some(Shadow::HalfOpen { .. }));
        let until = match &self.phase {
            Phase::Closed { .. } => None,
            Phase::Open { until } => Some(*until),
            Phase::HalfOpen(half_open) => half_open.full_until(self.settings.probes),
            Phase::Forced(forced) => Some(forced.until),
        };
        // A forced state with an end looks at the clock on failures too, in case nobody tells it
        // the time.
        let ends = matches!(&self.phase, Phase::Forced(forced) if forced.until != Moment::NEVER);
        View {
            word: Word::new(self.state(), self.generation)
                .heeding_successes(half_open || counting && self.rules.heed_success())
                .counting_successes(counting && self.rules.count_success())
                .heeding_failures(half_open || counting || ends)
                .refusing_if_enabled(matches!(shadow, Some(Shadow::Open { .. }))),
            until,
            next_tick: self.next_tick(counting),
        }
    }

    fn next_tick(&self, counting: bool) -> Moment {
        let dating = if counting && self.rules.count_success() {
            self.next_dating
        } else {
            Moment::NEVER
        };
        match &self.phase {
            Phase::Forced(forced) => {
                let shadow = self.shadow().and_then(Shadow::until);
                dating
                    .min(forced.until)
                    .min(shadow.unwrap_or(Moment::NEVER))
            }
            _ => dating,
        }
    }
}
