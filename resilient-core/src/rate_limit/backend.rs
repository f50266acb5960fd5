//! Where a limiter counts: in this process, or in a store outside of it.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError};

use super::config::{LimitSettings, RateLimitSettings};
use super::decision::Decision;
use super::error::StoreError;
use super::memory::{Decided, Denied, Memory};
use super::store::{Ask, Store};
use crate::name::Name;
use crate::seam::clock::nanos;
use crate::seam::sync::RwLock;

#[derive(Debug)]
#[allow(
    clippy::large_enum_variant,
    reason = "a limiter has one of these, on the heap already"
)]
pub(super) enum Backend {
    Memory(Memory),
    Outside(Outside),
}

/// A store, and the limits it is asked about.
#[derive(Debug)]
pub(super) struct Outside {
    store: Arc<dyn Store>,
    limits: RwLock<Limits>,
}

#[derive(Debug)]
struct Limits {
    of_all: Arc<[LimitSettings]>,
    of_key: HashMap<Box<str>, Arc<[LimitSettings]>>,
}

impl Backend {
    pub(super) fn over(store: Arc<dyn Store>, limits: &[LimitSettings]) -> Self {
        Backend::Outside(Outside {
            store,
            limits: RwLock::new(Limits {
                of_all: limits.into(),
                of_key: HashMap::new(),
            }),
        })
    }

    /// Takes `cost`, if that needs no waiting for an answer.
    #[inline]
    pub(super) fn take_at_once(&self, key: &str, cost: u32) -> Option<Result<(), Denied>> {
        match self {
            Backend::Memory(memory) => Some(memory.take(key, cost)),
            Backend::Outside(_) => None,
        }
    }

    pub(super) async fn take(
        &self,
        limiter: &Name,
        key: &str,
        cost: u32,
    ) -> Result<Result<(), Denied>, StoreError> {
        match self {
            Backend::Memory(memory) => Ok(memory.take(key, cost)),
            Backend::Outside(outside) => {
                let decided = outside.decide(limiter, key, cost, true).await?;
                Ok(decided.and_then(|decision| denied(&decision).map_or(Ok(()), Err)))
            }
        }
    }

    /// Decides, if that needs no waiting for an answer.
    pub(super) fn decide_at_once(&self, key: &str, cost: u32, charge: bool) -> Option<Decided> {
        match self {
            Backend::Memory(memory) => Some(memory.decide(key, cost, charge)),
            Backend::Outside(_) => None,
        }
    }

    pub(super) async fn decide(
        &self,
        limiter: &Name,
        key: &str,
        cost: u32,
        charge: bool,
    ) -> Result<Decided, StoreError> {
        match self {
            Backend::Memory(memory) => Ok(memory.decide(key, cost, charge)),
            Backend::Outside(outside) => outside.decide(limiter, key, cost, charge).await,
        }
    }

    /// Whether `cost` would fit once everything in `ahead` has had its turn, as far as this process
    /// knows.
    pub(super) fn behind(&self, key: &str, ahead: &[u32], cost: u32) -> Result<(), Denied> {
        match self {
            Backend::Memory(memory) => memory.behind(key, ahead, cost),
            Backend::Outside(_) => Ok(()),
        }
    }

    pub(super) async fn refund(
        &self,
        limiter: &Name,
        key: &str,
        decision: &Decision,
    ) -> Result<(), StoreError> {
        match self {
            Backend::Memory(memory) => {
                memory.refund(key, decision);
                Ok(())
            }
            Backend::Outside(outside) => outside.refund(limiter, key, decision).await,
        }
    }

    pub(super) fn reconfigure(&self, settings: &RateLimitSettings) {
        match self {
            Backend::Memory(memory) => memory.reconfigure(settings),
            Backend::Outside(outside) => {
                let mut limits = outside
                    .limits
                    .write()
                    .unwrap_or_else(PoisonError::into_inner);
                limits.of_all = settings.limits.as_slice().into();
            }
        }
    }

    pub(super) fn set_limits_of(&self, key: &str, own: Option<&[LimitSettings]>) {
        match self {
            Backend::Memory(memory) => memory.set_limits_of(key, own),
            Backend::Outside(outside) => {
                let mut limits = outside
                    .limits
                    .write()
                    .unwrap_or_else(PoisonError::into_inner);
                match own {
                    Some(own) => limits.of_key.insert(key.into(), own.into()),
                    None => limits.of_key.remove(key),
                };
            }
        }
    }

    /// How many keys this process remembers.
    pub(super) fn keys(&self) -> u64 {
        match self {
            Backend::Memory(memory) => memory.keys(),
            Backend::Outside(_) => 0,
        }
    }

    /// How many of them had to make room.
    pub(super) fn evicted(&self) -> u64 {
        match self {
            Backend::Memory(memory) => memory.evicted(),
            Backend::Outside(_) => 0,
        }
    }
}

impl Outside {
    fn limits_of(&self, key: &str) -> Arc<[LimitSettings]> {
        let limits = self.limits.read().unwrap_or_else(PoisonError::into_inner);
        limits.of_key.get(key).unwrap_or(&limits.of_all).clone()
    }

    async fn decide(
        &self,
        limiter: &Name,
        key: &str,
        cost: u32,
        charge: bool,
    ) -> Result<Decided, StoreError> {
        let limits = &self.limits_of(key);
        if let Some(limit) = limits.iter().find(|limit| cost > limit.capacity()) {
            return Ok(Err(Denied {
                limit: limit.name.clone(),
                capacity: limit.capacity(),
                wait: None,
            }));
        }
        let ask = Ask {
            limiter,
            key,
            cost,
            charge,
            limits,
        };
        self.store.decide(ask).await.map(Ok)
    }

    async fn refund(
        &self,
        limiter: &Name,
        key: &str,
        decision: &Decision,
    ) -> Result<(), StoreError> {
        if !decision.took_something() {
            return Ok(());
        }
        let ask = Ask {
            limiter,
            key,
            cost: decision.cost(),
            charge: true,
            limits: &self.limits_of(key),
        };
        self.store.refund(ask, decision).await
    }
}

/// The refusal in a store's decision, if it is one.
fn denied(decision: &Decision) -> Option<Denied> {
    if decision.is_allowed() {
        return None;
    }
    let tightest = decision.tightest()?;
    Some(Denied {
        limit: tightest.name.clone(),
        capacity: tightest.quota,
        wait: Some(nanos(tightest.available_in())),
    })
}
