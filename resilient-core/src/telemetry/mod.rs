//! What the policies do, told through `tracing` under the target `resilient`.
//!
//! | name | level | fields |
//! |---|---|---|
//! | span `resilient.call` | info | `site`, `dependency`; at the end `attempts`, `outcome` |
//! | `retry.attempt` | info | `attempt` (the one that failed, from 1), `kind`, `delay_ms` |
//! | `retry.stopped` | info | `attempt` (the last one), `reason` |
//! | `retry.nested` | warn | `site`, `advice`; once per site |
//! | `hedge.copy` | info | `attempt`, `copy` (from 2): another copy of a slow attempt |
//! | `hedge.won` | info | `attempt`, `copy`: this one answered before the first |
//! | `hedge.refused` | info | `attempt`, `reason`: no copy, though one was due |
//! | `breaker.state` | warn | `dependency`, `from`, `to`, `rule`, `failures`, `attempts`; `key`, if it is one of many; `reason`, if an operator gave one |
//! | `throttle.shed` | debug | `dependency`, `percent` (how many of a hundred are shed now) |
//! | `bulkhead.limit` | debug | `dependency`, `from`, `to`: a limit that moved by itself |
//! | `rate_limit.refused` | debug | `limiter`, `limit`, `retry_in_ms`, `shadow` (whether it passed all the same) |
//! | `call.rejected` | info | `reason`, `rejection` (its message) |
//! | `call.fallback` | info | `kind` of the error it is called for |
//! | `call.fell_back` | info | `failed`: whether the fallback did, too; `timed_out`, if its time was over |
//! | `call.abandoned` | debug | `attempt`, `verdict` |
//! | `check.note` | warn | `problem` |
//!
//! | field | values |
//! |---|---|
//! | `kind` | what [`Classify::kind`](crate::Classify::kind) says: `network`, `timeout`, `server`, `throttled`, `client`, `business`, `other` |
//! | `attempts` | how many were made: none if the call was rejected before |
//! | `outcome` | `success`, a `kind`, `replayed` (an answer that was kept), or the `reason` of a rejection |
//! | `reason` of `retry.stopped` | `attempts`, `deadline`, `budget`, `breaker`, `throttle`, `rate_limit`, `bulkhead`, `retry_after`, `not_idempotent`, `probe`, `off` |
//! | `reason` of `hedge.refused` | `off`, `breaker`, `bulkhead`, `budget` |
//! | `reason` of `call.rejected` | `timeout`, `deadline`, `breaker_open`, `bulkhead_full`, `shed`, `rate_limited`, `not_registered`, `injected`, `idempotency` |
//! | `from`, `to` | [`BreakerState`](crate::breaker::BreakerState): `closed`, `open`, `half_open`, .. |
//! | `rule` | [`Rule`](crate::breaker::Rule): `failure_rate`, `consecutive`, `probe_failed`, .. |
//! | `verdict` | `Neutral`, `Failure` (it had run for too long), `SlowFailure` (even for the rule of slow calls), `Panicked` |
//!
//! The name of an event is both its metadata's name and its message. Without a subscriber that
//! asks for them nothing is formatted or allocated. Arguments, results and idempotency keys never
//! appear, nor do keys of rate limiters. The key of a breaker does: it is the name of what is called.

use std::time::Duration;

use tracing::{Span, field};

use crate::breaker::{Transition, Verdict};
use crate::bulkhead::Moved;
use crate::rejection::Rejection;
use crate::retry::Stop;

/// The span of a call that somebody listens to.
#[derive(Debug)]
pub(crate) struct CallSpan {
    span: Span,
    /// The word for the outcome the call ends with if its next attempt has none.
    last: Option<&'static str>,
}

impl CallSpan {
    pub(crate) fn span(&self) -> &Span {
        &self.span
    }

    /// An attempt had this outcome, and there is another attempt.
    pub(crate) fn keep(&mut self, kind: &'static str) {
        self.last = Some(kind);
    }

    /// The call ends with the outcome that was kept, if there is one.
    pub(crate) fn ended_as_kept(&self, attempts: u32) {
        if let Some(kind) = self.last {
            self.ended(attempts, kind);
        }
    }

    pub(crate) fn ended(&self, attempts: u32, kind: &'static str) {
        self.span.record("attempts", attempts);
        self.span.record("outcome", kind);
    }
}

