//! `rate_limit = "name"` or `rate_limit(..)`: what each attempt asks of a rate limiter.

use std::time::Duration;

use proc_macro2::{Ident, Span, TokenStream};
use quote::quote_spanned;
use syn::parse::ParseStream;
use syn::{Expr, LitStr, Token};

use super::expand::Writer;
use super::vocabulary::Place;
use crate::arguments::{assigned, is_bare, nested};
use crate::diagnostic::{Errors, Slot, value_missing};
use crate::value::{self, Cost, Value};

#[derive(Clone, Default)]
pub(crate) struct RateLimit {
    pub(crate) limiter: Slot<Value<LitStr>>,
    /// Who is counted.
    pub(crate) key: Slot<Expr>,
    pub(crate) cost: Slot<Cost>,
    pub(crate) max_wait: Slot<Value<Duration>>,
}

impl RateLimit {
    /// These options, and those of `outer` where nothing is said here.
    pub(crate) fn over(self, outer: &RateLimit) -> RateLimit {
        RateLimit {
            limiter: self.limiter.or(&outer.limiter),
            key: self.key.or(&outer.key),
            cost: self.cost.or(&outer.cost),
            max_wait: self.max_wait.or(&outer.max_wait),
        }
    }

    /// The cost that is known before any call.
    pub(crate) fn fixed_cost(&self) -> Option<&Value<u32>> {
        self.cost.get().and_then(Cost::fixed)
    }

    /// What stands in braces.
    pub(crate) fn constants(&self) -> impl Iterator<Item = &TokenStream> {
        let constants = [
            self.limiter.get().and_then(Value::constant),
            self.fixed_cost().and_then(Value::constant),
            self.max_wait.get().and_then(Value::constant),
        ];
        constants.into_iter().flatten()
    }
}

pub(crate) fn rate_limit(
    key: &Ident,
    input: ParseStream<'_>,
    errors: &mut Errors,
) -> syn::Result<Box<RateLimit>> {
    let mut limit = Box::<RateLimit>::default();
    if input.peek(Token![=]) {
        let name = assigned(key, input, value::text)?;
        limit.limiter.fill(key, name, errors);
        return Ok(limit);
    }
    if is_bare(input) {
        return Err(value_missing(key, None));
    }
    let stranger = |literal| Place::RateLimit.stranger(literal);
    nested(key, input, errors, &stranger, &mut |key, input, errors| {
        match key.to_string().as_str() {
            "limiter" => {
                let value = assigned(key, input, value::text)?;
                limit.limiter.fill(key, value, errors);
            }
            "key" => {
                let value = assigned(key, input, |_, input| value::rate_limit_key(input))?;
                limit.key.fill(key, value, errors);
            }
            "cost" => {
                let value = assigned(key, input, value::cost)?;
                limit.cost.fill(key, value, errors);
            }
            "max_wait" => {
                let value = assigned(key, input, value::time)?;
                limit.max_wait.fill(key, value, errors);
            }
            _ => return Err(Place::RateLimit.unknown(key)),
        }
        Ok(())
    })?;
    Ok(limit)
}

impl Writer<'_> {
    /// What a call says about its requests before the first of them.
    pub(super) fn requests(&self) -> TokenStream {
        let Some(limit) = self.options.rate_limit.get() else {
            return TokenStream::new();
        };
        let here = Span::mixed_site();
        let key = limit.key.get().map(|key| {
            let key = self.looked_at(key);
            quote_spanned!(here=> __resilient_call.set_rate_limit_key(#key);)
        });
        let cost = limit.cost.get().and_then(Cost::computed).map(|cost| {
            let cost = self.looked_at(cost);
            quote_spanned!(here=> __resilient_call.set_rate_limit_cost(#cost);)
        });
        quote_spanned!(here=> #key #cost)
    }
}
