//! Rule B6: what operators order, and what comes after.

use std::time::Duration;

use super::{Doing, Model, Stage, half_open, resting};
use crate::breaker::Rule;
use crate::breaker::reference::scripts::Kind;
use crate::seam::clock::Moment;

impl Model {
    pub(in super::super) fn force(&mut self, kind: Kind, lasts: Option<Duration>, now: Moment) {
        let now = self.look(now);
        self.forget_growth(now);
        if !matches!(kind, Kind::Closed) {
            self.clear();
        }
        let doing = Doing::Forced {
            kind,
            until: lasts.map(|lasts| now.plus(lasts)),
            by_settings: false,
            shadow: Stage::Closed { since: now },
        };
        self.change_unless_same(doing, Rule::Forced, lasts);
    }

    pub(in super::super) fn lift(&mut self, now: Moment) {
        self.look(now);
        if let Doing::Forced {
            by_settings: false, ..
        } = &self.doing
        {
            self.give_back(Rule::Lifted);
        }
    }

    pub(in super::super) fn reset(&mut self, now: Moment) {
        let now = self.reached(now);
        self.clear();
        self.openings = 0;
        let doing = resting(&self.settings, now);
        let generation = self.generation;
        self.change_unless_same(doing, Rule::Reset, None);
        self.generation = generation + 1;
    }

    /// The end of a forced state.
    pub(super) fn give_back(&mut self, rule: Rule) {
        let refused = matches!(
            self.doing,
            Doing::Forced {
                kind: Kind::Open,
                ..
            }
        );
        if matches!(
            self.doing,
            Doing::Forced {
                kind: Kind::Observing,
                ..
            }
        ) {
            self.openings = 0;
        }
        let mut doing = resting(&self.settings, self.now);
        if refused && matches!(doing, Doing::Rules(_)) {
            doing = Doing::Rules(half_open());
        }
        self.change_unless_same(doing, rule, None);
    }

    /// A state that is chosen again is no change, and so is not told; but what an observer would
    /// have done with a call that began before is over.
    fn change_unless_same(&mut self, doing: Doing, rule: Rule, lasts: Option<Duration>) {
        let (before, closed) = (
            self.state(),
            matches!(self.stage(), Some(Stage::Closed { .. }) | None),
        );
        let mut after = self.clone();
        after.doing = doing.clone();
        if after.state() == before {
            self.doing = doing;
            self.generation += u64::from(!closed);
        } else {
            self.change(doing, rule, 0, 0, lasts);
        }
    }
}
