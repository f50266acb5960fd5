//! What a request costs: always the same, or worked out for each call.

use proc_macro2::Ident;
use syn::parse::ParseStream;
use syn::spanned::Spanned;
use syn::{Expr, Lit};

use super::constant::in_braces;
use super::{Value, literal_kind, ungrouped};

/// `1`, a constant in braces, or an expression of the arguments.
#[derive(Clone)]
pub(crate) enum Cost {
    Fixed(Value<u32>),
    Computed(Expr),
}

impl Cost {
    /// The one that is known before any call.
    pub(crate) fn fixed(&self) -> Option<&Value<u32>> {
        match self {
            Cost::Fixed(cost) => Some(cost),
            Cost::Computed(_) => None,
        }
    }

    /// The one that each call works out.
    pub(crate) fn computed(&self) -> Option<&Expr> {
        match self {
            Cost::Fixed(_) => None,
            Cost::Computed(cost) => Some(cost),
        }
    }
}

/// A cost of at least 1.
pub(crate) fn cost(key: &Ident, input: ParseStream<'_>) -> syn::Result<Cost> {
    if let Some(constant) = in_braces(input)? {
        return Ok(Cost::Fixed(Value::Constant(constant)));
    }
    let value = ungrouped(input.parse()?);
    let span = value.span();
    let literal = match &value {
        Expr::Lit(literal) => &literal.lit,
        Expr::Unary(unary) if matches!(&*unary.expr, Expr::Lit(_)) => {
            return Err(syn::Error::new(span, whole_number(key)));
        }
        _ => return Ok(Cost::Computed(value)),
    };
    let problem = match literal {
        Lit::Int(int) => match int.base10_parse::<u32>() {
            Ok(0) => format!(
                "a `{key}` of 0 takes nothing, so that nothing would be limited; write at least 1"
            ),
            Ok(value) => return Ok(Cost::Fixed(Value::Literal { value, span })),
            Err(_) => whole_number(key),
        },
        Lit::Str(text) if text.value().parse::<u32>().is_ok() => format!(
            "expected a number, found a string; write `{key} = {}`",
            text.value()
        ),
        other => format!(
            "expected a number, found {}; write for example `{key} = 5`, or an expression of the \
             arguments that is a `u32`",
            literal_kind(other)
        ),
    };
    Err(syn::Error::new(span, problem))
}

fn whole_number(key: &Ident) -> String {
    format!(
        "expected a whole number from 1 to {}; write for example `{key} = 5`",
        u32::MAX
    )
}
