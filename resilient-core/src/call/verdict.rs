//! After an attempt: what it says about the dependency, and whether there is another one.

use std::time::Duration;

use super::Call;
use super::phase::Phase;
use super::straight::NotStraight;
use crate::breaker::{BreakerHandle, Verdict};
use crate::class::Class;
use crate::context::{Cut, Limit};
use crate::rejection::Rejection;
use crate::retry::Stop;
use crate::retry::backoff::{backoff, throttled};
use crate::seam::clock::{self, Moment, nanos};
use crate::site::{Counted, Plan, Safety};
use crate::telemetry;

/// The longest hint that is waited for when neither the settings nor a deadline say otherwise.
const LONGEST_HINT: Duration = Duration::from_secs(60);

/// How an attempt without an outcome leaves the call.
#[derive(Debug)]
enum Unfinished {
    /// There is another attempt.
    Again,
    /// The last outcome stands; without one, the caller is told the cause.
    LastOutcome(Phase),
    /// The caller is told the cause, whatever came before.
    Rejection(Phase),
}

/// The same for who knows whether there is a last outcome.
#[derive(Debug)]
pub(super) enum Next {
    /// There is another attempt.
    Attempt,
    /// The call ends with its last outcome.
    LastOutcome,
    /// The call ends with this.
    Rejection(Rejection),
}

impl Call {
    /// An attempt came back with an outcome of this class. True if there is another attempt.
    pub(super) fn finished(&mut self, class: Class, kind: &'static str) -> bool {
        if class == Class::Success {
            self.succeeded(kind);
            return false;
        }
        match self.retries_straight(class, kind) {
            Ok(Some(stop)) => {
                self.not_again(stop);
                self.count(Counted::Failure);
                false
            }
            Ok(None) => true,
            Err(NotStraight) => self.failed(class, kind),
        }
    }

    /// The same of a failure, with whatever stands around the call.
    #[inline(never)]
    fn failed(&mut self, class: Class, kind: &'static str) -> bool {
        self.heard(class);
        self.release_permit();
        self.timed_out = false;
        let Some(plan) = self.plan.get() else {
            self.phase = Phase::Done;
            return false;
        };
        if class == Class::Permanent
            && let Some(budget) = &plan.budget
        {
            budget.answered();
        }
        let verdict = self.timed(self.verdict_of(class));
        if !class.is_retryable() {
            plan.counters.count(Counted::Failure);
            plan.failed(kind, clock::now());
            self.verdict = verdict;
            self.close();
            self.tell_end(kind);
            return false;
        }
        let now = clock::now();
        plan.failed(kind, now);
        self.judged(verdict, now);
        let again = self.again(class, kind, now);
        if !again {
            self.count(Counted::Failure);
        }
        match self.plan.span_mut() {
            Some(span) if again => span.keep(kind),
            _ => self.tell_end(kind),
        }
        again
    }

    /// The same of a success, which is what most attempts come back with.
    pub(super) fn succeeded(&mut self, kind: &'static str) {
        if self.succeeds_straight().is_err() {
            self.ended_well(kind);
        }
    }

    #[inline(never)]
    fn ended_well(&mut self, kind: &'static str) {
        self.heard(Class::Success);
        self.release_permit();
        if let Some(plan) = self.plan.get() {
            if let Some(budget) = &plan.budget {
                budget.answered();
            }
            plan.counters.success();
        }
        self.verdict = self.timed(Verdict::Success);
        if self.held.admission && self.is_tallied() {
            self.held.admission = false;
        }
        self.close();
        self.tell_end(kind);
    }

    /// An attempt came back without an outcome.
    pub(super) fn after_none(&mut self, has_last: bool) -> Next {
        match self.turned_away() {
            Some(rejection) => Next::Rejection(rejection),
            None => self.without_outcome(has_last),
        }
    }

