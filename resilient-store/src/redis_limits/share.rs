//! Counting in this process while Redis does not answer.

use std::sync::{Arc, Mutex, PoisonError};

use resilient_core::Name;
use resilient_core::rate_limit::{
    Algorithm, Ask, Decision, Limit, LimitSettings, RateLimit, RateLimiter, Reading, StoreError,
};

use super::denials::is_same;
use super::outage::NOT_IN_REDIS;

/// How many limiters and sets of limits are counted at once; the oldest makes room.
const MOST: usize = 64;

/// One of so many shares of all limits.
#[derive(Debug)]
pub(super) struct LocalShares {
    processes: u32,
    shares: Mutex<Vec<Share>>,
}

#[derive(Clone, Debug)]
struct Share {
    name: Name,
    limits: Arc<[LimitSettings]>,
    /// What is left of them for this process.
    divided: Arc<[LimitSettings]>,
    limiter: RateLimiter,
}

impl LocalShares {
    pub(super) fn one_of(processes: u32) -> Self {
        LocalShares {
            processes: processes.max(1),
            shares: Mutex::default(),
        }
    }

    pub(super) async fn decide(&self, ask: &Ask<'_>) -> Result<Decision, StoreError> {
        let share = self.share(ask)?;
        let decided = if ask.charge {
            share.limiter.check(ask.key, ask.cost).await
        } else {
            share.limiter.peek(ask.key, ask.cost).await
        };
        let decision = decided.map_err(StoreError::new)?;
        Ok(told(&decision, &share.divided))
    }

    fn share(&self, ask: &Ask<'_>) -> Result<Share, StoreError> {
        let mut shares = self.shares.lock().unwrap_or_else(PoisonError::into_inner);
        let found = shares
            .iter()
            .find(|share| share.name == *ask.limiter && is_same(&share.limits, ask.limits));
        if let Some(share) = found {
            return Ok(share.clone());
        }
        let divided = self.divided(ask.limits);
        let all = RateLimit::named(&**ask.limiter);
        let all = divided.iter().map(limit).fold(all, RateLimit::limit);
        let limiter = RateLimiter::in_memory(all).map_err(StoreError::new)?;
        if shares.len() >= MOST {
            shares.remove(0);
        }
        let share = Share {
            name: ask.limiter.clone(),
            limits: ask.limits.clone(),
            divided,
            limiter,
        };
        shares.push(share.clone());
        Ok(share)
    }

    fn divided(&self, limits: &[LimitSettings]) -> Arc<[LimitSettings]> {
        let share = |number: u32| (number / self.processes).max(1);
        let limits = limits.iter().map(|limit| LimitSettings {
            quota: share(limit.quota),
            burst: share(limit.burst),
            ..limit.clone()
        });
        limits.collect()
    }
}

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

fn limit(settings: &LimitSettings) -> Limit {
    let (name, quota, window) = (&*settings.name, settings.quota, settings.window);
    match settings.algorithm {
        Algorithm::SlidingCounter => Limit::sliding_counter(name, quota, window),
        Algorithm::SlidingLog => Limit::sliding_log(name, quota, window),
        Algorithm::TokenBucket => Limit::token_bucket(name, quota, window).burst(settings.burst),
        Algorithm::Gcra => Limit::gcra(name, quota, window).burst(settings.burst),
        _ => Limit::fixed(name, quota, window),
    }
}
