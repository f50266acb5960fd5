//! What a call does: a site's options joined with the dependencies they name.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use super::options::Safety;
use super::{Counters, Hedging, Limiting, Site};
use crate::breaker::{BreakerHandle, Per};
use crate::budget::{Budget, BudgetHandle};
use crate::bulkhead::BulkheadHandle;
use crate::classify::Rules;
use crate::context::{Frame, Holds, Limit, NOBODY};
use crate::dependency::{DependencyState, Directory};
#[cfg(feature = "idempotency")]
use crate::idempotency::{InvalidRules, Ledger};
use crate::levers::Levers;
#[cfg(feature = "faults")]
use crate::name::Name;
use crate::registry::{Limiters, Shared};
use crate::rejection::NotRegistered;
use crate::retry::backoff::backoff;
use crate::retry::{Jitter, RetryOverrides, RetrySettings};
use crate::seam::clock::{Moment, nanos};
use crate::seam::random::Random;
use crate::snapshot::{Effective, Origin, Values, effective};
#[cfg(feature = "faults")]
use crate::testing::{FaultSwitch, Suffers};
use crate::throttle::ThrottleHandle;

/// The policies of one site in one registry. Options merge field by field: built-in default,
/// then dependency, then site.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    pub(crate) name: Arc<str>,
    pub(crate) safety: Safety,
    pub(crate) suppresses_nested: bool,
    pub(crate) breaker: Option<Arc<BreakerHandle>>,
    per: Option<Per>,
    pub(crate) throttle: Option<Arc<ThrottleHandle>>,
    pub(crate) bulkhead: Option<Arc<BulkheadHandle>>,
    pub(crate) limiting: Option<Box<Limiting>>,
    pub(crate) budget: Option<Arc<BudgetHandle>>,
    pub(crate) random: Random,
    retry: Retrying,
    pub(crate) hedging: Option<Arc<Hedging>>,
    timeout: Option<u64>,
    deadline: Option<u64>,
    /// Where limits the site leaves open come from.
    limits: Option<Arc<DependencyState>>,
    /// Where the meaning of statuses and I/O errors comes from.
    rules: Option<Arc<DependencyState>>,
    /// The dependency that stands for all of them in events and lists.
    label: Option<Arc<DependencyState>>,
    pub(crate) counters: Arc<Counters>,
    /// The ids of breaker, bulkhead and throttle, for every attempt to take along.
    holds: Holds,
    /// Where its keys are claimed, or why its rules do not fit those of the store.
    #[cfg(feature = "idempotency")]
    pub(crate) ledger: Option<Arc<Result<Ledger, InvalidRules>>>,
    /// The registry's, and those of every dependency that is named.
    levers: Box<[Levers]>,
    #[cfg(feature = "faults")]
    faults: FaultsHere,
}

/// Where this site looks for faults.
#[cfg(feature = "faults")]
#[derive(Clone, Debug)]
struct FaultsHere {
    switch: Arc<FaultSwitch>,
    dependencies: Box<[Name]>,
}

/// The length of a limit there is none of.
const UNLIMITED: u64 = u64::MAX;

#[derive(Clone, Debug)]
enum Retrying {
    /// One attempt.
    No,
    /// Attempts with the dependency's numbers, where there is one, under the site's own.
    Yes {
        dependency: Option<Arc<DependencyState>>,
        site: RetryOverrides,
    },
}

impl Plan {
    /// Looks up every name of a site.
    pub(crate) fn resolve(
        site: &Site,
        known: &Directory,
        limiters: &Limiters,
        shared: &Shared,
    ) -> Result<Self, NotRegistered> {
        let options = site.options();
        let part = |kind: &'static str| {
            let name = options.part(kind);
            name.map(|name| known.require(kind, name, || Some(site.full_name())))
                .transpose()
        };
        let dependency = part("dependency")?;
        let retry_dependency = part("retry")?;
        let breaker = part("breaker")?;
        let bulkhead = part("bulkhead")?;
        let only = options
            .only_dependency()
            .map(|name| known.require("dependency", name, || Some(site.full_name())))
            .transpose()?;

