//! What operators order, and what becomes of the state machine when an order ends.

use std::time::Duration;

use super::{Engine, Facts, Phase, resting, state_of};
use crate::breaker::forced::{Forced, ForcedKind};
use crate::breaker::half_open::HalfOpen;
use crate::breaker::settings::BreakerSettings;
use crate::breaker::shadow::Shadow;
use crate::breaker::transition::Rule;
use crate::breaker::{BreakerState, Reason};
use crate::seam::clock::Moment;

impl Engine {
    /// One that an operator has given an order before it was there.
    pub(crate) fn under(order: Option<Forced>, settings: BreakerSettings, now: Moment) -> Self {
        let mut engine = Engine::new(settings, now);
        if let Some(forced) = order {
            engine.phase = Phase::Forced(forced);
        }
        engine
    }

    /// An operator chooses a state, for a time or until it is lifted.
    pub(crate) fn force(
        &mut self,
        kind: ForcedKind,
        lasts: Option<Duration>,
        reason: Option<Reason>,
        now: Moment,
    ) {
        let now = self.tick(now);
        self.forget_growth(now);
        if !matches!(kind, ForcedKind::Closed) {
            self.rules.clear();
        }
        let phase = Phase::Forced(Forced::by_operator(kind, now, lasts, reason.clone()));
        if self.state() == kind.state() {
            self.stay(phase);
        } else {
            let facts = Facts {
                lasts,
                reason,
                ..Facts::default()
            };
            self.change(phase, Rule::Forced, facts);
        }
    }

    /// An operator gives the breaker back to its rules.
    pub(crate) fn lift(&mut self, reason: Option<Reason>, now: Moment) {
        let now = self.tick(now);
        if let Phase::Forced(forced) = &self.phase
            && !forced.by_settings
        {
            self.lift_as(Rule::Lifted, reason, now);
        }
    }

    /// What an operator has forced, for another breaker to begin with.
    pub(crate) fn order(&self, now: Moment) -> Option<Forced> {
        match &self.phase {
            Phase::Forced(forced) if !forced.by_settings && !forced.is_over(now) => Some(Forced {
                kind: forced.kind.afresh(now),
                ..forced.clone()
            }),
            _ => None,
        }
    }

    /// Does as an operator has ordered of another breaker; without an order, as if that was lifted.
    pub(crate) fn obey(&mut self, order: Option<Forced>, lifted: Option<Reason>, now: Moment) {
        match order {
            Some(forced) => {
                let ends = forced.until != Moment::NEVER;
                let lasts = ends.then(|| forced.until.since(now));
                self.force(forced.kind, lasts, forced.reason, now);
            }
            None => self.lift(lifted, now),
        }
    }

    /// An operator starts the breaker afresh.
    pub(crate) fn reset(&mut self, reason: Option<Reason>, now: Moment) {
        let now = self.monotonic(now);
        self.rules.clear();
        self.openings = 0;
        let phase = resting(&self.settings, now);
        if self.state() == state_of(&phase) {
            self.phase = phase;
            self.generation = self.generation.wrapping_add(1);
        } else {
            let facts = Facts {
                reason,
                ..Facts::default()
            };
            self.change(phase, Rule::Reset, facts);
        }
    }

    /// Why an operator forced the state it is in, and when that ends.
    pub(crate) fn forced(&self) -> (Option<Reason>, Option<Moment>) {
        match &self.phase {
            Phase::Forced(forced) => (forced.reason.clone(), Some(forced.until)),
            _ => (None, None),
        }
    }

    /// After a state that admitted calls, the breaker is closed. After one that refused them
    /// nothing is known about the dependency, so probes go first.
    pub(super) fn lift_as(&mut self, rule: Rule, reason: Option<Reason>, now: Moment) {
        let resting = resting(&self.settings, now);
        let phase = match (self.state(), &resting) {
            (BreakerState::ForcedOpen, Phase::Closed { .. }) => {
                Phase::HalfOpen(HalfOpen::default())
            }
            _ => resting,
        };
        if self.shadow().is_some() {
            self.openings = 0;
        }
        if self.state() == state_of(&phase) {
            self.stay(phase);
        } else {
            let facts = Facts {
                reason,
                ..Facts::default()
            };
            self.change(phase, rule, facts);
        }
    }

    /// Begins the state it is in anew, which is no change to tell. An observer starts over as
    /// closed: what it admitted while it would have been open or half-open is not to be judged
    /// as if it had been closed.
    fn stay(&mut self, phase: Phase) {
        let starts_over = matches!(
            self.shadow(),
            Some(Shadow::Open { .. } | Shadow::HalfOpen { .. })
        );
        self.phase = phase;
        self.generation = self.generation.wrapping_add(u32::from(starts_over));
    }
}
