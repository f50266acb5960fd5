//! Whether the options fit the function.

use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::ToTokens;
use syn::ext::IdentExt;
use syn::spanned::Spanned;

use crate::attribute::claim::{Claim, Scope};
use crate::attribute::options::Options;
use crate::diagnostic::{Errors, listed, nearest};
use crate::shape::{Binding, Function, Holds};

/// Notes everything about `function` that stands in the way of `options`, whose attribute stands `at`
/// some place.
pub(crate) fn function(function: &Function, options: &Options, at: Span, errors: &mut Errors) {
    if already_applied(function.body()) {
        errors.at(
            at,
            "`#[resilient]` is already applied to this function; merge the options into one",
        );
    }
    constants(function, options, errors);
    fallback(function, options, at, errors);
    if let Some(claim) = options.claim.get() {
        claimed(function, claim, errors);
    }
    if options.shares_arguments() {
        clones(function, options, errors);
    }
    let told = options.hedge.is_given() && shared(function, options, at, errors);
    if !options.runs_again() {
        return;
    }
    if let Some(mutability) = function.mutable_receiver() {
        errors.at(
            mutability,
            if options.hedge.is_given() {
                "copies of a hedged attempt run side by side and cannot share `mut self`; \
                 take `&self`, or drop `hedge`"
            } else {
                "a retried function cannot take `mut self`; take `&mut self`"
            },
        );
    }
    if let Some(lender) = function.returned_borrow().filter(|_| !told) {
        errors.at(
            function.returns().span(),
            format_args!(
                "a retried function cannot return a borrow of `&mut {lender}`; \
                 return an owned value or an index"
            ),
        );
    }
    let cloned = options.clone.get().map_or(&[][..], Vec::as_slice);
    for binding in function.bindings() {
        let Some(mutability) = binding.mutable else {
            continue;
        };
        let fresh = binding.copies || binding.holds == Holds::Exclusive;
        if !fresh && !cloned.contains(&binding.ident) {
            let name = &binding.ident;
            errors.at(
                mutability,
                format_args!(
                    "`mut {name}` would carry changes of a failed attempt into the next; \
                     add `clone({name})`"
                ),
            );
        }
    }
}

/// Copies that run side by side can only share what is shared. True if there is something else.
fn shared(function: &Function, options: &Options, at: Span, errors: &mut Errors) -> bool {
    let known = errors.count();
    if let Some(receiver) = function.exclusive_receiver() {
        errors.at(
            receiver,
            "copies of a hedged attempt run side by side and cannot share `&mut self`; \
             take `&self`, or drop `hedge`",
        );
    }
    for binding in function.bindings() {
        let name = &binding.ident;
        if binding.holds == Holds::Exclusive && !name.to_string().starts_with('_') {
            errors.at(
                name.span(),
                format_args!(
                    "copies of a hedged attempt run side by side and cannot share the `&mut` of \
                     `{name}`; take `&`, or drop `hedge`"
                ),
            );
        }
    }
    let told = errors.count() > known;
    if told && options.hedge.is_inherited() {
        errors.at(at, "`hedge` is taken from the impl block here");
    }
    told
}

/// The policies of a site are known before any call, and so before any argument.
fn constants(function: &Function, options: &Options, errors: &mut Errors) {
    let bindings = function.bindings();
    for constant in options.constants() {
        if let TokenTree::Ident(name) = &constant
            && bindings.iter().any(|binding| binding.ident == *name)
        {
            errors.at(
                name.span(),
                format_args!(
                    "`{name}` is an argument, but policies are fixed before the first call; \
                     use a constant"
                ),
            );
        }
    }
}

fn clones(function: &Function, options: &Options, errors: &mut Errors) {
    let Some(names) = options.clone.get() else {
        return;
    };
    let bindings = function.bindings();
    for (index, name) in names.iter().enumerate() {
        if names[..index].contains(name) {
            errors.at(
                name.span(),
                format_args!("duplicate `{name}` in `clone`; name it once"),
            );
            continue;
        }
        if name == "self" {
            errors.at(
                name.span(),
                "`self` cannot be cloned per attempt; take `&self`",
            );
            continue;
        }
        match bindings.iter().find(|binding| binding.ident == *name) {
            Some(binding) if binding.holds == Holds::Value => {}
            Some(_) => errors.at(
                name.span(),
                format_args!(
                    "`{name}` is already a reference, and `clone` is only for owned arguments; \
                     drop it"
                ),
            ),
            None => errors.at(name.span(), unknown(name, &bindings)),
        }
    }
}

/// What a fallback is handed must be there to be handed on.
fn fallback(function: &Function, options: &Options, at: Span, errors: &mut Errors) {
    let fallback = options.fallback.get();
    let Some(call) = fallback.and_then(|fallback| fallback.call.get()) else {
        return;
    };
    let known = errors.count();
    handed_on(function, "fallback", &call.arguments, errors);
    if errors.count() > known && fallback.is_some_and(|fallback| fallback.call.is_inherited()) {
        errors.at(at, "`fallback` is taken from the impl block here");
    }
}

fn handed_on(function: &Function, option: &str, arguments: &[Ident], errors: &mut Errors) {
    let bindings = function.bindings();
    for name in arguments {
        if name == "self" {
            if !function.is_method() {
                errors.at(
                    name.span(),
                    format_args!("this function has no `self` to hand to `{option}`"),
                );
            }
        } else if !bindings.iter().any(|binding| binding.ident == *name) {
            errors.at(name.span(), unknown(name, &bindings));
        }
    }
}

/// What a claim names must be an argument, and what it does not name must not look like one.
fn claimed(function: &Function, claim: &Claim, errors: &mut Errors) {
    let bindings = function.bindings();
    if let Some(resolve) = claim.resolve.get() {
        handed_on(function, "resolve", &resolve.arguments, errors);
    }
    if let Some(Scope::AllCallers(word)) = claim.scope.get()
        && bindings.iter().any(|binding| binding.ident == "shared")
    {
        errors.at(
            *word,
            "`scope = shared` says that all callers are one party, and `shared` is also an \
             argument; write `scope = &shared` if that is the caller, or rename the argument",
        );
    }
    if let Some(reference) = function.borrowed_value() {
        errors.at(
            reference,
            "the answer is written down and read again for repeats, so that it cannot be a reference; \
             return an owned value",
        );
    }
    let Some(tx) = claim.tx.get() else {
        return;
    };
    match bindings.iter().find(|binding| binding.ident == *tx) {
        Some(binding) if binding.holds == Holds::Exclusive => {}
        Some(_) => errors.at(
            tx.span(),
            format_args!(
                "`{tx}` is not a `&mut`: the transaction must be lent, so that the caller can commit \
                 it"
            ),
        ),
        None => errors.at(tx.span(), unknown(tx, &bindings)),
    }
}

/// What is said about a name that no argument has.
fn unknown(name: &Ident, bindings: &[Binding]) -> String {
    let known: Vec<String> = bindings
        .iter()
        .map(|binding| binding.ident.to_string())
        .collect();
    let known = || known.iter().map(String::as_str);
    let hint = match nearest(&name.unraw().to_string(), known()) {
        Some(near) => format!("; did you mean `{near}`?"),
        None if bindings.is_empty() => String::new(),
        None => format!("; arguments: {}", listed(known())),
    };
    format!("no argument named `{name}`{hint}")
}

/// Whether the body is already an expansion of the attribute.
fn already_applied(body: &TokenStream) -> bool {
    let mut tokens = body.to_token_stream().into_iter().take(3);
    tokens.any(|token| matches!(&token, TokenTree::Ident(ident) if ident == "__resilient_call"))
}
