//! The options of `#[resilient(..)]`, as written.

use std::time::Duration;

use proc_macro2::{Ident, TokenStream, TokenTree};
use syn::{Expr, ExprPath, LitStr, Path};

use super::claim::Claim;
use super::rate_limit::RateLimit;
use crate::diagnostic::Slot;
use crate::value::{Quantile, Value};

/// Everything between the parentheses of the attribute.
#[derive(Clone, Default)]
pub(crate) struct Options {
    pub(crate) dependency: Slot<Value<LitStr>>,
    pub(crate) retry: Slot<Box<RetryOptions>>,
    pub(crate) breaker: Slot<Breaker>,
    pub(crate) budget: Slot<Value<LitStr>>,
    pub(crate) bulkhead: Slot<Value<LitStr>>,
    pub(crate) rate_limit: Slot<Box<RateLimit>>,
    pub(crate) hedge: Slot<Box<HedgeOptions>>,
    pub(crate) timeout: Slot<Value<Duration>>,
    pub(crate) deadline: Slot<Value<Duration>>,
    /// `idempotency_key = expr`, or without `expr` a fresh key per call.
    pub(crate) idempotency_key: Slot<Option<Expr>>,
    /// `idempotent`, `idempotent = false`
    pub(crate) idempotent: Slot<bool>,
    /// `idempotent(..)`
    pub(crate) claim: Slot<Box<Claim>>,
    pub(crate) classify: Slot<ExprPath>,
    pub(crate) reject: Slot<ExprPath>,
    pub(crate) fallback: Slot<Fallback>,
    pub(crate) clone: Slot<Vec<Ident>>,
    pub(crate) name: Slot<Value<LitStr>>,
    pub(crate) registry: Slot<Expr>,
    pub(crate) krate: Slot<Path>,
}

impl Options {
    /// Whether the body may run more than once.
    pub(crate) fn repeats(&self) -> bool {
        self.retry.is_given() || self.dependency.is_given()
    }

    /// Whether the body may run more than once, one after the other or side by side.
    pub(crate) fn runs_again(&self) -> bool {
        self.repeats() || self.hedge.is_given()
    }

    /// Whether the arguments are needed after an attempt: by the next one, by a fallback that is
    /// handed what the body moves, or because the answer is written in a transaction.
    pub(crate) fn shares_arguments(&self) -> bool {
        self.runs_again()
            || (self.fallback.is_given() && self.clone.is_given())
            || self.claim.get().is_some_and(|claim| claim.tx.is_given())
    }

    /// Whether what the attempts came to is still to be dealt with.
    pub(crate) fn goes_on(&self) -> bool {
        self.fallback.is_given() || self.claim.is_given()
    }

    /// Whether repeating is said to be safe without a key of the call's own, or said not to be.
    pub(crate) fn repeatable(&self) -> Option<bool> {
        let claim = self.claim.get().map(|claim| claim.may_repeat());
        claim.or(self.idempotent.get().copied())
    }

    /// The first token of every constant in braces, unless it is the module of a path.
    pub(crate) fn constants(&self) -> Vec<TokenTree> {
        let mut constants = Vec::new();
        let mut see = |tokens: Option<&TokenStream>| {
            let mut tokens = tokens.cloned().unwrap_or_default().into_iter();
            let first = tokens.next();
            let of_module =
                matches!(tokens.next(), Some(TokenTree::Punct(colon)) if colon.as_char() == ':');
            constants.extend(first.filter(|_| !of_module));
        };
        for name in [&self.dependency, &self.budget, &self.bulkhead, &self.name] {
            see(name.get().and_then(Value::constant));
        }
        for duration in [&self.timeout, &self.deadline] {
            see(duration.get().and_then(Value::constant));
        }
        if let Some(breaker) = self.breaker.get() {
            see(breaker.name.get().and_then(Value::constant));
        }
        if let Some(retry) = self.retry.get() {
            see(retry.of.get().and_then(Value::constant));
            see(retry.max.get().and_then(Value::constant));
            see(retry.factor.get().and_then(Value::constant));
            for duration in [&retry.base, &retry.cap, &retry.retry_after_cap] {
                see(duration.get().and_then(Value::constant));
            }
        }
        if let Some(fallback) = self.fallback.get() {
            see(fallback.timeout.get().and_then(Value::constant));
        }
        if let Some(claim) = self.claim.get() {
            claim.constants().for_each(|constant| see(Some(constant)));
        }
        if let Some(limit) = self.rate_limit.get() {
            limit.constants().for_each(|constant| see(Some(constant)));
        }
        if let Some(hedge) = self.hedge.get() {
            if let Some(HedgeAfter::Time(after)) = hedge.after.get() {
                see(after.constant());
            }
            see(hedge.floor.get().and_then(Value::constant));
            see(hedge.max.get().and_then(Value::constant));
        }
        constants
    }

