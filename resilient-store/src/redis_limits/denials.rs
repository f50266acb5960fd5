//! Refusals that need not be asked for again.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use resilient_core::rate_limit::{Ask, Decision, LimitSettings, Reading};
use tokio::time::Instant;

use super::subject::Subject;

/// For how long a refusal is believed: another process may have given something back, or work under
/// other quotas.
const LONGEST: Duration = Duration::from_secs(5);

/// How many are kept.
const MOST: usize = 10_000;

/// The last refusal of each subject. Until it would fit, the same request would be refused again: what
/// others take only makes it later.
#[derive(Debug, Default)]
pub(super) struct Denials {
    of: Mutex<HashMap<Subject, Denial>>,
}

#[derive(Debug)]
struct Denial {
    limits: Arc<[LimitSettings]>,
    decision: Decision,
    at: Instant,
    until: Instant,
}

impl Denials {
    /// The refusal that such a request got, as it reads now. Under other limits than it was made for
    /// it counts for nothing.
    pub(super) fn find(&self, subject: &Subject, ask: &Ask<'_>, now: Instant) -> Option<Decision> {
        let mut denials = self.of.lock().unwrap_or_else(PoisonError::into_inner);
        let denial = denials.get(subject)?;
        if denial.until <= now || !is_same(&denial.limits, ask.limits) {
            denials.remove(subject);
            return None;
        }
        let is_like_it = denial.decision.cost() == ask.cost;
        is_like_it.then(|| denial.after(now.duration_since(denial.at)))
    }

    /// Remembers a decision, if it is a refusal.
    pub(super) fn learn(&self, subject: Subject, ask: &Ask<'_>, decision: &Decision, now: Instant) {
        let Some(wait) = decision.retry_after().filter(|_| !decision.is_allowed()) else {
            return;
        };
        let denial = Denial {
            limits: ask.limits.clone(),
            decision: decision.clone(),
            at: now,
            until: now + wait.min(LONGEST),
        };
        let mut denials = self.of.lock().unwrap_or_else(PoisonError::into_inner);
        if denials.len() >= MOST {
            denials.retain(|_, denial| denial.until > now);
        }
        if denials.len() < MOST {
            denials.insert(subject, denial);
        }
    }

    pub(super) fn forget(&self, subject: &Subject) {
        let mut denials = self.of.lock().unwrap_or_else(PoisonError::into_inner);
        denials.remove(subject);
    }
}

impl Denial {
    fn after(&self, time: Duration) -> Decision {
        let readings = self.decision.limits().map(|limit| Reading {
            remaining: limit.remaining,
            reset_after: limit.reset_after.saturating_sub(time),
            retry_after: limit.retry_after.saturating_sub(time),
            refundable_until: 0,
        });
        let at = self.decision.decided_at();
        let readings = readings.collect();
        Decision::new(
            self.limits.clone(),
            readings,
            false,
            self.decision.cost(),
            at,
        )
    }
}

pub(super) fn is_same(limits: &Arc<[LimitSettings]>, others: &Arc<[LimitSettings]>) -> bool {
    Arc::ptr_eq(limits, others) || limits == others
}
