//! The model itself: rules B1 to B6.

use std::time::Duration;

use super::scripts::Kind;
use crate::breaker::{BreakerSettings, BreakerState, Mode, RateRule, Rule, Verdict, Window};
use crate::seam::clock::Moment;
use crate::window::reference::{LastSoMany, LastTime};

#[derive(Clone, Debug)]
pub(super) struct Model {
    settings: BreakerSettings,
    doing: Doing,
    /// Grows whenever results of calls that were admitted before count no more.
    generation: u64,
    openings: i32,
    /// How many probes there were: the number of the next one.
    probes: u64,
    now: Moment,
    dated: Moment,
    failures: Option<Share>,
    slow: Option<Share>,
    run: Run,
    told: Vec<Told>,
}

/// What it does with calls.
#[derive(Clone, Debug)]
enum Doing {
    Rules(Stage),
    Forced {
        kind: Kind,
        until: Option<Moment>,
        by_settings: bool,
        /// What it would do if it only observes.
        shadow: Stage,
    },
}

/// Where the rules have brought it.
#[derive(Clone, Debug)]
enum Stage {
    Closed {
        since: Moment,
    },
    Open {
        until: Moment,
    },
    HalfOpen {
        probes: Vec<(u64, Moment)>,
        successes: u32,
    },
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Told {
    pub(super) from: BreakerState,
    pub(super) to: BreakerState,
    pub(super) rule: Rule,
    pub(super) failures: u64,
    pub(super) attempts: u64,
    pub(super) lasts: Option<Duration>,
}

/// An admission.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pass {
    generation: u64,
    pub(super) probe: Option<u64>,
}

/// The share of bad ones among the outcomes of a window.
#[derive(Clone, Debug)]
struct Share {
    rule: RateRule,
    window: Remembered,
}

#[derive(Clone, Debug)]
enum Remembered {
    Time(LastTime),
    Count(LastSoMany),
}

/// Failures since the last success.
#[derive(Clone, Debug, Default)]
struct Run {
    failures: Vec<Moment>,
    /// How many of them count: no more than the rule asked for when they came.
    counting: usize,
}

impl Share {
    fn new(rule: RateRule) -> Self {
        let window = match rule.window {
            Window::Time(window) => Remembered::Time(LastTime::new(window)),
            Window::Count(count) => Remembered::Count(LastSoMany::new(count)),
        };
        Share { rule, window }
    }

    fn record(&mut self, bad: bool, now: Moment) {
        match &mut self.window {
            Remembered::Time(window) => window.record(now, u64::from(!bad), u64::from(bad)),
            Remembered::Count(window) => window.record(bad),
        }
    }

    fn good_since(&mut self, from: Moment, now: Moment, count: u64) {
        match &mut self.window {
            Remembered::Time(window) => window.spread(from, now, count),
            Remembered::Count(window) => (0..count).for_each(|_| window.record(false)),
        }
    }

    /// Bad ones and all.
    fn counts(&mut self, now: Moment) -> (u64, u64) {
        let (good, bad) = match &mut self.window {
            Remembered::Time(window) => window.totals(now),
            Remembered::Count(window) => window.totals(),
        };
        (bad, good + bad)
    }

    fn has_enough(&mut self, now: Moment) -> bool {
        self.counts(now).1 >= u64::from(self.rule.min_attempts)
    }

    #[allow(clippy::cast_precision_loss)]
    fn is_reached(&mut self, now: Moment) -> bool {
        let (bad, all) = self.counts(now);
        self.has_enough(now) && bad as f64 / all as f64 >= self.rule.threshold
    }

    /// Whether it was closed for a whole window.
    fn is_full(&self, since: Moment, now: Moment) -> bool {
        match (&self.window, self.rule.window) {
            (Remembered::Count(window), Window::Count(length)) => {
                window.recorded() > u64::from(length)
            }
            (_, Window::Time(length)) => now.since(since) >= length,
            _ => unreachable!("the window is of the rule's kind"),
        }
    }

    fn reconfigure(&mut self, rule: RateRule) {
        match (&mut self.window, rule.window) {
            (Remembered::Time(window), Window::Time(length)) => {
                if self.rule.window != rule.window {
                    window.resize(length);
                }
            }
            (Remembered::Count(window), Window::Count(length)) => window.resize(length),
            _ => *self = Share::new(rule),
        }
        self.rule = rule;
    }

