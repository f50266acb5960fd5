//! After an attempt: what it says about the dependency, and whether there is another one.

use std::time::Duration;

use super::{Call, Phase};
use crate::breaker::Verdict;
use crate::class::Class;
use crate::context::Cut;
use crate::rejection::Rejection;
use crate::retry::backoff::{backoff, throttled};
use crate::seam::clock::{self, Moment};
use crate::site::{Plan, Safety};
use crate::telemetry;

/// The longest hint that is waited for when neither the settings nor a deadline say otherwise.
const LONGEST_HINT: Duration = Duration::from_secs(60);

/// Why a call that could retry does not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    Attempts,
    Deadline,
    Budget,
    Breaker,
    Bulkhead,
    RetryAfter,
    Unsafe,
    Probe,
}

impl Stop {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Stop::Attempts => "attempts",
            Stop::Deadline => "deadline",
            Stop::Budget => "budget",
            Stop::Breaker => "breaker",
            Stop::Bulkhead => "bulkhead",
            Stop::RetryAfter => "retry_after",
            Stop::Unsafe => "not_idempotent",
            Stop::Probe => "probe",
        }
    }
}

/// How an attempt without an outcome leaves the call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unfinished {
    /// There is another attempt.
    Again,
    /// The outcome of the last finished attempt, if there was one, stands.
    LastOutcome,
    /// The rejection stands, whatever came before.
    Rejection,
}

impl Call {
    /// An attempt came back with an outcome of this class. True if there is another attempt.
    pub(super) fn finished(&mut self, class: Class, kind: &'static str) -> bool {
        self.release_permit();
        self.timed_out = None;
        let Some(plan) = self.plan.get() else {
            self.phase = Phase::Done;
            return false;
        };
        if matches!(class, Class::Success | Class::Permanent)
            && let Some(budget) = &plan.budget
        {
            budget.answered();
        }
        let verdict = verdict_of(class, plan);
        if !class.is_retryable() {
            self.end(verdict, class, kind);
            return false;
        }
        let now = clock::now();
        self.judged(verdict, Some(now));
        self.again(class, kind, now)
    }

    /// An attempt came back without an outcome: cut by a limit or not admitted.
    pub(super) fn unfinished(&mut self) -> Unfinished {
        self.hand_back();
        if let Some(rejection) = &self.rejection {
            let stop = match rejection {
                Rejection::BulkheadFull { .. } => Stop::Bulkhead,
                Rejection::DeadlineExceeded { .. } => Stop::Deadline,
                _ => Stop::Breaker,
            };
            self.stopped(stop);
            self.judged(Verdict::Neutral, None);
            let cut_before = self.timed_out;
            if let Some(after) = cut_before {
                self.rejection = Some(Rejection::TimedOut { after });
            }
            self.close();
            return match cut_before {
                Some(_) => Unfinished::Rejection,
                None => Unfinished::LastOutcome,
            };
        }
        self.was_cut()
    }

    fn was_cut(&mut self) -> Unfinished {
        let now = clock::now();
        let after = self.limit_length();
        let verdict = match self.cut {
            Cut::Inherited => Verdict::Neutral,
            _ if self.fired_late(now) => Verdict::Neutral,
            Cut::Timeout | Cut::Deadline => Verdict::Failure,
        };
        self.judged(verdict, Some(now));
        if self.cut == Cut::Timeout {
            self.timed_out = Some(after);
            if self.again(Class::transient(), "timeout", now) {
                return Unfinished::Again;
            }
            self.rejection = Some(Rejection::TimedOut { after });
            return Unfinished::Rejection;
        }
        self.rejection = Some(Rejection::DeadlineExceeded { after });
        self.stopped(Stop::Deadline);
        self.close();
        Unfinished::LastOutcome
    }

    /// Plans the next attempt, or ends the call.
    fn again(&mut self, class: Class, kind: &'static str, now: Moment) -> bool {
        self.frame.started(|| now);
        match self.next_delay(class, now) {
            Ok(delay) => {
                self.holds_token = true;
                self.span
                    .in_scope(|| telemetry::retry(self.frame.attempt, kind, delay));
                self.frame.attempt += 1;
                self.delay = delay;
                if delay.is_zero() {
                    self.again_at_once();
                } else {
                    self.phase = Phase::Backoff;
                    self.until = now.plus(delay);
                }
                true
            }
            Err(stop) => {
                self.stopped(stop);
                self.close();
                false
            }
        }
    }

    fn next_delay(&mut self, class: Class, now: Moment) -> Result<Duration, Stop> {
        let Some(plan) = self.plan.get() else {
            return Err(Stop::Attempts);
        };
        let attempt = self.frame.attempt;
        if attempt >= self.frame.max {
            return Err(Stop::Attempts);
        }
        if plan.safety == Safety::NotIdempotent && class != Class::unsent() {
            return Err(Stop::Unsafe);
        }
        if let (Some(ticket), Some(breaker)) = (self.ticket, &plan.breaker) {
            if ticket.is_probe() {
                return Err(Stop::Probe);
            }
            if !breaker.may_continue(&ticket) {
                return Err(Stop::Breaker);
            }
        }
        let settings = plan.retry_settings();
        let unit = plan.random.unit();
        let (end, _) = self.frame.end(|| now);
        let delay = match class {
            Class::Throttled {
                retry_after: Some(hint),
            } => {
                let longest = settings.retry_after_cap.unwrap_or_else(|| {
                    if end == Moment::NEVER {
                        LONGEST_HINT
                    } else {
                        end.since(now)
                    }
                });
                if hint > longest {
                    return Err(Stop::RetryAfter);
                }
                throttled(&settings, hint, attempt, unit)
            }
            _ => backoff(&settings, attempt, self.delay, unit),
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
    fn judged(&mut self, verdict: Verdict, now: Option<Moment>) {
        self.verdict = verdict;
        let per_call = self.plan.get().is_some_and(|plan| {
            plan.breaker
                .as_ref()
                .is_some_and(|breaker| plan.breaks_per_call(breaker))
        });
        if !per_call {
            self.report(verdict, now);
        }
    }

    /// The call ends with an outcome that no retry could better.
    fn end(&mut self, verdict: Verdict, class: Class, kind: &'static str) {
        self.verdict = verdict;
        telemetry::call_ended(&self.span, self.frame.attempt, class, kind);
        self.close();
    }

    /// The call is over: a breaker that judges calls hears the last verdict.
    fn close(&mut self) {
        self.report(self.verdict, None);
        self.phase = Phase::Done;
    }

    fn stopped(&mut self, stop: Stop) {
        if self.frame.max > 1 && self.frame.attempt > 1 || stop != Stop::Attempts {
            self.span
                .in_scope(|| telemetry::retry_stopped(self.frame.attempt, stop));
        }
    }

    /// The call returns its rejection.
    pub(super) fn take_rejection(&mut self) -> Rejection {
        let rejection = self
            .rejection
            .take()
            .unwrap_or(Rejection::DeadlineExceeded {
                after: Duration::ZERO,
            });
        self.span.in_scope(|| telemetry::call_rejected(&rejection));
        rejection
    }
}

fn verdict_of(class: Class, plan: &Plan) -> Verdict {
    match class {
        Class::Success | Class::Permanent => Verdict::Success,
        Class::Transient { .. } | Class::Fault => Verdict::Failure,
        Class::Throttled { .. }
            if plan
                .breaker
                .as_ref()
                .is_some_and(|breaker| breaker.count_throttled()) =>
        {
            Verdict::Failure
        }
        Class::Throttled { .. } | Class::Ignored => Verdict::Neutral,
    }
}
