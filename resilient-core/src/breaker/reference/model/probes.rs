//! Rule B3: who is let through, and what probes find out.

use std::time::Duration;

use super::{Doing, Model, Pass, Stage, half_open};
use crate::breaker::reference::scripts::Kind;
use crate::breaker::{BreakerState, Rule};
use crate::seam::clock::Moment;

impl Model {
    pub(in super::super) fn admit(
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
    pub(in super::super) fn renew(
        &mut self,
        pass: Pass,
        now: Moment,
        timeout: Option<Duration>,
    ) -> bool {
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

    pub(super) fn probed(
        &mut self,
        failed: bool,
        slow: bool,
        now: Moment,
        chance: impl Fn() -> f64,
    ) {
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

    pub(super) fn is_probing(&self) -> bool {
        matches!(self.stage(), Some(Stage::HalfOpen { .. }))
    }

    /// Ends the probe; `false` if it had ended before. To an observer every call is a probe.
    pub(super) fn end_probe(&mut self, pass: Pass) -> bool {
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
}