    fn clear(&mut self) {
        match &mut self.window {
            Remembered::Time(window) => window.clear(),
            Remembered::Count(window) => window.clear(),
        }
    }
}

impl Model {
    pub(super) fn new(settings: BreakerSettings, now: Moment) -> Self {
        Model {
            doing: resting(&settings, now),
            generation: 0,
            openings: 0,
            probes: 0,
            now,
            dated: now,
            failures: settings.failure_rate.map(Share::new),
            slow: settings.slow_calls.map(|rule| Share::new(rule.rate())),
            run: Run::default(),
            told: Vec::new(),
            settings,
        }
    }

    pub(super) fn state(&self) -> BreakerState {
        match &self.doing {
            Doing::Rules(Stage::Closed { .. }) => BreakerState::Closed,
            Doing::Rules(Stage::Open { .. }) => BreakerState::Open,
            Doing::Rules(Stage::HalfOpen { .. }) => BreakerState::HalfOpen,
            Doing::Forced { kind, .. } => state_of(*kind),
        }
    }

    /// B6: it observes, and would be open.
    pub(super) fn would_refuse(&self) -> bool {
        matches!(
            &self.doing,
            Doing::Forced {
                kind: Kind::Observing,
                shadow: Stage::Open { .. },
                ..
            }
        )
    }

    pub(super) fn told(&mut self) -> Vec<Told> {
        std::mem::take(&mut self.told)
    }

    /// How many failures in a row there are.
    pub(super) fn run(&self) -> usize {
        if self.settings.consecutive.is_some() {
            self.run_now(self.now).len()
        } else {
            0
        }
    }

    /// Failures, slow ones, and all.
    pub(super) fn counts(&mut self, now: Moment) -> (u64, u64, u64) {
        let now = self.reached(now);
        let run = self.run_now(now).len() as u64;
        let failures = self.failures.as_mut().map(|share| share.counts(now));
        let slow = self.slow.as_mut().map(|share| share.counts(now));
        (
            failures.map_or(run, |(bad, _)| bad),
            slow.map_or(0, |(bad, _)| bad),
            failures.or(slow).map_or(run, |(_, all)| all),
        )
    }

    /// Time passes: a forced state ends, an observer would let probes through.
    pub(super) fn look(&mut self, now: Moment) -> Moment {
        let now = self.reached(now);
        if let Doing::Forced {
            until: Some(until), ..
        } = &self.doing
            && *until <= now
        {
            self.give_back(Rule::Expired);
        } else if let Doing::Forced {
            kind: Kind::Observing,
            shadow,
            ..
        } = &mut self.doing
            && matches!(shadow, Stage::Open { until } if *until <= now)
        {
            *shadow = half_open();
            self.generation += 1;
        }
        now
    }

    pub(super) fn admit(
        &mut self,
        now: Moment,
        timeout: Option<Duration>,
    ) -> Result<Pass, (BreakerState, Duration)> {
        let now = self.look(now);
        if matches!(&self.doing, Doing::Rules(Stage::Open { until }) if *until <= now) {
            self.change(Doing::Rules(half_open()), Rule::OpenElapsed, 0, 0, None);
        }
        let (lease, generation) = (self.lease(timeout), self.generation);
        let refused = match &mut self.doing {
            Doing::Rules(Stage::Open { until }) => Some(until.since(now)),
            Doing::Rules(Stage::HalfOpen { probes, .. }) => {
                // Those whose lease is over hold no slot, but may still tell what they found out.
                let holds = |(_, ends): &&(u64, Moment)| *ends > now;
                if probes.iter().filter(holds).count() < self.settings.probes as usize {
                    self.probes += 1;
                    let probe = self.probes;
                    probes.push((probe, now.plus(lease)));
                    return Ok(Pass {
                        generation,
                        probe: Some(probe),
                    });
                }
                let first = probes.iter().filter(holds).map(|(_, ends)| *ends).min();
                first.map(|first| first.since(now))
            }
            Doing::Forced {
                kind: Kind::Open,
                until,
                ..
            } => Some(until.map_or(Duration::MAX, |until| until.since(now))),
            Doing::Rules(Stage::Closed { .. }) | Doing::Forced { .. } => None,
        };
        match refused {
            Some(retry_in) => Err((self.state(), retry_in)),
            None => Ok(Pass {
                generation,
                probe: None,
            }),
        }
    }

