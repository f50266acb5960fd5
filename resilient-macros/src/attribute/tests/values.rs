//! The words for wrong values.

use proc_macro2::TokenStream;
use quote::quote;

use super::{assert_told, compare, mistakes};

#[test]
#[allow(clippy::too_many_lines, reason = "one table")]
fn wrong_values() {
    let table: Vec<(TokenStream, &[&str])> = vec![
        (
            quote!(timeout = "5 sconds"),
            &["unknown unit `sconds` in a duration; did you mean `s`?"],
        ),
        (
            quote!(timeout = "5"),
            &["a duration needs a unit, for example `\"5s\"`"],
        ),
        (
            quote!(timeout = "0s"),
            &[
                "`timeout` must be greater than zero; write for example `\"5s\"`, or leave `timeout` out",
            ],
        ),
        (
            quote!(timeout = "-5s"),
            &["a duration cannot be negative; write for example"],
        ),
        (quote!(timeout = ""), &["the duration is empty"]),
        (
            quote!(timeout: "5s"),
            &["write `=` between an option and its value: `timeout = \"5s\"`"],
        ),
        (
            quote!(timeout = 5),
            &["expected a duration in a string such as `\"5s\"`, found an integer"],
        ),
        (
            quote!(timeout = TIMEOUT),
            &["or a constant in braces: `timeout = { TIMEOUT }`"],
        ),
        (
            quote!(timeout = Duration::from_secs(5), retry),
            &[
                "`timeout` is a duration in a string such as `\"5s\"`, or a constant in braces: \
               `timeout = { Duration::from_secs(5) }`",
            ],
        ),
        (
            quote!(timeout = Limits::<A, B>::TIMEOUT, retry),
            &["`timeout = { Limits::<A, B>::TIMEOUT }`"],
        ),
        (
            quote!(timeout = { TIMEOUT - }, retry(max = { 2 + })),
            &["expected an expression", "expected an expression"],
        ),
        (
            quote!(breaker = { NAME OTHER }, timeout = { let a = 1; }),
            &["expected one expression in the braces", "expected"],
        ),
        (
            quote!(timeout = 5 * SECOND),
            &["`timeout = { 5 * SECOND }`"],
        ),
        (
            quote!(timeout = limits.timeout()),
            &["`timeout` is fixed before the first call; write a duration in a string"],
        ),
        (
            quote!(timeout = self.timeout),
            &["`Self` cannot be used here"],
        ),
        (
            quote!(timeout = self::TIMEOUT),
            &["or a constant in braces: `timeout = { self::TIMEOUT }`"],
        ),
        (
            quote!(breaker = "pay".to_owned()),
            &["`breaker` is the literal alone: write `breaker = \"pay\"`"],
        ),
        (
            quote!(timeout = " 5s ".trim().into()),
            &["`timeout` is the literal alone: write `timeout = \" 5s \"`"],
        ),
        (
            quote!(timeout = None),
            &["there is no `None` to write; leave `timeout` out"],
        ),
        (
            quote!(retry(max = Some(3))),
            &["`max` is written without `Some`: `max = 3`"],
        ),
        (
            quote!(deadline = "Forever"),
            &["`deadline` is a duration that ends; leave it out to set none here"],
        ),
        (
            quote!(retry(jitter = true, nested = true)),
            &[
                "expected a string, found a boolean; write `jitter = \"full\"`",
                "expected a string, found a boolean; write `nested = \"suppress\"`",
            ],
        ),
        (
            quote!(retry(jitter = false, nested = false)),
            &[
                "expected a string, found a boolean; write `jitter = \"none\"`",
                "expected a string, found a boolean; leave `nested` out",
            ],
        ),
        (
            quote!(classify = self.class, timeout = "1s"),
            &[
                "`classify` takes the path of a function, which knows no `self`: write `classify = Self::class`",
            ],
        ),
        (
            quote!(fallback = self.cached(owned, shared), timeout = "1s"),
            &["write `fallback = Self::cached(self, owned, shared)`"],
        ),
        (
            quote!(fallback = cached(owned).await, timeout = "1s"),
            &["`fallback` is awaited where it is needed: write `fallback = cached(owned)`"],
        ),
        (
            quote!(fallback = Ok(0), timeout = "1s"),
            &["`fallback` takes the path of an async function; write one that returns this value"],
        ),
        (
            quote!(breaker = format!("pay")),
            &["`breaker` is fixed before the first call"],
        ),
        (
            quote!(breaker = names::PAYMENT),
            &["`breaker` is a string, or a constant in braces: `breaker = { names::PAYMENT }`"],
        ),
        (
            quote!(timeout = {}),
            &["expected the path of a constant in the braces"],
        ),
        (
            quote!(timeout = { Self::TIMEOUT }),
            &["`Self` cannot be used here"],
        ),
        (
            quote!(breaker = { Self::NAME }),
            &["`Self` cannot be used here"],
        ),
        (quote!(breaker = ""), &["`breaker`: the name is empty"]),
        (
            quote!(breaker = "pay ment"),
            &["`breaker`: a name may use letters, digits"],
        ),
        (
            quote!(breaker = payment),
            &["`breaker` is a string: write `breaker = \"payment\"`, or a constant in braces"],
        ),
        (
            quote!(retry(max = "4")),
            &["expected an integer, found a string; write `max = 4`"],
        ),
        (
            quote!(retry(max = 0)),
            &["`max` counts attempts including the first; it must be at least 1"],
        ),
        (
            quote!(retry(max = -1)),
            &["expected a whole number from 1 to 4294967295"],
        ),
        (
            quote!(retry(max = 4.5)),
            &["expected a whole number from 1 to 4294967295"],
        ),
        (
            quote!(retry(max = 5_000_000_000)),
            &["expected a whole number from 1 to 4294967295"],
        ),
        (
            quote!(retry(max = MAX)),
            &["`max` is an integer, or a constant in braces: `max = { MAX }`"],
        ),
        (
            quote!(retry(max = u32::MAX - 1)),
            &["`max` is an integer, or a constant in braces: `max = { u32::MAX - 1 }`"],
        ),
        (
            quote!(retry(factor = self.factor, max = attempts)),
            &[
                "`Self` cannot be used here",
                "`max` is fixed before the first call; write an integer",
            ],
        ),
        (
            quote!(retry(factor = 0.5)),
            &["`factor` below 1 makes delays shrink"],
        ),
        (quote!(retry(factor = -2)), &["`factor` below 1"]),
        (
            quote!(retry(jitter = "fulll")),
            &["`jitter` cannot be `fulll`; did you mean `full`? (expected `none`, `full`, `equal`"],
        ),
        (
            quote!(retry(jitter = full)),
            &["`jitter` is a string: write `jitter = \"full\"`"],
        ),
        (
            quote!(retry(jitter = Jitter::Full)),
            &["`jitter` is a string: write `jitter = \"full\"`"],
        ),
        (
            quote!(retry(jitter = Jitter::Gauss)),
            &["`jitter` is a string: expected one of `none`, `full`"],
        ),
        (
            quote!(retry(jitter = 1)),
            &["expected a string, found an integer"],
        ),
        (
            quote!(retry(when = "is_transient")),
            &["expected the path of a function, found a string; write `when = is_transient`"],
        ),
        (
            quote!(retry(when = "not a path")),
            &["expected the path of a function, found a string; write `when = path`"],
        ),
        (
            quote!(retry(when = is_transient())),
            &["without calling it: write `when = is_transient`"],
        ),
        (
            quote!(retry(when = |e| true)),
            &["`when` takes the path of a function"],
        ),
        (
            quote!(retry, idempotent = "no"),
            &["write `idempotent` alone, or `idempotent = false`"],
        ),
        (
            quote!(retry, crate = resilient),
            &["the path of `crate` must start with `::` or `crate`"],
        ),
        (
            quote!(retry, clone),
            &["`clone` takes the arguments to clone: `clone(a, b)`"],
        ),
        (
            quote!(retry, clone()),
            &["`clone` takes the arguments to clone"],
        ),
    ];
    compare(table);
}

