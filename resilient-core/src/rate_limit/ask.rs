//! What becomes of a request: lists first, then those that wait, then the limits.

use std::fmt;
use std::pin::Pin;
use std::time::Duration;

use super::backend::Backend;
use super::counters::{Counted, Counters};
use super::decision::Decision;
use super::error::{InvalidRateLimit, RateLimitError};
use super::lists::{Listed, Lists};
use super::memory::{Decided, Denied};
use super::waiting::Waiting;
use crate::invalid::InvalidSetting;
use crate::name::Name;
use crate::seam::sync::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use crate::telemetry;

/// One limiter, behind its handles.
pub(super) struct Inner {
    pub(super) name: Name,
    pub(super) unkeyed: bool,
    pub(super) shadow: AtomicBool,
    pub(super) max_wait: AtomicU64,
    pub(super) max_waiting: AtomicU32,
    pub(super) backend: Backend,
    pub(super) lists: Lists,
    pub(super) waiting: Waiting,
    pub(super) counters: Counters,
}

/// What came of asking at once.
pub(super) enum Asked {
    Done(Result<(), RateLimitError>),
    /// It may fit later, or others wait, or the store takes a while to answer.
    NotYet(Option<Denied>),
}

impl Inner {
    pub(super) fn max_wait(&self) -> Duration {
        Duration::from_nanos(self.max_wait.load(Ordering::Relaxed))
    }

    /// Everything that needs no waiting. In the usual case, that it fits, that is all; the others
    /// are kept out of its way.
    #[inline]
    pub(super) fn ask_at_once(&self, key: &str, cost: u32, max_wait: Duration) -> Asked {
        let key = self.own_key(key);
        if (!self.lists.is_empty() || self.waiting.total() > 0)
            && let Some(asked) = self.not_the_usual(key)
        {
            return asked;
        }
        match self.backend.take_at_once(key, cost) {
            Some(Ok(())) => {
                self.count(Counted::Allowed);
                Asked::Done(Ok(()))
            }
            Some(Err(denied)) => self.denied_at_once(denied, cost, max_wait),
            None => Asked::NotYet(None),
        }
    }

    /// What becomes of a key that is listed, or that others wait for.
    #[cold]
    pub(super) fn not_the_usual(&self, key: &str) -> Option<Asked> {
        if let Some(listed) = self.lists.get(key) {
            return Some(Asked::Done(self.pass_listed(listed)));
        }
        (!self.waiting.ahead(key).is_empty()).then_some(Asked::NotYet(None))
    }

    #[cold]
    pub(super) fn denied_at_once(&self, denied: Denied, cost: u32, max_wait: Duration) -> Asked {
        if self.has_no_time(&denied, max_wait) {
            Asked::Done(self.refuse(denied, cost))
        } else {
            Asked::NotYet(Some(denied))
        }
    }

