//! The success, and the failure that is tried again at once, each in one piece.
//!
//! They do what [`Call::finished`] does where nobody listens, in the same order, and look everything up
//! once. Whatever they have no room for they find before anything has happened.

use super::super::phase::Phase;
use super::super::{Call, Held};
use crate::breaker::{BreakerHandle, Verdict};
use crate::class::Class;
use crate::context::{Credentials, Limit};
use crate::retry::Stop;
use crate::seam::clock::{self, Moment};
use crate::site::{Counted, Plan, Safety};
use crate::telemetry;

use std::time::Duration;

/// Nothing has happened: somebody listens, follows the load or asks how long it took.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::call) struct NotStraight;

impl Call {
    /// The attempt came back with a success.
    #[inline]
    pub(in crate::call) fn succeeds_straight(&mut self) -> Result<(), NotStraight> {
        let plan = self.plan.alone().ok_or(NotStraight)?;
        let breaker = plan.breaker.as_deref();
        if plan.follows_load() || asks_for_time(breaker, &self.phase) {
            return Err(NotStraight);
        }
        release(plan, &mut self.held, &mut self.credentials);
        if let Some(budget) = &plan.budget {
            budget.answered();
        }
        plan.counters.success();
        self.verdict = Verdict::Success;
        self.phase = Phase::Done;
        if std::mem::take(&mut self.held.admission)
            && let (Some(ticket), Some(breaker)) = (self.ticket, breaker)
            && !breaker.tallies(ticket)
        {
            breaker.record(ticket, Verdict::Success);
        }
        Ok(())
    }

    /// The attempt came back with a failure that may pass: nothing if there is another one, or why
    /// there is none.
    pub(in crate::call) fn retries_straight(
        &mut self,
        class: Class,
        kind: &'static str,
    ) -> Result<Option<Stop>, NotStraight> {
        let plan = self.plan.alone().ok_or(NotStraight)?;
        let breaker = plan.breaker.as_deref();
        let unsent = class == Class::unsent();
        let repeats = matches!(class, Class::Transient { .. })
            && (unsent || plan.safety != Safety::NotIdempotent)
            && self.frame.attempt < self.frame.max
            && self.delay == 0
            && plan.retries_at_once();
        if !repeats || plan.follows_load() || self.is_probe() || asks_for_time(breaker, &self.phase)
        {
            return Err(NotStraight);
        }
        release(plan, &mut self.held, &mut self.credentials);
        self.timed_out = false;
        let now = clock::now();
        plan.failed(kind, now);
        if let Some(breaker) = breaker {
            if plan.breaks_per_call(breaker) {
                self.verdict = Verdict::Failure;
            } else if std::mem::take(&mut self.held.admission)
                && let Some(ticket) = self.ticket
            {
                breaker.record_at(ticket, Verdict::Failure, now);
            }
        }
        if let Some(stop) = stops(plan, breaker, self.frame.end(now).0, now) {
            return Ok(Some(stop));
        }
        plan.counters.count(Counted::Retry);
        self.held.token = true;
        telemetry::retry(self.frame.attempt, kind, Duration::ZERO);
        self.frame.attempt += 1;
        self.frame.timeout = Limit::of(plan.timeout());
        self.decided = now;
        self.hinted = false;
        self.again_at_once();
        Ok(None)
    }
}

/// What only shows once the attempt has been judged; a token is spent last.
#[inline]
fn stops(plan: &Plan, breaker: Option<&BreakerHandle>, end: Moment, now: Moment) -> Option<Stop> {
    if !plan.may_retry() {
        return Some(Stop::Off);
    }
    if breaker.is_some_and(|breaker| !breaker.may_continue(None)) {
        return Some(Stop::Breaker);
    }
    if now >= end {
        return Some(Stop::Deadline);
    }
    let budget = plan.budget.as_deref();
    budget
        .is_some_and(|budget| !budget.try_spend(now))
        .then_some(Stop::Budget)
}

/// Whether the breaker asks how long the body took, and it took any time.
#[inline]
fn asks_for_time(breaker: Option<&BreakerHandle>, phase: &Phase) -> bool {
    matches!(phase, Phase::Limited { .. })
        && breaker.is_some_and(|breaker| breaker.slow_after().is_some())
}

/// The attempt is over, and what its copies in other tasks shared with it.
#[inline]
fn release(plan: &Plan, held: &mut Held, credentials: &mut Credentials) {
    credentials.end_lease();
    if std::mem::take(&mut held.permit)
        && let Some(bulkhead) = &plan.bulkhead
    {
        bulkhead.release();
    }
}
