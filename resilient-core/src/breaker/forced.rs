//! A state an operator chose.

use std::time::Duration;

use super::BreakerState;
use crate::seam::clock::Moment;

/// A state that stays whatever happens, until it is lifted or ends.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Forced {
    pub(crate) kind: ForcedKind,
    pub(crate) until: Moment,
    /// While observing: how long the breaker would still refuse calls, and so counts nothing.
    pub(crate) quiet_until: Option<Moment>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ForcedKind {
    Open,
    Closed,
    Disabled,
    Observing,
}

impl ForcedKind {
    pub(crate) fn state(self) -> BreakerState {
        match self {
            ForcedKind::Open => BreakerState::ForcedOpen,
            ForcedKind::Closed => BreakerState::ForcedClosed,
            ForcedKind::Disabled => BreakerState::Disabled,
            ForcedKind::Observing => BreakerState::Observing,
        }
    }
}

impl Forced {
    pub(crate) fn new(kind: ForcedKind, now: Moment, lasts: Option<Duration>) -> Self {
        Forced {
            kind,
            until: lasts.map_or(Moment::NEVER, |lasts| now.plus(lasts)),
            quiet_until: None,
        }
    }

    pub(crate) fn is_over(&self, now: Moment) -> bool {
        self.until != Moment::NEVER && self.until <= now
    }
}
