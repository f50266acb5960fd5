//! The state machine, without clock, dice, or locks of its own.

use std::collections::VecDeque;
use std::num::NonZeroU32;
use std::time::Duration;

use super::BreakerState;
use super::forced::{Forced, ForcedKind};
use super::half_open::{HalfOpen, lease};
use super::open_time::open_time;
use super::rules::{Rules, Tripped};
use super::settings::BreakerSettings;
use super::ticket::{Refusal, Ticket, Verdict};
use super::transition::Rule;
use super::word::Word;
use crate::seam::clock::Moment;

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
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Change {
    pub(crate) from: BreakerState,
    pub(crate) to: BreakerState,
    pub(crate) rule: Rule,
    pub(crate) failures: u64,
    pub(crate) attempts: u64,
    pub(crate) generation: u32,
    pub(crate) lasts: Option<Duration>,
}

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
            self.change(phase, Rule::OpenElapsed, (0, 0), None);
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
        } else if self.is_counting() {
            match verdict {
                Verdict::Success => self.rules.succeeded(now),
                Verdict::Failure => self.rules.failed(now),
                Verdict::Neutral | Verdict::Panicked => return,
            }
            self.judge(now, chance);
        }
    }

    /// Judges successes that were tallied while a failure made the engine heed successes. They are
    /// taken to have come before that failure, so they end no run.
    pub(crate) fn judge_tallied(&mut self, now: Moment, chance: impl Fn() -> f64) {
        let now = self.tick(now);
        self.judge(now, chance);
    }

    /// Dates successes that were tallied since the last time.
    pub(crate) fn date(&mut self, successes: u64, now: Moment) {
        let now = self.monotonic(now);
        if self.is_counting() {
            self.rules.succeeded_since(self.dated, now, successes);
        }
        self.dated = now;
        // Moved in whole steps, since whoever reads it shares a cache line with the state.
        if self.next_dating <= now {
            self.next_dating = now.plus(self.rules.grain());
        }
    }

    /// Lets time pass: a forced state may end.
    pub(crate) fn tick(&mut self, now: Moment) -> Moment {
        let now = self.monotonic(now);
        if let Phase::Forced(forced) = &mut self.phase {
            if forced.is_over(now) {
                self.lift_as(Rule::Expired, now);
            } else if forced.quiet_until.is_some_and(|quiet| quiet <= now) {
                forced.quiet_until = None;
            }
        }
        now
    }

    /// An operator chooses a state, for a time or until it is lifted.
    pub(crate) fn force(&mut self, kind: ForcedKind, lasts: Option<Duration>, now: Moment) {
        let now = self.monotonic(now);
        let forced = Forced::new(kind, now, lasts);
        if kind != ForcedKind::Closed {
            self.rules.clear();
        }
        if self.state() == kind.state() {
            self.phase = Phase::Forced(forced);
        } else {
            self.change(Phase::Forced(forced), Rule::Forced, (0, 0), lasts);
        }
    }

    /// An operator gives the breaker back to its rules.
    pub(crate) fn lift(&mut self, now: Moment) {
        let now = self.tick(now);
        if matches!(self.phase, Phase::Forced(_)) {
            self.lift_as(Rule::Lifted, now);
        }
    }

    /// An operator starts the breaker afresh.
    pub(crate) fn reset(&mut self, now: Moment) {
        let now = self.monotonic(now);
        self.rules.clear();
        self.openings = 0;
        let phase = resting(&self.settings, now);
        if self.state() == state_of(&phase) {
            self.phase = phase;
            self.generation = self.generation.wrapping_add(1);
        } else {
            self.change(phase, Rule::Reset, (0, 0), None);
        }
    }

    /// Goes by other numbers. State and counts stay, and a time that has begun ends when it was
    /// going to.
    pub(crate) fn reconfigure(&mut self, settings: BreakerSettings, now: Moment) {
        let now = self.tick(now);
        self.rules.reconfigure(&settings);
        let switched = self.settings.enabled != settings.enabled;
        self.settings = settings;
        let at_rest = match self.phase {
            Phase::Forced(forced) => forced.kind == ForcedKind::Disabled && switched,
            _ => true,
        };
        if switched && at_rest {
            self.rules.clear();
            let phase = resting(&self.settings, now);
            if self.state() != state_of(&phase) {
                self.change(phase, Rule::Reconfigured, (0, 0), None);
            }
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

    /// Failures and attempts as far as they are counted.
    pub(crate) fn counts(&mut self, now: Moment) -> (u64, u64) {
        let now = self.monotonic(now);
        self.rules.counts(now)
    }

    /// The next change to tell.
    pub(crate) fn next_change(&mut self) -> Option<Change> {
        self.changes.pop_front()
    }

    pub(crate) fn has_changes(&self) -> bool {
        !self.changes.is_empty()
    }

    pub(crate) fn view(&self) -> View {
        let counting = self.is_counting();
        let half_open = matches!(self.phase, Phase::HalfOpen(_));
        let until = match &self.phase {
            Phase::Closed { .. } => None,
            Phase::Open { until } => Some(*until),
            Phase::HalfOpen(half_open) => half_open.full_until(self.settings.probes),
            Phase::Forced(forced) => Some(forced.until),
        };
        // A quiet observer and a forced state with an end look at the clock on failures too, in
        // case nobody tells them the time.
        let waits = matches!(&self.phase, Phase::Forced(forced)
            if forced.until != Moment::NEVER || forced.quiet_until.is_some());
        View {
            word: Word::new(self.state(), self.generation)
                .heeding_successes(half_open || counting && self.rules.heed_success())
                .counting_successes(counting && self.rules.count_success())
                .heeding_failures(half_open || counting || waits),
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
            Phase::Forced(forced) => dating
                .min(forced.until)
                .min(forced.quiet_until.unwrap_or(Moment::NEVER)),
            _ => dating,
        }
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
        if !half_open.give_back(now, probe) {
            return;
        }
        match verdict {
            Verdict::Neutral => {}
            Verdict::Success => {
                half_open.successes += 1;
                if half_open.successes >= self.settings.close_after {
                    let attempts = u64::from(half_open.successes);
                    let phase = Phase::Closed { since: now };
                    self.change(phase, Rule::ProbesSucceeded, (0, attempts), None);
                }
            }
            Verdict::Failure | Verdict::Panicked => {
                let attempts = u64::from(half_open.successes) + 1;
                let tripped = Tripped {
                    rule: Rule::ProbeFailed,
                    failures: 1,
                    attempts,
                };
                self.open(tripped, now, chance);
            }
        }
    }

    /// Asks the rules, and does what they say.
    fn judge(&mut self, now: Moment, chance: impl Fn() -> f64) {
        let kind = match self.phase {
            Phase::Closed { .. } => None,
            Phase::Forced(forced) if forced.kind == ForcedKind::Observing => Some(forced),
            _ => return,
        };
        let Some(tripped) = self.rules.judge(now) else {
            return;
        };
        match kind {
            None => self.open(tripped, now, chance),
            Some(forced) => self.announce_instead(forced, tripped, now, chance),
        }
    }

    fn open(&mut self, tripped: Tripped, now: Moment, chance: impl Fn() -> f64) {
        if let Phase::Closed { since } = self.phase
            && now.since(since) >= self.rules.memory()
        {
            self.openings = 0;
        }
        let open_for = open_time(&self.settings, self.openings, chance());
        self.openings = self.openings.saturating_add(1);
        self.rules.clear();
        let until = now.plus(open_for);
        let counts = (tripped.failures, tripped.attempts);
        self.change(Phase::Open { until }, tripped.rule, counts, Some(open_for));
    }

    /// While observing: says that it would have opened, and counts nothing until it would have
    /// been half-open, as if it had.
    fn announce_instead(
        &mut self,
        forced: Forced,
        tripped: Tripped,
        now: Moment,
        chance: impl Fn() -> f64,
    ) {
        let open_for = open_time(&self.settings, 0, chance());
        self.rules.clear();
        let phase = Phase::Forced(Forced {
            quiet_until: Some(now.plus(open_for)),
            ..forced
        });
        let counts = (tripped.failures, tripped.attempts);
        self.change(phase, tripped.rule, counts, Some(open_for));
    }

    /// After a state that admitted calls, the breaker is closed. After one that refused them
    /// nothing is known about the dependency, so probes go first.
    fn lift_as(&mut self, rule: Rule, now: Moment) {
        let phase = match (self.state(), self.settings.enabled) {
            (BreakerState::ForcedOpen, true) => Phase::HalfOpen(HalfOpen::default()),
            _ => resting(&self.settings, now),
        };
        if self.state() == state_of(&phase) {
            self.phase = phase;
        } else {
            self.change(phase, rule, (0, 0), None);
        }
    }

    fn change(
        &mut self,
        phase: Phase,
        rule: Rule,
        (failures, attempts): (u64, u64),
        lasts: Option<Duration>,
    ) {
        let from = self.state();
        self.phase = phase;
        self.generation = self.generation.wrapping_add(1);
        self.changes.push_back(Change {
            from,
            to: self.state(),
            rule,
            failures,
            attempts,
            generation: self.generation,
            lasts,
        });
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
            Phase::Forced(forced) => match forced.kind {
                ForcedKind::Closed => true,
                ForcedKind::Observing => forced.quiet_until.is_none(),
                ForcedKind::Open | ForcedKind::Disabled => false,
            },
            Phase::Open { .. } | Phase::HalfOpen(_) => false,
        }
    }

    fn monotonic(&mut self, now: Moment) -> Moment {
        self.latest = self.latest.max(now);
        self.latest
    }
}

/// How long a refused call should stay away; [`Duration::MAX`] where nobody knows.
pub(crate) fn retry_in(until: Moment, now: Moment) -> Duration {
    if until == Moment::NEVER {
        Duration::MAX
    } else {
        until.since(now)
    }
}

fn resting(settings: &BreakerSettings, now: Moment) -> Phase {
    if settings.enabled {
        Phase::Closed { since: now }
    } else {
        Phase::Forced(Forced::new(ForcedKind::Disabled, now, None))
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
