//! Expansions as a reader would see them.

use std::path::Path;

use proc_macro2::TokenStream;
use quote::quote;

use super::told;
use crate::attribute::protect;

/// Compares an expansion with `snapshots/<name>.rs`; with `BLESS` set it is written instead.
pub(super) fn snapshot(name: &str, arguments: TokenStream, item: TokenStream) {
    let expansion = protect(arguments, item).map_err(|errors| told(&errors));
    let expansion = prettyplease::unparse(&syn::parse2(expansion.unwrap()).unwrap());
    let file = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("src/attribute/snapshots")
        .join(name)
        .with_extension("rs");
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(file, expansion).unwrap();
    } else {
        let expected = std::fs::read_to_string(&file).unwrap();
        assert_eq!(
            expansion, expected,
            "`BLESS=1` accepts the new expansion of {name}"
        );
    }
}

#[test]
fn the_function_of_the_front_page() {
    snapshot(
        "charge",
        quote!(
            retry(max = 4, jitter = "full"),
            breaker = "payment",
            timeout = "5s",
            idempotency_key = order.id
        ),
        quote! {
            /// Takes the money.
            pub async fn charge(api: &Api, order: &Order) -> Result<Charge, ChargeError> {
                let answer = api.post("/charges", order).await?;
                Ok(answer.into())
            }
        },
    );
}

#[test]
fn every_option() {
    snapshot(
        "every_option",
        quote!(
            dependency = "payment",
            retry(
                max = { MAX },
                base = "100ms",
                cap = { CAP },
                factor = 2,
                jitter = "decorrelated",
                retry_after_cap = "1m 30s",
                nested = "suppress"
            ),
            breaker(name = { BREAKER }, per = "call", key = self.shard),
            budget = "shared",
            bulkhead = "pool",
            timeout = { limits::TIMEOUT },
            deadline = "15s",
            idempotency_key,
            classify = judge::<u32>,
            reject = Error::refused,
            name = "charge-card",
            registry = self.registries[0],
            crate = ::facade::resilient,
        ),
        quote! {
            async fn call(&self) -> Result<u32, Error> {
                self.api.get().await
            }
        },
    );
}

#[test]
fn one_attempt_needs_no_loop() {
    snapshot(
        "single",
        quote!(timeout = "1500us", bulkhead = "pool"),
        quote! {
            async fn send(mut parts: Vec<u8>, sink: &mut Sink) -> Result<impl Iterator<Item = u8>, Error> {
                parts.push(0);
                sink.send(&parts).await?;
                Ok(parts.into_iter())
            }
        },
    );
}

#[test]
fn a_fallback_takes_over_after_the_loop() {
    snapshot(
        "fallback",
        quote!(
            dependency = "prices",
            idempotent,
            fallback = remembered(item)
        ),
        quote! {
            async fn price(item: &Item) -> Result<Price, PriceError> {
                ask(item).await
            }
        },
    );
}

#[test]
fn a_fallback_with_a_time_of_its_own() {
    snapshot(
        "fallback_in_time",
        quote!(
            timeout = "1s",
            reject = PriceError::of,
            fallback(call = remembered(item), timeout = "200ms")
        ),
        quote! {
            async fn price(item: &Item) -> Result<Price, PriceError> {
                ask(item).await
            }
        },
    );
}

#[test]
fn each_attempt_gets_its_own_variables() {
    snapshot(
        "rebinding",
        quote!(retry = "payment", clone(body, r#type)),
        quote! {
            async fn r#move(
                sink: &mut Sink,
                body: Vec<u8>,
                mut r#type: String,
                (first, mut second): (u8, u8),
                #[cfg(feature = "trace")] mut depth: u32,
                plain: String,
            ) -> Result<(), Error> {
                #![allow(unused_variables)]
                second += 1;
                sink.send(body, r#type, second).await
            }
        },
    );
}

#[test]
fn async_trait_is_opened_at_its_result() {
    snapshot(
        "async_trait",
        quote!(
            retry(max = 3, when = Error::is_transient),
            idempotency_key = self.next(&id),
            clone(id)
        ),
        quote! {
            fn pay<'life0, 'life1, 'async_trait>(
                &'life0 mut self,
                id: String,
                count: u32,
                sink: &'life1 mut Sink,
            ) -> ::core::pin::Pin<Box<dyn ::core::future::Future<Output = Result<u32, Error>> + ::core::marker::Send + 'async_trait>>
            where
                'life0: 'async_trait,
                'life1: 'async_trait,
                Self: 'async_trait,
            {
                Box::pin(async move {
                    if let ::core::option::Option::Some(__ret) = ::core::option::Option::None::<Result<u32, Error>> {
                        #[allow(unreachable_code)]
                        return __ret;
                    }
                    let mut __self = self;
                    let id = id;
                    let mut count = count;
                    let __ret: Result<u32, Error> = {
                        count += 1;
                        __self.pay(id, count, sink).await
                    };
                    #[allow(unreachable_code)]
                    __ret
                })
            }
        },
    );
}
