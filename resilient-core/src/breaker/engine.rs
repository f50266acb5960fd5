//! The state machine, without clock, dice, or locks of its own.

mod orders;
mod view;

use std::collections::VecDeque;
use std::num::NonZeroU32;
use std::time::Duration;

use super::BreakerState;
use super::forced::{Forced, ForcedKind};
use super::half_open::{HalfOpen, Probed, lease};
use super::open_time::open_time;
use super::reason::Reason;
use super::rules::{Counts, Rules, Tripped};
use super::settings::BreakerSettings;
use super::shadow::Shadow;
use super::ticket::{Refusal, Ticket, Verdict};
use super::transition::Rule;
use crate::seam::clock::Moment;

pub(crate) use view::View;

/// The generation of a breaker that has never changed its state.
pub(crate) const FIRST_GENERATION: u32 = 0;

/// A breaker's state, its counts, and the changes nobody has been told yet.
///
/// Time comes in with every operation and never runs backwards in here: whoever read the clock
/// first but came second is taken to have come at the same time. Chance comes in as a function,
/// because a draw is needed only when the breaker opens.
#[derive(Debug)]
pub(crate) struct Engine {
    settings: BreakerSettings,
    phase: Phase,
    generation: u32,
    rules: Rules,
    /// Openings since the breaker was last closed for as long as its rules look back.
    openings: u32,
    latest: Moment,
    /// Up to when successes have been given a date.
    dated: Moment,
    /// When they should be given one again.
    next_dating: Moment,
    changes: VecDeque<Change>,
}

#[derive(Debug)]
enum Phase {
    Closed { since: Moment },
    Open { until: Moment },
    HalfOpen(HalfOpen),
    Forced(Forced),
}

/// A change of state; the handle adds the name.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Change {
    pub(crate) from: BreakerState,
    pub(crate) to: BreakerState,
    pub(crate) rule: Rule,
    pub(crate) failures: u64,
    pub(crate) attempts: u64,
    pub(crate) generation: u32,
    pub(crate) lasts: Option<Duration>,
    pub(crate) reason: Option<Reason>,
}

/// What a change is told with, beside the states and the rule.
#[derive(Debug, Default)]
struct Facts {
    failures: u64,
    attempts: u64,
    lasts: Option<Duration>,
    reason: Option<Reason>,
}

impl Engine {
    pub(crate) fn new(settings: BreakerSettings, now: Moment) -> Self {
        Engine {
            phase: resting(&settings, now),
            generation: FIRST_GENERATION,
            rules: Rules::new(&settings),
            openings: 0,
            latest: now,
            dated: now,
            next_dating: now,
            changes: VecDeque::new(),
            settings,
        }
    }

    /// Admits a call, or says when to come back.
    pub(crate) fn admit(
        &mut self,
        now: Moment,
        attempt_timeout: Option<Duration>,
    ) -> Result<Ticket, Refusal> {
        let now = self.tick(now);
        if let Phase::Open { until } = self.phase
            && until <= now
        {
            let phase = Phase::HalfOpen(HalfOpen::default());
            self.change(phase, Rule::OpenElapsed, Facts::default());
        }
        let probe = match &mut self.phase {
            Phase::HalfOpen(half_open) => {
                let lease = lease(attempt_timeout, self.settings.open_for);
                match half_open.admit(now, self.settings.probes, lease) {
                    Some(probe) => Some(probe),
                    None => return Err(self.refusal(now)),
                }
            }
            phase if state_of(phase).admits_all() => None,
            _ => return Err(self.refusal(now)),
        };
        Ok(probe.map_or_else(
            || Ticket::new(self.generation),
            |probe| Ticket::of_probe(self.generation, probe),
        ))
    }

    /// Whether a probe that stood in a queue may run now; its time starts here.
    pub(crate) fn renew(
        &mut self,
        ticket: Ticket,
        now: Moment,
        attempt_timeout: Option<Duration>,
    ) -> bool {
        let now = self.tick(now);
        let lease = lease(attempt_timeout, self.settings.open_for);
        match (&mut self.phase, ticket.probe()) {
            (Phase::HalfOpen(half_open), Some(probe)) if ticket.generation() == self.generation => {
                half_open.renew(now, probe, lease)
            }
            _ => false,
        }
    }

    /// Counts an outcome, unless the state has changed since its call was admitted.
    pub(crate) fn record(
        &mut self,
        ticket: Ticket,
        verdict: Verdict,
        now: Moment,
        chance: impl Fn() -> f64,
    ) {
        let now = self.tick(now);
        if ticket.generation() != self.generation {
            return;
        }
        if let Some(probe) = ticket.probe() {
            self.record_probe(probe, verdict, now, chance);
        } else if let Some(Shadow::HalfOpen { successes }) = self.shadow() {
            self.record_shadow_probe(successes, verdict, now, chance);
        } else if self.is_counting() {
            match verdict {
                Verdict::Success => self.rules.succeeded(now, false),
                Verdict::SlowSuccess => self.rules.succeeded(now, true),
                Verdict::Failure => self.rules.failed(now, false),
                Verdict::SlowFailure => self.rules.failed(now, true),
                Verdict::Neutral | Verdict::Panicked => return,
            }
            self.judge(now, chance);
        }
    }

