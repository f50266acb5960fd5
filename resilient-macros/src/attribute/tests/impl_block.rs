//! Impl blocks: what their methods take from them, and what is told about both.

use proc_macro2::TokenStream;
use quote::quote;

use super::expansion::snapshot;
use super::{assert_told, told};
use crate::attribute::{protect, resilient};

/// What is told about `arguments` on a block with one method, marked by `method`.
fn mistakes(arguments: TokenStream, method: &TokenStream) -> Vec<String> {
    let block = quote! {
        impl Client {
            #method
            async fn call(&self, owned: String) -> Result<u32, Error> {
                Ok(1)
            }
        }
    };
    protect(arguments, block).map_or_else(|errors| told(&errors), |_| Vec::new())
}

/// The expansion of such a block.
fn expansion(arguments: TokenStream, method: &TokenStream) -> String {
    let block = quote! {
        impl Client {
            /// Calls.
            #[resilient(#method)]
            async fn call(&self, owned: String) -> Result<u32, Error> {
                Ok(1)
            }
        }
    };
    let expansion = protect(arguments, block).map_err(|errors| told(&errors));
    expansion.unwrap().to_string().replace(' ', "")
}

#[test]
fn methods_over_their_block() {
    snapshot(
        "impl_block",
        quote!(
            dependency = "payment",
            retry(max = 4, jitter = "full"),
            timeout = "5s",
            idempotent
        ),
        quote! {
            /// A client.
            impl<const N: usize> Gateway for Client<{ N }> {
                #![allow(dead_code)]
                const LIMITS: Limits = Limits { calls: 3 };

                type Answer = [u8; 3];

                checked! {}

                fn untouched(&self) -> Limit<{ N }> {
                    Limit
                }

                /// Takes the money.
                #[resilient]
                pub(crate) async fn charge(&self) -> Result<u32, Error> {
                    self.post("/charges").await
                }

                #[resilient::resilient(retry(max = 2), timeout = "1s", idempotency_key = order.id)]
                async fn refund(&self, order: &Order) -> Result<u32, Error> {
                    self.post("/refunds").await
                }

                #[cfg_attr(feature = "net", inline, resilient(name = "status"))]
                async fn status(&self) -> Result<u32, Error> {
                    Ok(1)
                }
            }
        },
    );
}

#[test]
fn options_are_merged_field_by_field() {
    let table: Vec<Merged> = vec![
        (
            quote!(retry(max = 5, base = "1s"), breaker = "a"),
            quote!(retry(max = 2), breaker(per = "call", key = shard)),
            &[
                ".max(2)",
                "from_secs(1)",
                "Said::Breaker(\"a\")",
                "Per::Call",
                "set_breaker_key(&shard)",
            ],
            &[".max(5)"],
        ),
        (
            quote!(retry(max = 5)),
            quote!(retry),
            &[".max(5)"],
            &["RetryFrom"],
        ),
        (
            quote!(retry = "a"),
            quote!(retry(max = 2)),
            &[
                "Said::RetryFrom(\"a\")",
                ".max(2)",
                "Upto2attempts.",
                "Otherretrysettingsarethoseregisteredfor`a`.",
            ],
            &[],
        ),
        (
            quote!(retry(max = 5, when = transient)),
            quote!(retry = "a"),
            &["Said::RetryFrom(\"a\")", "When(transient)"],
            &[".max(5)"],
        ),
        (
            quote!(retry, idempotent),
            quote!(idempotency_key),
            &["Said::Keyed", "draw_key"],
            &["Said::Idempotent"],
        ),
        (
            quote!(retry, idempotency_key = owned),
            quote!(idempotent = false),
            &["Said::NotIdempotent"],
            &["Said::Keyed", "set_key"],
        ),
        (
            quote!(retry(max = 3, when = transient)),
            quote!(classify = judge),
            &[".max(3)", "ByFn(judge)"],
            &["When("],
        ),
        (
            quote!(retry, classify = judge),
            quote!(retry(when = transient)),
            &["When(transient)"],
            &["ByFn("],
        ),
        // What the block says about retries is nothing to a method without.
        (
            quote!(budget = "shared", idempotent),
            quote!(timeout = "1s"),
            &["Said::Timeout("],
            &["loop", "Idempotent", "Budget"],
        ),
        // The numbers of the block are no mistake of a method that needs none.
        (
            quote!(retry(base = "1s", cap = "2s")),
            quote!(retry(max = 1)),
            &[".max(1)"],
            &[],
        ),
        (
            quote!(retry, fallback = cached(owned)),
            quote!(retry),
            &["cached(__resilient_failure,&owned)"],
            &["in_time"],
        ),
        (
            quote!(crate = ::facade, registry = self.registry, reject = refuse),
            quote!(deadline = "1s", clone(owned), retry),
            &["::facade::__private", "within(&self.registry", "refuse"],
            &["::resilient"],
        ),
    ];
    are_merged(table);
}