    /// B3: the time of a probe that stood in a queue starts anew.
    pub(super) fn renew(&mut self, pass: Pass, now: Moment, timeout: Option<Duration>) -> bool {
        let now = self.look(now);
        let lease = self.lease(timeout);
        if pass.generation != self.generation {
            return false;
        }
        let Doing::Rules(Stage::HalfOpen { probes, .. }) = &mut self.doing else {
            return false;
        };
        let held = |(id, ends): &&mut (u64, Moment)| Some(*id) == pass.probe && *ends > now;
        match probes.iter_mut().find(held) {
            Some((_, ends)) => {
                *ends = now.plus(lease);
                true
            }
            None => false,
        }
    }

    pub(super) fn record(
        &mut self,
        pass: Pass,
        verdict: Verdict,
        now: Moment,
        chance: impl Fn() -> f64,
    ) {
        let now = self.look(now);
        // B4.
        if pass.generation != self.generation {
            return;
        }
        let (failed, slow) = match verdict {
            Verdict::Success => (false, false),
            Verdict::SlowSuccess => (false, true),
            Verdict::Failure => (true, false),
            Verdict::SlowFailure => (true, true),
            // B2: of a probe, a panic is a failure.
            Verdict::Panicked if self.is_probing() => (true, false),
            Verdict::Panicked | Verdict::Neutral => {
                self.end_probe(pass);
                return;
            }
        };
        if self.is_probing() {
            if self.end_probe(pass) {
                self.probed(failed, slow, now, chance);
            }
        } else {
            self.recorded(failed, slow, now, chance);
        }
    }

    /// An outcome, if outcomes count now.
    pub(super) fn recorded(
        &mut self,
        failed: bool,
        slow: bool,
        now: Moment,
        chance: impl Fn() -> f64,
    ) {
        let now = self.reached(now);
        if !self.is_counting() {
            return;
        }
        if let Some(share) = &mut self.failures {
            share.record(failed, now);
        }
        if let Some(share) = &mut self.slow {
            share.record(slow, now);
        }
        if !failed {
            self.run = Run::default();
        } else if let Some(rule) = self.settings.consecutive {
            self.run.failures.push(now);
            let counting = self.run_now(now).len();
            self.run.counting = (counting + 1).min(rule.failures as usize);
        }
        self.judge(now, chance);
    }

    /// Successes some time since it was last said so.
    pub(super) fn dated(&mut self, successes: u64, now: Moment) {
        let now = self.reached(now);
        if successes > 0 && self.is_counting() {
            for share in [&mut self.failures, &mut self.slow].into_iter().flatten() {
                share.good_since(self.dated, now, successes);
            }
        }
        self.dated = now;
    }

