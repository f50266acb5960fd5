//! What a call of the function may do, in words for its documentation.
//!
//! Only what the attribute itself says is told. What is registered or left to a default is decided
//! when the program runs, and a number copied to here would be wrong there some day.

use std::time::Duration;

use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::{ExprPath, LitStr};

use super::claim::{Claim, Scope};
use super::options::{Breaker, HedgeAfter, HedgeOptions, Options, RetryOptions};
use super::rate_limit::RateLimit;
use crate::diagnostic::written;
use crate::value::{Cost, Value};

/// The lines to append to the documentation of a function with these options.
pub(super) fn effective(options: &Options) -> Vec<String> {
    let mut policy = Vec::new();
    retries(options, &mut policy);
    if let Some(hedge) = options.hedge.get() {
        copies(hedge, options.dependency.is_given(), &mut policy);
    }
    limits(options, &mut policy);
    guards(options, &mut policy);
    judges(options, &mut policy);
    if let Some(fallback) = options.fallback.get()
        && let Some(call) = fallback.call.get()
    {
        let within = fallback.timeout.get();
        let within = within.map_or_else(String::new, |limit| format!(" within {}", time(limit)));
        policy.push(format!(
            "A failure that is not permanent is answered by {}{within}.",
            path(&call.function)
        ));
    }
    if let Some(claim) = options.claim.get() {
        claimed(claim, &mut policy);
    }
    policy.extend(repeating(options).map(str::to_owned));
    policy.extend(registered(options));

    let mut lines = vec![
        String::new(),
        "# Effective policy".to_owned(),
        String::new(),
    ];
    lines.extend(policy.into_iter().map(|sentence| format!("- {sentence}")));
    lines
}

fn retries(options: &Options, policy: &mut Vec<String>) {
    if let Some(retry) = options.retry.get() {
        let whose = retry.of.get().map(named);
        match &whose {
            Some(name) if !retry.has_numbers() => {
                policy.push(format!("Retried with the numbers registered for {name}."));
            }
            _ => attempts(
                retry,
                whose.is_some() || options.dependency.is_given(),
                policy,
            ),
        }
        if let Some(name) = whose.filter(|_| retry.has_numbers() && !retry.is_complete()) {
            policy.push(format!(
                "Other retry settings are those registered for {name}."
            ));
        }
    }
    if let Some(budget) = options.budget.get() {
        policy.push(format!(
            "Retries count against the budget of {}.",
            named(budget)
        ));
    }
}

fn attempts(retry: &RetryOptions, registered: bool, policy: &mut Vec<String>) {
    let most = match retry.max.get() {
        Some(Value::Literal { value: 1, .. }) => "One attempt".to_owned(),
        Some(Value::Literal { value, .. }) => format!("Up to {value} attempts"),
        Some(Value::Constant(constant)) => format!("Up to {} attempts", code(constant)),
        None if registered => "Up to as many attempts as registered".to_owned(),
        None => "Up to the default number of attempts".to_owned(),
    };
    let waits = [
        retry.jitter.get().map(|jitter| match *jitter {
            "None" => "no jitter".to_owned(),
            jitter => format!("{} jitter", jitter.to_lowercase()),
        }),
        retry
            .base
            .get()
            .map(|base| format!("a first delay of {}", time(base))),
        retry.factor.get().map(|factor| match factor {
            Value::Literal { value, .. } => format!("growing by a factor of {value}"),
            Value::Constant(constant) => format!("growing by a factor of {}", code(constant)),
        }),
        retry
            .cap
            .get()
            .map(|cap| format!("no delay longer than {}", time(cap))),
    ];
    let mut sentence = most;
    for (index, part) in waits.into_iter().flatten().enumerate() {
        sentence.push_str(if index == 0 { ", with " } else { ", " });
        sentence.push_str(&part);
    }
    sentence.push('.');
    policy.push(sentence);

    if let Some(cap) = retry.retry_after_cap.get() {
        policy.push(format!(
            "A dependency's `Retry-After` is followed if it is at most {}.",
            time(cap)
        ));
    }
    if retry.nested.is_given() {
        policy.push("One attempt only inside the retries of another call.".to_owned());
    }
}

fn copies(hedge: &HedgeOptions, registered: bool, policy: &mut Vec<String>) {
    let due = match hedge.after.get() {
        Some(HedgeAfter::Time(after)) => format!("after {}", time(after)),
        Some(HedgeAfter::Quantile(quantile)) => {
            let floor = hedge.floor.get();
            let floor =
                floor.map_or_else(String::new, |floor| format!(", at least {}", time(floor)));
            format!("after the `{}` of recent ones{floor}", quantile.text)
        }
        None if registered => "after the time registered".to_owned(),
        None => "after the default time".to_owned(),
    };
    let most = match hedge.max.get() {
        Some(Value::Literal { value, .. }) => format!(", up to {value} in all"),
        Some(Value::Constant(constant)) => format!(", up to {} in all", code(constant)),
        None => String::new(),
    };
    policy.push(format!(
        "A slow attempt gets another copy {due}{most}; the first success wins."
    ));
}

fn limits(options: &Options, policy: &mut Vec<String>) {
    if let Some(timeout) = options.timeout.get() {
        policy.push(format!("Each attempt is cut after {}.", time(timeout)));
    }
    if let Some(deadline) = options.deadline.get() {
        policy.push(format!("The whole call takes at most {}.", time(deadline)));
    }
}