#[test]
fn a_fallback_and_its_time_are_merged_apart() {
    are_merged(vec![
        (
            quote!(retry, fallback(call = cached, timeout = "1s")),
            quote!(fallback = other(owned)),
            &["in_time(other(__resilient_failure,&owned)", "from_secs(1)"],
            &["cached"],
        ),
        (
            quote!(retry, fallback(call = cached, timeout = "1s")),
            quote!(fallback(timeout = "2s")),
            &["in_time(cached(__resilient_failure)", "from_secs(2)"],
            &["from_secs(1)"],
        ),
        // A time of the block is nothing to a method without a fallback.
        (
            quote!(retry, fallback(timeout = "1s")),
            quote!(timeout = "5s"),
            &["from_secs(5)"],
            &["in_time", "from_secs(1)"],
        ),
    ]);
}

/// The options of a block and of its method, and what is in the method's expansion and what is not.
type Merged = (
    TokenStream,
    TokenStream,
    &'static [&'static str],
    &'static [&'static str],
);

fn are_merged(table: Vec<Merged>) {
    for (block, method, present, absent) in table {
        let shown = format!("{block} / {method}");
        let expansion = expansion(block, &method);
        for token in present {
            assert!(expansion.contains(token), "{shown}: {token}\n{expansion}");
        }
        for token in absent {
            assert!(!expansion.contains(token), "{shown}: {token}\n{expansion}");
        }
    }
}

