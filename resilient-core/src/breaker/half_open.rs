//! The few calls that find out whether the dependency is back.

use std::num::NonZeroU32;
use std::time::Duration;

use super::settings::BreakerSettings;
use super::ticket::{NO_PROBE, Verdict};
use super::transition::Rule;
use crate::seam::clock::Moment;

/// How much longer than its attempt's timeout a probe may hold its slot.
const GRACE: Duration = Duration::from_secs(1);

/// The probes of one half-open time.
#[derive(Debug, Default)]
pub(crate) struct HalfOpen {
    slots: Vec<Slot>,
    /// Probes that lost their slot to others, and still run: no more of them than there are calls.
    late: Vec<NonZeroU32>,
    admitted: u32,
    pub(crate) successes: u32,
}

#[derive(Debug)]
struct Slot {
    probe: NonZeroU32,
    /// From then on the slot is another probe's: one that never comes back must not hold it.
    ends: Moment,
}

impl HalfOpen {
    /// Takes a slot if fewer than `probes` are taken, by probes whose time is not over.
    pub(crate) fn admit(
        &mut self,
        now: Moment,
        probes: u32,
        lease: Duration,
    ) -> Option<NonZeroU32> {
        let late = self.slots.extract_if(.., |slot| slot.ends <= now);
        self.late.extend(late.map(|slot| slot.probe));
        if self.slots.len() >= probes as usize {
            return None;
        }
        self.admitted = self.admitted.wrapping_add(1);
        let probe = NO_PROBE.saturating_add(self.admitted);
        self.slots.push(Slot {
            probe,
            ends: now.plus(lease),
        });
        Some(probe)
    }

    /// Starts a probe's time anew: it stood in a queue until now. `false` if it had lost its slot.
    pub(crate) fn renew(&mut self, now: Moment, probe: NonZeroU32, lease: Duration) -> bool {
        let slot = self.slots.iter_mut().find(|slot| slot.probe == probe);
        let Some(slot) = slot.filter(|slot| slot.ends > now) else {
            return false;
        };
        slot.ends = now.plus(lease);
        true
    }

    /// A probe has ended, and gives its slot back unless it has lost it; `false` if it had ended
    /// before.
    pub(crate) fn end(&mut self, probe: NonZeroU32) -> bool {
        if let Some(index) = self.slots.iter().position(|slot| slot.probe == probe) {
            self.slots.swap_remove(index);
            return true;
        }
        let late = self.late.iter().position(|late| *late == probe);
        late.map(|index| self.late.swap_remove(index)).is_some()
    }

    /// When the next slot is free at the latest; `None` while one is.
    pub(crate) fn full_until(&self, probes: u32) -> Option<Moment> {
        if self.slots.len() < probes as usize {
            return None;
        }
        self.slots.iter().map(|slot| slot.ends).min()
    }
}

/// How long a probe may hold its slot.
pub(crate) fn lease(attempt_timeout: Option<Duration>, open_for: Duration) -> Duration {
    attempt_timeout.map_or(open_for, |timeout| timeout.saturating_add(GRACE))
}

/// What an outcome says as a probe's.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Probed {
    Nothing,
    Well,
    /// The breaker opens, by this rule.
    Badly(Rule),
}

impl Probed {
    pub(crate) fn of(verdict: Verdict, settings: &BreakerSettings) -> Self {
        match verdict {
            Verdict::Neutral => Probed::Nothing,
            Verdict::SlowSuccess if settings.slow_calls.is_some() => Probed::Badly(Rule::ProbeSlow),
            Verdict::Success | Verdict::SlowSuccess => Probed::Well,
            Verdict::Failure | Verdict::SlowFailure | Verdict::Panicked => {
                Probed::Badly(Rule::ProbeFailed)
            }
        }
    }
}
