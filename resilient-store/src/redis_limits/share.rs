//! Counting in this process while Redis does not answer.

use std::sync::{Arc, Mutex, PoisonError};

use resilient_core::rate_limit::{
    Ask, Decision, LimitSettings, LocalStore, Reading, Store, StoreError,
};

use super::denials::is_same;
use super::outage::NOT_IN_REDIS;

/// How many limits of keys are counted at once.
const MOST: u32 = 1_000_000;

/// For how many sets of limits what is left of them is remembered.
const REMEMBERED: usize = 64;

/// One of so many shares of all limits.
#[derive(Debug)]
pub(super) struct LocalShares {
    processes: u32,
    counts: LocalStore,
    /// Only to spare the work: forgetting one forgets no count.
    divided: Mutex<Vec<Divided>>,
}

/// Limits, and what is left of them for one process.
#[derive(Debug)]
struct Divided {
    of: Arc<[LimitSettings]>,
    share: Arc<[LimitSettings]>,
}

impl LocalShares {
    pub(super) fn one_of(processes: u32) -> Self {
        LocalShares {
            processes: processes.max(1),
            counts: LocalStore::at_most(MOST),
            divided: Mutex::default(),
        }
    }

    pub(super) async fn decide(&self, ask: &Ask<'_>) -> Result<Decision, StoreError> {
        let share = self.share_of(ask.limits);
        let ask = Ask::new(ask.limiter, ask.key, ask.cost, ask.charge, &share);
        let decision = self.counts.decide(ask).await?;
        Ok(told(&decision, &share))
    }

    fn share_of(&self, limits: &Arc<[LimitSettings]>) -> Arc<[LimitSettings]> {
        let mut all = self.divided.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = all.iter().find(|known| is_same(&known.of, limits)) {
            return known.share.clone();
        }
        let share = self.divide(limits);
        all.truncate(REMEMBERED - 1);
        let divided = Divided {
            of: limits.clone(),
            share: share.clone(),
        };
        all.insert(0, divided);
        share
    }

    fn divide(&self, limits: &[LimitSettings]) -> Arc<[LimitSettings]> {
        let share = |number: u32| (number / self.processes).max(1);
        let limits = limits.iter().map(|limit| LimitSettings {
            quota: share(limit.quota),
            burst: share(limit.burst),
            ..limit.clone()
        });
        limits.collect()
    }
}

/// Nothing of it can be given back in Redis.
fn told(decision: &Decision, limits: &Arc<[LimitSettings]>) -> Decision {
    let readings = decision.limits().map(|limit| Reading {
        remaining: limit.remaining,
        reset_after: limit.reset_after,
        retry_after: limit.retry_after,
        refundable_until: NOT_IN_REDIS,
    });
    let readings = readings.collect();
    let is_allowed = decision.is_allowed();
    Decision::new(
        limits.clone(),
        readings,
        is_allowed,
        decision.cost(),
        NOT_IN_REDIS,
    )
}

#[cfg(test)]
mod tests {
    use resilient_core::Name;
    use resilient_core::rate_limit::{Limit, RateLimit};

    use super::*;

    fn limits(quota: u32) -> Arc<[LimitSettings]> {
        let limit = RateLimit::named("api").limit(Limit::fixed("l", quota, "3650d"));
        limit.settings().unwrap().limits.into()
    }

    /// Case R06 of the bugs, with limits of each key's own, however many: nobody's share comes back.
    #[tokio::test(start_paused = true)]
    async fn r06_no_number_of_sets_of_limits_gives_a_share_back() {
        const KEYS: u32 = 500;
        let shares = LocalShares::one_of(4);
        let name = Name::new("api").unwrap();
        let mut allowed = 0;
        for round in 0..3 {
            for key in 0..KEYS {
                let (key, limits) = (format!("u{key}"), limits(8 + key));
                let ask = Ask::new(&name, &key, 1, true, &limits);
                // One share is two at least, so that each round is within it but the last.
                let decision = shares.decide(&ask).await.unwrap();
                let quota = decision.tightest().unwrap().quota;
                assert_eq!(decision.is_allowed(), round < quota, "{key}, {round}");
                allowed += u32::from(decision.is_allowed());
            }
        }
        assert_eq!(allowed, KEYS * 3 - 4, "four keys have a share of two");
    }

    /// Numbers that are changed while Redis is away give no share back either.
    #[tokio::test(start_paused = true)]
    async fn r06_r37_changed_numbers_give_no_share_back() {
        let shares = LocalShares::one_of(4);
        let name = Name::new("api").unwrap();
        let mut allowed = 0;
        for change in 0..200 {
            let limits = limits(40 + change % 4);
            let ask = Ask::new(&name, "u", 1, true, &limits);
            allowed += u32::from(shares.decide(&ask).await.unwrap().is_allowed());
        }
        assert_eq!(allowed, 10);
    }
}