#[test]
#[allow(clippy::too_many_lines, reason = "one table")]
fn mistakes_of_blocks_and_methods() {
    let bare = || quote!(#[resilient]);
    let table: Vec<(TokenStream, TokenStream, &[&str])> = vec![
        (
            quote!(retry),
            quote!(),
            &["no method in this impl block is marked"],
        ),
        (
            quote!(),
            bare(),
            &["at least one policy is needed: `dependency = \"name\"`"],
        ),
        (
            quote!(retry, name = "f", clone(owned)),
            bare(),
            &[
                "`name` names one function; write it in the `#[resilient(..)]` of the method",
                "`clone` is for arguments of one function; write it in",
            ],
        ),
        // What is wrong with the block alone is told once, and not again for the method.
        (
            quote!(retry(base = "10s", cap = "1s")),
            bare(),
            &["`base` (10s) is greater than `cap` (1s)", "`cap` is given"],
        ),
        (
            quote!(retry, idempotent, idempotency_key),
            bare(),
            &[
                "`idempotent` is already said by `idempotency_key`",
                "`idempotency_key` is given here",
            ],
        ),
        (
            quote!(retry(when = f), classify = g),
            bare(),
            &["`when` and `classify` both decide what is retried"],
        ),
        (
            quote!(retri),
            quote!(#[resilient(timeot = "1s")]),
            &["unknown option `retri`", "unknown option `timeot`"],
        ),
        (
            quote!(timeout = "5s"),
            quote!(#[resilient(deadline = "1s")]),
            &[
                "`timeout` (5s) is longer than `deadline` (1s)",
                "`timeout` is given here",
            ],
        ),
        (
            quote!(deadline = "1s"),
            quote!(#[resilient(timeout = "5s")]),
            &[
                "`timeout` (5s) is longer than `deadline` (1s)",
                "`deadline` is given here",
            ],
        ),
        (
            quote!(breaker(per = "call")),
            bare(),
            &[
                "`breaker` needs the name of a dependency",
                "`breaker` is given here",
            ],
        ),
        (
            quote!(retry, fallback = cached(order)),
            bare(),
            &[
                "no argument named `order`; arguments: `owned`",
                "`fallback` is taken from the impl block here",
            ],
        ),
        (
            quote!(retry, fallback = cached(order)),
            quote!(#[resilient(fallback(timeout = "1s"))]),
            &[
                "no argument named `order`; arguments: `owned`",
                "`fallback` is taken from the impl block here",
            ],
        ),
        (
            quote!(retry, fallback(timeout = "1s")),
            quote!(#[resilient(fallback(timeout = "2s"))]),
            &["`fallback` needs the function to call"],
        ),
        (
            quote!(retry(max = 1)),
            quote!(#[resilient(retry(base = "1s"))]),
            &["`base` has no effect when `max = 1`"],
        ),
        (
            quote!(timeout = "1s"),
            quote!(#[resilient(idempotent)]),
            &["`idempotent` says what may be retried"],
        ),
        (
            quote!(timeout = { owned }),
            bare(),
            &["`owned` is an argument, but policies are fixed"],
        ),
        (
            quote!(retry),
            quote!(#[resilient] #[resilient::resilient(timeout = "1s")]),
            &["`#[resilient]` is already applied to this function"],
        ),
        (
            quote!(retry),
            quote!(#[resilient] #[cfg_attr(a, resilient)]),
            &["`#[resilient]` is already applied to this function"],
        ),
        (
            quote!(retry),
            quote!(#[resilient = "payment"]),
            &["options stand in parentheses"],
        ),
    ];
    for (block, method, expected) in table {
        let shown = format!("{block} / {method}");
        assert_told(&shown, &mistakes(block, &method), expected);
    }
}

#[test]
fn items_that_are_no_functions_are_refused() {
    let block = quote! {
        impl Client {
            #[resilient]
            const N: u32 = 1;
            #[resilient]
            fn sync() -> Result<u32, Error> { Ok(1) }
            #[resilient]
            async fn fine() -> Result<u32, Error> { Ok(1) }
        }
    };
    let errors = protect(quote!(retry), block).unwrap_err();
    assert_told(
        "block",
        &told(&errors),
        &[
            "`#[resilient]` goes on an `async fn` or an impl block, found `const`",
            "`#[resilient]` needs an `async fn`; add `async`",
        ],
    );
}

#[test]
fn two_attributes_on_a_block_are_refused() {
    let block = quote! {
        #[resilient(timeout = "1s")]
        unsafe impl Client {
            #[resilient]
            async fn fine() -> Result<u32, Error> { Ok(1) }
        }
    };
    let errors = protect(quote!(retry), block).unwrap_err();
    assert_told(
        "block",
        &told(&errors),
        &["`#[resilient]` is already applied to this impl block"],
    );
}

#[test]
fn a_condition_leaves_the_compiler_the_choice() {
    let condition = |marks: TokenStream| {
        let block = quote! {
            impl Client {
                #marks
                async fn call() -> Result<u32, Error> { Ok(1) }
            }
        };
        let expansion = protect(quote!(timeout = "1s"), block).map_err(|errors| told(&errors));
        expansion.unwrap().to_string().replace(' ', "")
    };
    let one = condition(quote!(#[cfg_attr(a, resilient)]));
    assert!(one.contains("#[cfg(a)]asyncfncall"), "{one}");
    assert!(one.contains("#[cfg(not(a))]asyncfncall"), "{one}");

    let nested = condition(quote!(#[cfg_attr(a, cfg_attr(b, inline, resilient), cold)]));
    let kept = "#[cfg_attr(a,cfg_attr(b,inline),cold)]asyncfncall";
    assert!(
        nested.contains(&format!("#[cfg(all(a,b))]{kept}")),
        "{nested}"
    );
    assert!(
        nested.contains(&format!("#[cfg(not(all(a,b)))]{kept}")),
        "{nested}"
    );

    let either = condition(quote!(
        #[cfg_attr(a, resilient)]
        #[cfg_attr(b, resilient(timeout = "2s"))]
    ));
    assert!(
        either.contains("#[cfg(not(any(a,b)))]asyncfncall"),
        "{either}"
    );
}

#[test]
fn a_wrong_block_is_kept_without_its_marks() {
    let block = quote! {
        impl Client {
            #[resilient]
            #[inline]
            async fn call(&self) -> Result<u32, Error> { Ok(1) }
        }
    };
    let tokens = resilient(quote!(retri), block).to_string();
    assert!(tokens.contains("compile_error"), "{tokens}");
    let kept = quote! {
        impl Client {
            #[inline]
            async fn call(&self) -> Result<u32, Error> { Ok(1) }
        }
    };
    assert!(tokens.ends_with(&kept.to_string()), "{tokens}");
}