    /// Counts a failure that changes nothing but counts, so that nothing is to be published or told.
    /// `false`, and nothing has happened, if it may do more than that.
    #[inline]
    pub(crate) fn merely_counts(&mut self, ticket: Ticket, verdict: Verdict, now: Moment) -> bool {
        let counts = matches!(self.phase, Phase::Closed { .. })
            && verdict == Verdict::Failure
            && ticket.generation() == self.generation
            && self.rules.outlast_failure();
        if counts {
            let now = self.monotonic(now);
            self.rules.failed(now, false);
        }
        counts
    }

    /// Judges successes that were tallied while a failure made the engine heed successes. They are
    /// taken to have come before that failure, so they end no run.
    pub(crate) fn judge_tallied(&mut self, now: Moment, chance: impl Fn() -> f64) {
        let now = self.tick(now);
        self.judge(now, chance);
    }

    /// Dates successes that were tallied since the last time. True if the next time is another one
    /// now, which is to be published.
    pub(crate) fn date(&mut self, successes: u64, now: Moment) -> bool {
        let now = self.monotonic(now);
        if successes > 0 && self.is_counting() {
            self.rules.succeeded_since(self.dated, now, successes);
        }
        self.dated = now;
        // Moved in whole steps, since whoever reads it shares a cache line with the state.
        let moves = self.next_dating <= now;
        if moves {
            self.next_dating = now.plus(self.rules.grain());
        }
        moves
    }

    /// Lets time pass: a forced state may end, and a breaker that observes would be half-open.
    pub(crate) fn tick(&mut self, now: Moment) -> Moment {
        let now = self.monotonic(now);
        if let Phase::Forced(forced) = &self.phase
            && forced.is_over(now)
        {
            let reason = forced.reason.clone();
            self.lift_as(Rule::Expired, reason, now);
        } else if let Some(Shadow::Open { until }) = self.shadow()
            && until <= now
        {
            self.cast(Shadow::HalfOpen { successes: 0 });
        }
        now
    }

    /// Goes by other numbers. State and counts stay, and a time that has begun ends when it was
    /// going to.
    pub(crate) fn reconfigure(&mut self, settings: BreakerSettings, now: Moment) {
        let now = self.tick(now);
        self.rules.reconfigure(&settings);
        let switched = self.settings.mode != settings.mode;
        self.settings = settings;
        let by_operator = matches!(&self.phase, Phase::Forced(forced) if !forced.by_settings);
        if switched && !by_operator {
            self.rules.clear();
            self.openings = 0;
            let phase = resting(&self.settings, now);
            self.change(phase, Rule::Reconfigured, Facts::default());
        }
    }

    pub(crate) fn state(&self) -> BreakerState {
        state_of(&self.phase)
    }

    pub(crate) fn generation(&self) -> u32 {
        self.generation
    }

    pub(crate) fn settings(&self) -> &BreakerSettings {
        &self.settings
    }

    /// What is counted, as far as it is.
    pub(crate) fn counts(&mut self, now: Moment) -> Counts {
        let now = self.monotonic(now);
        self.rules.counts(now)
    }

    /// Whether a new one would do the same from now on.
    pub(crate) fn is_like_new(&mut self, now: Moment) -> bool {
        let rests = match &self.phase {
            Phase::Closed { .. } => true,
            Phase::Forced(forced) => {
                forced.by_settings
                    && matches!(
                        forced.kind,
                        ForcedKind::Disabled | ForcedKind::Observing(Shadow::Closed { .. })
                    )
            }
            Phase::Open { .. } | Phase::HalfOpen(_) => false,
        };
        let now = self.monotonic(now);
        self.forget_growth(now);
        rests && self.openings == 0 && self.rules.are_empty(now)
    }

    /// The next change to tell.
    pub(crate) fn next_change(&mut self) -> Option<Change> {
        self.changes.pop_front()
    }

    pub(crate) fn has_changes(&self) -> bool {
        !self.changes.is_empty()
    }

    fn record_probe(
        &mut self,
        probe: NonZeroU32,
        verdict: Verdict,
        now: Moment,
        chance: impl Fn() -> f64,
    ) {
        let Phase::HalfOpen(half_open) = &mut self.phase else {
            return;
        };
        if !half_open.end(probe) {
            return;
        }
        match Probed::of(verdict, &self.settings) {
            Probed::Nothing => {}
            Probed::Well => {
                half_open.successes += 1;
                let successes = half_open.successes;
                if successes >= self.settings.close_after {
                    let phase = Phase::Closed { since: now };
                    let facts = Facts {
                        attempts: u64::from(successes),
                        ..Facts::default()
                    };
                    self.change(phase, Rule::ProbesSucceeded, facts);
                }
            }
            Probed::Badly(rule) => {
                let attempts = u64::from(half_open.successes) + 1;
                self.open(Tripped::by_probe(rule, attempts), now, chance);
            }
        }
    }

