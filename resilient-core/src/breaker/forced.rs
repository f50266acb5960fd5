//! A state an operator chose, or the settings.

use std::time::Duration;

use super::reason::Reason;
use super::shadow::Shadow;
use super::{BreakerState, Mode};
use crate::seam::clock::Moment;

/// A state that stays whatever happens, until it is lifted or ends.
#[derive(Clone, Debug)]
pub(crate) struct Forced {
    pub(crate) kind: ForcedKind,
    pub(crate) until: Moment,
    /// Why, if the operator said so.
    pub(crate) reason: Option<Reason>,
    /// By the settings and not by an operator: nobody can lift it.
    pub(crate) by_settings: bool,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum ForcedKind {
    Open,
    Closed,
    Disabled,
    Observing(Shadow),
}

impl ForcedKind {
    pub(crate) fn observing(now: Moment) -> Self {
        ForcedKind::Observing(Shadow::Closed { since: now })
    }

    /// The same, from `now` on.
    pub(crate) fn afresh(self, now: Moment) -> Self {
        match self {
            ForcedKind::Observing(_) => ForcedKind::observing(now),
            other => other,
        }
    }

    pub(crate) fn state(self) -> BreakerState {
        match self {
            ForcedKind::Open => BreakerState::ForcedOpen,
            ForcedKind::Closed => BreakerState::ForcedClosed,
            ForcedKind::Disabled => BreakerState::Disabled,
            ForcedKind::Observing(_) => BreakerState::Observing,
        }
    }
}

impl Forced {
    /// `None` for a breaker that is enabled.
    pub(crate) fn by_settings(mode: Mode, now: Moment) -> Option<Self> {
        let kind = match mode {
            Mode::Enabled => return None,
            Mode::Observing => ForcedKind::observing(now),
            Mode::Disabled => ForcedKind::Disabled,
        };
        Some(Forced {
            kind,
            until: Moment::NEVER,
            reason: None,
            by_settings: true,
        })
    }

    pub(crate) fn by_operator(
        kind: ForcedKind,
        now: Moment,
        lasts: Option<Duration>,
        reason: Option<Reason>,
    ) -> Self {
        Forced {
            kind,
            until: lasts.map_or(Moment::NEVER, |lasts| now.plus(lasts)),
            reason,
            by_settings: false,
        }
    }

    pub(crate) fn is_over(&self, now: Moment) -> bool {
        self.until != Moment::NEVER && self.until <= now
    }
}
