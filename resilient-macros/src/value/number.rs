//! Numbers, in literals or in constants.

use proc_macro2::Ident;
use syn::parse::ParseStream;
use syn::spanned::Spanned;
use syn::{Expr, Lit, UnOp};

use super::constant::{in_braces, without_braces};
use super::{Value, literal_kind, ungrouped};
use crate::diagnostic::example;

/// A number of attempts.
pub(crate) fn count(key: &Ident, input: ParseStream<'_>) -> syn::Result<Value<u32>> {
    at_least(1, "attempts", key, input)
}

/// A number of copies of an attempt.
pub(crate) fn copies(key: &Ident, input: ParseStream<'_>) -> syn::Result<Value<u32>> {
    at_least(2, "copies", key, input)
}

/// A number of things of which there is always one.
fn at_least(
    least: u32,
    things: &str,
    key: &Ident,
    input: ParseStream<'_>,
) -> syn::Result<Value<u32>> {
    if let Some(constant) = in_braces(input)? {
        return Ok(Value::Constant(constant));
    }
    let value = number(key, "an integer", input)?;
    let span = value.span();
    let given = match &value {
        Expr::Lit(literal) => match &literal.lit {
            Lit::Int(int) => int.base10_parse::<u32>().ok(),
            _ => None,
        },
        _ => None,
    };
    match given {
        Some(value) if value < least => Err(syn::Error::new(
            span,
            format_args!(
                "`{key}` counts {things} including the first; it must be at least {least}"
            ),
        )),
        Some(value) => Ok(Value::Literal { value, span }),
        None => Err(syn::Error::new(
            span,
            format_args!(
                "expected a whole number from {least} to {}; write for example `{key} = 4`",
                u32::MAX
            ),
        )),
    }
}

/// A factor by which delays grow.
pub(crate) fn factor(key: &Ident, input: ParseStream<'_>) -> syn::Result<Value<f64>> {
    if let Some(constant) = in_braces(input)? {
        return Ok(Value::Constant(constant));
    }
    let value = number(key, "a number", input)?;
    let span = value.span();
    let given = match &value {
        Expr::Lit(literal) => match &literal.lit {
            Lit::Int(int) => int.base10_parse::<f64>().ok(),
            Lit::Float(float) => float.base10_parse::<f64>().ok(),
            _ => None,
        },
        _ => None,
    };
    match given {
        Some(value) if value.is_finite() && value >= 1.0 => Ok(Value::Literal { value, span }),
        Some(value) if value > 1.0 => Err(syn::Error::new(
            span,
            format_args!("`{key}` is too large for a number; write for example `{key} = 2.0`"),
        )),
        _ => Err(syn::Error::new(
            span,
            format_args!("`{key}` below 1 makes delays shrink; write a number from 1.0 on"),
        )),
    }
}

/// A number literal, perhaps with a sign in front.
fn number(key: &Ident, expected: &str, input: ParseStream<'_>) -> syn::Result<Expr> {
    if let Some(error) = without_braces(key, expected, input) {
        return Err(error);
    }
    let value = ungrouped(input.parse()?);
    let problem = match &value {
        Expr::Lit(literal) => match &literal.lit {
            Lit::Int(_) | Lit::Float(_) => return Ok(value),
            Lit::Str(text) if text.value().parse::<f64>().is_ok() => format!(
                "expected {expected}, found a string; write `{key} = {}`",
                text.value()
            ),
            other => format!(
                "expected {expected}, found {}; write for example `{key} = {}`",
                literal_kind(other),
                example(&key.to_string())
            ),
        },
        Expr::Unary(unary) if matches!(unary.op, UnOp::Neg(_)) => return Ok(value),
        _ => format!("expected {expected}"),
    };
    Err(syn::Error::new(value.span(), problem))
}
