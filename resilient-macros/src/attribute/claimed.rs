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
        let driven = self.driven(claim, attempts);
        let reject = self.reject();
        let kinds = [self.value(), self.failure(), reject.kind];
        let reject = reject.value;
        let known = |leave| {
            quote_spanned! {here=>
                let __resilient_known = match #begins {
                    ::core::ops::ControlFlow::Break(__resilient_known) => __resilient_known,
                    ::core::ops::ControlFlow::Continue(__resilient_running) => {
                        match #driven {
                            ::core::ops::ControlFlow::Break(__resilient_known) => __resilient_known,
                            ::core::ops::ControlFlow::Continue(__resilient_ret) => #leave,
                        }
                    }
                };
                return #private::repeated::<#returns, #(#kinds),*>(
                    &mut __resilient_call,
                    __resilient_known,
                    &__resilient_keeping,
                    #reject,
                );
            }
        };
        let ends = if self.options.fallback.is_given() {
            let known = known(quote_spanned!(here=> break '__resilient __resilient_ret));
            quote_spanned!(here=> let __resilient_ret = '__resilient: { #known };)
        } else {
            known(quote_spanned!(here=> return __resilient_ret))
        };
        quote_spanned! {here=>
            #asked
            #keeping
            #ends
        }
    }

    /// The attempts while the right to run holds, and the end of it.
    fn driven(&self, claim: &Claim, attempts: &TokenStream) -> TokenStream {
        let (private, returns, here) = (&self.private, &self.returns, Span::mixed_site());
        let judge = self.judge();
        let path = claim.not_executed.get();
        let kind = Token![_](path.map_or_else(Span::mixed_site, Spanned::span));
        let kinds = [self.value(), self.failure(), judge.kind, kind];
        let judge = judge.value;
        let not_executed = path.map_or_else(
            || quote_spanned!(here=> |_| false),
            ToTokens::to_token_stream,
        );
        let left = if claim.tx.get().is_some() {
            quote_spanned!(here=> left_in)
        } else {
            quote_spanned!(here=> left)
        };
        let drive = quote_spanned! {here=>
            let __resilient_driven = __resilient_running
                .drive(::core::pin::pin!(async {
                    #attempts
                    let __resilient_left = #private::#left::<#returns, #(#kinds),*>(
                        &__resilient_call,
                        &__resilient_ret,
                        &__resilient_keeping,
                        #judge,
                        #not_executed,
                    );
                    (__resilient_ret, __resilient_left)
                }))
                .await;
        };
        let end = if let Some(tx) = claim.tx.get() {
            let transaction = self.lent(tx);
            quote_spanned! {here=>
                #private::ended_in(#transaction, &mut __resilient_call, __resilient_driven)
            }
        } else {
            quote_spanned!(here=> #private::ended(&mut __resilient_call, __resilient_driven))
        };
        quote_spanned!(here=> { #drive #end.await })
    }

    /// What is asked for, before an attempt can move an argument.
    fn asked(&self, claim: &Claim) -> TokenStream {
        let (private, here) = (&self.private, Span::mixed_site());
        let scope = if let Some(Scope::Of(scope)) = claim.scope.get() {
            let scope = self.seen(scope);
            quote_spanned!(here=> #private::scope_of(#scope))
        } else {
            quote_spanned!(here=> #private::shared())
        };
        let key = claim.key.get().map(|key| self.seen(key));
        let asked = quote_spanned! {here=>
            #private::Asked::new(&__resilient_call, #scope, #private::key_of(#key))
        };
        let Some(fingerprint) = claim.fingerprint.get() else {
            return quote_spanned!(here=> let __resilient_asked = #asked;);
        };
        let fingerprint = self.seen(fingerprint);
        quote_spanned! {here=>
            let mut __resilient_asked = #asked;
            __resilient_asked.fingerprint(#fingerprint);
        }
    }

    /// How what it comes to is kept.
    fn keeping(&self, claim: &Claim) -> TokenStream {
        let (private, here) = (&self.private, Span::mixed_site());
        let (value, failure) = (self.value(), self.failure());
        let failure = claim
            .stores_errors()
            .then(|| quote_spanned!(here=> #private::kept_failure::<#failure>()));
        let failure = optional(failure.as_ref());
        let resource = optional(claim.resource.get());
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
            let transaction = self.lent(tx);
            quote_spanned!(here=> __resilient_asked.begin_in(#transaction).await)
        } else if let Some(resolve) = claim.resolve.get() {
            self.found_out(resolve)
        } else {
            quote_spanned!(here=> __resilient_asked.begin().await)
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

    /// The transaction, lent for one step.
    fn lent(&self, tx: &Ident) -> TokenStream {
        let private = &self.private;
        let lent = quote_spanned!(shown_at(tx.span())=> &mut *#tx);
        quote_spanned!(Span::mixed_site()=> #private::lent(#lent))
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

/// An expression that may not be there.
fn optional(value: Option<&impl ToTokens>) -> TokenStream {
    let here = Span::mixed_site();
    value.map_or_else(
        || quote_spanned!(here=> ::core::option::Option::None),
        |value| quote_spanned!(here=> ::core::option::Option::Some(#value)),
    )
}
