//! The state machine, without clock, dice, or locks of its own.

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

    /// One that an operator has given an order before it was there.
    pub(crate) fn under(order: Option<Forced>, settings: BreakerSettings, now: Moment) -> Self {
        let mut engine = Engine::new(settings, now);
        if let Some(forced) = order {
            engine.phase = Phase::Forced(forced);
        }
        engine
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

    /// Why an operator forced the state it is in, and when that ends.
    pub(crate) fn forced(&self) -> (Option<Reason>, Option<Moment>) {
        match &self.phase {
            Phase::Forced(forced) => (forced.reason.clone(), Some(forced.until)),
            _ => (None, None),
        }
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

    /// After a state that admitted calls, the breaker is closed. After one that refused them
    /// nothing is known about the dependency, so probes go first.
    fn lift_as(&mut self, rule: Rule, reason: Option<Reason>, now: Moment) {
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

/// How long a refused call should stay away; [`Duration::MAX`] where nobody knows.
pub(crate) fn retry_in(until: Moment, now: Moment) -> Duration {
    if until == Moment::NEVER {
        Duration::MAX
    } else {
        until.since(now)
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