#[test]
fn a_literal_is_no_key() {
    for key in [
        quote!("order"),
        quote!(4711),
        quote!(true),
        quote!(&"order"),
        quote!(("order")),
        quote!({ "order" }),
        quote!("order".to_owned()),
        quote!(format!("order")),
    ] {
        let found = mistakes(quote!(retry, idempotency_key = #key));
        let expected = "a literal is one key for all calls; write an expression of the arguments, \
                        for example `idempotency_key = order.id` or \
                        `idempotency_key = format_args!(\"order-{}\", order.id)`, \
                        or leave the value out for a random key";
        assert_told(&key.to_string(), &found, &[expected]);
        let found = mistakes(quote!(breaker(name = "x", key = #key)));
        let expected = "a literal is one key for all calls; write an expression of the arguments, \
                        for example `key = shard.id` or \
                        `key = format_args!(\"shard-{}\", shard.id)`, \
                        or leave `key` out for one breaker";
        assert_told(&key.to_string(), &found, &[expected]);
    }
    compare(vec![
        (
            quote!(retry, idempotency_key = "order-{owned}"),
            &["`idempotency_key = format_args!(\"order-{owned}\")`"],
        ),
        (
            quote!(breaker(name = "x", key = "shard-{owned}")),
            &["`key = format_args!(\"shard-{owned}\")`"],
        ),
    ]);
    for key in [
        quote!(owned),
        quote!(KEY),
        quote!({ KEY }),
        quote!(keys::next("order")),
        quote!(format!("order-{owned}")),
        quote!(format_args!("order-{}", owned)),
    ] {
        let found = mistakes(quote!(retry, idempotency_key = #key));
        assert_told(&key.to_string(), &found, &[]);
        let found = mistakes(quote!(breaker(name = "x", key = #key)));
        assert_told(&key.to_string(), &found, &[]);
    }
}

#[test]
fn a_fallback_is_a_function_and_names_of_arguments() {
    compare(vec![
        (quote!(retry, fallback = cached), &[]),
        (
            quote!(retry, fallback = self::cached(owned, shared, self)),
            &[],
        ),
        (
            quote!(retry, fallback = "cached"),
            &["expected the path of a function, found a string; write `fallback = cached`"],
        ),
        (
            quote!(retry, fallback = |error| error),
            &["`fallback` takes the path of a function; move the closure into a function"],
        ),
        (
            quote!(retry, fallback = cached(ownd)),
            &["no argument named `ownd`; did you mean `owned`?"],
        ),
        (
            quote!(retry, fallback = cached(&owned, 1)),
            &["write their names alone"],
        ),
        (
            quote!(retry, fallback = self.cached(owned)),
            &["`fallback` takes the path of a function"],
        ),
        (
            quote!(retry, fallback),
            &["`fallback` needs a value: `fallback = path`"],
        ),
        (
            quote!(retry, fallback(self::cached)),
            &["`fallback` takes no parentheses; write `fallback = self::cached`"],
        ),
        (
            quote!(retry, fallback(cached(owned))),
            &["`fallback` takes no parentheses; write `fallback = cached(owned)`"],
        ),
    ]);
}

#[test]
fn a_fallback_may_have_a_time_of_its_own() {
    compare(vec![
        (
            quote!(retry, fallback(call = cached(owned), timeout = "200ms")),
            &[],
        ),
        (
            quote!(retry, fallback(timeout = { TIME }, call = self::cached)),
            &[],
        ),
        (quote!(retry, fallback(call = cached)), &[]),
        (
            quote!(retry, fallback(timeout = "200ms")),
            &["`fallback` needs the function to call: `fallback(call = path(a, b), ..)`"],
        ),
        (
            quote!(retry, fallback()),
            &["`fallback` needs the function to call"],
        ),
        (
            quote!(retry, fallback(call, timeout)),
            &[
                "`call` needs a value: `call = path`",
                "`timeout` needs a value: `timeout = \"5s\"`",
            ],
        ),
        (
            quote!(retry, fallback(call)),
            &["`call` needs a value: `call = path`"],
        ),
        (
            quote!(retry, fallback(call = cached, timeout = "0s")),
            &["`timeout` must be greater than zero"],
        ),
        (
            quote!(retry, fallback(call = cached, timeout = "200")),
            &["a duration needs a unit"],
        ),
        (
            quote!(retry, fallback(call = cached, timeout = { owned })),
            &["`owned` is an argument, but policies are fixed before the first call"],
        ),
        (
            quote!(retry, fallback(call = "cached", timeout = "1s")),
            &["expected the path of a function, found a string; write `call = cached`"],
        ),
        (
            quote!(retry, fallback(call = self.cached(owned), timeout = "1s")),
            &["`call` takes the path of a function"],
        ),
        (
            quote!(retry, fallback(call = cached(&owned), timeout = "1s")),
            &["write their names alone, `call = path(a, b)`"],
        ),
        (
            quote!(retry, fallback(call = cached(ownd), timeout = "1s")),
            &["no argument named `ownd`; did you mean `owned`?"],
        ),
        (
            quote!(retry, fallback(call = cached, call = other)),
            &["duplicate option `call`", "`call` is first given here"],
        ),
        (
            quote!(retry, fallback = cached, fallback(timeout = "1s")),
            &[
                "duplicate option `fallback`",
                "`fallback` is first given here",
            ],
        ),
        (
            quote!(retry, fallback(call = cached, timout = "1s")),
            &["unknown option `timout` for `fallback`; did you mean `timeout`?"],
        ),
        (
            quote!(retry, fallback(function = cached, timeout = "1s")),
            &["unknown option `function` for `fallback`; did you mean `call`?"],
        ),
        (
            quote!(retry, fallback(call = cached, deadline = "1s")),
            &["`deadline` belongs directly to `#[resilient(..)]`, not inside `fallback`"],
        ),
        (
            quote!(retry, fallback(call = cached, max = 2)),
            &["`max` belongs to `retry`; `fallback` knows"],
        ),
        (
            quote!(retry, call = cached),
            &["`call` belongs to `fallback`: write `fallback(call = ..)`"],
        ),
        (
            quote!(retry, fallback("200ms")),
            &["`fallback` takes options: write `fallback(call = path, timeout = \"200ms\")`"],
        ),
        (
            quote!(retry, fallback(1)),
            &["expected an option such as `call = path`"],
        ),
    ]);
}
