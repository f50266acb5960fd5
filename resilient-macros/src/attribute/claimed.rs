//! Writes the claim of a key around the attempts.
//!
//! The attempts stay the statements they are, in an `async` block that borrows the call and the
//! arguments; what is known under the key, and what it refuses, leaves the function at once.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote_spanned};
use syn::spanned::Spanned;
use syn::{Expr, Token};

use super::claim::{Claim, Scope};
use super::expand::Writer;
use super::options::FallbackCall;
use crate::place::shown_at;

impl Writer<'_> {
    /// `attempts`, which bind their outcome, under the right to run them.
    pub(super) fn claimed(&self, claim: &Claim, attempts: &TokenStream) -> TokenStream {
        let (private, returns, here) = (&self.private, &self.returns, Span::mixed_site());
        let asked = self.asked(claim);
        let keeping = self.keeping(claim);
        let begins = self.begins(claim);
        let (judge, reject) = (self.judge(), self.reject());
        let (failure, value) = (self.failure(), self.value());
        let not_executed = claim.not_executed.get();
        let done_nothing = match not_executed {
            Some(path) => path.to_token_stream(),
            None => quote_spanned!(here=> |_| false),
        };
        let done_kind = Token![_](not_executed.map_or_else(Span::mixed_site, Spanned::span));
        let ending_kinds = [failure, judge.kind, done_kind];
        let ended_kinds = [value, failure, reject.kind];
        let (judge, reject) = (judge.value, reject.value);
        let (ended, transaction) = match claim.tx.get() {
            Some(tx) => (quote_spanned!(here=> ended_in), Some(lent(tx))),
            None => (quote_spanned!(here=> ended), None),
        };
        let transaction = transaction.into_iter();
        let next = if self.options.fallback.is_given() {
            quote_spanned!(here=> let __resilient_ret =)
        } else {
            quote_spanned!(here=> return)
        };
        quote_spanned! {here=>
            #asked
            #keeping
            #next match #begins {
                ::core::ops::ControlFlow::Break(__resilient_known) => {
                    return #private::repeated::<#returns, #(#ended_kinds),*>(
                        &mut __resilient_call,
                        __resilient_known,
                        &__resilient_keeping,
                        #reject,
                    );
                }
                ::core::ops::ControlFlow::Continue(__resilient_running) => {
                    let __resilient_driven = __resilient_running
                        .drive(::core::pin::pin!(async {
                            #attempts
                            let __resilient_ending =
                                #private::ending::<#returns, #(#ending_kinds),*>(
                                    &__resilient_call,
                                    &__resilient_ret,
                                    #judge,
                                    #done_nothing,
                                );
                            (__resilient_ret, __resilient_ending)
                        }))
                        .await;
                    match #private::#ended::<#returns, #(#ended_kinds),*>(
                        #(#transaction,)*
                        &mut __resilient_call,
                        __resilient_driven,
                        &__resilient_keeping,
                        #reject,
                    )
                    .await
                    {
                        ::core::ops::ControlFlow::Break(__resilient_ret) => return __resilient_ret,
                        ::core::ops::ControlFlow::Continue(__resilient_ret) => __resilient_ret,
                    }
                }
            };
        }
    }

    /// What is asked for, before an attempt can move an argument.
    fn asked(&self, claim: &Claim) -> TokenStream {
        let (private, here) = (&self.private, Span::mixed_site());
        let scope = match claim.scope.get() {
            Some(Scope::Of(scope)) => {
                let scope = self.seen(scope);
                quote_spanned!(here=> #private::scope_of(#scope))
            }
            _ => quote_spanned!(here=> #private::shared()),
        };
        let key = claim.key.get().map(|key| self.seen(key));
        let asked = quote_spanned! {here=>
            #private::Asked::new(&__resilient_call, #scope, #private::key_of(#key))
        };
        match claim.fingerprint.get() {
            Some(fingerprint) => {
                let fingerprint = self.seen(fingerprint);
                quote_spanned! {here=>
                    let mut __resilient_asked = #asked;
                    __resilient_asked.fingerprint(#fingerprint);
                }
            }
            None => quote_spanned!(here=> let __resilient_asked = #asked;),
        }
    }

    /// How what it comes to is kept.
    fn keeping(&self, claim: &Claim) -> TokenStream {
        let (private, here) = (&self.private, Span::mixed_site());
        let value = self.value();
        let failure = if claim.stores_errors() {
            let failure = self.failure();
            quote_spanned! {here=>
                ::core::option::Option::Some(#private::kept_failure::<#failure>())
            }
        } else {
            quote_spanned!(here=> ::core::option::Option::None)
        };
        let resource = match claim.resource.get() {
            Some(path) => quote_spanned!(here=> ::core::option::Option::Some(#path)),
            None => quote_spanned!(here=> ::core::option::Option::None),
        };
        quote_spanned! {here=>
            let __resilient_keeping = #private::Keeping {
                answer: #private::kept::<#value>(),
                failure: #failure,
                resource: #resource,
            };
        }
    }

    /// Whether it runs.
    fn begins(&self, claim: &Claim) -> TokenStream {
        let here = Span::mixed_site();
        if let Some(tx) = claim.tx.get() {
            let transaction = lent(tx);
            return quote_spanned!(here=> __resilient_asked.begin_in(#transaction).await);
        }
        match claim.resolve.get() {
            Some(resolve) => self.found_out(resolve),
            None => quote_spanned!(here=> __resilient_asked.begin().await),
        }
    }

    /// The same, with a function that finds out how an uncertain run ended.
    fn found_out(&self, resolve: &FallbackCall) -> TokenStream {
        let (private, here) = (&self.private, Span::mixed_site());
        let function = &resolve.function;
        let arguments = self.handed_on(&resolve.arguments);
        let there = shown_at(function.span());
        let resolution = quote_spanned! {there=>
            #function(&*__resilient_record #(, #arguments)*).await
        };
        quote_spanned! {here=>
            match __resilient_asked.find().await {
                #private::Found::Begun(__resilient_begins) => __resilient_begins,
                #private::Found::Uncertain(__resilient_record) => {
                    let __resilient_resolution = __resilient_keeping.resolution(#resolution);
                    __resilient_asked
                        .found_out(__resilient_record, __resilient_resolution)
                        .await
                }
            }
        }
    }

    /// The type of the value, left to inference.
    fn value(&self) -> Token![_] {
        Token![_](self.function.value())
    }

    /// An expression by reference; one that is written as a reference stays that one.
    fn seen(&self, expression: &Expr) -> TokenStream {
        match expression {
            Expr::Reference(reference) if reference.mutability.is_none() => {
                self.looked_at(&reference.expr)
            }
            other => self.looked_at(other),
        }
    }
}

/// The transaction, lent for one step.
fn lent(tx: &Ident) -> TokenStream {
    quote_spanned!(shown_at(tx.span())=> &mut *#tx)
}
