//! The words for every mistake that can be told without the compiler's help.

use proc_macro2::TokenStream;
use quote::quote;

use super::told;
use crate::attribute::{protect, resilient};

/// What is told about `arguments` on a function with an argument of every sort.
fn mistakes(arguments: TokenStream) -> Vec<String> {
    protect(
        arguments,
        quote! {
            async fn f(&self, owned: String, shared: &str, unique: &mut u8) -> Result<u32, Error> {
                Ok(1)
            }
        },
    )
    .map_or_else(|errors| told(&errors), |_| Vec::new())
}

#[test]
fn wrong_options() {
    let table: Vec<(TokenStream, &[&str])> = vec![
        (quote!(), &["at least one policy is needed: `retry`"]),
        (quote!(name = "f"), &["at least one policy is needed"]),
        (
            quote!(retry(mx = 4)),
            &["unknown option `mx` for `retry`; did you mean `max`?"],
        ),
        (
            quote!(retri(max = 4)),
            &["unknown option `retri`; did you mean `retry`?"],
        ),
        (
            quote!(foo = 1),
            &["unknown option `foo`; expected one of `retry`, `breaker`"],
        ),
        (
            quote!(hedge(after = "1s")),
            &["unknown option `hedge`; expected one of"],
        ),
        (
            quote!(circuit_breaker = "x"),
            &["unknown option `circuit_breaker`; did you mean `breaker`?"],
        ),
        (
            quote!(retry(attempts = 3)),
            &["unknown option `attempts` for `retry`; did you mean `max`?"],
        ),
        (
            quote!(max = 3),
            &["`max` belongs to `retry`: write `retry(max = ..)`"],
        ),
        (
            quote!(breaker(max = 3)),
            &["`max` belongs to `retry`; `breaker` knows `name`, `per`"],
        ),
        (
            quote!(retry(timeout = "1s")),
            &["`timeout` belongs directly to `#[resilient(..)]`, not inside `retry`"],
        ),
        (
            quote!(retry(max = 3, max = 4)),
            &["duplicate option `max`", "`max` is first given here"],
        ),
        (
            quote!(timeout = "1s", timeout = "2s"),
            &[
                "duplicate option `timeout`",
                "`timeout` is first given here",
            ],
        ),
        (
            quote!("payment"),
            &["expected an option such as `retry(max = 4)`"],
        ),
        (quote!(retry(max = 4) timeout = "5s"), &["expected `,`"]),
        (
            quote!(retry[max = 4]),
            &["write `retry(..)` with parentheses"],
        ),
        (
            quote!(retry = 4),
            &["`retry` takes options: write `retry(max = 4)`"],
        ),
        (
            quote!(breaker),
            &["`breaker` needs the name of a dependency"],
        ),
        (
            quote!(breaker()),
            &["`breaker` needs the name of a dependency"],
        ),
        (
            quote!(breaker(per = "call")),
            &["`breaker` needs the name of a dependency"],
        ),
        (
            quote!(timeout),
            &["`timeout` needs a value: `timeout = ..`"],
        ),
        (quote!(timeout =), &["`timeout` needs a value"]),
        (quote!(timeout(5)), &["`timeout` needs a value"]),
    ];
    compare(table);
}