/// Whether nobody listens to calls. What most programs decide once and for all costs a call one
/// load.
#[inline]
pub(crate) fn is_silent() -> bool {
    tracing::level_filters::LevelFilter::current() < tracing::Level::INFO
}

pub(crate) fn call_span(site: &str, dependency: &str) -> Option<CallSpan> {
    if is_silent() {
        return None;
    }
    open_span(site, dependency)
}

#[cold]
fn open_span(site: &str, dependency: &str) -> Option<CallSpan> {
    let span = tracing::info_span!(
        target: "resilient",
        "resilient.call",
        site,
        dependency,
        attempts = field::Empty,
        outcome = field::Empty,
    );
    (!span.is_disabled()).then_some(CallSpan { span, last: None })
}

pub(crate) fn retry(attempt: u32, kind: &'static str, delay: Duration) {
    tracing::info!(
        name: "retry.attempt", target: "resilient",
        attempt,
        kind,
        delay_ms = delay.as_secs_f64() * 1e3,
        "retry.attempt"
    );
}

pub(crate) fn retry_stopped(attempt: u32, stop: Stop) {
    tracing::info!(name: "retry.stopped", target: "resilient", attempt, reason = stop.as_str(), "retry.stopped");
}

pub(crate) fn nested_retries(site: &str) {
    tracing::warn!(
        name: "retry.nested",
        target: "resilient",
        site,
        advice = "attempts of nested retries multiply: make the inner call single-shot with \
                  `retry(nested = \"suppress\")`",
        "retry.nested"
    );
}

/// What happens beside the first copy of an attempt.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Hedged {
    Started { copy: u32 },
    Won { copy: u32 },
    Refused { reason: &'static str },
}

pub(crate) fn hedged(attempt: u32, what: Hedged) {
    match what {
        Hedged::Started { copy } => {
            tracing::info!(name: "hedge.copy", target: "resilient", attempt, copy, "hedge.copy");
        }
        Hedged::Won { copy } => {
            tracing::info!(name: "hedge.won", target: "resilient", attempt, copy, "hedge.won");
        }
        Hedged::Refused { reason } => {
            tracing::info!(name: "hedge.refused", target: "resilient", attempt, reason, "hedge.refused");
        }
    }
}

pub(crate) fn breaker_state(transition: &Transition) {
    tracing::warn!(
        name: "breaker.state", target: "resilient",
        dependency = &*transition.dependency,
        from = transition.from.as_str(),
        to = transition.to.as_str(),
        rule = transition.rule.as_str(),
        failures = transition.failures,
        attempts = transition.attempts,
        key = transition.key.as_deref(),
        reason = transition.reason.as_deref(),
        "breaker.state"
    );
}

pub(crate) fn bulkhead_limit(dependency: &str, Moved { from, to }: Moved) {
    tracing::debug!(name: "bulkhead.limit", target: "resilient", dependency, from, to, "bulkhead.limit");
}

pub(crate) fn shed(dependency: &str, percent: u8) {
    tracing::debug!(name: "throttle.shed", target: "resilient", dependency, percent, "throttle.shed");
}

pub(crate) fn rate_limited(limiter: &str, limit: &str, retry_in: Duration, shadow: bool) {
    tracing::debug!(
        name: "rate_limit.refused", target: "resilient",
        limiter,
        limit,
        retry_in_ms = retry_in.as_secs_f64() * 1e3,
        shadow,
        "rate_limit.refused"
    );
}

pub(crate) fn call_rejected(rejection: &Rejection) {
    tracing::info!(name: "call.rejected", target: "resilient", reason = rejection.kind(), %rejection, "call.rejected");
}

pub(crate) fn fallback(kind: &'static str) {
    tracing::info!(name: "call.fallback", target: "resilient", kind, "call.fallback");
}

pub(crate) fn fell_back(failed: bool) {
    tracing::info!(name: "call.fell_back", target: "resilient", failed, "call.fell_back");
}

pub(crate) fn fell_back_too_late() {
    tracing::info!(name: "call.fell_back", target: "resilient", failed = true, timed_out = true, "call.fell_back");
}

pub(crate) fn call_abandoned(attempt: u32, verdict: Verdict) {
    tracing::debug!(name: "call.abandoned", target: "resilient", attempt, ?verdict, "call.abandoned");
}
