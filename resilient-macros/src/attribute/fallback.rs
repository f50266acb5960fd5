//! Reads what a function does instead of failing, and says what to write where that is an
//! expression.

use proc_macro2::Ident;
use quote::{ToTokens, quote};
use syn::parse::ParseStream;
use syn::spanned::Spanned;
use syn::{Expr, ExprPath, parenthesized, token};

use super::options::{Fallback, FallbackCall};
use super::vocabulary::Place;
use crate::arguments::{assigned, nested};
use crate::diagnostic::{Errors, written};
use crate::value;

/// `fallback = path(a, b)` or `fallback(..)`.
pub(super) fn fallback(
    key: &Ident,
    input: ParseStream<'_>,
    errors: &mut Errors,
) -> syn::Result<Fallback> {
    let mut fallback = Fallback::default();
    if !input.peek(token::Paren) || is_call_alone(&input.fork()) {
        let call = assigned(key, input, fallback_call)?;
        fallback.call.fill(key, call, errors);
        return Ok(fallback);
    }
    let stranger = |literal| Place::Fallback.stranger(literal);
    nested(key, input, errors, &stranger, &mut |key, input, errors| {
        match key.to_string().as_str() {
            "call" => {
                let value = assigned(key, input, fallback_call)?;
                fallback.call.fill(key, value, errors);
            }
            "timeout" => {
                let value = assigned(key, input, value::time_span)?;
                fallback.timeout.fill(key, value, errors);
            }
            _ => return Err(Place::Fallback.unknown(key)),
        }
        Ok(())
    })?;
    Ok(fallback)
}

/// Whether the parentheses hold what should stand behind `=`: a function, and no option.
fn is_call_alone(input: ParseStream<'_>) -> bool {
    let content = |input: ParseStream<'_>| {
        let content;
        parenthesized!(content in input);
        let expression: Expr = content.parse()?;
        Ok((expression, content.is_empty()))
    };
    match content(input) {
        Ok((Expr::Call(_), alone)) => alone,
        Ok((Expr::Path(path), alone)) => alone && !Place::Fallback.knows(&path.path),
        _ => false,
    }
}

fn fallback_call(key: &Ident, input: ParseStream<'_>) -> syn::Result<FallbackCall> {
    called(key, "fallback", "the error", input)
}

/// What finds out how an uncertain run ended.
pub(super) fn handing_on(key: &Ident, input: ParseStream<'_>) -> syn::Result<FallbackCall> {
    called(key, "resolve", "the record", input)
}

/// `path(a, b)` or `path`: a function of `option`, whose first argument is `first`.
fn called(
    key: &Ident,
    option: &str,
    first: &str,
    input: ParseStream<'_>,
) -> syn::Result<FallbackCall> {
    let call = match input.fork().parse() {
        Ok(Expr::Call(call)) => call,
        Ok(Expr::Await(awaited)) => {
            return Err(value::refuse(
                input,
                format_args!(
                    "`{key}` is awaited where it is needed: write `{key} = {}`",
                    written(awaited.base.to_token_stream())
                ),
            ));
        }
        Ok(Expr::MethodCall(call)) if is_self(&call.receiver) => {
            let arguments = call.args.iter().map(|argument| quote!(, #argument));
            let arguments = written(quote!(self #(#arguments)*));
            return Err(value::refuse(
                input,
                format_args!(
                    "`{key}` takes the path of a function, whose first argument is {first}: \
                     write `{key} = Self::{}({arguments})`",
                    call.method
                ),
            ));
        }
        _ => {
            let function = value::function(key, input)?;
            return Ok(FallbackCall {
                function,
                arguments: Vec::new(),
            });
        }
    };
    let Expr::Path(function) = *call.func else {
        return Err(syn::Error::new(
            call.func.span(),
            format_args!("`{key}` takes the path of a function: `{key} = path(a, b)`"),
        ));
    };
    let _read: Expr = input.parse()?;
    if is_variant(&function) {
        return Err(syn::Error::new(
            function.span(),
            format_args!(
                "`{key}` takes the path of an async function; write one that returns this value, \
                 and its path here"
            ),
        ));
    }
    let name = |argument: Expr| match argument {
        Expr::Path(ExprPath { path, .. }) if path.get_ident().is_some() => {
            path.get_ident().cloned().ok_or(path.span())
        }
        other => Err(other.span()),
    };
    let arguments = call.args.into_iter().map(|argument| {
        name(argument).map_err(|span| {
            syn::Error::new(
                span,
                format_args!(
                    "`{option}` hands on arguments of this function by reference: write their \
                     names alone, `{key} = path(a, b)`"
                ),
            )
        })
    });
    Ok(FallbackCall {
        function,
        arguments: arguments.collect::<syn::Result<_>>()?,
    })
}

fn is_self(expression: &Expr) -> bool {
    matches!(expression, Expr::Path(path) if path.path.is_ident("self"))
}

/// Whether `path` ends in the name of a variant, as `Ok` is one.
fn is_variant(path: &ExprPath) -> bool {
    let last = path.path.segments.last();
    last.is_some_and(|last| {
        let name = last.ident.to_string();
        name.starts_with(char::is_uppercase) && name.contains(char::is_lowercase)
    })
}
