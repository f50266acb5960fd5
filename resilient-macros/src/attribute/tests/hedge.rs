//! The words for hedges that cannot work, and what a hedge becomes.

use proc_macro2::TokenStream;
use quote::quote;

use super::expansion::snapshot;
use super::{assert_told, told};
use crate::attribute::effective::effective;
use crate::attribute::parse::parse;
use crate::attribute::protect;
use crate::diagnostic::Errors;

fn mistakes(arguments: TokenStream, function: TokenStream) -> Vec<String> {
    protect(arguments, function).map_or_else(|errors| told(&errors), |_| Vec::new())
}

#[test]
fn hedges_that_cannot_work() {
    let table: Vec<(TokenStream, &[&str])> = vec![
        (quote!(hedge, idempotent), &[]),
        (quote!(hedge(after = "p95"), idempotency_key), &[]),
        (
            quote!(hedge(after = "p99.9", floor = "0s", max = 3), idempotent),
            &[],
        ),
        (quote!(hedge(after = "0s"), idempotent), &[]),
        (quote!(hedge, idempotent, budget = "b", clone(owned)), &[]),
        (
            quote!(hedge(after = "50ms")),
            &["`hedge` runs copies of an attempt side by side, and all of them may be carried out"],
        ),
        (
            quote!(hedge, retry, idempotent = false),
            &[
                "`hedge` repeats an attempt that may have been carried out",
                "`hedge` is given here",
            ],
        ),
        (
            quote!(hedge(after = "5s"), timeout = "5s", idempotent),
            &["`after` (5s) is not shorter than `timeout` (5s), so no copy would ever start"],
        ),
        (
            quote!(
                hedge(after = "5s"),
                timeout = "6s",
                deadline = "5s",
                idempotent
            ),
            &[
                "`timeout` (6s) is longer than `deadline` (5s)",
                "`deadline` is given here",
                "`after` (5s) is not shorter than `deadline` (5s), so no copy would ever start",
            ],
        ),
        (
            quote!(hedge(floor = "5s"), timeout = "5s", idempotent),
            &["`floor` (5s) is not shorter than `timeout` (5s), so no copy would ever start"],
        ),
        (
            quote!(
                dependency = "d",
                hedge(floor = "5s"),
                timeout = "5s",
                idempotent
            ),
            &[],
        ),
        (
            quote!(hedge(after = "5s", floor = "1s"), idempotent),
            &["`floor` bounds a quantile, and `after` is a fixed time here; drop `floor`"],
        ),
        (
            quote!(hedge(max = 1), idempotent),
            &["`max` counts copies including the first; it must be at least 2"],
        ),
        (
            quote!(hedge(after = "95"), idempotent),
            &["a duration needs a unit"],
        ),
        (
            quote!(hedge(after, floor, max), idempotent),
            &[
                "`after` needs a value: `after = \"50ms\"`",
                "`floor` needs a value: `floor = \"10ms\"`",
                "`max` needs a value: `max = 4`",
            ],
        ),
        (
            quote!(hedge, hedge(after = "1s"), idempotent),
            &["duplicate option `hedge`", "`hedge` is first given here"],
        ),
        (
            quote!(hedge(after = { owned }), idempotent),
            &["`owned` is an argument, but policies are fixed before the first call"],
        ),
    ];
    compare(table);
}

#[test]
fn quantiles_that_cannot_work() {
    let table: Vec<(TokenStream, &[&str])> = vec![
        (
            quote!(hedge(after = "p0"), idempotent),
            &["a quantile is `p` and a percentage between 0 and 100: write `after = \"p95\"`"],
        ),
        (
            quote!(hedge(after = "p100"), idempotent),
            &["a quantile is `p`"],
        ),
        (
            quote!(hedge(after = "p-5"), idempotent),
            &["a quantile is `p`"],
        ),
        (
            quote!(hedge(after = "pinf"), idempotent),
            &["a quantile is `p`"],
        ),
        (
            quote!(hedge(after = 0.95), idempotent),
            &["a quantile is text: write `after = \"p95\"`"],
        ),
        (
            quote!(hedge(after = p95), idempotent),
            &["a quantile is text: write `after = \"p95\"`"],
        ),
        (
            quote!(hedge(after = "95%"), idempotent),
            &["a quantile is `p`"],
        ),
        (
            quote!(hedge(after = "99.9p"), idempotent),
            &["a quantile is `p`"],
        ),
        (
            quote!(hedge(after = "95th"), idempotent),
            &["a quantile is `p`"],
        ),
        (
            quote!(hedge(after = "Median"), idempotent),
            &["a quantile is `p`"],
        ),
        (
            quote!(hedge(after = payment), idempotent),
            &["`after` is fixed before the first call"],
        ),
        (
            quote!(hedge(after = "p95".into()), idempotent),
            &["`after` is the literal alone: write `after = \"p95\"`"],
        ),
        (
            quote!(hedge(floor = "p50"), idempotent),
            &["`floor` is the shortest time that a quantile may come to; write `floor = \"10ms\"`"],
        ),
    ];
    compare(table);
}

