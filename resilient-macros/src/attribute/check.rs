//! What no single option can know: whether the options fit each other and the function.

use std::time::Duration;

use proc_macro2::{Span, TokenStream, TokenTree};
use quote::ToTokens;
use syn::ext::IdentExt;
use syn::spanned::Spanned;

use super::options::{Options, Retry, RetryOptions};
use crate::diagnostic::{Errors, Slot, listed, nearest};
use crate::shape::{Function, Holds};
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
        "so it can never fire",
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
            "at least one policy is needed: `retry`, `breaker`, `timeout`, `deadline`, \
             `bulkhead`, `dependency` or `idempotency_key`",
        );
    }
}

fn backoff(retry: &RetryOptions, errors: &mut Errors) {
    ordered(
        ("base", &retry.base),
        ("cap", &retry.cap),
        "is greater than",
        "so every delay would be cut",
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
                errors.at(key, format_args!("`{name}` has no effect when `max = 1`"));
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

/// Notes everything about `function` that stands in the way of `options`.
pub(crate) fn function(function: &Function, options: &Options, errors: &mut Errors) {
    if let Some(span) = already_applied(function.body()) {
        errors.at(
            span,
            "`#[resilient]` is already applied to this function; merge the options into one",
        );
    }
    constants(function, options, errors);
    if !options.repeats() {
        return;
    }
    clones(function, options, errors);
    if let Some(mutability) = function.mutable_receiver() {
        errors.at(
            mutability,
            "a retried function cannot take `mut self`; take `&mut self`",
        );
    }
    if let Some(lender) = function.returned_borrow() {
        errors.at(
            function.returns().span(),
            format_args!(
                "a retried function cannot return a borrow of `&mut {lender}`; \
                 return an owned value or an index"
            ),
        );
    }
    let cloned = options.clone.get().map_or(&[][..], Vec::as_slice);
    for binding in function.bindings() {
        let Some(mutability) = binding.mutable else {
            continue;
        };
        let fresh = binding.copies || binding.holds == Holds::Exclusive;
        if !fresh && !cloned.contains(&binding.ident) {
            let name = &binding.ident;
            errors.at(
                mutability,
                format_args!(
                    "`mut {name}` would carry changes of a failed attempt into the next; \
                     add `clone({name})`"
                ),
            );
        }
    }
}

/// The policies of a site are known before any call, and so before any argument.
fn constants(function: &Function, options: &Options, errors: &mut Errors) {
    let bindings = function.bindings();
    for constant in options.constants() {
        if let TokenTree::Ident(name) = &constant
            && bindings.iter().any(|binding| binding.ident == *name)
        {
            errors.at(
                name.span(),
                format_args!(
                    "`{name}` is an argument, but policies are fixed before the first call; \
                     use a constant"
                ),
            );
        }
    }
}

fn clones(function: &Function, options: &Options, errors: &mut Errors) {
    let Some(names) = options.clone.get() else {
        return;
    };
    let bindings = function.bindings();
    for (index, name) in names.iter().enumerate() {
        if names[..index].contains(name) {
            errors.at(name.span(), format_args!("duplicate `{name}` in `clone`"));
            continue;
        }
        if name == "self" {
            errors.at(
                name.span(),
                "`self` cannot be cloned per attempt; take `&self`",
            );
            continue;
        }
        match bindings.iter().find(|binding| binding.ident == *name) {
            Some(binding) if binding.holds == Holds::Value => {}
            Some(_) => errors.at(
                name.span(),
                format_args!(
                    "`{name}` is already a reference; `clone` is only for owned arguments"
                ),
            ),
            None => {
                let known: Vec<String> = bindings
                    .iter()
                    .map(|binding| binding.ident.to_string())
                    .collect();
                let known = || known.iter().map(String::as_str);
                let hint = match nearest(&name.unraw().to_string(), known()) {
                    Some(near) => format!("; did you mean `{near}`?"),
                    None if bindings.is_empty() => String::new(),
                    None => format!("; arguments: {}", listed(known())),
                };
                errors.at(
                    name.span(),
                    format_args!("no argument named `{name}`{hint}"),
                );
            }
        }
    }
}

/// The attribute's own place, if the body is already an expansion of it.
fn already_applied(body: &TokenStream) -> Option<Span> {
    let mut tokens = body.to_token_stream().into_iter().take(3);
    let expanded = tokens
        .any(|token| matches!(&token, TokenTree::Ident(ident) if ident == "__resilient_call"));
    expanded.then(Span::call_site)
}
