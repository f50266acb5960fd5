//! What an observed breaker would be doing.

use crate::seam::clock::Moment;

/// What a breaker that only observes would be doing if it were enabled.
///
/// While it would be half-open, every call counts as a probe: which of them would have been
/// admitted nobody can tell.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Shadow {
    Closed { since: Moment },
    Open { until: Moment },
    HalfOpen { successes: u32 },
}

impl Shadow {
    /// When it would do something else by itself.
    pub(crate) fn until(self) -> Option<Moment> {
        match self {
            Shadow::Open { until } => Some(until),
            Shadow::Closed { .. } | Shadow::HalfOpen { .. } => None,
        }
    }
}