        let retries = options.retry_overrides().is_some() || retry_dependency.is_some();
        let hedge = options.hedge_overrides();
        let budget = match part("budget")?
            .or_else(|| retry_dependency.clone())
            .or(only.clone())
        {
            _ if !retries && hedge.is_none() => None,
            Some(state) => Some(state.budget.clone()),
            None => Some(Arc::new(BudgetHandle::new(
                Budget::default().settings().unwrap_or_default(),
            ))),
        };
        let plan = Plan {
            name: site.full_name().into(),
            safety: options.safety(),
            suppresses_nested: options.suppresses_nested(),
            per: options.per(),
            label: dependency
                .as_ref()
                .or(breaker.as_ref())
                .or(only.as_ref())
                .cloned(),
            counters: Arc::new(Counters::new()),
            holds: Holds::NOTHING,
            #[cfg(feature = "idempotency")]
            ledger: match options.claims() {
                None => None,
                Some(claims) => {
                    let site = || Some(site.full_name());
                    let ledger = shared.stores.require(claims.store(), site)?;
                    Some(Arc::new(claims.over(&ledger)))
                }
            },
            breaker: breaker.map(|state| state.breaker.clone()),
            throttle: dependency.as_ref().map(|state| state.throttle.clone()),
            bulkhead: bulkhead.map(|state| state.bulkhead.clone()),
            limiting: match options.named_limiter() {
                None => None,
                Some((_, name)) => {
                    let site = || Some(site.full_name());
                    let limiter = limiters.require(name, site)?;
                    Some(Box::new(Limiting::new(limiter, &options)))
                }
            },
            budget,
            random: shared.random.clone(),
            retry: if retries {
                Retrying::Yes {
                    dependency: retry_dependency,
                    site: options.retry_overrides().unwrap_or_default(),
                }
            } else {
                Retrying::No
            },
            hedging: hedge.map(|site| Arc::new(Hedging::new(site, dependency.clone()))),
            timeout: options.own_timeout().map(nanos),
            deadline: options.own_deadline().map(nanos),
            limits: dependency,
            rules: only,
            levers: options
                .names()
                .filter_map(|(_, name)| Some(known.get(name)?.levers.clone()))
                .chain([shared.levers.clone()])
                .collect(),
            #[cfg(feature = "faults")]
            faults: FaultsHere {
                switch: shared.faults.clone(),
                dependencies: options
                    .names()
                    .filter_map(|(_, name)| Some(known.get(name)?.name.clone()))
                    .collect(),
            },
        };
        Ok(plan.with_holds())
    }

    /// Every part of one dependency, for calls without a site.
    pub(crate) fn whole(state: &Arc<DependencyState>, shared: &Shared) -> Self {
        let plan = Plan {
            name: Arc::from(&*state.name),
            safety: Safety::Unsaid,
            suppresses_nested: false,
            per: None,
            label: Some(state.clone()),
            counters: Arc::new(Counters::new()),
            holds: Holds::NOTHING,
            #[cfg(feature = "idempotency")]
            ledger: None,
            breaker: Some(state.breaker.clone()),
            throttle: Some(state.throttle.clone()),
            bulkhead: Some(state.bulkhead.clone()),
            limiting: None,
            budget: Some(state.budget.clone()),
            random: shared.random.clone(),
            retry: Retrying::Yes {
                dependency: Some(state.clone()),
                site: RetryOverrides::default(),
            },
            hedging: None,
            timeout: None,
            deadline: None,
            limits: Some(state.clone()),
            rules: Some(state.clone()),
            levers: [state.levers.clone(), shared.levers.clone()].into(),
            #[cfg(feature = "faults")]
            faults: FaultsHere {
                switch: shared.faults.clone(),
                dependencies: [state.name.clone()].into(),
            },
        };
        plan.with_holds()
    }

    fn with_holds(self) -> Self {
        let holds = Holds {
            breaker: self.breaker.as_ref().map_or(NOBODY, |breaker| breaker.id()),
            bulkhead: self
                .bulkhead
                .as_ref()
                .map_or(NOBODY, |bulkhead| bulkhead.id()),
            throttle: self
                .throttle
                .as_ref()
                .map_or(NOBODY, |throttle| throttle.id()),
        };
        Plan { holds, ..self }
    }

    /// The same plan with another word on repeating.
    pub(crate) fn with_safety(&self, safety: Safety) -> Self {
        Plan {
            safety,
            ..self.clone()
        }
    }

    pub(crate) fn max_attempts(&self) -> u32 {
        match &self.retry {
            Retrying::No => 1,
            Retrying::Yes { dependency, site } => site.max.unwrap_or_else(|| match dependency {
                Some(state) => state.max_attempts(),
                None => RetrySettings::default().max,
            }),
        }
    }

    /// What the first attempt begins with, if nothing is around the call.
    #[expect(
        clippy::inline_always,
        reason = "what is returned through memory the processor has to wait for"
    )]
    #[inline(always)]
    pub(crate) fn first_frame(&self) -> Frame {
        Frame {
            max: self.max_attempts(),
            timeout: Limit::of(self.timeout()),
            deadline: Limit::of(self.deadline()),
            ..Frame::default()
        }
    }

    pub(crate) fn retry_settings(&self) -> RetrySettings {
        match &self.retry {
            Retrying::No => RetrySettings {
                max: 1,
                ..RetrySettings::default()
            },
            Retrying::Yes { dependency, site } => site.over(match dependency {
                Some(state) => state.live().settings.retry,
                None => RetrySettings::default(),
            }),
        }
    }

    /// What an attempt holds that has passed all of it.
    #[inline]
    pub(crate) fn holds(&self) -> Holds {
        self.holds
    }

    /// Whether retries follow at once, whatever else is set.
    pub(crate) fn retries_at_once(&self) -> bool {
        match &self.retry {
            Retrying::No => false,
            Retrying::Yes { dependency, site } => match (site.base, dependency) {
                (Some(base), _) => base.is_zero(),
                (None, Some(state)) => state.retries_at_once(),
                (None, None) => false,
            },
        }
    }

    /// One attempt's time in nanoseconds, or [`UNLIMITED`].
    pub(crate) fn timeout(&self) -> u64 {
        match (self.timeout, &self.limits) {
            (Some(own), _) => own,
            (None, Some(state)) => state.timeout(),
            (None, None) => UNLIMITED,
        }
    }

    /// A call's time in nanoseconds, or [`UNLIMITED`].
    pub(crate) fn deadline(&self) -> u64 {
        match (self.deadline, &self.limits) {
            (Some(own), _) => own,
            (None, Some(state)) => state.deadline(),
            (None, None) => UNLIMITED,
        }
    }

    /// Whether the breaker sees one verdict per call instead of one per attempt.
    pub(crate) fn breaks_per_call(&self, breaker: &BreakerHandle) -> bool {
        self.per.unwrap_or_else(|| breaker.per()) == Per::Call
    }

    /// Whether the limit of the bulkhead moves by itself.
    #[inline]
    pub(crate) fn adapts(&self) -> bool {
        let bulkhead = self.bulkhead.as_ref();
        bulkhead.is_some_and(|bulkhead| bulkhead.adapts())
    }

    /// Whether a policy wants to know how each attempt went, beside breaker and budget.
    #[inline]
    pub(crate) fn follows_load(&self) -> bool {
        let throttle = self.throttle.as_ref();
        self.adapts() || throttle.is_some_and(|throttle| throttle.is_on())
    }

    /// What statuses and I/O errors mean here, unless they mean the usual.
    pub(crate) fn rules(&self) -> Option<Arc<Rules>> {
        self.rules.as_ref()?.rules()
    }

    /// The dependency to name in spans and events.
    pub(crate) fn label(&self) -> &str {
        self.label.as_ref().map_or("", |state| &*state.name)
    }

    /// Writes down an attempt that was no success.
    pub(crate) fn failed(&self, kind: &'static str, at: Moment) {
        if let Some(dependency) = &self.label {
            dependency.recent.add(&self.name, kind, at);
        }
    }

    /// What a call does, value by value.
    pub(crate) fn effective(&self) -> Vec<Effective> {
        let origin = |own: bool, dependency: Option<&Arc<DependencyState>>| match dependency {
            _ if own => Origin::Site,
            Some(state) => Origin::Dependency(state.name.clone()),
            None => Origin::Default,
        };
        let mut values = Values::default();
        let limits = self.limits.as_ref();
        let limit = |nanos| (nanos != UNLIMITED).then(|| Duration::from_nanos(nanos));
        let timeout = limit(self.timeout());
        values.time("timeout", timeout, &origin(self.timeout.is_some(), limits));
        let deadline = limit(self.deadline());
        values.time(
            "deadline",
            deadline,
            &origin(self.deadline.is_some(), limits),
        );
        if let Retrying::Yes { dependency, site } = &self.retry {
            effective::retry(&mut values, &self.retry_settings(), |setting| {
                origin(site.sets(setting), dependency.as_ref())
            });
        }
        if let Some(hedging) = &self.hedging {
            let site = hedging.overrides();
            effective::hedge(&mut values, hedging.settings(), |setting| {
                origin(site.sets(setting), limits)
            });
        }
        if let Some(breaker) = &self.breaker {
            values.add("breaker", breaker.name(), &Origin::Site);
            let per = match self.per.unwrap_or_else(|| breaker.per()) {
                Per::Attempt => "attempt",
                Per::Call => "call",
            };
            let of = Origin::Dependency(breaker.name().clone());
            let per_origin = if self.per.is_some() { Origin::Site } else { of };
            values.add("breaker.per", per, &per_origin);
        }
        if let Some(bulkhead) = &self.bulkhead {
            values.add("bulkhead", bulkhead.name(), &Origin::Site);
        }
        if let Some(limiting) = &self.limiting {
            limiting.effective(&mut values);
        }
        let safety = match self.safety {
            Safety::Unsaid => "not said",
            Safety::Idempotent => "yes",
            Safety::Keyed => "under its idempotency key",
            Safety::NotIdempotent => "no",
        };
        values.add("idempotent", safety, &Origin::Site);
        values.into_vec()
    }

    /// Whether nobody has turned retries off.
    pub(crate) fn may_retry(&self) -> bool {
        self.levers.iter().all(Levers::retries)
    }

    /// Whether nobody has turned hedges off.
    pub(crate) fn may_hedge(&self) -> bool {
        self.levers.iter().all(Levers::hedges)
    }

    /// Whether there is anything for an attempt to suffer.
    #[cfg(feature = "faults")]
    pub(crate) fn may_fault(&self) -> bool {
        self.faults.switch.load().is_some()
    }

    /// What the next attempt suffers where faults are injected.
    #[cfg(feature = "faults")]
    pub(crate) fn draw_fault(&self) -> Option<Suffers> {
        let drawn = self.faults.switch.load();
        let dependencies = self.faults.dependencies.iter().map(|name| &**name);
        drawn.as_ref()?.draw(&self.name, &dependencies)
    }

    /// Limits that can never all be kept, in words.
    pub(crate) fn contradiction(&self) -> Option<String> {
        #[cfg(feature = "idempotency")]
        if let Some(ledger) = &self.ledger
            && let Err(problems) = &**ledger
        {
            return Some(format!(
                "its idempotency rules do not fit those of its store: {problems}"
            ));
        }
        let (timeout, deadline) = (self.timeout(), self.deadline());
        if deadline == UNLIMITED {
            return None;
        }
        let end = Duration::from_nanos(deadline);
        // A timeout of the dependency's gives way to a deadline of the site's.
        if self.timeout.is_some() && timeout > deadline {
            let timeout = Duration::from_nanos(timeout);
            return Some(format!(
                "its timeout ({timeout:?}) is longer than its deadline ({end:?}) and can never \
                 fire; shorten the one or lengthen the other"
            ));
        }
        let settings = self.retry_settings();
        let least = least_delays(&settings, self.max_attempts());
        (least >= end).then(|| {
            format!(
                "the waits between its {} attempts take at least {least:?}, and its deadline is \
                 {end:?}; allow fewer attempts, shorter waits or more time",
                self.max_attempts()
            )
        })
    }
}

/// A time that all waits together take at least. Waits never shrink, so that a few of them bound
/// the rest.
fn least_delays(settings: &RetrySettings, max: u32) -> Duration {
    const LOOKED_AT: u32 = 64;
    if matches!(settings.jitter, Jitter::Full) {
        return Duration::ZERO;
    }
    let (mut sum, mut last) = (Duration::ZERO, Duration::ZERO);
    let waits = max.saturating_sub(1);
    for retry in 1..=waits.min(LOOKED_AT) {
        last = backoff(settings, retry, settings.base, 0.0);
        sum = sum.saturating_add(last);
    }
    sum.saturating_add(last.saturating_mul(waits.saturating_sub(LOOKED_AT)))
}

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}
