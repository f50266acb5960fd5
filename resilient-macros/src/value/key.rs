//! The expressions of keys.

use syn::parse::ParseStream;
use syn::{Expr, Lit, LitStr, Macro, Stmt};

/// An expression that can be another one for another call: a literal would make the server take
/// all calls for repetitions of the first.
pub(crate) fn idempotency_key(input: ParseStream<'_>) -> syn::Result<Expr> {
    varying(input, |literal| {
        let formatted = formatted(literal, "format_args!(\"order-{}\", order.id)");
        format!(
            "a literal is one key for all calls; write an expression of the arguments, for example \
             `idempotency_key = order.id` or `idempotency_key = {formatted}`, \
             or leave the value out for a random key"
        )
    })
}

/// An expression that can be another one for another call: a literal would be no more than another
/// name of the one breaker.
pub(crate) fn breaker_key(input: ParseStream<'_>) -> syn::Result<Expr> {
    varying(input, |literal| {
        let formatted = formatted(literal, "format_args!(\"shard-{}\", shard.id)");
        format!(
            "a literal is one key for all calls; write an expression of the arguments, for example \
             `key = shard.id` or `key = {formatted}`, or leave `key` out for one breaker"
        )
    })
}

/// An expression that can be another one for another call: a literal would be no more than another
/// name of the one count.
pub(crate) fn rate_limit_key(input: ParseStream<'_>) -> syn::Result<Expr> {
    varying(input, |literal| {
        let formatted = formatted(literal, "format_args!(\"user-{}\", user.id)");
        format!(
            "a literal is one key for all calls; write an expression of the arguments, for example \
             `key = user.id` or `key = {formatted}`, or leave `key` out for one count"
        )
    })
}

/// An expression that can be another one for another request.
pub(crate) fn store_key(input: ParseStream<'_>) -> syn::Result<Expr> {
    varying(input, |literal| {
        let formatted = formatted(literal, "format_args!(\"order-{}\", order.id)");
        format!(
            "a literal is one key for all calls; write an expression of the arguments, for example \
             `key = req.key` or `key = {formatted}`"
        )
    })
}

/// An expression that can be another one for another caller.
pub(crate) fn scope(input: ParseStream<'_>) -> syn::Result<Expr> {
    varying(input, |_| {
        "a literal is one scope for all callers; write an expression that names the caller, for \
         example `scope = user.id`, or `scope = shared` if all callers are one party"
            .to_owned()
    })
}

fn varying(input: ParseStream<'_>, refused: impl Fn(&Lit) -> String) -> syn::Result<Expr> {
    let value: Expr = input.parse()?;
    match literal(&value) {
        Some(literal) => Err(syn::Error::new(literal.span(), refused(&literal))),
        None => Ok(value),
    }
}

/// What was meant by a text with something to put into it.
fn formatted(literal: &Lit, otherwise: &str) -> String {
    match literal {
        Lit::Str(text) if text.value().contains('{') => format!("format_args!({})", text.token()),
        _ => otherwise.to_owned(),
    }
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