    /// `retry(when = path)`
    pub(crate) fn when(&self) -> Option<&ExprPath> {
        self.retry.get().and_then(|retry| retry.when.get())
    }
}

/// `fallback = path(a, b)`, or `fallback(call = path(a, b), timeout = "..")`
#[derive(Clone, Default)]
pub(crate) struct Fallback {
    pub(crate) call: Slot<FallbackCall>,
    pub(crate) timeout: Slot<Value<Duration>>,
}

/// `path(a, b)`
#[derive(Clone)]
pub(crate) struct FallbackCall {
    pub(crate) function: ExprPath,
    /// The arguments that are handed on, by reference and after the error.
    pub(crate) arguments: Vec<Ident>,
}

/// `retry = "name"`, `retry(..)`, or on two levels both: that dependency's numbers but for some.
#[derive(Clone, Default)]
pub(crate) struct RetryOptions {
    pub(crate) of: Slot<Value<LitStr>>,
    pub(crate) max: Slot<Value<u32>>,
    pub(crate) base: Slot<Value<Duration>>,
    pub(crate) cap: Slot<Value<Duration>>,
    pub(crate) factor: Slot<Value<f64>>,
    pub(crate) jitter: Slot<&'static str>,
    pub(crate) retry_after_cap: Slot<Value<Duration>>,
    pub(crate) when: Slot<ExprPath>,
    pub(crate) nested: Slot<&'static str>,
}

impl RetryOptions {
    /// Whether nothing is left to the dependency or the defaults.
    pub(crate) fn is_complete(&self) -> bool {
        let durations = [&self.base, &self.cap, &self.retry_after_cap];
        self.max.is_given()
            && self.factor.is_given()
            && self.jitter.is_given()
            && durations.into_iter().all(Slot::is_given)
    }

    /// Whether a number is written here.
    pub(crate) fn has_numbers(&self) -> bool {
        self.max.is_given()
            || self.base.is_given()
            || self.cap.is_given()
            || self.factor.is_given()
            || self.jitter.is_given()
            || self.retry_after_cap.is_given()
    }
}

/// `hedge` or `hedge(..)`
#[derive(Clone, Default)]
pub(crate) struct HedgeOptions {
    pub(crate) after: Slot<HedgeAfter>,
    pub(crate) floor: Slot<Value<Duration>>,
    pub(crate) max: Slot<Value<u32>>,
}

/// When another copy is due.
#[derive(Clone)]
pub(crate) enum HedgeAfter {
    Time(Value<Duration>),
    /// `"p95"`: later than this share of recent ones.
    Quantile(Quantile),
}

#[derive(Clone, Default)]
pub(crate) struct Breaker {
    pub(crate) name: Slot<Value<LitStr>>,
    pub(crate) per: Slot<&'static str>,
    /// `key = expr`: which of the many that share the name.
    pub(crate) key: Slot<Expr>,
}

/// The words an option understands, and the variant each stands for.
pub(crate) type Words = &'static [(&'static str, &'static str)];

pub(crate) const JITTER: Words = &[
    ("none", "None"),
    ("full", "Full"),
    ("equal", "Equal"),
    ("decorrelated", "Decorrelated"),
    ("proportional", "Proportional"),
];

/// How often a breaker is told an outcome.
pub(crate) const PER: Words = &[("attempt", "Attempt"), ("call", "Call")];

/// What retries inside the retries of another annotated call do.
pub(crate) const NESTED: Words = &[("suppress", "Suppress")];
