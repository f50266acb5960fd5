//! What is decided about a request before it runs, and said about it after.

use std::fmt;
use std::time::Duration;

use http::header::HeaderMap;
use http::request::Parts;
use resilient_core::rate_limit::{Decision, RateLimitError, RateLimiter};
use tokio::time::Instant;

use super::fields::Fields;
use super::once::Once;
use super::{KeyOf, NoKey, WithoutKey, refused};
use crate::Problem;
use crate::idempotency::IDEMPOTENT_REPLAYED;

/// What a request costs.
pub(super) type CostOf = dyn Fn(&Parts) -> u32 + Send + Sync;

/// The settings of a layer, checked.
pub(super) struct Gate {
    pub(super) limiter: RateLimiter,
    pub(super) key: Box<dyn KeyOf>,
    pub(super) cost: Option<Box<CostOf>>,
    pub(super) without_key: Option<WithoutKey>,
    pub(super) fail_open: bool,
    pub(super) exempt_replays: bool,
    pub(super) fields: Fields,
    pub(super) outage: Once,
}

/// What is asked of the limiter.
pub(super) struct Asked {
    key: String,
    cost: u32,
}

/// What was decided about a key.
pub(super) struct Decided {
    pub(super) key: String,
    pub(super) decision: Decision,
    at: Instant,
}

impl Decided {
    fn now(key: String, decision: Decision) -> Self {
        Decided {
            key,
            decision,
            at: Instant::now(),
        }
    }

    /// How long ago that was.
    pub(super) fn age(&self) -> Duration {
        self.at.elapsed()
    }
}

/// What is to be done with a request.
pub(super) enum Gated {
    /// It passes; what was decided, unless nothing was.
    Passes(Option<Decided>),
    Refused(Problem, Option<Decided>),
}

impl Gate {
    /// What a request asks for.
    pub(super) fn ask(&self, request: &Parts) -> Result<Asked, NoKey> {
        let key = self.key.key_of(request)?;
        if key.is_empty() {
            return Err(NoKey::Unknown);
        }
        let cost = self.cost.as_ref().map_or(1, |cost| cost(request));
        Ok(Asked { key, cost })
    }

    pub(super) async fn decide(&self, asked: Result<Asked, NoKey>) -> Gated {
        let Asked { key, cost } = match asked {
            Ok(asked) => asked,
            Err(why) => {
                let problem = refused::without_key(why, self.without_key);
                return problem
                    .map_or(Gated::Passes(None), |problem| Gated::Refused(problem, None));
            }
        };
        let answer = self.limiter.check(&key, cost).await;
        self.note_outage(answer.as_ref().err());
        match answer {
            Ok(decision) if decision.is_allowed() => {
                Gated::Passes(Some(Decided::now(key, decision)))
            }
            Ok(decision) => {
                let problem = refused::exceeded(&decision);
                Gated::Refused(problem, Some(Decided::now(key, decision)))
            }
            Err(RateLimitError::Unavailable { .. }) if self.fail_open => Gated::Passes(None),
            Err(error) => Gated::Refused(refused::undecided(&error), None),
        }
    }

    /// Tells once that the store is away, and that it is back.
    fn note_outage(&self, error: Option<&RateLimitError>) {
        let limiter = self.limiter.name();
        match error {
            Some(error @ RateLimitError::Unavailable { source, .. }) if self.outage.first() => {
                let source: &dyn std::error::Error = source;
                tracing::warn!(
                    name: "rate_limit.unavailable", target: "resilient",
                    %limiter, fail_open = self.fail_open, source, "rate_limit.unavailable: {error}"
                );
            }
            Some(RateLimitError::Unavailable { .. }) => {}
            _ if self.outage.over() => tracing::info!(
                name: "rate_limit.available", target: "resilient", %limiter, "rate_limit.available"
            ),
            _ => {}
        }
    }

    /// Gives back what a replay took, if replays are exempt. What is left then, unless that cannot be
    /// told.
    pub(super) async fn settle(&self, decided: Decided, answer: &HeaderMap) -> Option<Decided> {
        if !self.exempt_replays || !is_replay(answer) {
            return Some(decided);
        }
        let Decided { key, decision, .. } = decided;
        self.limiter.refund(&key, decision).await.ok()?;
        let decision = self.limiter.peek(&key, 0).await.ok()?;
        Some(Decided::now(key, decision))
    }

    /// Says in headers what is left.
    pub(super) fn tell(&self, decided: &Decided, headers: &mut HeaderMap) {
        if self.limiter.is_shadow() && !self.fields.in_shadow {
            return;
        }
        self.fields.write(headers, self.limiter.name(), decided);
    }
}

fn is_replay(answer: &HeaderMap) -> bool {
    answer
        .get(IDEMPOTENT_REPLAYED)
        .is_some_and(|value| value == "true")
}

impl fmt::Debug for Gate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Gate")
            .field("limiter", &self.limiter)
            .field("without_key", &self.without_key)
            .field("fail_open", &self.fail_open)
            .field("exempt_replays", &self.exempt_replays)
            .field("fields", &self.fields)
            .finish_non_exhaustive()
    }
}