    #[inline(never)]
    fn without_outcome(&mut self, has_last: bool) -> Next {
        match self.unfinished() {
            Unfinished::Again => Next::Attempt,
            Unfinished::LastOutcome(_) if has_last => {
                self.count(Counted::Failure);
                Next::LastOutcome
            }
            Unfinished::LastOutcome(cause) | Unfinished::Rejection(cause) => {
                Next::Rejection(self.rejection(&cause))
            }
        }
    }

    /// It was cut by a limit or not admitted.
    #[inline]
    fn unfinished(&mut self) -> Unfinished {
        self.heard_nothing();
        self.hand_back();
        let cause = std::mem::replace(&mut self.phase, Phase::Done);
        let stop = match cause {
            Phase::Cut { cut, verdict, .. } => return self.was_cut(cut, verdict, cause),
            #[cfg(feature = "faults")]
            Phase::Injected => return self.was_injected(),
            Phase::Full { .. } => Stop::Bulkhead,
            Phase::Shed { .. } => Stop::Throttle,
            Phase::RateLimited => Stop::RateLimit,
            Phase::Refused { .. } => Stop::Breaker,
            _ => Stop::Deadline,
        };
        // The attempt was not made.
        self.frame.attempt -= 1;
        self.close();
        if self.frame.attempt > 0 {
            self.stopped(stop);
        }
        if self.timed_out {
            Unfinished::Rejection(Phase::Cut {
                length: self.plan.get().map_or(0, Plan::timeout),
                cut: Cut::Timeout,
                verdict: Verdict::Neutral,
            })
        } else {
            self.last_outcome(cause)
        }
    }

    fn was_cut(&mut self, cut: Cut, verdict: Verdict, cause: Phase) -> Unfinished {
        let now = clock::now();
        match verdict {
            Verdict::Neutral => self.not_judged(),
            verdict => self.judged(verdict, now),
        }
        if cut != Cut::Timeout {
            self.close();
            self.stopped(Stop::Deadline);
            return self.last_outcome(cause);
        }
        self.timed_out = true;
        self.count(Counted::Timeout);
        if let Some(plan) = self.plan.get() {
            plan.failed("timeout", now);
        }
        if self.again(Class::transient(), "timeout", now) {
            Unfinished::Again
        } else {
            Unfinished::Rejection(cause)
        }
    }

    /// The attempt was made to fail, as the dependency might have.
    #[cfg(feature = "faults")]
    fn was_injected(&mut self) -> Unfinished {
        let now = clock::now();
        self.timed_out = false;
        self.judged(Verdict::Failure, now);
        if self.again(Class::transient(), "injected", now) {
            Unfinished::Again
        } else {
            Unfinished::Rejection(Phase::Injected)
        }
    }

    fn last_outcome(&self, cause: Phase) -> Unfinished {
        if let Some(span) = self.plan.span() {
            span.ended_as_kept(self.frame.attempt);
        }
        Unfinished::LastOutcome(cause)
    }

    /// Plans the next attempt, or ends the call.
    fn again(&mut self, class: Class, kind: &'static str, now: Moment) -> bool {
        match self.next_delay(class, now) {
            Ok(delay) => {
                let attempt = self.frame.attempt;
                self.count(Counted::Retry);
                self.held.token = true;
                self.frame.attempt += 1;
                self.frame.timeout = Limit::of(self.plan.get().map_or(u64::MAX, Plan::timeout));
                self.decided = now;
                self.delay = nanos(delay);
                self.hinted = matches!(
                    class,
                    Class::Throttled {
                        retry_after: Some(_)
                    }
                );
                if delay.is_zero() {
                    self.again_at_once();
                } else {
                    self.phase = Phase::Backoff;
                }
                self.inside_span(|| telemetry::retry(attempt, kind, delay));
                true
            }
            Err(stop) => {
                self.not_again(stop);
                false
            }
        }
    }

    fn not_again(&mut self, stop: Stop) {
        self.close();
        if self.frame.max > 1 {
            self.stopped(stop);
        }
    }