    /// Boxed: whoever has not to wait need not carry the place for it around.
    pub(super) fn wait_for<'a>(
        &'a self,
        key: &'a str,
        cost: u32,
        max_wait: Duration,
        denied: Option<Denied>,
    ) -> Pin<Box<impl Future<Output = Result<(), RateLimitError>> + Send + use<'a>>> {
        Box::pin(self.ask_or_wait(self.own_key(key), cost, max_wait, denied))
    }

    /// Refuses what would overtake those that wait; nothing, if it is the store that is waited for.
    pub(super) fn refuse_behind_others(
        &self,
        key: &str,
        cost: u32,
    ) -> Option<Result<(), RateLimitError>> {
        let key = self.own_key(key);
        match self.behind_others(key, cost) {
            Some(denied) => Some(self.refuse(denied, cost)),
            None => match self.backend.take_at_once(key, cost)? {
                Ok(()) => {
                    self.count(Counted::Allowed);
                    Some(Ok(()))
                }
                Err(denied) => Some(self.refuse(denied, cost)),
            },
        }
    }

    /// What all share is counted under one key, whatever the caller says.
    #[inline]
    pub(super) fn own_key<'key>(&self, key: &'key str) -> &'key str {
        if self.unkeyed { "" } else { key }
    }

    pub(super) fn is_shadow(&self) -> bool {
        self.shadow.load(Ordering::Relaxed)
    }

    #[inline]
    pub(super) fn count(&self, what: Counted) {
        self.counters.count(what);
    }

    pub(super) fn pass_listed(&self, listed: Listed) -> Result<(), RateLimitError> {
        match listed {
            Listed::Allowed => {
                self.count(Counted::AllowListed);
                Ok(())
            }
            Listed::Denied => {
                self.count(Counted::DenyListed);
                Err(self.deny_listed())
            }
        }
    }

    pub(super) async fn decide(
        &self,
        key: &str,
        cost: u32,
        charge: bool,
    ) -> Result<Decision, RateLimitError> {
        if let Some(decided) = self.backend.decide_at_once(key, cost, charge) {
            return self.decided(decided, cost, charge);
        }
        // Boxed, as above.
        let answer = Box::pin(self.backend.decide(&self.name, key, cost, charge)).await;
        let decided = answer.map_err(|error| self.unavailable(error))?;
        self.decided(decided, cost, charge)
    }

    pub(super) fn decided(
        &self,
        decided: Decided,
        cost: u32,
        charge: bool,
    ) -> Result<Decision, RateLimitError> {
        decided.or_else(|never| match (self.is_shadow(), charge) {
            (true, _) => Ok(Decision::never(cost)),
            (false, true) => Err(self.unsatisfiable(cost, never)),
            (false, false) => Err(self.never_fits(cost, never)),
        })
    }

    /// How long what would overtake those that wait had to wait, if there are any.
    pub(super) fn behind_others(&self, key: &str, cost: u32) -> Option<Denied> {
        let ahead = self.waiting.ahead(key);
        if ahead.is_empty() {
            return None;
        }
        let denied = self.backend.behind(key, &ahead, cost).err()?;
        denied.wait.is_some().then_some(denied)
    }

    /// Counts a decision, and lets pass what is only watched.
    pub(super) fn counted(&self, decision: Decision) -> Decision {
        if decision.is_allowed() {
            self.count(Counted::Allowed);
            return decision;
        }
        let limit = decision.tightest();
        let wait = decision.retry_after().unwrap_or_default();
        self.did_not_fit(limit.as_ref().map_or("", |limit| &**limit.name), wait);
        if self.is_shadow() {
            decision.shadowed()
        } else {
            decision
        }
    }

    /// Counts and tells what does not fit.
    pub(super) fn did_not_fit(&self, limit: &str, wait: Duration) {
        let shadow = self.is_shadow();
        let counted = if shadow {
            Counted::WouldDeny
        } else {
            Counted::Denied
        };
        self.count(counted);
        telemetry::rate_limited(&self.name, limit, wait, shadow);
    }

    pub(super) fn deny_listed(&self) -> RateLimitError {
        RateLimitError::DenyListed {
            limiter: self.name.clone(),
        }
    }

    /// Counts what can never fit.
    pub(super) fn unsatisfiable(&self, cost: u32, never: Denied) -> RateLimitError {
        self.count(Counted::CostUnsatisfiable);
        self.never_fits(cost, never)
    }

    pub(super) fn never_fits(&self, cost: u32, never: Denied) -> RateLimitError {
        RateLimitError::CostUnsatisfiable {
            limiter: self.name.clone(),
            limit: never.limit,
            cost,
            capacity: never.capacity,
        }
    }

    pub(super) fn unavailable(&self, source: super::StoreError) -> RateLimitError {
        self.count(Counted::StoreErrors);
        RateLimitError::Unavailable {
            limiter: self.name.clone(),
            source,
        }
    }

    pub(super) fn invalid(
        &self,
        setting: &'static str,
        value: impl fmt::Display,
        reason: impl Into<String>,
    ) -> InvalidRateLimit {
        InvalidRateLimit {
            name: self.name.to_string(),
            problems: vec![InvalidSetting::new("rate_limit", setting, value, reason)],
        }
    }
}
