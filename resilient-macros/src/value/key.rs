//! The expression of an idempotency key.

use syn::parse::ParseStream;
use syn::{Expr, Lit, LitStr, Macro, Stmt};

/// An expression that can be another one for another call: a literal would make the server take
/// all calls for repetitions of the first.
pub(crate) fn key(input: ParseStream<'_>) -> syn::Result<Expr> {
    let value: Expr = input.parse()?;
    let Some(literal) = literal(&value) else {
        return Ok(value);
    };
    let formatted = match &literal {
        Lit::Str(text) if text.value().contains('{') => {
            format!("format_args!({})", text.token())
        }
        _ => "format_args!(\"order-{}\", order.id)".to_owned(),
    };
    Err(syn::Error::new(
        literal.span(),
        format_args!(
            "a literal is one key for all calls; write an expression of the arguments, for example \
             `idempotency_key = order.id` or `idempotency_key = {formatted}`, \
             or leave the value out for a random key"
        ),
    ))
}

/// The literal that is all that `expression` consists of.
fn literal(expression: &Expr) -> Option<Lit> {
    match expression {
        Expr::Lit(literal) => Some(literal.lit.clone()),
        Expr::Group(group) => literal(&group.expr),
        Expr::Paren(paren) => literal(&paren.expr),
        Expr::Reference(reference) => literal(&reference.expr),
        Expr::Unary(unary) => literal(&unary.expr),
        Expr::MethodCall(call) if call.args.is_empty() => literal(&call.receiver),
        Expr::Block(block) => match &block.block.stmts[..] {
            [Stmt::Expr(expression, None)] => literal(expression),
            _ => None,
        },
        Expr::Macro(call) => unformatted(&call.mac).map(Lit::Str),
        _ => None,
    }
}

/// The text that a formatting macro is given without anything to put into it.
fn unformatted(call: &Macro) -> Option<LitStr> {
    let formats = call.path.is_ident("format") || call.path.is_ident("format_args");
    let text: LitStr = call.parse_body().ok().filter(|_| formats)?;
    (!text.value().contains('{')).then_some(text)
}
