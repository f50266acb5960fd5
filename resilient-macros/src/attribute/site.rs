//! Writes the options that are known before any call, as the initialiser of a static.

use std::time::Duration;

use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::{ToTokens, quote_spanned};

use super::claim::Claim;
use super::options::{HedgeAfter, HedgeOptions, Options, RetryOptions};
use crate::value::{Quantile, Value};

/// `Site::new(..)` with a word for each option given.
///
/// The line of the site is that of its attribute, `at`.
pub(super) fn site(
    options: &Options,
    at: Span,
    function: &str,
    private: &TokenStream,
) -> TokenStream {
    let said = said(options, private);
    // Anywhere else the compiler would tell the line of the outermost macro.
    let line = quote_spanned!(at=> ::core::line!());
    quote_spanned! {Span::mixed_site()=>
        #private::Site::new(
            #function,
            ::core::module_path!(),
            ::core::file!(),
            #line,
            &[#said],
        )
    }
}

fn said(options: &Options, private: &TokenStream) -> TokenStream {
    let mut said = Words::new(private);
    said.value("Name", options.name.get());
    said.checked("Dependency", "name", options.dependency.get());
    if let Some(retry) = options.retry.get() {
        said.checked("RetryFrom", "name", retry.of.get());
        let here = !retry.of.is_given() || retry.has_numbers();
        said.value("Retry", here.then(|| overrides(retry, private)).as_ref());
        said.word("NestedSuppress", retry.nested.is_given());
    }
    if let Some(breaker) = options.breaker.get() {
        said.checked("Breaker", "name", breaker.name.get());
        let per = breaker.per.get().map(|per| variant(private, "Per", per));
        said.value("BreakerPer", per.as_ref());
    }
    said.checked("Budget", "name", options.budget.get());
    said.checked("Bulkhead", "name", options.bulkhead.get());
    if let Some(limit) = options.rate_limit.get() {
        said.checked("Limiter", "name", limit.limiter.get());
        said.checked("LimiterCost", "cost", limit.fixed_cost());
        said.value("LimiterMaxWait", limit.max_wait.get());
    }
    let hedge = options.hedge.get().map(|hedge| copies(hedge, private));
    said.value("Hedge", hedge.as_ref());
    said.checked("Timeout", "timeout", options.timeout.get());
    said.checked("Deadline", "deadline", options.deadline.get());
    let repeatable = options.repeatable();
    said.word("Idempotent", repeatable == Some(true));
    said.word("NotIdempotent", repeatable == Some(false));
    // A key of the call's own does not make up for effects of which nobody recognises the repeat.
    let keyed = options.idempotency_key.is_given();
    said.word("Keyed", keyed && repeatable != Some(false));
    let claim = options.claim.get().map(|claim| claims(claim, private));
    said.value("Claiming", claim.as_ref());
    said.tokens
}

/// The options of a site, in a list.
struct Words<'a> {
    private: &'a TokenStream,
    tokens: TokenStream,
}

impl<'a> Words<'a> {
    fn new(private: &'a TokenStream) -> Self {
        Words {
            private,
            tokens: TokenStream::new(),
        }
    }