    fn next_delay(&mut self, class: Class, now: Moment) -> Result<Duration, Stop> {
        let (end, _) = self.frame.end(now);
        let attempt = self.frame.attempt;
        let Some(plan) = self.plan.get().filter(|_| attempt < self.frame.max) else {
            return Err(Stop::Attempts);
        };
        if !plan.may_retry() {
            return Err(Stop::Off);
        }
        if plan.safety == Safety::NotIdempotent && class != Class::unsent() {
            return Err(Stop::Unsafe);
        }
        if self.is_probe() {
            return Err(Stop::Probe);
        }
        if let Some(breaker) = self.plan.breaker()
            && !breaker.may_continue(self.ticket)
        {
            return Err(Stop::Breaker);
        }
        let hint = match class {
            Class::Throttled { retry_after } => retry_after,
            _ => None,
        };
        let previous = if self.hinted { 0 } else { self.delay };
        let delay = if hint.is_none() && previous == 0 && plan.retries_at_once() {
            Duration::ZERO
        } else {
            let left = (end != Moment::NEVER).then(|| end.since(now));
            drawn_delay(plan, attempt, hint, previous, left)?
        };
        if now.plus(delay) >= end {
            return Err(Stop::Deadline);
        }
        match &plan.budget {
            Some(budget) if !budget.try_spend(now) => Err(Stop::Budget),
            _ => Ok(delay),
        }
    }

    /// The attempt's verdict goes to the breaker now, or with the call's end.
    fn judged(&mut self, verdict: Verdict, now: Moment) {
        if self.breaks_per_call() {
            self.verdict = verdict;
        } else {
            self.report(verdict, Some(now));
        }
    }

    /// The attempt says nothing about the dependency; what an earlier one said of the call stands.
    fn not_judged(&mut self) {
        if !self.breaks_per_call() {
            self.report(Verdict::Neutral, None);
        }
    }

    fn breaks_per_call(&self) -> bool {
        let plan = self.plan.get();
        plan.is_some_and(|plan| {
            let breaker = self.plan.breaker();
            breaker.is_some_and(|breaker| plan.breaks_per_call(breaker))
        })
    }

    /// Whether the breaker has taken the call's success without a closer look.
    #[inline]
    fn is_tallied(&self) -> bool {
        match (self.ticket, self.plan.breaker()) {
            (Some(ticket), Some(breaker)) if self.plan.span().is_none() => {
                self.verdict == Verdict::Success && breaker.tallies(ticket)
            }
            _ => false,
        }
    }

    /// The call is over: a breaker that has not heard a verdict hears the last one there is.
    #[inline]
    fn close(&mut self) {
        self.phase = Phase::Done;
        if self.held.admission {
            self.report(self.verdict, None);
        }
    }

    fn stopped(&self, stop: Stop) {
        self.inside_span(|| telemetry::retry_stopped(self.frame.attempt, stop));
    }

    fn verdict_of(&self, class: Class) -> Verdict {
        match class {
            Class::Success | Class::Permanent => Verdict::Success,
            Class::Transient { .. } | Class::Fault => Verdict::Failure,
            Class::Throttled { .. }
                if self
                    .plan
                    .breaker()
                    .is_some_and(BreakerHandle::count_throttled) =>
            {
                Verdict::Failure
            }
            Class::Throttled { .. } | Class::Ignored => Verdict::Neutral,
        }
    }
}

/// The wait before the next attempt: a backoff, or what the dependency asked for, unless that is
/// longer than a call waits that has so much time left.
#[inline(never)]
fn drawn_delay(
    plan: &Plan,
    attempt: u32,
    hint: Option<Duration>,
    previous: u64,
    left: Option<Duration>,
) -> Result<Duration, Stop> {
    let settings = plan.retry_settings();
    let unit = plan.random.unit();
    let Some(hint) = hint else {
        let previous = Duration::from_nanos(previous);
        return Ok(backoff(&settings, attempt, previous, unit));
    };
    let longest = settings.retry_after_cap.or(left).unwrap_or(LONGEST_HINT);
    if hint > longest {
        return Err(Stop::RetryAfter);
    }
    Ok(throttled(&settings, hint, attempt, unit))
}
