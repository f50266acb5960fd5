//! What an attribute says, as a constant.

use std::time::Duration;

use crate::breaker::Per;
use crate::hedge::HedgeOverrides;
use crate::name::is_valid_name;
use crate::retry::RetryOverrides;

#[cfg(feature = "idempotency")]
use super::ClaimOverrides;

/// The options of one `#[resilient(..)]`, built in a constant so that a wrong constant is a
/// compile error.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    function: &'static str,
    module: &'static str,
    file: &'static str,
    line: u32,
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
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Safety {
    /// Nothing.
    Unsaid,
    /// Repeating is safe.
    Idempotent,
    /// Repeating is safe under the call's key.
    Keyed,
    /// Repeating is not safe: only what was certainly not sent may be.
    NotIdempotent,
}

macro_rules! option {
    ($(#[$meta:meta])* $name:ident: $ty:ty, $field:ident) => {
        $(#[$meta])*
        #[must_use]
        pub const fn $name(mut self, value: $ty) -> Self {
            self.$field = Some(value);
            self
        }
    };
}

macro_rules! names {
    ($($(#[$meta:meta])* $name:ident => $field:ident;)*) => {
        $(
            $(#[$meta])*
            ///
            /// # Panics
            ///
            /// If it is no name: a compile error, because this runs in a constant.
            #[must_use]
            pub const fn $name(mut self, name: &'static str) -> Self {
                assert!(
                    is_valid_name(name),
                    "a name has 1 to 128 letters, digits, `.`, `_` and `-`"
                );
                self.$field = Some(name);
                self
            }
        )*
    };
}

impl Options {
    /// The options of a bare site in `module`.
    pub const fn new(
        function: &'static str,
        module: &'static str,
        file: &'static str,
        line: u32,
    ) -> Self {
        Options {
            function,
            module,
            file,
            line,
            name: None,
            dependency: None,
            retry: None,
            retry_from: None,
            suppress_nested: false,
            breaker: None,
            per: None,
            budget: None,
            bulkhead: None,
            limiter: None,
            limiter_cost: None,
            limiter_max_wait: None,
            hedge: None,
            timeout: None,
            deadline: None,
            safety: Safety::Unsaid,
            #[cfg(feature = "idempotency")]
            claims: None,
        }
    }

    names! {
        /// `dependency = ".."`
        dependency => dependency;
        /// `retry = ".."`
        retry_from => retry_from;
        /// `breaker = ".."`
        breaker => breaker;
        /// `budget = ".."`
        budget => budget;
        /// `bulkhead = ".."`
        bulkhead => bulkhead;
        /// `rate_limit(limiter = "..")`
        limiter => limiter;
    }

    option! {
        /// `name = ".."`
        name: &'static str, name
    }
    option! {
        /// `retry(..)`
        retry: RetryOverrides, retry
    }
    option! {
        /// `hedge`, with numbers or without
        hedge: HedgeOverrides, hedge
    }
    #[cfg(feature = "idempotency")]
    option! {
        /// `idempotent(store = "..", ..)`
        claiming: ClaimOverrides, claims
    }
    option! {
        /// `breaker(per = "..")`
        breaker_per: Per, per
    }

    option! {
        /// `rate_limit(max_wait = "..")`
        limiter_max_wait: Duration, limiter_max_wait
    }

    /// `rate_limit(cost = ..)`
    ///
    /// # Panics
    ///
    /// If it is zero: a compile error, because this runs in a constant.
    #[must_use]
    pub const fn limiter_cost(mut self, cost: u32) -> Self {
        assert!(
            cost > 0,
            "`cost` must be at least 1; leave it out, or name a larger constant"
        );
        self.limiter_cost = Some(cost);
        self
    }

    /// `timeout = ".."`
    ///
    /// # Panics
    ///
    /// If it is zero: a compile error, because this runs in a constant.
    #[must_use]
    pub const fn timeout(mut self, timeout: Duration) -> Self {
        assert!(
            !timeout.is_zero(),
            "`timeout` must be greater than zero; leave it out, or name a longer constant"
        );
        self.timeout = Some(timeout);
        self
    }

    /// `deadline = ".."`
    ///
    /// # Panics
    ///
    /// If it is zero: a compile error, because this runs in a constant.
    #[must_use]
    pub const fn deadline(mut self, deadline: Duration) -> Self {
        assert!(
            !deadline.is_zero(),
            "`deadline` must be greater than zero; leave it out, or name a longer constant"
        );
        self.deadline = Some(deadline);
        self
    }

    /// `idempotent`
    #[must_use]
    pub const fn idempotent(mut self) -> Self {
        self.safety = Safety::Idempotent;
        self
    }

    /// `idempotent = false`
    #[must_use]
    pub const fn not_idempotent(mut self) -> Self {
        self.safety = Safety::NotIdempotent;
        self
    }

    /// `idempotency_key`, with an expression or without
    #[must_use]
    pub const fn keyed(mut self) -> Self {
        self.safety = Safety::Keyed;
        self
    }

    /// `retry(nested = "suppress")`
    #[must_use]
    pub const fn nested_suppress(mut self) -> Self {
        self.suppress_nested = true;
        self
    }

    pub(crate) fn full_name(&self) -> String {
        match self.name {
            Some(name) => name.to_owned(),
            None => format!("{}::{}", self.module, self.function),
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

    pub(crate) fn module(&self) -> &'static str {
        self.module
    }

    pub(crate) fn file(&self) -> &'static str {
        self.file
    }

    pub(crate) fn line(&self) -> u32 {
        self.line
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
