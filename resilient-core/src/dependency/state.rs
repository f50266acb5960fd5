//! A registered dependency: what its calls share.

use std::panic::Location;
use std::time::Duration;

use arc_swap::ArcSwap;

use super::config::DependencySettings;
use super::recent::RecentFailures;
use crate::breaker::{Announcer, BreakerHandle};
use crate::budget::BudgetHandle;
use crate::bulkhead::BulkheadHandle;
use crate::classify::Rules;
use crate::levers::Levers;
use crate::name::Name;
use crate::seam::clock::nanos;
use crate::seam::random::Random;
use crate::seam::sync::{Arc, AtomicBool, AtomicU32, AtomicU64, Ordering};
use crate::throttle::ThrottleHandle;

/// The shared state of one dependency. The engines stay for good; numbers change under them.
#[derive(Debug)]
pub(crate) struct DependencyState {
    pub(crate) name: Name,
    pub(crate) registered_at: &'static Location<'static>,
    pub(crate) breaker: Arc<BreakerHandle>,
    pub(crate) throttle: Arc<ThrottleHandle>,
    pub(crate) bulkhead: Arc<BulkheadHandle>,
    pub(crate) budget: Arc<BudgetHandle>,
    pub(crate) levers: Levers,
    pub(crate) recent: RecentFailures,
    // Read by every call, hence words of their own instead of a look into `live`.
    timeout: AtomicU64,
    deadline: AtomicU64,
    max_attempts: AtomicU32,
    /// Zero for retries without a pause.
    retry_base: AtomicU64,
    has_rules: AtomicBool,
    live: ArcSwap<Live>,
}

/// Numbers that only a failure, a slow attempt or a startup check reads.
#[derive(Debug)]
pub(crate) struct Live {
    pub(crate) settings: DependencySettings,
    /// `None` if they are the default ones.
    pub(crate) rules: Option<std::sync::Arc<Rules>>,
}

impl DependencyState {
    pub(crate) fn new(
        settings: DependencySettings,
        random: &Random,
        announcer: Announcer,
        registered_at: &'static Location<'static>,
    ) -> Self {
        let name = settings.name.clone();
        DependencyState {
            timeout: AtomicU64::new(limit(settings.timeout)),
            deadline: AtomicU64::new(limit(settings.deadline)),
            max_attempts: AtomicU32::new(settings.retry.max),
            retry_base: AtomicU64::new(nanos(settings.retry.base)),
            has_rules: AtomicBool::new(has_rules(&settings)),
            live: ArcSwap::from_pointee(Live::of(&settings)),
            breaker: BreakerHandle::new(name.clone(), settings.breaker, random.clone(), announcer),
            throttle: Arc::new(ThrottleHandle::new(name.clone(), settings.throttle)),
            bulkhead: Arc::new(BulkheadHandle::new(name.clone(), settings.bulkhead)),
            budget: Arc::new(BudgetHandle::new(settings.budget)),
            levers: Levers::default(),
            recent: RecentFailures::default(),
            name,
            registered_at,
        }
    }

    /// Swaps the numbers; counters, tokens, permits and the breaker's state stay.
    pub(crate) fn reconfigure(&self, settings: DependencySettings) {
        self.live.store(std::sync::Arc::new(Live::of(&settings)));
        self.has_rules
            .store(has_rules(&settings), Ordering::Release);
        self.timeout
            .store(limit(settings.timeout), Ordering::Relaxed);
        self.deadline
            .store(limit(settings.deadline), Ordering::Relaxed);
        self.max_attempts
            .store(settings.retry.max, Ordering::Relaxed);
        self.retry_base
            .store(nanos(settings.retry.base), Ordering::Relaxed);
        self.throttle.reconfigure(settings.throttle);
        self.bulkhead.reconfigure(settings.bulkhead);
        self.budget.reconfigure(settings.budget);
        self.breaker.reconfigure(settings.breaker);
    }

    /// One attempt's time in nanoseconds, or `u64::MAX`.
    pub(crate) fn timeout(&self) -> u64 {
        self.timeout.load(Ordering::Relaxed)
    }

    /// A call's time in nanoseconds, or `u64::MAX`.
    pub(crate) fn deadline(&self) -> u64 {
        self.deadline.load(Ordering::Relaxed)
    }

    pub(crate) fn max_attempts(&self) -> u32 {
        self.max_attempts.load(Ordering::Relaxed)
    }

    /// Whether retries follow at once, whatever else is set.
    pub(crate) fn retries_at_once(&self) -> bool {
        self.retry_base.load(Ordering::Relaxed) == 0
    }

    pub(crate) fn settings(&self) -> DependencySettings {
        self.live().settings.clone()
    }

    /// What statuses and I/O errors mean, unless they mean the usual.
    pub(crate) fn rules(&self) -> Option<std::sync::Arc<Rules>> {
        self.has_rules
            .load(Ordering::Acquire)
            .then(|| self.live().rules.clone())
            .flatten()
    }

    pub(crate) fn live(&self) -> arc_swap::Guard<std::sync::Arc<Live>> {
        self.live.load()
    }
}

impl Live {
    fn of(settings: &DependencySettings) -> Self {
        Live {
            settings: settings.clone(),
            rules: has_rules(settings).then(|| std::sync::Arc::new(settings.rules.clone())),
        }
    }
}

fn has_rules(settings: &DependencySettings) -> bool {
    settings.rules != Rules::default()
}

fn limit(duration: Option<Duration>) -> u64 {
    duration.map_or(u64::MAX, nanos)
}
