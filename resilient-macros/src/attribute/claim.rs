//! Reads `idempotent(..)`: where a key is claimed before the function runs, and what is kept under it.

use std::time::Duration;

use proc_macro2::{Ident, Span, TokenStream};
use syn::parse::ParseStream;
use syn::spanned::Spanned;
use syn::{Expr, ExprPath, LitBool, LitStr, parenthesized};

use super::fallback::handing_on;
use super::options::{FallbackCall, Words};
use super::vocabulary::Place;
use crate::arguments::{assigned, is_bare, nested};
use crate::diagnostic::{Errors, Slot};
use crate::value::{self, Value};

/// What a run does outside its store.
const EFFECTS: Words = &[("none", "None"), ("keyed", "Keyed"), ("unkeyed", "Unkeyed")];

/// `idempotent(..)`
#[derive(Clone, Default)]
pub(crate) struct Claim {
    pub(crate) store: Slot<Value<LitStr>>,
    pub(crate) key: Slot<Expr>,
    pub(crate) scope: Slot<Scope>,
    pub(crate) fingerprint: Slot<Expr>,
    pub(crate) effects: Slot<&'static str>,
    /// The argument whose transaction the record is a part of.
    pub(crate) tx: Slot<Ident>,
    pub(crate) ttl: Slot<Value<Duration>>,
    pub(crate) tombstone: Slot<Value<Duration>>,
    pub(crate) lease: Slot<Value<Duration>>,
    pub(crate) max_run: Slot<Value<Duration>>,
    pub(crate) wait: Slot<Value<Duration>>,
    pub(crate) store_errors: Slot<bool>,
    pub(crate) not_executed: Slot<ExprPath>,
    pub(crate) resolve: Slot<FallbackCall>,
    pub(crate) resource: Slot<ExprPath>,
}

/// Whose keys they are.
#[derive(Clone)]
pub(crate) enum Scope {
    /// `scope = shared`
    AllCallers(Span),
    Of(Expr),
}

impl Claim {
    /// Whether errors are kept, too.
    pub(crate) fn stores_errors(&self) -> bool {
        self.store_errors.get() == Some(&true)
    }

    /// Whether the effects are said to be such that nobody recognises a repeat.
    pub(crate) fn is_unkeyed(&self) -> bool {
        self.effects.get() == Some(&"Unkeyed")
    }

    /// Whether the body may be repeated after a failure: not with effects that nobody recognises, and
    /// not in a transaction that holds those of the failure.
    pub(crate) fn may_repeat(&self) -> bool {
        !self.is_unkeyed() && !self.tx.is_given()
    }

    /// The times, by the names of their options.
    pub(crate) fn times(&self) -> [(&'static str, &Slot<Value<Duration>>); 5] {
        [
            ("ttl", &self.ttl),
            ("tombstone", &self.tombstone),
            ("lease", &self.lease),
            ("max_run", &self.max_run),
            ("wait", &self.wait),
        ]
    }

    /// What stands in braces.
    pub(crate) fn constants(&self) -> impl Iterator<Item = &TokenStream> {
        let store = self.store.get().and_then(Value::constant);
        let times = self.times().into_iter();
        store
            .into_iter()
            .chain(times.filter_map(|(_, time)| time.get().and_then(Value::constant)))
    }

    /// What a method says over what its impl block says.
    pub(crate) fn over(self, outer: &Claim) -> Claim {
        // The two say how the right to run is held, and so replace each other.
        let effects = if self.tx.is_given() {
            Slot::default()
        } else {
            outer.effects.clone()
        };
        let tx = if self.effects.is_given() {
            Slot::default()
        } else {
            outer.tx.clone()
        };
        Claim {
            store: self.store.or(&outer.store),
            key: self.key.or(&outer.key),
            scope: self.scope.or(&outer.scope),
            fingerprint: self.fingerprint.or(&outer.fingerprint),
            effects: self.effects.or(&effects),
            tx: self.tx.or(&tx),
            ttl: self.ttl.or(&outer.ttl),
            tombstone: self.tombstone.or(&outer.tombstone),
            lease: self.lease.or(&outer.lease),
            max_run: self.max_run.or(&outer.max_run),
            wait: self.wait.or(&outer.wait),
            store_errors: self.store_errors.or(&outer.store_errors),
            not_executed: self.not_executed.or(&outer.not_executed),
            resolve: self.resolve.or(&outer.resolve),
            resource: self.resource.or(&outer.resource),
        }
    }
}

/// Whether options follow `idempotent`, and not a switch that takes no parentheses.
pub(super) fn is_claim(input: ParseStream<'_>) -> bool {
    let options = |input: ParseStream<'_>| {
        let content;
        parenthesized!(content in input);
        Ok(!content.peek(LitBool))
    };
    options(input).unwrap_or(false)
}