#[test]
#[allow(clippy::too_many_lines, reason = "one table")]
fn wrong_values() {
    let table: Vec<(TokenStream, &[&str])> = vec![
        (
            quote!(timeout = "5 sconds"),
            &["unknown unit `sconds` in a duration; did you mean `seconds`?"],
        ),
        (
            quote!(timeout = "5"),
            &["a duration needs a unit, for example `\"5s\"`"],
        ),
        (
            quote!(timeout = "0s"),
            &["`timeout` must be greater than zero"],
        ),
        (quote!(timeout = "-5s"), &["a duration cannot be negative"]),
        (quote!(timeout = ""), &["the duration is empty"]),
        (
            quote!(timeout = 5),
            &["expected a duration in a string such as `\"5s\"`, found an integer"],
        ),
        (
            quote!(timeout = TIMEOUT),
            &["or a constant in braces: `timeout = { TIMEOUT }`"],
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
            &["`breaker` is a string, or a constant in braces: `breaker = { payment }`"],
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
            quote!(retry(jitter = 1)),
            &["expected a string, found an integer"],
        ),
        (
            quote!(retry(when = "is_transient")),
            &["expected the path of a function, found a string; write `when = is_transient`"],
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
fn options_that_do_not_fit_each_other() {
    let table: Vec<(TokenStream, &[&str])> = vec![
        (
            quote!(retry(base = "10s", cap = "1s")),
            &[
                "`base` (10s) is greater than `cap` (1s), so every delay would be cut",
                "`cap` is given here",
            ],
        ),
        (
            quote!(timeout = "10s", deadline = "5s"),
            &[
                "`timeout` (10s) is longer than `deadline` (5s), so it can never fire",
                "`deadline` is given here",
            ],
        ),
        (
            quote!(retry(max = 1, base = "1s", jitter = "full")),
            &[
                "`base` has no effect when `max = 1`",
                "`jitter` has no effect when `max = 1`",
            ],
        ),
        (
            quote!(budget = "b"),
            &["`budget` limits retries; add `retry(..)`"],
        ),
        (
            quote!(timeout = "1s", clone(owned)),
            &["`clone` is for arguments of functions that are retried"],
        ),
        (
            quote!(timeout = "1s", idempotent),
            &["`idempotent` says what may be retried"],
        ),
        (
            quote!(retry, idempotent, idempotency_key),
            &[
                "`idempotent` is already said by `idempotency_key`; drop one",
                "`idempotency_key` is given here",
            ],
        ),
        (
            quote!(retry, idempotent = false, idempotency_key = owned),
            &[
                "`idempotent = false` contradicts `idempotency_key`; drop one",
                "`idempotency_key` is given here",
            ],
        ),
        (
            quote!(retry(when = f), classify = g),
            &["`when` and `classify` both decide what is retried; drop one"],
        ),
        (
            quote!(retry, clone(ownd)),
            &["no argument named `ownd`; did you mean `owned`?"],
        ),
        (
            quote!(retry, clone(other)),
            &["no argument named `other`; arguments: `owned`, `shared`, `unique`"],
        ),
        (
            quote!(retry, clone(shared)),
            &["`shared` is already a reference"],
        ),
        (
            quote!(retry, clone(unique)),
            &["`unique` is already a reference"],
        ),
        (
            quote!(retry, clone(self)),
            &["`self` cannot be cloned per attempt; take `&self`"],
        ),
        (
            quote!(retry, clone(owned, owned)),
            &["duplicate `owned` in `clone`"],
        ),
    ];
    compare(table);
}

#[test]
fn all_mistakes_are_told_at_once() {
    compare(vec![(
        quote!(
            retri(max = 4),
            breaker(nam = "x"),
            timeout = "5",
            retry(max = 0, cap = 3)
        ),
        &[
            "unknown option `retri`; did you mean `retry`?",
            "unknown option `nam` for `breaker`; did you mean `name`?",
            "a duration needs a unit",
            "`max` counts attempts",
            "expected a duration in a string",
        ],
    )]);
}

#[test]
fn right_options_are_not_refused() {
    for arguments in [
        quote!(retry),
        quote!(retry(),),
        quote!(retry(max = 1)),
        quote!(retry(max = { MAX }, base = "0s")),
        quote!(breaker(per = "attempt"), dependency = "x"),
        quote!(budget = "b", dependency = "x"),
        quote!(idempotency_key = key::<u8, u16>(&owned), timeout = "1s"),
        quote!(retry, idempotent = true),
        quote!(timeout = "5s", deadline = "5s"),
        quote!(timeout = "10s", deadline = { DEADLINE }),
    ] {
        assert_eq!(mistakes(arguments.clone()), [""; 0], "{arguments}");
    }
}

#[test]
#[allow(clippy::too_many_lines, reason = "one table")]
fn functions_that_cannot_be_protected() {
    let retry = || quote!(retry(max = 3));
    let once = || quote!(timeout = "1s");
    let table: Vec<(TokenStream, TokenStream, &[&str])> = vec![
        (
            once(),
            quote!(
                struct S;
            ),
            &["`#[resilient]` goes on an `async fn`, found `struct`"],
        ),
        (
            once(),
            quote!(
                pub(crate) enum E {}
            ),
            &["found `enum`"],
        ),
        (
            once(),
            quote!(
                unsafe impl Send for S {}
            ),
            &["found `impl`"],
        ),
        (
            once(),
            quote!(
                const N: u32 = 1;
            ),
            &["found `const`"],
        ),
        (once(), quote!(;), &["`#[resilient]` goes on an `async fn`"]),
        (
            once(),
            quote!(
                async fn f(&self) -> Result<u32, E>;
            ),
            &["there is no body to protect; put `#[resilient]` on the method of the impl"],
        ),
        (
            once(),
            quote!(
                fn f() -> Result<u32, E> {
                    Ok(1)
                }
            ),
            &["`#[resilient]` needs an `async fn`; add `async`"],
        ),
        (
            once(),
            quote!(
                fn main() -> R {
                    let body = async { Ok(()) };
                    return runtime().block_on(body);
                }
            ),
            &["another attribute has already removed `async`; move `#[resilient]` above it"],
        ),
        (
            once(),
            quote!(
                fn f(s: &str) -> impl Future<Output = R> + '_ {
                    async move { g(s).await }
                }
            ),
            &["cannot run a returned future again; write `async fn`"],
        ),
        (
            once(),
            quote!(
                fn f() -> Pin<Box<dyn Future<Output = R>>> {
                    Box::pin(async move { g().await })
                }
            ),
            &["cannot run a returned future again; write `async fn`"],
        ),
        (
            once(),
            quote!(
                async fn f() {
                    g().await
                }
            ),
            &["a function without a `Result` cannot fail; there is nothing to protect"],
        ),
        (
            once(),
            quote!(
                async fn f() -> R {
                    let mut __resilient_call = 1;
                }
            ),
            &["`#[resilient]` is already applied to this function"],
        ),
        (
            retry(),
            quote!(
                async fn f(mut self) -> R {
                    g().await
                }
            ),
            &["a retried function cannot take `mut self`; take `&mut self`"],
        ),
        (
            retry(),
            quote!(
                async fn f(mut s: String, (a, mut b): (u8, T)) -> R {
                    g().await
                }
            ),
            &[
                "`mut s` would carry changes of a failed attempt into the next; add `clone(s)`",
                "`mut b` would carry changes of a failed attempt into the next; add `clone(b)`",
            ],
        ),
        (
            retry(),
            quote!(
                async fn f<'a>(v: &'a mut Vec<u32>) -> Result<&'a mut u32, E> {
                    Ok(&mut v[0])
                }
            ),
            &["a retried function cannot return a borrow of `&mut v`"],
        ),
    ];
    for (arguments, item, expected) in table {
        let shown = item.to_string();
        let found = protect(arguments, item).map_or_else(|errors| told(&errors), |_| Vec::new());
        assert_told(&shown, &found, expected);
    }
}

