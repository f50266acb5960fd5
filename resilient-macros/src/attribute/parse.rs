//! Reads the options of the attribute.

use std::time::Duration;

use proc_macro2::{Ident, Span, TokenStream};
use syn::ext::IdentExt;
use syn::parse::{ParseStream, Parser};
use syn::punctuated::Punctuated;
use syn::{Lit, Token, parenthesized, token};

use super::claim::{claim, is_claim};
use super::fallback::fallback;
use super::options::{
    Breaker, HedgeAfter, HedgeOptions, JITTER, NESTED, Options, PER, RetryOptions,
};
use super::rate_limit::rate_limit;
use super::vocabulary::{Place, takes_options};
use crate::arguments::{assigned, each_option, is_bare, nested};
use crate::diagnostic::{Errors, example, value_missing};
use crate::value::{self, Value};

/// The options in `arguments`.
pub(crate) fn parse(arguments: TokenStream, errors: &mut Errors) -> Options {
    let mut options = Options::default();
    let read = |input: ParseStream<'_>| {
        let stranger = |literal| Place::Attribute.stranger(literal);
        each_option(input, errors, &stranger, &mut |key, input, errors| {
            read_option(&mut options, key, input, errors)
        });
        Ok(())
    };
    let read = read.parse2(arguments);
    errors.keep(read);
    options
}

fn read_option(
    options: &mut Options,
    key: &Ident,
    input: ParseStream<'_>,
    errors: &mut Errors,
) -> syn::Result<()> {
    match key.to_string().as_str() {
        "dependency" => {
            let value = assigned(key, input, value::text)?;
            options.dependency.fill(key, value, errors);
        }
        "retry" => {
            let value = retry(key, input, errors)?;
            options.retry.fill(key, value, errors);
        }
        "breaker" => {
            let value = breaker(key, input, errors)?;
            options.breaker.fill(key, value, errors);
        }
        "budget" => {
            let value = assigned(key, input, value::text)?;
            options.budget.fill(key, value, errors);
        }
        "bulkhead" => {
            let value = assigned(key, input, value::text)?;
            options.bulkhead.fill(key, value, errors);
        }
        "rate_limit" => {
            let value = rate_limit(key, input, errors)?;
            options.rate_limit.fill(key, value, errors);
        }
        "hedge" => {
            let value = hedge(key, input, errors)?;
            options.hedge.fill(key, value, errors);
        }
        "timeout" => {
            let value = assigned(key, input, value::time_span)?;
            options.timeout.fill(key, value, errors);
        }
        "deadline" => {
            let value = assigned(key, input, value::time_span)?;
            options.deadline.fill(key, value, errors);
        }
        "idempotency_key" => {
            let value = if is_bare(input) {
                None
            } else {
                Some(assigned(key, input, |_, input| {
                    value::idempotency_key(input)
                })?)
            };
            options.idempotency_key.fill(key, value, errors);
        }
        "idempotent" if is_claim(&input.fork()) => {
            let value = claim(key, input, errors)?;
            told_twice(options.idempotent.key(), key, errors);
            if !cfg!(any(feature = "idempotency", test)) {
                errors.at(key.span(), FEATURE_MISSING);
            }
            options.claim.fill(key, value, errors);
        }
        "idempotent" => {
            told_twice(options.claim.key(), key, errors);
            let value = is_bare(input) || assigned(key, input, value::truth)?;
            options.idempotent.fill(key, value, errors);
        }
        "classify" => {
            let value = assigned(key, input, value::function)?;
            options.classify.fill(key, value, errors);
        }
        "reject" => {
            let value = assigned(key, input, value::function)?;
            options.reject.fill(key, value, errors);
        }
        "fallback" => {
            let value = fallback(key, input, errors)?;
            options.fallback.fill(key, value, errors);
        }
        "clone" => {
            let value = arguments_to_clone(key, input)?;
            options.clone.fill(key, value, errors);
        }
        "name" => {
            let value = assigned(key, input, value::text)?;
            options.name.fill(key, value, errors);
        }
        "registry" => {
            let value = assigned(key, input, |_, input| value::expression(input))?;
            options.registry.fill(key, value, errors);
        }
        "crate" => {
            let value = assigned(key, input, value::library)?;
            options.krate.fill(key, value, errors);
        }
        _ => return Err(Place::Attribute.unknown(key)),
    }
    Ok(())
}

