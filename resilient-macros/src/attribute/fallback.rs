//! Reads what a function does instead of failing, and says what to write where that is an
//! expression.

use proc_macro2::Ident;
use quote::{ToTokens, quote};
use syn::parse::ParseStream;
use syn::spanned::Spanned;
use syn::{Expr, ExprPath};

use super::options::Fallback;
use crate::diagnostic::written;
use crate::value;

/// `path(a, b)` or `path`.
pub(super) fn fallback(key: &Ident, input: ParseStream<'_>) -> syn::Result<Fallback> {
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
                    "`{key}` takes the path of a function, whose first argument is the error: \
                     write `{key} = Self::{}({arguments})`",
                    call.method
                ),
            ));
        }
        _ => {
            let function = value::function(key, input)?;
            return Ok(Fallback {
                function,
                arguments: Vec::new(),
            });
        }
    };
    let Expr::Path(function) = *call.func else {
        return Err(syn::Error::new(
            call.func.span(),
            "`fallback` takes the path of a function: `fallback = path(a, b)`",
        ));
    };
    let _read: Expr = input.parse()?;
    if is_variant(&function) {
        return Err(syn::Error::new(
            function.span(),
            "`fallback` takes the path of an async function; write one that returns this value, \
             and its path here",
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
                "`fallback` hands on arguments of this function by reference: write their names \
                 alone, `fallback = path(a, b)`",
            )
        })
    });
    Ok(Fallback {
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