#[test]
fn functions_run_once_may_do_what_they_like_with_their_arguments() {
    for item in [
        quote!(
            async fn f(mut self, mut s: String) -> R {
                g().await
            }
        ),
        quote!(
            async fn f<'a>(v: &'a mut Vec<u32>) -> Result<&'a mut u32, E> {
                Ok(&mut v[0])
            }
        ),
    ] {
        assert!(protect(quote!(timeout = "1s"), item).is_ok());
    }
}

#[test]
fn the_function_outlives_its_wrong_attribute() {
    let item = quote!(
        async fn f() -> Result<u32, E> {
            Ok(1)
        }
    );
    let tokens = resilient(quote!(retri), item.clone()).to_string();
    assert!(tokens.contains("compile_error"), "{tokens}");
    assert!(tokens.ends_with(&item.to_string()), "{tokens}");
}

fn compare(table: Vec<(TokenStream, &[&str])>) {
    for (arguments, expected) in table {
        assert_told(
            &arguments.to_string(),
            &mistakes(arguments.clone()),
            expected,
        );
    }
}

fn assert_told(source: &str, found: &[String], expected: &[&str]) {
    let as_expected = found.len() == expected.len()
        && found
            .iter()
            .zip(expected)
            .all(|(found, expected)| found.contains(expected));
    assert!(
        as_expected,
        "{source}\n found: {found:#?}\n expected: {expected:#?}"
    );
}
