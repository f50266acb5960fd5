//! Refusals that need not be asked for again.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use resilient_core::rate_limit::{Decision, LimitSettings};
use tokio::time::Instant;

use super::later::later;
use super::recent::Recent;
use super::subject::Subject;

/// For how long a refusal is believed: another process may have given something back, or work under
/// other quotas.
const LONGEST: Duration = Duration::from_secs(5);

/// How many are kept.
const MOST: usize = 10_000;

/// The last refusal of each subject. Until it would fit, the same request would be refused again: what
/// others take only makes it later.
#[derive(Debug)]
pub(super) struct Denials {
    of: Mutex<Recent<Denial>>,
}

#[derive(Debug)]
struct Denial {
    limits: Arc<[LimitSettings]>,
    decision: Decision,
    at: Instant,
    until: Instant,
}

impl Default for Denials {
    fn default() -> Self {
        Denials {
            of: Mutex::new(Recent::at_most(MOST)),
        }
    }
}

impl Denials {
    /// The refusal that a request of this cost got, as it reads now. Under other limits than it was
    /// made for it counts for nothing.
    pub(super) fn find(
        &self,
        subject: &Subject,
        limits: &Arc<[LimitSettings]>,
        cost: u32,
        now: Instant,
    ) -> Option<Decision> {
        let mut denials = self.lock();
        let denial = denials.get(subject)?;
        if denial.until <= now || !is_same(&denial.limits, limits) {
            denials.remove(subject);
            return None;
        }
        let is_like_it = denial.decision.cost() == cost;
        is_like_it.then(|| {
            let time = now.saturating_duration_since(denial.at);
            later(&denial.decision, &denial.limits, cost, time)
        })
    }

    /// Remembers a decision, if it is a refusal.
    pub(super) fn learn(
        &self,
        subject: Subject,
        limits: &Arc<[LimitSettings]>,
        decision: &Decision,
        now: Instant,
    ) {
        let Some(wait) = decision.retry_after().filter(|_| !decision.is_allowed()) else {
            return;
        };
        let denial = Denial {
            limits: limits.clone(),
            decision: decision.clone(),
            at: now,
            until: now + wait.min(LONGEST),
        };
        self.lock().insert(subject, denial);
    }

    pub(super) fn forget(&self, subject: &Subject) {
        self.lock().remove(subject);
    }

    fn lock(&self) -> MutexGuard<'_, Recent<Denial>> {
        self.of.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

pub(super) fn is_same(limits: &Arc<[LimitSettings]>, others: &Arc<[LimitSettings]>) -> bool {
    Arc::ptr_eq(limits, others) || limits == others
}

#[cfg(test)]
mod tests {
    use resilient_core::Name;
    use resilient_core::rate_limit::{Limit, RateLimit, Reading};

    use super::*;

    fn limits(quota: u32) -> Arc<[LimitSettings]> {
        let limit = RateLimit::named("api").limit(Limit::gcra("l", quota, "1h"));
        limit.settings().unwrap().limits.into()
    }

    fn refusal(limits: &Arc<[LimitSettings]>, wait: Duration) -> Decision {
        let reading = Reading {
            retry_after: wait,
            reset_after: wait,
            ..Reading::default()
        };
        Decision::new(limits.clone(), vec![reading], false, 1, 7)
    }

    fn subject(key: &str) -> Subject {
        Subject::new(&Name::new("api").unwrap(), key)
    }

    #[tokio::test(start_paused = true)]
    async fn r29_a_refusal_is_believed_until_it_would_fit_or_for_5_s() {
        for (wait, believed) in [(2, 2), (3_600, 5)] {
            let (denials, limits, user) = (Denials::default(), limits(1), subject("u"));
            let (wait, rest) = (Duration::from_secs(wait), Duration::from_secs(wait - 1));
            let now = Instant::now();
            denials.learn(user, &limits, &refusal(&limits, wait), now);
            let later = now + Duration::from_secs(1);
            let found = denials.find(&user, &limits, 1, later).unwrap();
            assert!(!found.is_allowed());
            assert_eq!(found.retry_after(), Some(rest));
            assert!(denials.find(&user, &limits, 2, later).is_none());
            assert!(denials.find(&subject("v"), &limits, 1, later).is_none());
            let last = now + Duration::from_secs(believed);
            let before = last - Duration::from_nanos(1);
            assert!(denials.find(&user, &limits, 1, before).is_some());
            assert!(denials.find(&user, &limits, 1, last).is_none());
        }
    }

    #[tokio::test(start_paused = true)]
    async fn r29_other_numbers_and_refunds_end_it() {
        let (denials, old, user) = (Denials::default(), limits(1), subject("u"));
        let now = Instant::now();
        let refusal = refusal(&old, Duration::from_secs(60));
        denials.learn(user, &old, &refusal, now);
        assert!(denials.find(&user, &limits(1), 1, now).is_some());
        assert!(denials.find(&user, &limits(2), 1, now).is_none());
        assert!(denials.find(&user, &old, 1, now).is_none(), "it is gone");
        denials.learn(user, &old, &refusal, now);
        denials.forget(&user);
        assert!(denials.find(&user, &old, 1, now).is_none());
    }

    #[tokio::test(start_paused = true)]
    async fn r13_there_are_never_more_than_that_and_the_last_is_among_them() {
        let (denials, limits) = (Denials::default(), limits(1));
        let now = Instant::now();
        let refusal = refusal(&limits, Duration::from_secs(1));
        for index in 0..=MOST {
            denials.learn(subject(&index.to_string()), &limits, &refusal, now);
            assert!(denials.lock().len() <= MOST);
        }
        let last = subject(&MOST.to_string());
        assert!(denials.find(&last, &limits, 1, now).is_some());
    }
}
