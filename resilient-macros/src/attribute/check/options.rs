//! Whether the options fit each other.

use std::time::Duration;

use proc_macro2::Span;

use crate::attribute::options::{Options, Retry, RetryOptions};
use crate::diagnostic::{Errors, Slot};
use crate::value::Value;

/// Notes every contradiction among the options.
pub(crate) fn options(options: &Options, errors: &mut Errors) {
    some_policy(options, errors);
    if let Some(Retry::Here(retry)) = options.retry.get() {
        backoff(retry, errors);
        if let (Some(when), true) = (retry.when.key(), options.classify.is_given()) {
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
    if let Some(breaker) = options.breaker.get()
        && !breaker.name.is_given()
        && !options.dependency.is_given()
    {
        errors.at(
            options.breaker.key().unwrap_or_else(Span::call_site),
            "`breaker` needs the name of a dependency: `breaker(name = \"..\", ..)`",
        );
    }
    if !options.repeats() {
        only_for_retries(options, errors);
    }
    idempotence(options, errors);
}

fn some_policy(options: &Options, errors: &mut Errors) {
    let given = options.dependency.is_given()
        || options.retry.is_given()
        || options.breaker.is_given()
        || options.bulkhead.is_given()
        || options.timeout.is_given()
        || options.deadline.is_given()
        || options.idempotency_key.is_given()
        // Reported on its own, and then there is no need to say it twice.
        || options.budget.is_given();
    if !given {
        errors.at(
            Span::call_site(),
            "at least one policy is needed: `dependency = \"name\"`, `retry`, `breaker`, `timeout`, \
             `deadline`, `bulkhead` or `idempotency_key`",
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
            ("base", retry.base.key()),
            ("cap", retry.cap.key()),
            ("factor", retry.factor.key()),
            ("jitter", retry.jitter.key()),
            ("retry_after_cap", retry.retry_after_cap.key()),
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

/// Notes if the first of two durations is above the second.
fn ordered(
    (low_name, low): (&str, &Slot<Value<Duration>>),
    (high_name, high): (&str, &Slot<Value<Duration>>),
    relation: &str,
    consequence: &str,
    errors: &mut Errors,
) {
    let (Some((low, low_span)), Some((high, high_span))) = (
        low.get().and_then(Value::literal),
        high.get().and_then(Value::literal),
    ) else {
        return;
    };
    if low > high {
        let low = humantime::format_duration(*low);
        let high = humantime::format_duration(*high);
        errors.at(
            low_span,
            format_args!("`{low_name}` ({low}) {relation} `{high_name}` ({high}), {consequence}"),
        );
        errors.at(high_span, format_args!("`{high_name}` is given here"));
    }
}

fn only_for_retries(options: &Options, errors: &mut Errors) {
    if let Some(budget) = options.budget.key() {
        errors.at(budget, "`budget` limits retries; add `retry(..)`");
    }
    if let Some(clone) = options.clone.key() {
        errors.at(
            clone,
            "`clone` is for arguments of functions that are retried; add `retry(..)` or drop it",
        );
    }
    if let Some(idempotent) = options.idempotent.key() {
        errors.at(
            idempotent,
            "`idempotent` says what may be retried; add `retry(..)` or drop it",
        );
    }
}

fn idempotence(options: &Options, errors: &mut Errors) {
    let (Some(key), Some(idempotent), Some(value)) = (
        options.idempotency_key.key(),
        options.idempotent.key(),
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
