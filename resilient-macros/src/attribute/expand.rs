//! Writes the protected function: an inline loop around an `async` block.
//!
//! Neither closures nor async closures would do: only a loop lends `&mut` arguments to one attempt
//! after the other, keeps the future `Send`, and leaves the compiler's words about a moved argument
//! at the user's own token.

use std::time::Duration;

use proc_macro2::{Delimiter, Group, Ident, Span, TokenStream};
use quote::{ToTokens, quote_spanned};
use syn::spanned::Spanned;
use syn::{Expr, ExprPath, Token, Type};

use super::options::{FallbackCall, Options};
use super::{effective, site, variables};
use crate::place::{all_shown_at, shown_at};
use crate::shape::{Binding, Function};
use crate::value::Value;

/// `function` with its body run under the policies that `options` name, which are written `at` the
/// function's attribute.
pub(crate) fn expand(options: &Options, at: Span, mut function: Function) -> TokenStream {
    let bindings = function.bindings();
    if options.shares_arguments() {
        function.freeze();
    }
    function.document(|| effective::effective(options));
    let writer = Writer {
        private: if let Some(path) = options.krate.get() {
            quote_spanned!(Span::mixed_site()=> #path::__private)
        } else {
            quote_spanned!(Span::mixed_site()=> ::resilient::__private)
        },
        returns: function.attempt_type(),
        options,
        at,
        function: &function,
    };
    let mut statements = writer.call();
    let attempts = if options.repeats() {
        writer.repeated(&bindings)
    } else {
        writer.single(&bindings)
    };
    statements.extend(match options.claim.get() {
        Some(claim) => writer.claimed(claim, &attempts),
        None => attempts,
    });
    if let Some(fallback) = options.fallback.get()
        && let Some(call) = fallback.call.get()
    {
        statements.extend(writer.fallback(call, fallback.timeout.get()));
    }
    function.around(statements)
}

/// How a question about an outcome is answered.
pub(super) struct Rule {
    pub(super) value: TokenStream,
    /// The type of `value`, left to inference. Its place is where the rule is told not to hold.
    pub(super) kind: Token![_],
}

pub(super) struct Writer<'a> {
    pub(super) options: &'a Options,
    at: Span,
    pub(super) function: &'a Function,
    /// The half of the library that only expansions may use.
    pub(super) private: TokenStream,
    pub(super) returns: Type,
}