    /// The same for a breaker that would be half-open if it did not only observe.
    fn record_shadow_probe(
        &mut self,
        successes: u32,
        verdict: Verdict,
        now: Moment,
        chance: impl Fn() -> f64,
    ) {
        match Probed::of(verdict, &self.settings) {
            Probed::Nothing => {}
            Probed::Well if successes + 1 >= self.settings.close_after => {
                self.cast(Shadow::Closed { since: now });
            }
            Probed::Well => {
                let successes = successes + 1;
                self.set_shadow(Shadow::HalfOpen { successes });
            }
            Probed::Badly(rule) => {
                let attempts = u64::from(successes) + 1;
                self.open(Tripped::by_probe(rule, attempts), now, chance);
            }
        }
    }

    /// Asks the rules, and does what they say.
    fn judge(&mut self, now: Moment, chance: impl Fn() -> f64) {
        let is_closed = matches!(self.phase, Phase::Closed { .. })
            || matches!(self.shadow(), Some(Shadow::Closed { .. }));
        if is_closed && let Some(tripped) = self.rules.judge(now) {
            self.open(tripped, now, chance);
        }
    }

    /// Opens, or says that it would have.
    fn open(&mut self, tripped: Tripped, now: Moment, chance: impl Fn() -> f64) {
        self.forget_growth(now);
        let open_for = open_time(&self.settings, self.openings, chance());
        self.openings = self.openings.saturating_add(1);
        self.rules.clear();
        let until = now.plus(open_for);
        let phase = match &self.phase {
            Phase::Forced(forced) => Phase::Forced(Forced {
                kind: ForcedKind::Observing(Shadow::Open { until }),
                ..forced.clone()
            }),
            _ => Phase::Open { until },
        };
        let facts = Facts {
            failures: tripped.failures,
            attempts: tripped.attempts,
            lasts: Some(open_for),
            reason: None,
        };
        self.change(phase, tripped.rule, facts);
    }

    /// Open times are as short as at first again, once it has been closed for a whole window.
    fn forget_growth(&mut self, now: Moment) {
        let since = match (&self.phase, self.shadow()) {
            (Phase::Closed { since }, _) => *since,
            (_, Some(Shadow::Closed { since })) => since,
            _ => return,
        };
        if self.rules.are_renewed(since, now) {
            self.openings = 0;
        }
    }

    fn change(&mut self, phase: Phase, rule: Rule, facts: Facts) {
        let from = self.state();
        self.phase = phase;
        self.generation = self.generation.wrapping_add(1);
        self.changes.push_back(Change {
            from,
            to: self.state(),
            rule,
            failures: facts.failures,
            attempts: facts.attempts,
            generation: self.generation,
            lasts: facts.lasts,
            reason: facts.reason,
        });
    }

    /// What it would be doing, if it only observes.
    fn shadow(&self) -> Option<Shadow> {
        match &self.phase {
            Phase::Forced(Forced {
                kind: ForcedKind::Observing(shadow),
                ..
            }) => Some(*shadow),
            _ => None,
        }
    }

    fn set_shadow(&mut self, shadow: Shadow) {
        if let Phase::Forced(forced) = &mut self.phase {
            forced.kind = ForcedKind::Observing(shadow);
        }
    }

    /// It would be in another state now: calls admitted before count for that one no more than
    /// they would.
    fn cast(&mut self, shadow: Shadow) {
        self.set_shadow(shadow);
        self.generation = self.generation.wrapping_add(1);
    }

    fn refusal(&self, now: Moment) -> Refusal {
        let until = self.view().until.unwrap_or(now);
        Refusal {
            state: self.state(),
            retry_in: retry_in(until, now),
        }
    }

    /// Whether outcomes count towards the rules.
    fn is_counting(&self) -> bool {
        match &self.phase {
            Phase::Closed { .. } => true,
            Phase::Forced(forced) => matches!(
                forced.kind,
                ForcedKind::Closed | ForcedKind::Observing(Shadow::Closed { .. })
            ),
            Phase::Open { .. } | Phase::HalfOpen(_) => false,
        }
    }

    fn monotonic(&mut self, now: Moment) -> Moment {
        self.latest = self.latest.max(now);
        self.latest
    }
}

/// How many nanoseconds a refused call should stay away; [`u64::MAX`] where nobody knows.
#[inline]
pub(crate) fn retry_in(until: Moment, now: Moment) -> u64 {
    if until == Moment::NEVER {
        u64::MAX
    } else {
        until.nanos_since(now)
    }
}

/// What the settings alone make of it.
fn resting(settings: &BreakerSettings, now: Moment) -> Phase {
    match Forced::by_settings(settings.mode, now) {
        Some(forced) => Phase::Forced(forced),
        None => Phase::Closed { since: now },
    }
}

fn state_of(phase: &Phase) -> BreakerState {
    match phase {
        Phase::Closed { .. } => BreakerState::Closed,
        Phase::Open { .. } => BreakerState::Open,
        Phase::HalfOpen(_) => BreakerState::HalfOpen,
        Phase::Forced(forced) => forced.kind.state(),
    }
}

#[cfg(test)]
mod tests;