const FEATURE_MISSING: &str = "`idempotent(..)` needs the feature `idempotency`: write \
                               `resilient-async = { version = \"..\", features = \
                               [\"idempotency\"] }` in the `Cargo.toml`";

/// The two forms of one option exclude each other.
fn told_twice(first: Option<Span>, key: &Ident, errors: &mut Errors) {
    if let Some(first) = first {
        errors.at(
            key.span(),
            format_args!("duplicate option `{key}`; drop one"),
        );
        errors.at(first, format_args!("`{key}` is first given here"));
    }
}

/// `retry`, `retry = "name"` or `retry(..)`.
fn retry(
    key: &Ident,
    input: ParseStream<'_>,
    errors: &mut Errors,
) -> syn::Result<Box<RetryOptions>> {
    let mut options = Box::<RetryOptions>::default();
    if input.peek(Token![=]) {
        let of = assigned(key, input, |key, input| match input.fork().parse::<Lit>() {
            Ok(Lit::Int(max)) => Err(input.error(format_args!(
                "`retry` takes options: write `retry(max = {max})`"
            ))),
            Ok(Lit::Bool(_)) => Err(input.error(
                "`retry` is no switch; write `retry` alone or `retry(max = 4)`, or leave it out",
            )),
            _ => value::text(key, input),
        })?;
        options.of.fill(key, of, errors);
        return Ok(options);
    }
    if !is_bare(input) {
        let stranger = |literal| Place::Retry.stranger(literal);
        nested(key, input, errors, &stranger, &mut |key, input, errors| {
            read_retry_option(&mut options, key, input, errors)
        })?;
    }
    Ok(options)
}

fn read_retry_option(
    options: &mut RetryOptions,
    key: &Ident,
    input: ParseStream<'_>,
    errors: &mut Errors,
) -> syn::Result<()> {
    match key.to_string().as_str() {
        "max" => {
            let value = assigned(key, input, value::count)?;
            options.max.fill(key, value, errors);
        }
        "base" => {
            let value = assigned(key, input, value::time)?;
            options.base.fill(key, value, errors);
        }
        "cap" => {
            let value = assigned(key, input, value::time)?;
            options.cap.fill(key, value, errors);
        }
        "factor" => {
            let value = assigned(key, input, value::factor)?;
            options.factor.fill(key, value, errors);
        }
        "jitter" => {
            let value = assigned(key, input, |key, input| value::word(key, JITTER, input))?;
            options.jitter.fill(key, value, errors);
        }
        "retry_after_cap" => {
            let value = assigned(key, input, value::time)?;
            options.retry_after_cap.fill(key, value, errors);
        }
        "when" => {
            let value = assigned(key, input, value::function)?;
            options.when.fill(key, value, errors);
        }
        "nested" => {
            let value = assigned(key, input, |key, input| value::word(key, NESTED, input))?;
            options.nested.fill(key, value, errors);
        }
        _ => return Err(Place::Retry.unknown(key)),
    }
    Ok(())
}

