//! What an attribute says, option by option.

use std::time::Duration;

use crate::breaker::Per;
use crate::hedge::HedgeOverrides;
use crate::retry::RetryOverrides;

#[cfg(feature = "idempotency")]
use super::ClaimOverrides;
use super::Said;

/// The options of one `#[resilient(..)]`.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Options {
    name: Option<&'static str>,
    dependency: Option<&'static str>,
    retry: Option<RetryOverrides>,
    retry_from: Option<&'static str>,
    suppress_nested: bool,
    breaker: Option<&'static str>,
    per: Option<Per>,
    budget: Option<&'static str>,
    bulkhead: Option<&'static str>,
    limiter: Option<&'static str>,
    pub(super) limiter_cost: Option<u32>,
    pub(super) limiter_max_wait: Option<Duration>,
    hedge: Option<HedgeOverrides>,
    timeout: Option<Duration>,
    deadline: Option<Duration>,
    safety: Safety,
    #[cfg(feature = "idempotency")]
    claims: Option<ClaimOverrides>,
}

/// What a site says about repeating its effect.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Safety {
    /// Nothing.
    #[default]
    Unsaid,
    /// Repeating is safe.
    Idempotent,
    /// Repeating is safe under the call's key.
    Keyed,
    /// Repeating is not safe: only what was certainly not sent may be.
    NotIdempotent,
}

impl Options {
    /// What a site says; the last of two words for one thing counts.
    pub(super) fn of(said: &[Said]) -> Self {
        let mut options = Options::default();
        for said in said {
            options.hear(said);
        }
        options
    }

    fn hear(&mut self, said: &Said) {
        match *said {
            Said::Name(name) => self.name = Some(name),
            Said::Dependency(name) => self.dependency = Some(name),
            Said::RetryFrom(name) => self.retry_from = Some(name),
            Said::Retry(numbers) => self.retry = Some(numbers),
            Said::NestedSuppress => self.suppress_nested = true,
            Said::Breaker(name) => self.breaker = Some(name),
            Said::BreakerPer(per) => self.per = Some(per),
            Said::Budget(name) => self.budget = Some(name),
            Said::Bulkhead(name) => self.bulkhead = Some(name),
            Said::Limiter(name) => self.limiter = Some(name),
            Said::LimiterCost(cost) => self.limiter_cost = Some(cost),
            Said::LimiterMaxWait(time) => self.limiter_max_wait = Some(time),
            Said::Hedge(numbers) => self.hedge = Some(numbers),
            Said::Timeout(time) => self.timeout = Some(time),
            Said::Deadline(time) => self.deadline = Some(time),
            Said::Idempotent => self.safety = Safety::Idempotent,
            Said::NotIdempotent => self.safety = Safety::NotIdempotent,
            Said::Keyed => self.safety = Safety::Keyed,
            #[cfg(feature = "idempotency")]
            Said::Claiming(claims) => self.claims = Some(claims),
        }
    }

    /// Every dependency the site names, with the option that names it.
    pub(crate) fn names(&self) -> impl Iterator<Item = (&'static str, &'static str)> + use<> {
        [
            ("dependency", self.dependency),
            ("retry", self.retry_from),
            ("breaker", self.breaker),
            ("budget", self.budget),
            ("bulkhead", self.bulkhead),
        ]
        .into_iter()
        .filter_map(|(kind, name)| Some((kind, name?)))
    }

    /// What the site uses, with the option that names it: its dependencies, its rate limiter and its
    /// store.
    pub(crate) fn uses(&self) -> Vec<(&'static str, &'static str)> {
        let uses = self.names().chain(self.named_limiter());
        #[cfg(feature = "idempotency")]
        let uses = uses.chain(self.claims.map(|claims| ("store", claims.store())));
        uses.collect()
    }

    #[cfg(feature = "idempotency")]
    pub(crate) fn claims(&self) -> Option<ClaimOverrides> {
        self.claims
    }

    /// The rate limiter the site names, with the kind of thing that is.
    pub(crate) fn named_limiter(&self) -> Option<(&'static str, &'static str)> {
        self.limiter.map(|name| ("limiter", name))
    }

    pub(crate) fn given_name(&self) -> Option<&'static str> {
        self.name
    }

    pub(crate) fn safety(&self) -> Safety {
        self.safety
    }

    pub(crate) fn suppresses_nested(&self) -> bool {
        self.suppress_nested
    }

    pub(crate) fn retry_overrides(&self) -> Option<RetryOverrides> {
        self.retry
    }

    pub(crate) fn hedge_overrides(&self) -> Option<HedgeOverrides> {
        self.hedge
    }

    pub(crate) fn own_timeout(&self) -> Option<Duration> {
        self.timeout
    }

    pub(crate) fn own_deadline(&self) -> Option<Duration> {
        self.deadline
    }

    pub(crate) fn per(&self) -> Option<Per> {
        self.per
    }

    /// The dependency a part belongs to: the one named for it, else the site's.
    pub(crate) fn part(&self, kind: &'static str) -> Option<&'static str> {
        let named = match kind {
            "retry" => self.retry_from,
            "breaker" => self.breaker,
            "budget" => self.budget,
            "bulkhead" => self.bulkhead,
            _ => None,
        };
        named.or(self.dependency)
    }

    /// The one dependency all options name, if they do.
    pub(crate) fn only_dependency(&self) -> Option<&'static str> {
        let mut names = self.names().map(|(_, name)| name);
        let first = names.next()?;
        names.all(|name| name == first).then_some(first)
    }
}
