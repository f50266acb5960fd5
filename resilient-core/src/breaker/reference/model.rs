//! The model itself: rules B1 to B6.

mod orders;
mod probes;

use std::time::Duration;

use super::scripts::Kind;
use super::share::{Share, reconfigured};
use crate::breaker::{BreakerSettings, BreakerState, Mode, Rule, Verdict};
use crate::seam::clock::Moment;

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

/// Failures since the last success.
#[derive(Clone, Debug, Default)]
struct Run {
    failures: Vec<Moment>,
    /// How many of them count: no more than the rule asked for when they came.
    counting: usize,
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