/// The options behind `idempotent`.
pub(super) fn claim(
    key: &Ident,
    input: ParseStream<'_>,
    errors: &mut Errors,
) -> syn::Result<Box<Claim>> {
    let mut claim = Box::<Claim>::default();
    let stranger = |literal| Place::Idempotent.stranger(literal);
    nested(key, input, errors, &stranger, &mut |key, input, errors| {
        read_option(&mut claim, key, input, errors)
    })?;
    Ok(claim)
}

fn read_option(
    claim: &mut Claim,
    key: &Ident,
    input: ParseStream<'_>,
    errors: &mut Errors,
) -> syn::Result<()> {
    match key.to_string().as_str() {
        "store" => {
            let value = assigned(key, input, value::text)?;
            claim.store.fill(key, value, errors);
        }
        "key" if is_bare(input) => {
            return Err(syn::Error::new(
                key.span(),
                "`key` needs a value: `key = req.key`",
            ));
        }
        "key" => {
            let value = assigned(key, input, |_, input| value::store_key(input))?;
            claim.key.fill(key, value, errors);
        }
        "scope" => {
            let value = assigned(key, input, |_, input| scope(input))?;
            claim.scope.fill(key, value, errors);
        }
        "fingerprint" => {
            let value = assigned(key, input, |_, input| value::expression(input))?;
            claim.fingerprint.fill(key, value, errors);
        }
        "effects" => {
            let value = assigned(key, input, |key, input| value::word(key, EFFECTS, input))?;
            claim.effects.fill(key, value, errors);
        }
        "tx" => {
            let value = assigned(key, input, argument)?;
            claim.tx.fill(key, value, errors);
        }
        "store_errors" => {
            let value = is_bare(input) || assigned(key, input, value::truth)?;
            claim.store_errors.fill(key, value, errors);
        }
        "not_executed" => {
            let value = assigned(key, input, value::function)?;
            claim.not_executed.fill(key, value, errors);
        }
        "resolve" => {
            let value = assigned(key, input, handing_on)?;
            claim.resolve.fill(key, value, errors);
        }
        "resource" => {
            let value = assigned(key, input, value::function)?;
            claim.resource.fill(key, value, errors);
        }
        name => {
            let Some(time) = time(claim, name) else {
                return Err(Place::Idempotent.unknown(key));
            };
            let value = assigned(key, input, value::time_span)?;
            time.fill(key, value, errors);
        }
    }
    Ok(())
}

fn time<'a>(claim: &'a mut Claim, name: &str) -> Option<&'a mut Slot<Value<Duration>>> {
    match name {
        "ttl" => Some(&mut claim.ttl),
        "tombstone" => Some(&mut claim.tombstone),
        "lease" => Some(&mut claim.lease),
        "max_run" => Some(&mut claim.max_run),
        "wait" => Some(&mut claim.wait),
        _ => None,
    }
}

/// `shared`, or an expression that names the caller.
fn scope(input: ParseStream<'_>) -> syn::Result<Scope> {
    let caller = value::scope(input)?;
    Ok(match &caller {
        Expr::Path(word) if word.path.is_ident("shared") => Scope::AllCallers(word.span()),
        _ => Scope::Of(caller),
    })
}

/// The name of an argument.
fn argument(key: &Ident, input: ParseStream<'_>) -> syn::Result<Ident> {
    let ahead = input.fork();
    if ahead.parse::<Ident>().is_ok() && is_bare(&ahead) {
        return input.parse();
    }
    Err(value::refuse(
        input,
        format_args!("`{key}` takes the name of an argument: write `{key} = tx`"),
    ))
}