    pub(super) fn force(&mut self, kind: Kind, lasts: Option<Duration>, now: Moment) {
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

    pub(super) fn lift(&mut self, now: Moment) {
        self.look(now);
        if let Doing::Forced {
            by_settings: false, ..
        } = &self.doing
        {
            self.give_back(Rule::Lifted);
        }
    }

    pub(super) fn reset(&mut self, now: Moment) {
        let now = self.reached(now);
        self.clear();
        self.openings = 0;
        let doing = resting(&self.settings, now);
        let generation = self.generation;
        self.change_unless_same(doing, Rule::Reset, None);
        self.generation = generation + 1;
    }

    pub(super) fn reconfigure(&mut self, settings: BreakerSettings, now: Moment) {
        let now = self.look(now);
        let switched = settings.mode != self.settings.mode;
        self.failures = reconfigured(self.failures.take(), settings.failure_rate);
        let slow = settings.slow_calls.map(|rule| rule.rate());
        self.slow = reconfigured(self.slow.take(), slow);
        match settings.consecutive {
            Some(rule) if self.settings.consecutive.is_some() => {
                self.run.counting = self.run.counting.min(rule.failures as usize);
            }
            _ => self.run = Run::default(),
        }
        self.settings = settings;
        if switched
            && !matches!(
                self.doing,
                Doing::Forced {
                    by_settings: false,
                    ..
                }
            )
        {
            self.clear();
            self.openings = 0;
            let doing = resting(&self.settings, now);
            self.change(doing, Rule::Reconfigured, 0, 0, None);
        }
    }

    /// B1: the share of failures, then that of slow attempts, and the run while the first of them
    /// does not know enough.
    fn judge(&mut self, now: Moment, chance: impl Fn() -> f64) {
        let closed = matches!(self.stage(), Some(Stage::Closed { .. }));
        if !closed {
            return;
        }
        let shares = [
            (self.failures.as_mut(), Rule::FailureRate),
            (self.slow.as_mut(), Rule::SlowCallRate),
        ];
        let reached = shares.into_iter().find_map(|(share, rule)| {
            let share = share?;
            share.is_reached(now).then(|| (rule, share.counts(now)))
        });
        if let Some((rule, (bad, all))) = reached {
            return self.open(rule, bad, all, now, chance);
        }
        let rate_judges = self
            .failures
            .as_mut()
            .is_some_and(|share| share.has_enough(now));
        if let Some(rule) = self.settings.consecutive
            && !rate_judges
        {
            let run = self.run_now(now);
            let all: Vec<_> = self.recent(now);
            if let (Some(first), Some(last)) = (all.first(), all.last())
                && run.len() >= rule.failures as usize
                && last.since(*first) >= rule.spanning
            {
                let length = run.len() as u64;
                self.open(Rule::Consecutive, length, length, now, chance);
            }
        }
    }

    fn probed(&mut self, failed: bool, slow: bool, now: Moment, chance: impl Fn() -> f64) {
        let close_after = self.settings.close_after;
        let Some(Stage::HalfOpen { successes, .. }) = self.stage_mut() else {
            return;
        };
        let all = *successes + 1;
        let rule = if failed {
            Some(Rule::ProbeFailed)
        } else if slow && self.settings.slow_calls.is_some() {
            Some(Rule::ProbeSlow)
        } else {
            None
        };
        if let Some(rule) = rule {
            return self.open(rule, 1, u64::from(all), now, chance);
        }
        let Some(Stage::HalfOpen { successes, .. }) = self.stage_mut() else {
            return;
        };
        *successes = all;
        if all >= close_after {
            let closed = Stage::Closed { since: now };
            if let Doing::Forced { shadow, .. } = &mut self.doing {
                *shadow = closed;
                self.generation += 1;
            } else {
                let doing = Doing::Rules(closed);
                self.change(doing, Rule::ProbesSucceeded, 0, u64::from(all), None);
            }
        }
    }

    /// B5.
    fn open(
        &mut self,
        rule: Rule,
        failures: u64,
        attempts: u64,
        now: Moment,
        chance: impl Fn() -> f64,
    ) {
        self.forget_growth(now);
        let mut seconds = self.settings.open_for.as_secs_f64();
        if let Some(growth) = self.settings.growth {
            seconds = (seconds * growth.factor.powi(self.openings)).min(growth.max.as_secs_f64());
        }
        let lasts = Duration::from_secs_f64(seconds * (0.8 + 0.4 * chance()));
        self.openings += 1;
        self.clear();
        let open = Stage::Open {
            until: now.plus(lasts),
        };
        let mut doing = self.doing.clone();
        match &mut doing {
            Doing::Rules(stage) => *stage = open,
            Doing::Forced { shadow, .. } => *shadow = open,
        }
        self.change(doing, rule, failures, attempts, Some(lasts));
    }

    fn forget_growth(&mut self, now: Moment) {
        let Some(Stage::Closed { since }) = self.stage() else {
            return;
        };
        let mut shares = [&self.failures, &self.slow].into_iter().flatten();
        let run = self.settings.consecutive;
        if run.is_none_or(|rule| now.since(*since) >= rule.within)
            && shares.all(|share| share.is_full(*since, now))
        {
            self.openings = 0;
        }
    }

    /// The end of a forced state.
    fn give_back(&mut self, rule: Rule) {
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

    fn change(
        &mut self,
        doing: Doing,
        rule: Rule,
        failures: u64,
        attempts: u64,
        lasts: Option<Duration>,
    ) {
        let from = self.state();
        self.doing = doing;
        self.generation += 1;
        self.told.push(Told {
            from,
            to: self.state(),
            rule,
            failures,
            attempts,
            lasts,
        });
    }

    /// Where the rules have brought it, or would have.
    fn stage(&self) -> Option<&Stage> {
        match &self.doing {
            Doing::Rules(stage) => Some(stage),
            Doing::Forced {
                kind: Kind::Observing,
                shadow,
                ..
            } => Some(shadow),
            Doing::Forced { .. } => None,
        }
    }

    fn stage_mut(&mut self) -> Option<&mut Stage> {
        match &mut self.doing {
            Doing::Rules(stage) => Some(stage),
            Doing::Forced {
                kind: Kind::Observing,
                shadow,
                ..
            } => Some(shadow),
            Doing::Forced { .. } => None,
        }
    }

    fn is_probing(&self) -> bool {
        matches!(self.stage(), Some(Stage::HalfOpen { .. }))
    }

    /// Whether outcomes count towards the rules.
    pub(super) fn is_counting(&self) -> bool {
        matches!(
            self.doing,
            Doing::Forced {
                kind: Kind::Closed,
                ..
            }
        ) || matches!(self.stage(), Some(Stage::Closed { .. }))
    }

    /// Ends the probe; `false` if it had ended before. To an observer every call is a probe.
    fn end_probe(&mut self, pass: Pass) -> bool {
        let observes = matches!(self.doing, Doing::Forced { .. });
        let Some(Stage::HalfOpen { probes, .. }) = self.stage_mut() else {
            return false;
        };
        let index = probes.iter().position(|(id, _)| Some(*id) == pass.probe);
        let ended = index.map(|index| probes.swap_remove(index));
        ended.is_some() || observes
    }

    fn lease(&self, timeout: Option<Duration>) -> Duration {
        timeout.map_or(self.settings.open_for, |timeout| {
            timeout + Duration::from_secs(1)
        })
    }

    /// Failures of the run that are not too old.
    fn recent(&self, now: Moment) -> Vec<Moment> {
        let within = self.settings.consecutive.map(|rule| rule.within);
        let is_recent = |at: &&Moment| within.is_some_and(|within| now.since(**at) < within);
        self.run
            .failures
            .iter()
            .filter(is_recent)
            .copied()
            .collect()
    }

    /// Those of them that count.
    fn run_now(&self, now: Moment) -> Vec<Moment> {
        let counting = self.run.failures.len().saturating_sub(self.run.counting);
        let latest = &self.run.failures[counting..];
        let recent = self.recent(now);
        recent[recent.len().saturating_sub(latest.len())..].to_vec()
    }

    fn clear(&mut self) {
        for share in [&mut self.failures, &mut self.slow].into_iter().flatten() {
            share.clear();
        }
        self.run = Run::default();
    }

    fn reached(&mut self, now: Moment) -> Moment {
        self.now = self.now.max(now);
        self.now
    }
}

fn reconfigured(share: Option<Share>, rule: Option<RateRule>) -> Option<Share> {
    let rule = rule?;
    let Some(mut share) = share else {
        return Some(Share::new(rule));
    };
    share.reconfigure(rule);
    Some(share)
}

fn half_open() -> Stage {
    Stage::HalfOpen {
        probes: Vec::new(),
        successes: 0,
    }
}

fn resting(settings: &BreakerSettings, now: Moment) -> Doing {
    let kind = match settings.mode {
        Mode::Enabled => return Doing::Rules(Stage::Closed { since: now }),
        Mode::Observing => Kind::Observing,
        Mode::Disabled => Kind::Disabled,
    };
    Doing::Forced {
        kind,
        until: None,
        by_settings: true,
        shadow: Stage::Closed { since: now },
    }
}

fn state_of(kind: Kind) -> BreakerState {
    match kind {
        Kind::Open => BreakerState::ForcedOpen,
        Kind::Closed => BreakerState::ForcedClosed,
        Kind::Disabled => BreakerState::Disabled,
        Kind::Observing => BreakerState::Observing,
    }
}
