//! The words for functions that cannot be protected.

use proc_macro2::TokenStream;
use quote::quote;

use super::{assert_told, told};
use crate::attribute::{protect, resilient};

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
            &["`#[resilient]` goes on an `async fn` or an impl block, found `struct`"],
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
                pub trait T {}
            ),
            &["found `trait`; put it on each method with a body"],
        ),
        (
            once(),
            quote!(
                const N: u32 = 1;
            ),
            &["found `const`"],
        ),
        (
            once(),
            quote!(;),
            &["goes on an `async fn` or an impl block"],
        ),
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
            &[
                "a function without a `Result` cannot fail, so there is nothing to protect; \
               let it return `Result<T, E>`, or drop `#[resilient]`",
            ],
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
