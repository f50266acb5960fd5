//! Whether the options fit each other.

use std::time::Duration;

use proc_macro2::Span;

use super::claim;
use crate::attribute::options::{HedgeAfter, HedgeOptions, Options, RetryOptions};
use crate::diagnostic::{Errors, Slot};
use crate::value::Value;

/// Notes every contradiction among the options of a function, and what they lack. Its attribute
/// stands `at` some place.
pub(crate) fn options(options: &Options, at: Span, errors: &mut Errors) {
    some_policy(options, at, errors);
    contradictions(options, errors);
    breaker_named(options, at, errors);
    limiter_named(options, at, errors);
    fallback_called(options, at, errors);
    if let Some(claim) = options.claim.get() {
        claim::complete(options, claim, at, errors);
    }
    if let Some(hedge) = options.hedge.get() {
        hedged(options, hedge, at, errors);
    }
    if !options.runs_again() {
        only_for_retries(options, errors);
    }
}

/// Notes options that cannot both be meant. Those that are both inherited have been told where they
/// are written.
pub(super) fn contradictions(options: &Options, errors: &mut Errors) {
    if let Some(retry) = options.retry.get() {
        backoff(retry, errors);
        if let (Some(when), true) = (retry.when.own_key(), options.classify.is_given()) {
            errors.at(
                when,
                "`when` and `classify` both decide what is retried; drop one",
            );
        }
    }
    ordered(
        ("timeout", &options.timeout),
        ("deadline", &options.deadline),
        "is longer than",
        "so it can never fire; write a shorter `timeout` or a longer `deadline`",
        errors,
    );
    idempotence(options, errors);
    if let Some(claim) = options
        .claim
        .get()
        .filter(|_| !options.claim.is_inherited())
    {
        claim::contradictions(claim, errors);
    }
}

fn some_policy(options: &Options, at: Span, errors: &mut Errors) {
    let given = options.dependency.is_given()
        || options.retry.is_given()
        || options.hedge.is_given()
        || options.breaker.is_given()
        || options.bulkhead.is_given()
        || options.rate_limit.is_given()
        || options.timeout.is_given()
        || options.deadline.is_given()
        || options.idempotency_key.is_given()
        || options.claim.is_given()
        // Reported on its own, and then there is no need to say it twice.
        || options.budget.is_given();
    if !given {
        errors.at(
            at,
            "at least one policy is needed: `dependency = \"name\"`, `retry`, `breaker`, `timeout`, \
             `deadline`, `bulkhead`, `rate_limit`, `hedge` or `idempotency_key`; a method may take them from \
             `#[resilient(..)]` on its impl block",
        );
    }
}

fn breaker_named(options: &Options, at: Span, errors: &mut Errors) {
    let Some(breaker) = options.breaker.get() else {
        return;
    };
    if breaker.name.is_given() || options.dependency.is_given() {
        return;
    }
    let own = options.breaker.own_key();
    errors.at(
        own.unwrap_or(at),
        "`breaker` needs the name of a dependency: `breaker(name = \"..\", ..)`",
    );
    if let (None, Some(inherited)) = (own, options.breaker.key()) {
        errors.at(inherited, "`breaker` is given here");
    }
}

fn limiter_named(options: &Options, at: Span, errors: &mut Errors) {
    let limit = options.rate_limit.get();
    if limit.is_none_or(|limit| limit.limiter.is_given()) {
        return;
    }
    let own = options.rate_limit.own_key();
    errors.at(
        own.unwrap_or(at),
        "`rate_limit` needs the name of a limiter: `rate_limit(limiter = \"api\", ..)`, as \
         `RateLimit::named(\"api\")` gives it",
    );
    if let (None, Some(inherited)) = (own, options.rate_limit.key()) {
        errors.at(inherited, "`rate_limit` is given here");
    }
}

fn fallback_called(options: &Options, at: Span, errors: &mut Errors) {
    let Some(fallback) = options.fallback.get() else {
        return;
    };
    if !fallback.call.is_given() {
        errors.at(
            options.fallback.own_key().unwrap_or(at),
            "`fallback` needs the function to call: `fallback(call = path(a, b), ..)`",
        );
    }
}

fn backoff(retry: &RetryOptions, errors: &mut Errors) {
    ordered(
        ("base", &retry.base),
        ("cap", &retry.cap),
        "is greater than",
        "so every delay would be cut; write a shorter `base` or a longer `cap`",
        errors,
    );
    let single = matches!(retry.max.get(), Some(Value::Literal { value: 1, .. }));
    if single {
        let waiting = [
            ("base", retry.base.own_key()),
            ("cap", retry.cap.own_key()),
            ("factor", retry.factor.own_key()),
            ("jitter", retry.jitter.own_key()),
            ("retry_after_cap", retry.retry_after_cap.own_key()),
        ];
        for (name, key) in waiting {
            if let Some(key) = key {
                errors.at(
                    key,
                    format_args!(
                        "`{name}` has no effect when `max = 1`; drop it or allow another attempt"
                    ),
                );
            }
        }
    }
}