    /// A word alone, if it is said.
    fn word(&mut self, word: &str, is_said: bool) {
        if is_said {
            let word = variant(self.private, "Said", word);
            self.tokens
                .extend(quote_spanned!(Span::mixed_site()=> #word,));
        }
    }

    /// A word with its value, if there is one.
    fn value(&mut self, word: &str, value: Option<&impl ToTokens>) {
        if let Some(value) = value {
            let word = variant(self.private, "Said", word);
            self.tokens
                .extend(quote_spanned!(Span::mixed_site()=> #word(#value),));
        }
    }

    /// The same for a value that the compiler still has to check, if it is a constant.
    fn checked<T: Written>(&mut self, word: &str, check: &str, value: Option<&Value<T>>) {
        if value.is_some_and(|value| value.constant().is_some()) {
            let check = variant(self.private, "checked", check);
            self.value(
                word,
                Some(&quote_spanned!(Span::mixed_site()=> #check(#value))),
            );
        } else {
            self.value(word, value);
        }
    }
}

/// `RetryOverrides::new()` and a setter for each number given.
fn overrides(retry: &RetryOptions, private: &TokenStream) -> TokenStream {
    let mut overrides = Chain::new(quote_spanned! {Span::mixed_site()=>
        #private::RetryOverrides::new
    });
    overrides.arguments(&TokenStream::new());
    overrides.set("max", retry.max.get());
    overrides.set("base", retry.base.get());
    overrides.set("cap", retry.cap.get());
    overrides.set("factor", retry.factor.get());
    let jitter = retry.jitter.get();
    let jitter = jitter.map(|jitter| variant(private, "Jitter", jitter));
    overrides.set("jitter", jitter.as_ref());
    overrides.set("retry_after_cap", retry.retry_after_cap.get());
    overrides.tokens
}

/// `HedgeOverrides::new()` and a setter for each number given.
fn copies(hedge: &HedgeOptions, private: &TokenStream) -> TokenStream {
    let mut overrides = Chain::new(quote_spanned! {Span::mixed_site()=>
        #private::HedgeOverrides::new
    });
    overrides.arguments(&TokenStream::new());
    match hedge.after.get() {
        Some(HedgeAfter::Time(after)) => overrides.set("after", Some(after)),
        Some(HedgeAfter::Quantile(quantile)) => overrides.set("quantile", Some(quantile)),
        None => {}
    }
    overrides.set("floor", hedge.floor.get());
    overrides.set("max", hedge.max.get());
    overrides.tokens
}

/// `ClaimOverrides::of(store)` and a setter for each rule given.
fn claims(claim: &Claim, private: &TokenStream) -> TokenStream {
    let mut overrides = Chain::new(quote_spanned! {Span::mixed_site()=>
        #private::ClaimOverrides::of
    });
    overrides.arguments(&claim.store.get().map(ToTokens::to_token_stream));
    let effects = claim.effects.get();
    let effects = effects.map(|effects| variant(private, "Effects", effects));
    overrides.set("effects", effects.as_ref());
    for (name, time) in claim.times() {
        overrides.set(name, time.get());
    }
    overrides.tokens
}

/// A constructor followed by method calls.
struct Chain {
    tokens: TokenStream,
}

impl Chain {
    fn new(tokens: TokenStream) -> Self {
        Chain { tokens }
    }

    fn arguments(&mut self, arguments: &impl ToTokens) {
        self.tokens
            .extend(quote_spanned!(Span::mixed_site()=> (#arguments)));
    }

    /// `.setter(value)`, if there is a value.
    fn set(&mut self, setter: &str, value: Option<&impl ToTokens>) {
        if let Some(value) = value {
            let setter = Ident::new(setter, Span::mixed_site());
            self.tokens
                .extend(quote_spanned!(Span::mixed_site()=> .#setter(#value)));
        }
    }
}

fn variant(private: &TokenStream, of: &str, name: &str) -> TokenStream {
    let of = Ident::new(of, Span::mixed_site());
    let name = Ident::new(name, Span::mixed_site());
    quote_spanned!(Span::mixed_site()=> #private::#of::#name)
}

impl<T: Written> ToTokens for Value<T> {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        match self {
            Value::Literal { value, span } => value.write(*span, tokens),
            Value::Constant(constant) => constant.to_tokens(tokens),
        }
    }
}

/// What a literal of the attribute becomes in the static.
pub(super) trait Written {
    fn write(&self, span: Span, tokens: &mut TokenStream);
}

impl Written for syn::LitStr {
    fn write(&self, _: Span, tokens: &mut TokenStream) {
        self.to_tokens(tokens);
    }
}

impl Written for u32 {
    fn write(&self, span: Span, tokens: &mut TokenStream) {
        let mut literal = Literal::u32_unsuffixed(*self);
        literal.set_span(span);
        literal.to_tokens(tokens);
    }
}

impl Written for f64 {
    fn write(&self, span: Span, tokens: &mut TokenStream) {
        let mut literal = Literal::f64_unsuffixed(*self);
        literal.set_span(span);
        literal.to_tokens(tokens);
    }
}

impl ToTokens for Quantile {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        self.share.write(Span::mixed_site(), tokens);
    }
}

/// In the largest unit that loses nothing, so that the expansion reads like the attribute.
impl Written for Duration {
    fn write(&self, _: Span, tokens: &mut TokenStream) {
        const UNITS: [(&str, u128); 4] = [
            ("from_secs", 1_000_000_000),
            ("from_millis", 1_000_000),
            ("from_micros", 1_000),
            ("from_nanos", 1),
        ];
        let nanos = self.as_nanos();
        let whole = UNITS.into_iter().find_map(|(constructor, unit)| {
            let count = u64::try_from(nanos / unit).ok()?;
            nanos.is_multiple_of(unit).then_some((constructor, count))
        });
        let here = Span::mixed_site();
        tokens.extend(if let Some((constructor, count)) = whole {
            let constructor = Ident::new(constructor, here);
            let count = Literal::u64_unsuffixed(count);
            quote_spanned!(here=> ::core::time::Duration::#constructor(#count))
        } else {
            let seconds = Literal::u64_unsuffixed(self.as_secs());
            let nanos = Literal::u32_unsuffixed(self.subsec_nanos());
            quote_spanned!(here=> ::core::time::Duration::new(#seconds, #nanos))
        });
    }
}
