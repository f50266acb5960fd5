//! One dependency at one moment.

use std::time::Duration;

use super::effective::{Effective, of_dependency};
use crate::breaker::{BreakerSnapshot, BreakerState, Reason, Rule, Transition};
use crate::dependency::DependencyState;
use crate::name::Name;
use crate::seam::clock::Moment;

/// One dependency at one moment.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct DependencySnapshot {
    /// Its name.
    pub name: Name,
    /// The breaker: its state, and what its window holds.
    pub breaker: BreakerSnapshot,
    /// The breaker's last change of state, if there was one.
    pub last_transition: Option<TransitionSnapshot>,
    /// The last ten attempts that were no success, the latest last. (Successes are only counted:
    /// writing each of them down would cost every call a lock.)
    pub last_failures: Vec<FailureSnapshot>,
    /// What retries and hedges may still spend.
    pub budget: BudgetSnapshot,
    /// Who runs and who waits.
    pub bulkhead: BulkheadSnapshot,
    /// The share of attempts that the throttle sheds; `None` without a throttle.
    pub shed: Option<f64>,
    /// Whether retries are on, as far as this dependency's lever is concerned.
    pub retries: bool,
    /// Whether hedges are on, as far as this dependency's lever is concerned.
    pub hedges: bool,
    /// The numbers in force.
    pub settings: Vec<Effective>,
}

/// A change of a breaker's state, with the numbers that were the reason.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct TransitionSnapshot {
    /// The state before.
    pub from: BreakerState,
    /// The state after.
    pub to: BreakerState,
    /// Why.
    pub rule: Rule,
    /// The failures the rule saw.
    pub failures: u64,
    /// The attempts the rule saw.
    pub attempts: u64,
    /// What the operator said who made the change.
    pub reason: Option<Reason>,
    /// How long ago it was.
    #[cfg_attr(feature = "serde", serde(with = "super::seconds"))]
    pub ago: Duration,
}

/// An attempt that was no success.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct FailureSnapshot {
    /// The call site, or the dependency for calls without one.
    pub site: String,
    /// The word for it, as in events.
    pub kind: &'static str,
    /// How long ago it was.
    #[cfg_attr(feature = "serde", serde(with = "super::seconds"))]
    pub ago: Duration,
}

/// What retries and hedges may still spend.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct BudgetSnapshot {
    /// How many could be sent now; `None` is any number.
    pub available: Option<u64>,
}

/// Who runs and who waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct BulkheadSnapshot {
    /// How many attempts may run at a time; of an adaptive limit, the one it has now.
    pub limit: usize,
    /// How many permits are taken; a rough number while others come and go.
    pub in_use: usize,
    /// How many attempts wait for one.
    pub queued: usize,
}

impl DependencySnapshot {
    pub(super) fn of(state: &DependencyState, now: Moment) -> Self {
        let last = state.breaker.last_transition();
        DependencySnapshot {
            name: state.name.clone(),
            breaker: state.breaker.snapshot(now),
            last_transition: last
                .map(|(transition, at)| TransitionSnapshot::of(transition, now.since(at))),
            last_failures: state
                .recent
                .latest()
                .map(|failure| FailureSnapshot {
                    site: (*failure.site).to_owned(),
                    kind: failure.kind,
                    ago: now.since(failure.at),
                })
                .collect(),
            budget: BudgetSnapshot {
                available: state.budget.available(now),
            },
            bulkhead: BulkheadSnapshot {
                limit: state.bulkhead.limit(),
                in_use: state.bulkhead.in_use(),
                queued: state.bulkhead.queued(),
            },
            shed: state.throttle.share(now),
            retries: state.levers.retries(),
            hedges: state.levers.hedges(),
            settings: of_dependency(state),
        }
    }
}

impl TransitionSnapshot {
    fn of(transition: Transition, ago: Duration) -> Self {
        TransitionSnapshot {
            from: transition.from,
            to: transition.to,
            rule: transition.rule,
            failures: transition.failures,
            attempts: transition.attempts,
            reason: transition.reason,
            ago,
        }
    }
}