/// Copies of an attempt may all take effect, so that it must have been said that this is safe.
fn hedged(options: &Options, hedge: &HedgeOptions, at: Span, errors: &mut Errors) {
    let key = options.hedge.own_key().unwrap_or(at);
    let claim = options.claim.get().filter(|claim| !claim.may_repeat());
    match (options.repeatable(), options.idempotency_key.is_given()) {
        (Some(false), _) if claim.is_some() => {
            let said = claim.and_then(|claim| claim.effects.own_key().or(claim.tx.own_key()));
            errors.at(
                said.unwrap_or(key),
                "`hedge` repeats an attempt that may have been carried out, and these effects cannot \
                 be repeated; drop `hedge`",
            );
            if let Some(hedge) = options.hedge.key() {
                errors.at(hedge, "`hedge` is given here");
            }
        }
        (Some(true), _) | (_, true) => {}
        (Some(false), false) => {
            errors.at(
                options.idempotent.own_key().unwrap_or(key),
                "`hedge` repeats an attempt that may have been carried out, which \
                 `idempotent = false` forbids; drop one",
            );
            if let Some(hedge) = options.hedge.key() {
                errors.at(hedge, "`hedge` is given here");
            }
        }
        (None, false) => {
            errors.at(
                key,
                "`hedge` runs copies of an attempt side by side, and all of them may be carried \
                 out; add `idempotent` if that is safe, or an `idempotency_key`",
            );
            if options.hedge.is_inherited()
                && let Some(hedge) = options.hedge.key()
            {
                errors.at(hedge, "`hedge` is given here");
            }
        }
    }
    if let (Some(HedgeAfter::Time(_)), Some(floor)) = (hedge.after.get(), hedge.floor.own_key()) {
        errors.at(
            floor,
            "`floor` bounds a quantile, and `after` is a fixed time here; drop `floor`, or write \
             `after = \"p95\"`",
        );
    }
    copies_in_time(options, hedge, errors);
}

/// A copy that is due when the time is over would never start.
fn copies_in_time(options: &Options, hedge: &HedgeOptions, errors: &mut Errors) {
    let (name, wait, inherited) = match hedge.after.get() {
        Some(HedgeAfter::Time(after)) => ("after", Some(after), hedge.after.is_inherited()),
        // The dependency may say a fixed time, on which `floor` has no effect.
        None if options.dependency.is_given() => return,
        _ => ("floor", hedge.floor.get(), hedge.floor.is_inherited()),
    };
    let Some((wait, span)) = wait.and_then(Value::literal) else {
        return;
    };
    for (limit_name, limit) in [
        ("timeout", &options.timeout),
        ("deadline", &options.deadline),
    ] {
        let Some((end, _)) = limit.get().and_then(Value::literal) else {
            continue;
        };
        if wait < end || (inherited && limit.is_inherited()) {
            continue;
        }
        let told = limit.own_key().filter(|_| inherited).unwrap_or(span);
        errors.at(
            told,
            format_args!(
                "`{name}` ({}) is not shorter than `{limit_name}` ({}), so no copy would ever \
                 start; write a shorter `{name}` or a longer `{limit_name}`",
                humantime::format_duration(*wait),
                humantime::format_duration(*end),
            ),
        );
        return;
    }
}

/// Notes if the first of two durations is above the second, at the one that is written nearer.
pub(super) fn ordered(
    (low_name, low): (&str, &Slot<Value<Duration>>),
    (high_name, high): (&str, &Slot<Value<Duration>>),
    relation: &str,
    consequence: &str,
    errors: &mut Errors,
) {
    let (Some((low_value, low_span)), Some((high_value, high_span))) = (
        low.get().and_then(Value::literal),
        high.get().and_then(Value::literal),
    ) else {
        return;
    };
    if low.is_inherited() && high.is_inherited() {
        return;
    }
    if low_value > high_value {
        let (told, other, other_name) = if low.is_inherited() {
            (high_span, low_span, low_name)
        } else {
            (low_span, high_span, high_name)
        };
        let low = humantime::format_duration(*low_value);
        let high = humantime::format_duration(*high_value);
        errors.at(
            told,
            format_args!("`{low_name}` ({low}) {relation} `{high_name}` ({high}), {consequence}"),
        );
        errors.at(other, format_args!("`{other_name}` is given here"));
    }
}

fn only_for_retries(options: &Options, errors: &mut Errors) {
    if let Some(budget) = options.budget.own_key() {
        errors.at(
            budget,
            "`budget` limits retries and hedges; add `retry(..)` or `hedge(..)`",
        );
    }
    if let Some(clone) = options.clone.own_key()
        && !options.fallback.is_given()
    {
        errors.at(
            clone,
            "`clone` is for arguments that a retry or a fallback needs again; add `retry(..)` or drop it",
        );
    }
    if let Some(idempotent) = options.idempotent.own_key() {
        errors.at(
            idempotent,
            "`idempotent` says what may be retried; add `retry(..)` or drop it",
        );
    }
}

fn idempotence(options: &Options, errors: &mut Errors) {
    let (Some(key), Some(idempotent), Some(value)) = (
        options.idempotency_key.own_key(),
        options.idempotent.own_key(),
        options.idempotent.get(),
    ) else {
        return;
    };
    if *value {
        errors.at(
            idempotent,
            "`idempotent` is already said by `idempotency_key`; drop one",
        );
    } else {
        errors.at(
            idempotent,
            "`idempotent = false` contradicts `idempotency_key`; drop one",
        );
    }
    errors.at(key, "`idempotency_key` is given here");
}