/// On a function whose arguments copies can share.
fn compare(table: Vec<(TokenStream, &[&str])>) {
    for (arguments, expected) in table {
        let source = arguments.to_string();
        let function = quote!(
            async fn f(&self, owned: String, shared: &str) -> Result<u32, Error> {
                Ok(1)
            }
        );
        assert_told(&source, &mistakes(arguments, function), expected);
    }
}

#[test]
fn functions_whose_copies_could_not_share_their_arguments() {
    let table: Vec<(TokenStream, &[&str])> = vec![
        (
            quote!(
                async fn f(&mut self) -> Result<u32, E> {
                    g()
                }
            ),
            &["cannot share `&mut self`; take `&self`, or drop `hedge`"],
        ),
        (
            quote!(
                async fn f(self: &mut Self) -> Result<u32, E> {
                    g()
                }
            ),
            &["cannot share `&mut self`"],
        ),
        (
            quote!(
                async fn f(sink: &mut Sink, (a, ref mut b): Pair) -> Result<u32, E> {
                    g()
                }
            ),
            &[
                "cannot share the `&mut` of `sink`; take `&`, or drop `hedge`",
                "cannot share the `&mut` of `b`",
            ],
        ),
        (
            quote!(
                async fn f(mut text: String) -> Result<u32, E> {
                    g()
                }
            ),
            &["`mut text` would carry changes of a failed attempt into the next"],
        ),
        (
            quote!(
                async fn f(mut count: u32, _: &mut u8) -> Result<u32, E> {
                    g()
                }
            ),
            &[],
        ),
    ];
    for (function, expected) in table {
        let source = function.to_string();
        let found = mistakes(quote!(hedge, idempotent), function);
        assert_told(&source, &found, expected);
    }
}

#[test]
fn a_hedge_of_the_impl_block() {
    let table: Vec<(TokenStream, TokenStream, &[&str])> = vec![
        (
            quote!(hedge(after = "p95", floor = "5ms"), idempotent),
            quote!(#[resilient(hedge(after = "1s"))]),
            &[],
        ),
        (
            quote!(hedge(after = "2s"), idempotent),
            quote!(#[resilient(timeout = "1s")]),
            &["`after` (2s) is not shorter than `timeout` (1s)"],
        ),
        (
            quote!(hedge),
            quote!(#[resilient]),
            &[
                "`hedge` runs copies of an attempt side by side",
                "`hedge` is given here",
            ],
        ),
        (
            quote!(hedge, idempotent),
            quote!(#[resilient(idempotent = false)]),
            &[
                "`hedge` repeats an attempt that may have been carried out",
                "`hedge` is given here",
            ],
        ),
    ];
    for (defaults, attribute, expected) in table {
        let source = attribute.to_string();
        let block = quote! {
            impl Client {
                #attribute
                async fn f(&self) -> Result<u32, E> { g() }
            }
        };
        assert_told(&source, &mistakes(defaults, block), expected);
    }
}

#[test]
fn what_a_hedge_does_is_told() {
    let table: Vec<(TokenStream, &str)> = vec![
        (
            quote!(hedge, idempotent),
            "- A slow attempt gets another copy after the default time; the first success wins.",
        ),
        (
            quote!(hedge(max = { COPIES }), dependency = "x", idempotent),
            "- A slow attempt gets another copy after the time registered, up to `COPIES` in all; \
             the first success wins.",
        ),
        (
            quote!(hedge(after = "50ms", max = 3), idempotent),
            "- A slow attempt gets another copy after 50ms, up to 3 in all; the first success wins.",
        ),
        (
            quote!(hedge(after = "p99.9", floor = "5ms"), idempotent),
            "- A slow attempt gets another copy after the `p99.9` of recent ones, at least 5ms; \
             the first success wins.",
        ),
    ];
    for (arguments, expected) in table {
        let source = arguments.to_string();
        let mut errors = Errors::new();
        let options = parse(arguments, &mut errors);
        errors.finish().unwrap();
        assert_eq!(effective(&options)[3], expected, "{source}");
    }
}

#[test]
fn copies_in_a_loop_of_their_own() {
    snapshot(
        "hedge",
        quote!(
            hedge(after = "p95", max = 3),
            retry(max = 2),
            idempotent,
            clone(query)
        ),
        quote! {
            async fn search(index: &Index, query: Query) -> Result<Hits, SearchError> {
                index.ask(query).await
            }
        },
    );
}