/// `breaker = "name"` or `breaker(..)`.
fn breaker(key: &Ident, input: ParseStream<'_>, errors: &mut Errors) -> syn::Result<Breaker> {
    let mut breaker = Breaker::default();
    if input.peek(Token![=]) {
        let name = assigned(key, input, value::text)?;
        breaker.name.fill(key, name, errors);
        return Ok(breaker);
    }
    if is_bare(input) {
        return Err(value_missing(key, None));
    }
    let stranger = |literal| Place::Breaker.stranger(literal);
    nested(key, input, errors, &stranger, &mut |key, input, errors| {
        match key.to_string().as_str() {
            "name" => {
                let value = assigned(key, input, value::text)?;
                breaker.name.fill(key, value, errors);
            }
            "per" => {
                let value = assigned(key, input, |key, input| value::word(key, PER, input))?;
                breaker.per.fill(key, value, errors);
            }
            "key" => {
                let value = assigned(key, input, |_, input| value::breaker_key(input))?;
                breaker.key.fill(key, value, errors);
            }
            _ => return Err(Place::Breaker.unknown(key)),
        }
        Ok(())
    })?;
    Ok(breaker)
}

/// `hedge` or `hedge(..)`.
fn hedge(
    key: &Ident,
    input: ParseStream<'_>,
    errors: &mut Errors,
) -> syn::Result<Box<HedgeOptions>> {
    let mut options = Box::<HedgeOptions>::default();
    if input.peek(Token![=]) {
        return assigned(key, input, |_, input| {
            Err(input.error(match input.fork().parse() {
                Ok(literal) => Place::Hedge.stranger(Some(literal)),
                Err(_) => takes_options("hedge", "after", example("after")),
            }))
        });
    }
    if is_bare(input) {
        return Ok(options);
    }
    let stranger = |literal| Place::Hedge.stranger(literal);
    nested(key, input, errors, &stranger, &mut |key, input, errors| {
        match key.to_string().as_str() {
            "after" => {
                let value = assigned(key, input, hedge_after)?;
                options.after.fill(key, value, errors);
            }
            "floor" => {
                let value = assigned(key, input, hedge_floor)?;
                options.floor.fill(key, value, errors);
            }
            "max" => {
                let value = assigned(key, input, value::copies)?;
                options.max.fill(key, value, errors);
            }
            _ => return Err(Place::Hedge.unknown(key)),
        }
        Ok(())
    })?;
    Ok(options)
}

/// `"50ms"`, a constant, or `"p95"`.
fn hedge_after(key: &Ident, input: ParseStream<'_>) -> syn::Result<HedgeAfter> {
    match value::quantile(key, input)? {
        Some(quantile) => Ok(HedgeAfter::Quantile(quantile)),
        None => value::time(key, input).map(HedgeAfter::Time),
    }
}

/// `"10ms"`, or a constant.
fn hedge_floor(key: &Ident, input: ParseStream<'_>) -> syn::Result<Value<Duration>> {
    match value::quantile(key, &input.fork()) {
        Ok(None) => value::time(key, input),
        _ => Err(value::refuse(
            input,
            format_args!(
                "`{key}` is the shortest time that a quantile may come to; write `{key} = {}`, \
                 and the quantile in `after`",
                example(&key.to_string())
            ),
        )),
    }
}

/// `clone(a, b)`
fn arguments_to_clone(key: &Ident, input: ParseStream<'_>) -> syn::Result<Vec<Ident>> {
    if !input.peek(token::Paren) {
        return Err(syn::Error::new(
            key.span(),
            "`clone` takes the arguments to clone: `clone(a, b)`",
        ));
    }
    let content;
    parenthesized!(content in input);
    let names = Punctuated::<Ident, Token![,]>::parse_terminated_with(&content, |input| {
        input.call(Ident::parse_any)
    })
    .map_err(|error| {
        // What is left unread would be reported as a mistake of its own.
        let _ = content.parse::<TokenStream>();
        syn::Error::new(
            error.span(),
            "`clone` takes names of arguments: `clone(a, b)`",
        )
    })?;
    if names.is_empty() {
        return Err(syn::Error::new(
            key.span(),
            "`clone` takes the arguments to clone: `clone(a, b)`",
        ));
    }
    Ok(names.into_iter().collect())
}