fn guards(options: &Options, policy: &mut Vec<String>) {
    if let Some(Breaker { name, per, key }) = options.breaker.get() {
        // A verdict may be set without a name: the breaker is then the dependency's.
        let name = name.get().or(options.dependency.get()).map(named);
        let of = name.map_or_else(String::new, |name| format!(" of {name}"));
        let per = per.get().map_or_else(String::new, |per| {
            format!(", with one verdict per {}", per.to_lowercase())
        });
        let each = key.get().map_or_else(String::new, |key| {
            format!(", another one for each {}", code(&key.to_token_stream()))
        });
        policy.push(format!("Guarded by the breaker{of}{each}{per}."));
    }
    if let Some(limit) = options.rate_limit.get() {
        policy.push(limited(limit));
    }
    if let Some(bulkhead) = options.bulkhead.get() {
        policy.push(format!(
            "Each attempt takes a permit of the bulkhead of {}.",
            named(bulkhead)
        ));
    }
}

fn limited(limit: &RateLimit) -> String {
    let cost = match limit.cost.get() {
        None => "1".to_owned(),
        Some(Cost::Fixed(Value::Literal { value, .. })) => value.to_string(),
        Some(Cost::Fixed(Value::Constant(constant))) => code(constant),
        Some(Cost::Computed(cost)) => code(&cost.to_token_stream()),
    };
    let name = limit.limiter.get().map_or_else(String::new, named);
    let each = limit.key.get().map_or_else(String::new, |key| {
        format!(", counted for each {}", code(&key.to_token_stream()))
    });
    let wait = limit.max_wait.get().map_or_else(
        || "as long as registered".to_owned(),
        |wait| format!("up to {}", time(wait)),
    );
    format!(
        "Each attempt takes {cost} from the rate limiter {name}{each}, and waits {wait} for it."
    )
}

fn judges(options: &Options, policy: &mut Vec<String>) {
    if let Some(when) = options.when() {
        policy.push(format!("Errors are retried if {} says so.", path(when)));
    }
    if let Some(classify) = options.classify.get() {
        policy.push(format!("Outcomes are classified by {}.", path(classify)));
    }
}

fn claimed(claim: &Claim, policy: &mut Vec<String>) {
    let store = claim.store.get().map_or_else(String::new, named);
    let key = claim.key.get().map(|key| code(&key.to_token_stream()));
    let key = key.unwrap_or_default();
    let scope = match claim.scope.get() {
        Some(Scope::Of(scope)) => format!("each {}", code(&scope.to_token_stream())),
        _ => "all callers".to_owned(),
    };
    policy.push(format!(
        "Runs once under the key {key} of {scope}, claimed in the store {store}."
    ));
    let kept = claim.ttl.get().map_or_else(
        || "as long as the store says".to_owned(),
        |ttl| format!("for {}", time(ttl)),
    );
    let what = if claim.stores_errors() {
        "Its answer, or a permanent error,"
    } else {
        "Its answer"
    };
    policy.push(format!("{what} is given to repeats {kept}."));
    policy.push(match (claim.tx.get(), claim.effects.get()) {
        (Some(tx), _) => format!("The record is committed with the transaction `{tx}`."),
        (None, Some(&"None")) => "It has no effects that would be noticed twice.".to_owned(),
        (None, Some(&"Keyed")) => "Whoever has its effects recognises a repeat.".to_owned(),
        (None, _) => "Its effects cannot be repeated: if nobody knows how it ended, it is not run \
                      again."
            .to_owned(),
    });
}

/// What is said about doing it twice; who does not repeat need not say anything.
fn repeating(options: &Options) -> Option<&'static str> {
    if options.claim.is_given() {
        return None;
    }
    if options.idempotency_key.is_given() {
        return Some("Said to be safe to repeat under its idempotency key.");
    }
    match options.idempotent.get() {
        Some(true) => Some("Said to be safe to repeat."),
        Some(false) => {
            Some("Said to be unsafe to repeat: only what was certainly not sent is retried.")
        }
        None if options.runs_again() => Some("Whether it is safe to repeat is not said."),
        None => None,
    }
}

/// What comes from the dependency because nothing here says otherwise.
fn registered(options: &Options) -> Option<String> {
    let dependency = options.dependency.get()?;
    let (retries, numbers, budget) = match options.retry.get() {
        None => (true, false, true),
        Some(retry) if retry.of.is_given() => (false, false, false),
        Some(retry) => (false, !retry.is_complete(), true),
    };
    let breaker = options.breaker.get();
    let parts = [
        (retries, "retries"),
        (numbers, "other retry settings"),
        (budget && !options.budget.is_given(), "budget"),
        (breaker.is_none(), "breaker"),
        (!options.bulkhead.is_given(), "bulkhead"),
        (!options.timeout.is_given(), "timeout"),
        (!options.deadline.is_given(), "deadline"),
    ];
    let parts: Vec<&str> = parts
        .into_iter()
        .filter_map(|(open, part)| open.then_some(part))
        .collect();
    (!parts.is_empty()).then(|| {
        format!(
            "As registered for {}: {}.",
            named(dependency),
            parts.join(", ")
        )
    })
}

fn named(name: &Value<LitStr>) -> String {
    match name {
        Value::Literal { value, .. } => format!("`{}`", value.value()),
        Value::Constant(constant) => code(constant),
    }
}

fn time(duration: &Value<Duration>) -> String {
    match duration {
        Value::Literal { value, .. } => humantime::format_duration(*value).to_string(),
        Value::Constant(constant) => code(constant),
    }
}

fn path(path: &ExprPath) -> String {
    code(&path.to_token_stream())
}

/// `tokens` as code in Markdown, whatever is in them.
fn code(tokens: &TokenStream) -> String {
    let text = written(tokens.clone());
    if text.contains('`') {
        format!("`` {text} ``")
    } else {
        format!("`{text}`")
    }
}