impl Writer<'_> {
    /// Opens the call: its site, and its keys.
    fn call(&self) -> TokenStream {
        let private = &self.private;
        let here = Span::mixed_site();
        let site = site::site(self.options, self.at, &self.function.name(), private);
        // Items are not hygienic: the static lives in a block of its own, out of the body's sight.
        let site = quote_spanned! {here=> {
            static __RESILIENT_SITE: #private::Site = #site;
            #private::inventory::submit! { &__RESILIENT_SITE }
            &__RESILIENT_SITE
        }};
        let call = if let Some(registry) = self.options.registry.get() {
            let registry = self.looked_at(registry);
            quote_spanned!(here=> #private::Call::within(#registry, #site))
        } else {
            quote_spanned!(here=> #private::Call::new(#site))
        };
        let key = match self.options.idempotency_key.get() {
            Some(Some(key)) => {
                let key = self.looked_at(key);
                quote_spanned!(here=> __resilient_call.set_key(#key);)
            }
            Some(None) => quote_spanned!(here=> __resilient_call.draw_key();),
            None => TokenStream::new(),
        };
        let breaker = self.options.breaker.get();
        let breaker_key = breaker.and_then(|breaker| breaker.key.get()).map(|key| {
            let key = self.looked_at(key);
            quote_spanned!(here=> __resilient_call.set_breaker_key(#key);)
        });
        let requests = self.requests();
        quote_spanned! {here=>
            let mut __resilient_call = #call;
            #key
            #breaker_key
            #requests
        }
    }

    /// What is cloned before an attempt, and the variables it has for itself.
    fn variables(&self, bindings: &[Binding]) -> (TokenStream, TokenStream) {
        let to_clone = self.options.clone.get().map_or(&[][..], Vec::as_slice);
        let private = &self.private;
        let owned = self.options.hedge.is_given();
        let owned = owned.then(|| quote_spanned!(Span::mixed_site()=> #private::Owned));
        (
            variables::clones(bindings, to_clone, owned.as_ref()),
            variables::own(
                bindings,
                to_clone,
                self.function.lent_receiver(),
                owned.is_some(),
            ),
        )
    }

    /// Runs one attempt and binds what comes of it to `out`.
    fn run(&self, out: &TokenStream, bindings: &[Binding]) -> TokenStream {
        let (clones, own) = if self.options.shares_arguments() {
            self.variables(bindings)
        } else {
            (TokenStream::new(), TokenStream::new())
        };
        let attempt = self.attempt(&own);
        let here = Span::mixed_site();
        let Some(hedge) = self.options.hedge.key() else {
            return quote_spanned! {here=>
                #clones
                let #out = __resilient_call.attempt(#attempt).await;
            };
        };
        let (private, returns) = (&self.private, &self.returns);
        let judge = self.judge();
        let kinds = [self.failure(), judge.kind];
        let judge = judge.value;
        // A moved argument is reported "inside of this loop", with the loop shown here.
        let place = if self.options.hedge.is_inherited() {
            self.at
        } else {
            hedge
        };
        let copies = quote_spanned!(shown_at(place)=> loop);
        quote_spanned! {here=>
            let mut __resilient_copies = #private::Copies::none();
            let #out = #copies {
                #clones
                __resilient_copies.start(#attempt);
                if let ::core::ops::ControlFlow::Break(__resilient_out) =
                    #private::race(
                        &mut __resilient_call,
                        &mut __resilient_copies,
                        |__resilient_call, __resilient_out| {
                            #private::succeeded::<#returns, #(#kinds),*>(
                                __resilient_call,
                                __resilient_out,
                                #judge,
                            )
                        },
                    )
                    .await
                {
                    break __resilient_out;
                }
            };
        }
    }

    /// The body in a loop, which the policies leave with the last outcome.
    fn repeated(&self, bindings: &[Binding]) -> TokenStream {
        let here = Span::mixed_site();
        let run = self.run(&quote_spanned!(here=> mut __resilient_out), bindings);
        // A moved argument is reported "inside of this loop", with the loop shown here.
        let retry = self.options.retry.own_key();
        let place = retry.or(self.options.dependency.own_key());
        let repeat = quote_spanned!(shown_at(place.unwrap_or(self.at))=> loop);
        // What keeps the future from being `Send` is the error that is kept between attempts.
        let last = Ident::new("__resilient_last", shown_at(self.function.failure()));
        let settle = self.settle(&last);
        let (bind, leave, end) = if self.options.goes_on() {
            (
                quote_spanned!(here=> let __resilient_ret =),
                quote_spanned!(here=> break),
                quote_spanned!(here=> ;),
            )
        } else {
            (
                TokenStream::new(),
                quote_spanned!(here=> return),
                TokenStream::new(),
            )
        };
        quote_spanned! {here=>
            let mut #last = ::core::option::Option::None;
            #bind #repeat {
                #run
                #settle
                if let ::core::option::Option::Some(__resilient_ret) = __resilient_out {
                    #leave __resilient_ret;
                }
            }
            #end
        }
    }

    /// Asks the policies what comes of an attempt.
    fn settle(&self, last: &Ident) -> TokenStream {
        let (private, returns, here) = (&self.private, &self.returns, Span::mixed_site());
        let state = quote_spanned! {here=>
            &mut __resilient_call, &mut __resilient_out, &mut #last
        };
        let options = self.options;
        let own_rules =
            options.when().is_some() || options.classify.is_given() || options.reject.is_given();
        if !own_rules {
            let failure = self.failure();
            return quote_spanned! {here=>
                #private::settle_by_traits::<#returns, #failure>(#state);
            };
        }
        let (judge, reject) = (self.judge(), self.reject());
        let kinds = [self.failure(), judge.kind, reject.kind, judge.kind];
        let (judge, reject) = (judge.value, reject.value);
        quote_spanned! {here=>
            #private::settle::<#returns, #(#kinds),*>(#state, #judge, #reject);
        }
    }

    /// The body run once.
    fn single(&self, bindings: &[Binding]) -> TokenStream {
        let here = Span::mixed_site();
        let run = self.run(&quote_spanned!(here=> __resilient_out), bindings);
        let (private, returns) = (&self.private, &self.returns);
        let (judge, reject) = (self.judge(), self.reject());
        let kinds = [self.failure(), judge.kind, reject.kind];
        let (judge, reject) = (judge.value, reject.value);
        let leave = if self.options.goes_on() {
            quote_spanned!(here=> let __resilient_ret =)
        } else {
            quote_spanned!(here=> return)
        };
        quote_spanned! {here=>
            #run
            #leave #private::finish::<#returns, #(#kinds),*>(
                &mut __resilient_call,
                __resilient_out,
                #judge,
                #reject,
            );
        }
    }

    /// What happens instead of a failure, outside everything that limits the call.
    fn fallback(&self, fallback: &FallbackCall, time: Option<&Value<Duration>>) -> TokenStream {
        let (private, returns, here) = (&self.private, &self.returns, Span::mixed_site());
        let judge = self.judge();
        let kinds = [self.failure(), judge.kind];
        let judge = judge.value;
        let function = &fallback.function;
        let arguments = self.handed_on(&fallback.arguments);
        // What does not fit about the function is told at its path.
        let there = shown_at(function.span());
        let call = quote_spanned!(there=> #function(__resilient_failure #(, #arguments)*));
        let ending = if let Some(time) = time {
            let reject = self.reject();
            let kinds = [self.failure(), reject.kind];
            let reject = reject.value;
            let library = all_shown_at(function.span(), private);
            let run = quote_spanned!(there=> #library::in_time(#call, __resilient_time).await);
            // A constant of its own, where it sees neither the arguments nor a zero pass.
            quote_spanned! {here=>
                let __resilient_time = {
                    const __RESILIENT_TIME: ::core::time::Duration = #private::fallback_time(#time);
                    __RESILIENT_TIME
                };
                let __resilient_out: ::core::option::Option<#returns> = #run;
                return #private::fell_back_in_time::<#returns, #(#kinds),*>(
                    &__resilient_call,
                    __resilient_out,
                    __resilient_time,
                    #reject,
                );
            }
        } else {
            let run = quote_spanned!(there=> #call.await);
            quote_spanned! {here=>
                let __resilient_ret: #returns = #run;
                #private::fell_back(&__resilient_call, &__resilient_ret);
                return __resilient_ret;
            }
        };
        quote_spanned! {here=>
            let __resilient_failure = match #private::fall_back::<#returns, #(#kinds),*>(
                &__resilient_call,
                __resilient_ret,
                #judge,
            ) {
                ::core::ops::ControlFlow::Break(__resilient_ret) => return __resilient_ret,
                ::core::ops::ControlFlow::Continue(__resilient_failure) => __resilient_failure,
            };
            #ending
        }
    }

    /// Arguments of the function, by reference.
    pub(super) fn handed_on(&self, arguments: &[Ident]) -> Vec<TokenStream> {
        let by_reference = |argument: &Ident| {
            let value = self.function.translate(argument.to_token_stream());
            quote_spanned!(shown_at(argument.span())=> &#value)
        };
        arguments.iter().map(by_reference).collect()
    }

    /// The future of one attempt.
    ///
    /// The statement in front makes the return type known to the body, for coercions and for
    /// errors at the right place. The body stays in the user's own braces: the edition these were
    /// written in decides when the temporaries of the last expression are dropped, and lints see
    /// the block they would see without the attribute.
    fn attempt(&self, own: &TokenStream) -> TokenStream {
        let (private, returns) = (&self.private, &self.returns);
        let mut body = Group::new(Delimiter::Brace, self.function.body().clone());
        body.set_span(self.function.braces());
        // Where they hold nothing but an expression, the compiler would have them taken away.
        let needless = self.function.may_be_one_expression();
        let needless =
            needless.then(|| quote_spanned!(Span::mixed_site()=> #[allow(unused_braces)]));
        let edge = quote_spanned! {Span::mixed_site()=>
            if false {
                return #private::returned::<#returns>();
            }
        };
        quote_spanned! {shown_at(self.function.asynchrony())=>
            async {
                #edge
                #own
                #needless
                #body
            }
        }
    }

    /// Who says what an outcome means.
    pub(super) fn judge(&self) -> Rule {
        let options = self.options;
        let keeps = options
            .claim
            .get()
            .is_some_and(|claim| claim.stores_errors());
        let needed = keeps
            || options.runs_again()
            || options.breaker.is_given()
            || options.fallback.is_given();
        if let Some(when) = options.when() {
            self.named("When", when)
        } else if let Some(classify) = options.classify.get() {
            self.named("ByFn", classify)
        } else if needed {
            let rule = self.implied("by_trait");
            Rule {
                value: quote_spanned!(Span::mixed_site()=> #rule()),
                kind: self.failure(),
            }
        } else {
            let private = &self.private;
            Rule {
                value: quote_spanned!(Span::mixed_site()=> #private::Unclassified),
                kind: self.failure(),
            }
        }
    }

    /// Who turns the library's own refusal into the function's error.
    pub(super) fn reject(&self) -> Rule {
        match self.options.reject.get() {
            Some(reject) => Rule {
                value: reject.to_token_stream(),
                kind: Token![_](reject.span()),
            },
            None => Rule {
                value: self.implied("rejected"),
                kind: self.failure(),
            },
        }
    }

    /// A rule given by the user's own function, which is what does not fit if the rule does not.
    fn named(&self, rule: &str, function: &ExprPath) -> Rule {
        let private = &self.private;
        let rule = Ident::new(rule, Span::mixed_site());
        Rule {
            value: quote_spanned!(Span::mixed_site()=> #private::#rule(#function)),
            kind: Token![_](function.span()),
        }
    }

    /// A function of ours that asks something of the error type, which is what lacks it.
    fn implied(&self, rule: &str) -> TokenStream {
        let (private, failure) = (&self.private, self.failure());
        let rule = Ident::new(rule, Span::mixed_site());
        quote_spanned!(Span::mixed_site()=> #private::#rule::<#failure>)
    }

    /// The error type, left to inference.
    pub(super) fn failure(&self) -> Token![_] {
        Token![_](self.function.failure())
    }

    /// An expression of the attribute by reference, so that it never moves an argument.
    pub(super) fn looked_at(&self, expression: &Expr) -> TokenStream {
        let value = self.function.translate(expression.to_token_stream());
        let closed = matches!(
            expression,
            Expr::Call(_)
                | Expr::Field(_)
                | Expr::Index(_)
                | Expr::Lit(_)
                | Expr::Macro(_)
                | Expr::MethodCall(_)
                | Expr::Paren(_)
                | Expr::Path(_)
        );
        let here = shown_at(expression.span());
        if closed {
            quote_spanned!(here=> &#value)
        } else {
            quote_spanned!(here=> &(#value))
        }
    }
}
