//! One call through its policies: what the macro's expansion drives.
//!
//! The expansion is a loop around [`Call::attempt`] and [`settle`]. Everything that does not
//! depend on the user's types lives in non-generic functions here, so that an annotated function
//! adds little code:
//!
//! | step | where |
//! |---|---|
//! | the call starts: plan, surroundings, span | this file |
//! | nothing stands in the way of the attempt | `straight` |
//! | backoff sleep, breaker, throttle, bulkhead queue, before the body's first poll | `admission` |
//! | the attempt's turn with the rate limiter, between throttle and bulkhead | `rate_limit` |
//! | the body is polled under its limits | `attempt`, `limits` |
//! | copies of the body run side by side | `race`, `group` |
//! | what throttle and bulkhead learn from it | `feedback` |
//! | what the outcome means, to the breaker, the budget, and the next attempt | `verdict` |
//! | how long the body took, for a breaker that asks | `slow` |
//! | the user's types: `Result`, classification, conversion of rejections | `outcome`, `settle` |
//! | what a site does instead of failing | `fallback` |
//! | the claim of a key around all attempts | `idempotent` |
//! | what is told in place of an outcome | `told` |
//! | the future is dropped on the way | `abandon` |
//! | what is injected in place of the dependency | `fault` |

mod abandon;
mod admission;
mod attempt;
mod fallback;
#[cfg(feature = "faults")]
mod fault;
mod feedback;
mod group;
#[cfg(feature = "idempotency")]
pub(crate) mod idempotent;
mod limits;
mod outcome;
mod own;
mod phase;
mod race;
mod rate_limit;
mod settle;
mod slow;
mod straight;
mod told;
mod verdict;

use std::fmt;
use std::sync::Arc;

pub use attempt::Attempt;
pub use fallback::{InTime, fall_back, fallback_time, fell_back, fell_back_in_time, in_time};
pub use outcome::{
    ByError, ByFn, FromRejection, Judge, Outcome, Unclassified, When, by_trait, rejected, returned,
};
pub use race::{Copies, Race, race, succeeded};
pub use settle::{finish, settle, settle_by_traits};

use crate::breaker::{BreakerHandle, Ticket, Verdict};
use crate::context::{Credentials, Frame, stack};
use crate::key::{BreakerKeyText, IdempotencyKey, KeyText, RateLimitCost, RateLimitKeyText};
use crate::registry::Registry;
use crate::rejection::NotRegistered;
use crate::seam::clock::Moment;
use crate::seam::random::Random;
use crate::site::{Counted, Plan, Site};
use crate::telemetry;
use own::Own;
use phase::Phase;

/// A call in progress: what it holds and what it still may do.
///
/// It lives in the future of every annotated function, so every word counts.
#[derive(Debug)]
pub struct Call {
    plan: PlanRef,
    phase: Phase,
    frame: Frame,
    credentials: Credentials,
    /// The breaker's last admission of this call.
    ticket: Option<Ticket>,
    held: Held,
    /// The body is being polled; still set while dropping, it has panicked.
    polling: bool,
    shown: Shown,
    /// The attempt before this one was cut by its timeout.
    timed_out: bool,
    /// What the last attempt said about the dependency, for a breaker that judges calls.
    verdict: Verdict,
    /// When the last retry was decided on, and how many nanoseconds it was to wait.
    decided: Moment,
    delay: u64,
    /// That wait was the dependency's wish, not a backoff.
    hinted: bool,
    #[cfg(feature = "faults")]
    fault: Option<Box<fault::Fault>>,
}

/// What the call must give back, whichever way it ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Held {
    /// The breaker waits for the verdict on the last admission.
    admission: bool,
    /// A permit of the bulkhead.
    permit: bool,
    /// A retry token that was spent for an attempt that has not been sent.
    token: bool,
}

