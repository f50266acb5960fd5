//! One call through its policies: what the macro's expansion drives.
//!
//! The expansion is a loop around [`Call::attempt`] and [`settle`]. Everything that does not
//! depend on the user's types lives in non-generic functions here, so that an annotated function
//! adds little code:
//!
//! | step | where |
//! |---|---|
//! | the call starts: plan, surroundings, span | this file |
//! | backoff sleep, breaker, bulkhead queue, before the body's first poll | `admission` |
//! | the body is polled under its limits | `attempt`, `limit` |
//! | what the outcome means, to the breaker, the budget, and the next attempt | `verdict` |
//! | the user's types: `Result`, classification, conversion of rejections | `outcome`, `settle` |
//! | the future is dropped on the way | `abandon` |

mod abandon;
mod admission;
mod attempt;
mod limit;
mod outcome;
mod settle;
mod verdict;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use tracing::Span;

pub use attempt::Attempt;
pub use outcome::{
    ByFn, ByFrom, ByTrait, FromRejection, Judge, Outcome, Reject, Unclassified, Via, When,
};
pub use settle::{finish, settle};
pub(crate) use verdict::Stop;

use crate::breaker::{Ticket, Verdict};
use crate::bulkhead::Waiter;
use crate::context::{Cut, Frame, UNLIMITED, stack};
use crate::key::IdempotencyKey;
use crate::registry::Registry;
use crate::rejection::Rejection;
use crate::seam::clock::Moment;
use crate::site::{Plan, Site};
use crate::telemetry;

/// A call in progress: what it holds and what it still may do.
#[derive(Debug)]
pub struct Call {
    plan: PlanRef,
    phase: Phase,
    frame: Frame,
    /// The breaker's last admission of this call.
    ticket: Option<Ticket>,
    /// The breaker still waits for the verdict on that admission.
    admitted: bool,
    /// The place in the bulkhead's queue.
    waiter: Option<Waiter>,
    holds_permit: bool,
    /// A retry token was spent for an attempt that has not been sent.
    holds_token: bool,
    /// The body is being polled; still set while dropping, it has panicked.
    polling: bool,
    /// The end of the wait or limit the timer is armed for, and which limit that is.
    until: Moment,
    cut: Cut,
    /// When the wait in the bulkhead's queue began.
    queued: Moment,
    /// The wait before this attempt, for decorrelated jitter.
    delay: Duration,
    /// The attempt before this one was cut after that time.
    timed_out: Option<Duration>,
    /// What the last attempt said about the dependency, for a breaker that judges calls.
    verdict: Verdict,
    /// Why there is no outcome.
    rejection: Option<Rejection>,
    span: Span,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// The next attempt is to be admitted.
    Fresh,
    /// The task lets others run before the next attempt.
    Yielding,
    /// The next attempt waits for the end of its backoff.
    Backoff,
    /// The next attempt waits for a permit.
    Queued,
    /// The body runs and has not been pending.
    Running,
    /// The body has been pending and runs under its limits.
    Limited,
    /// The attempt is over and was not settled.
    Over,
    /// The call is over.
    Done,
}

enum PlanRef {
    Site(&'static Plan),
    Shared(Arc<Plan>),
    /// The body runs as if it were not annotated, or not at all if there is a rejection.
    Bare,
}

impl PlanRef {
    fn get(&self) -> Option<&Plan> {
        match self {
            PlanRef::Site(plan) => Some(plan),
            PlanRef::Shared(plan) => Some(plan),
            PlanRef::Bare => None,
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
    pub fn new(site: &'static Site) -> Self {
        let surroundings = stack::surroundings();
        let mut call = match &surroundings.registry {
            None => Call::planned(site.global_plan().map(PlanRef::Site)),
            Some(registry) => Call::in_registry(registry, site),
        };
        call.surround(&surroundings, Some(site));
        call
    }

    /// Starts a call of `site` in `registry`.
    pub fn within(registry: &Registry, site: &'static Site) -> Self {
        let mut call = Call::in_registry(registry, site);
        call.surround(&stack::surroundings(), Some(site));
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
            site.global_plan().map(PlanRef::Site)
        } else {
            registry.plan(site).map(PlanRef::Shared)
        })
    }

    fn planned(plan: Result<PlanRef, crate::rejection::NotRegistered>) -> Self {
        let (plan, rejection) = match plan {
            Ok(plan) => (plan, None),
            Err(missing) => (
                PlanRef::Bare,
                Some(Rejection::NotRegistered(Box::new(missing))),
            ),
        };
        let mut frame = Frame::default();
        let mut span = Span::none();
        if let Some(plan) = plan.get() {
            frame.max = plan.max_attempts();
            frame.timeout = plan.timeout();
            frame.deadline = plan.deadline();
            span = telemetry::call_span(plan);
        }
        Call {
            plan,
            phase: Phase::Fresh,
            frame,
            ticket: None,
            admitted: false,
            waiter: None,
            holds_permit: false,
            holds_token: false,
            polling: false,
            until: Moment::NEVER,
            cut: Cut::Inherited,
            queued: Moment::NEVER,
            delay: Duration::ZERO,
            timed_out: None,
            verdict: Verdict::Neutral,
            rejection,
            span,
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
            let _entered = self.span.enter();
            telemetry::nested_retries(plan);
        }
    }

    /// The same key for every attempt: the text of `key`.
    pub fn set_key(&mut self, key: &dyn fmt::Display) {
        self.frame.key = Some(IdempotencyKey::given(key));
    }

    /// The same key for every attempt: 128 random bits.
    pub fn draw_key(&mut self) {
        let bits = match self.plan.get() {
            Some(plan) => plan.random.bits(),
            None => crate::seam::random::Random::default().bits(),
        };
        self.frame.key = Some(IdempotencyKey::drawn(bits));
    }

    /// The next attempt, admitted before `body` is first polled.
    #[inline]
    pub fn attempt<F: Future>(&mut self, body: F) -> Attempt<'_, F> {
        Attempt::new(self, body)
    }

    fn has_limit(&self) -> bool {
        self.frame.timeout != UNLIMITED
            || self.frame.deadline != UNLIMITED
            || self.frame.inherited != Moment::NEVER
    }
}