/// What the throttle is shown of this call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shown {
    Itself,
    /// Nothing: it is shown the call around this one.
    AsPartOfAnother,
}

enum PlanRef {
    Site(&'static Plan),
    Shared(Arc<Plan>),
    /// One of those, with what the call has beside it.
    Own(Box<Own>),
    /// The body runs as if it were not annotated.
    Bare,
    /// The body does not run, because a name was not found.
    Missing(Box<NotRegistered>),
}

// Everything a call does asks for its plan, so what most calls have comes first, and the rest is
// out of its way.
impl PlanRef {
    #[inline]
    fn get(&self) -> Option<&Plan> {
        match self {
            PlanRef::Site(plan) => Some(plan),
            PlanRef::Shared(plan) => Some(plan),
            _ => self.own()?.plan.get(),
        }
    }

    /// The plan of a call that has nothing beside it.
    #[inline]
    fn alone(&self) -> Option<&Plan> {
        match self {
            PlanRef::Site(plan) => Some(plan),
            PlanRef::Shared(plan) => Some(plan),
            _ => None,
        }
    }

    /// The breaker the call goes through: that of its key, if it has one.
    #[inline]
    fn breaker(&self) -> Option<&BreakerHandle> {
        match self {
            PlanRef::Site(plan) => plan.breaker.as_deref(),
            PlanRef::Shared(plan) => plan.breaker.as_deref(),
            _ => {
                let own = self.own()?;
                own.breaker.as_deref().or_else(|| own.plan.breaker())
            }
        }
    }
}

impl fmt::Debug for PlanRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.get().map_or("bare", |plan| &plan.name))
    }
}

impl Call {
    /// Starts a call of `site` in the registry of the scope it runs in.
    #[inline]
    pub fn new(site: &'static Site) -> Self {
        match site.known_plan() {
            Some(plan) if stack::is_empty() && telemetry::is_silent() => {
                Call::blank(PlanRef::Site(plan), Phase::New)
            }
            _ => Call::surrounded(site),
        }
    }

    // Where few calls start.
    #[inline(never)]
    fn surrounded(site: &'static Site) -> Self {
        let surroundings = stack::surroundings();
        let mut call = match &surroundings.registry {
            None => Call::planned(global_plan(site)),
            Some(registry) => Call::in_registry(registry, site),
        };
        call.surround(&surroundings, Some(site));
        call
    }

    /// Starts a call of `site` in `registry`.
    ///
    /// In a scope that runs annotated functions bare, it runs bare, too.
    pub fn within(registry: &Registry, site: &'static Site) -> Self {
        let surroundings = stack::surroundings();
        let bare = surroundings.registry.as_ref();
        let bare = bare.filter(|registry| registry.is_passthrough());
        let mut call = Call::in_registry(bare.unwrap_or(registry), site);
        call.surround(&surroundings, Some(site));
        call
    }

    /// Starts a call without a site.
    pub(crate) fn of(plan: &Arc<Plan>) -> Self {
        let surroundings = stack::surroundings();
        let bare = surroundings
            .registry
            .as_ref()
            .is_some_and(Registry::is_passthrough);
        let plan = if bare {
            PlanRef::Bare
        } else {
            PlanRef::Shared(plan.clone())
        };
        let mut call = Call::planned(Ok(plan));
        call.surround(&surroundings, None);
        call
    }

    fn in_registry(registry: &Registry, site: &'static Site) -> Self {
        if registry.is_passthrough() {
            return Call::planned(Ok(PlanRef::Bare));
        }
        Call::planned(if registry.is_global() {
            global_plan(site)
        } else {
            registry.plan(site).map(PlanRef::Shared)
        })
    }

    fn planned(plan: Result<PlanRef, NotRegistered>) -> Self {
        match plan {
            Ok(plan) => Call::of_plan(plan, Phase::Fresh),
            Err(missing) => Call::of_plan(PlanRef::Missing(Box::new(missing)), Phase::Missing),
        }
    }

    fn of_plan(plan: PlanRef, phase: Phase) -> Self {
        let mut call = Call::blank(plan, phase);
        call.prepare();
        call
    }

    /// Looks up the call's numbers, and who listens to it.
    #[inline(never)]
    fn prepare(&mut self) {
        if let Some(plan) = self.plan.get() {
            self.frame = plan.first_frame();
            if let Some(span) = telemetry::call_span(&plan.name, plan.label())
                && let Some(own) = self.plan.make_own()
            {
                own.span = Some(span);
            }
        }
    }

    #[inline]
    fn blank(plan: PlanRef, phase: Phase) -> Self {
        Call {
            plan,
            phase,
            frame: Frame::default(),
            credentials: Credentials::default(),
            ticket: None,
            held: Held::default(),
            polling: false,
            shown: Shown::Itself,
            timed_out: false,
            verdict: Verdict::Neutral,
            decided: Moment::NEVER,
            delay: 0,
            hinted: false,
            #[cfg(feature = "faults")]
            fault: None,
        }
    }

    fn surround(&mut self, surroundings: &stack::Surroundings, site: Option<&'static Site>) {
        self.frame.inherited = surroundings.limit;
        if !surroundings.retried || self.frame.max <= 1 {
            return;
        }
        let Some(plan) = self.plan.get() else { return };
        if plan.suppresses_nested {
            self.frame.max = 1;
        } else if site.is_some_and(Site::first_nesting) {
            self.inside_span(|| telemetry::nested_retries(&plan.name));
        }
    }

    /// The same key for every attempt: the text of `key`.
    pub fn set_key<K: KeyText + ?Sized>(&mut self, key: &K) {
        self.credentials.key = Some(key.key());
    }

    /// The breaker is the one that the dependency has for `key`, in every attempt.
    pub fn set_breaker_key<K: BreakerKeyText + ?Sized>(&mut self, key: &K) {
        if self.plan.breaker().is_some() {
            self.guard_by(&key.text());
        }
    }

    /// The rate limiter counts every attempt under the text of `key`.
    pub fn set_rate_limit_key<K: RateLimitKeyText + ?Sized>(&mut self, key: &K) {
        if self.is_rate_limited() {
            let key = key.text();
            self.change_request(|request| request.key = key);
        }
    }

    /// Every attempt costs so much.
    pub fn set_rate_limit_cost<C: RateLimitCost + ?Sized>(&mut self, cost: &C) {
        if self.is_rate_limited() {
            let cost = cost.cost();
            self.change_request(|request| request.cost = Some(cost));
        }
    }

    /// The same key for every attempt: 128 random bits.
    pub fn draw_key(&mut self) {
        let bits = match self.plan.get() {
            Some(plan) => plan.random.bits(),
            None => Random::default().bits(),
        };
        self.credentials.key = Some(IdempotencyKey::drawn(bits));
    }

    /// The next attempt, admitted before `body` is first polled.
    #[inline]
    pub fn attempt<F: Future>(&mut self, body: F) -> Attempt<'_, F> {
        Attempt::new(self, body)
    }

    #[inline]
    fn count(&self, what: Counted) {
        if let Some(plan) = self.plan.get() {
            plan.counters.count(what);
        }
    }

    #[inline]
    fn inside_span<R>(&self, tell: impl FnOnce() -> R) -> R {
        match self.plan.span() {
            Some(span) => span.span().in_scope(tell),
            None => tell(),
        }
    }

    /// Tells the span how the call ended.
    #[inline]
    fn tell_end(&self, kind: &'static str) {
        if let Some(span) = self.plan.span() {
            span.ended(self.frame.attempt, kind);
        }
    }
}

fn global_plan(site: &'static Site) -> Result<PlanRef, NotRegistered> {
    site.global_plan(|site| Registry::global().resolve(site))
        .map(PlanRef::Site)
}
