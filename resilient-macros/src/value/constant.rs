//! Constants: read from braces, and recognised where the braces were forgotten.

use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::ToTokens;
use syn::parse::ParseStream;
use syn::{Expr, Lit, LitStr, Path, braced};

use super::{refuse, ungrouped};
use crate::diagnostic::written;

const OF_SELF: &str = "`Self` cannot be used here, because the value is kept in a static; \
                       write the type's name or use a constant outside the impl";

/// The expression inside braces, if `input` goes on with braces. It initialises a static, so it
/// can name neither `Self` nor the receiver.
pub(super) fn in_braces(input: ParseStream<'_>) -> syn::Result<Option<TokenStream>> {
    if !input.peek(syn::token::Brace) {
        return Ok(None);
    }
    let content;
    let braces = braced!(content in input);
    let expression = content.fork();
    let tokens: TokenStream = content.parse()?;
    if tokens.is_empty() {
        return Err(syn::Error::new(
            braces.span.join(),
            "expected the path of a constant in the braces",
        ));
    }
    if let Some(span) = of_self(&tokens) {
        return Err(syn::Error::new(span, OF_SELF));
    }
    // Or the compiler would find the mistake somewhere in what is made of it.
    expression.parse::<Expr>()?;
    if !expression.is_empty() {
        return Err(expression.error("expected one expression in the braces"));
    }
    Ok(Some(tokens))
}

/// The error for an expression that stands without braces, which is consumed; nothing if `input`
/// goes on with a literal or with what is no expression.
pub(super) fn without_braces(
    key: &Ident,
    expected: &str,
    input: ParseStream<'_>,
) -> Option<syn::Error> {
    let ahead = input.fork();
    let expression = ungrouped(ahead.parse().ok()?);
    if is_literal(&expression) {
        return None;
    }
    let place = input.span();
    if let Some(message) = optional(key, &expression) {
        return Some(refuse(input, message));
    }
    if let Some(text) = only_text(&expression) {
        return Some(refuse(
            input,
            format_args!(
                "`{key}` is the literal alone: write `{key} = {}`",
                text.token()
            ),
        ));
    }
    let mut tokens = TokenStream::new();
    while input.cursor() != ahead.cursor() {
        tokens.extend(Some(input.parse::<TokenTree>().ok()?));
    }
    Some(if let Some(span) = of_self(&tokens) {
        syn::Error::new(span, OF_SELF)
    } else if is_constant(&expression) {
        syn::Error::new(
            place,
            format_args!(
                "`{key}` is {expected}, or a constant in braces: `{key} = {{ {} }}`",
                written(tokens)
            ),
        )
    } else {
        syn::Error::new(
            place,
            format_args!(
                "`{key}` is fixed before the first call; write {expected}, or a constant in braces"
            ),
        )
    })
}

/// A literal, perhaps with something in front that does not belong there.
fn is_literal(expression: &Expr) -> bool {
    match expression {
        Expr::Lit(_) => true,
        Expr::Unary(unary) => is_literal(&unary.expr),
        Expr::Reference(reference) => is_literal(&reference.expr),
        _ => false,
    }
}

/// Whether `expression` may be the value of a static, as far as it shows. A name in small letters is
/// a variable's.
fn is_constant(expression: &Expr) -> bool {
    match expression {
        Expr::Lit(_) | Expr::Struct(_) => true,
        Expr::Path(path) => path.qself.is_some() || !is_variable(&path.path),
        Expr::Call(call) => {
            matches!(&*call.func, Expr::Path(_)) && call.args.iter().all(is_constant)
        }
        Expr::MethodCall(call) => {
            !is_text(&call.receiver)
                && is_constant(&call.receiver)
                && call.args.iter().all(is_constant)
        }
        Expr::Macro(call) => !["format", "vec"]
            .iter()
            .any(|name| call.mac.path.is_ident(name)),
        Expr::Field(field) => is_constant(&field.base),
        Expr::Index(index) => is_constant(&index.expr) && is_constant(&index.index),
        Expr::Binary(binary) => is_constant(&binary.left) && is_constant(&binary.right),
        Expr::Unary(unary) => is_constant(&unary.expr),
        Expr::Cast(cast) => is_constant(&cast.expr),
        Expr::Group(group) => is_constant(&group.expr),
        Expr::Paren(paren) => is_constant(&paren.expr),
        Expr::Reference(reference) => is_constant(&reference.expr),
        _ => false,
    }
}

/// Whether `path` is a lone name in small letters.
pub(super) fn is_variable(path: &Path) -> bool {
    path.get_ident()
        .is_some_and(|name| !name.to_string().starts_with(char::is_uppercase))
}

/// What is said about an `Option` in place of a value that may be left out.
fn optional(key: &Ident, expression: &Expr) -> Option<String> {
    match expression {
        Expr::Path(path) if path.path.is_ident("None") => {
            Some(format!("there is no `None` to write; leave `{key}` out"))
        }
        Expr::Call(call) if matches!(&*call.func, Expr::Path(path) if path.path.is_ident("Some")) => {
            Some(format!(
                "`{key}` is written without `Some`: `{key} = {}`",
                written(call.args.to_token_stream())
            ))
        }
        _ => None,
    }
}

/// The text that `expression` makes another value of, by methods such as `into()`.
fn only_text(expression: &Expr) -> Option<&LitStr> {
    match expression {
        Expr::MethodCall(call) if call.args.is_empty() => match &*call.receiver {
            Expr::Lit(literal) => match &literal.lit {
                Lit::Str(text) => Some(text),
                _ => None,
            },
            receiver => only_text(receiver),
        },
        _ => None,
    }
}

/// Whether every method of `expression` makes a new text.
fn is_text(expression: &Expr) -> bool {
    matches!(expression, Expr::Lit(literal) if matches!(literal.lit, Lit::Str(_)))
}

fn of_self(tokens: &TokenStream) -> Option<Span> {
    let mut rest = tokens.clone().into_iter().peekable();
    while let Some(token) = rest.next() {
        let next = rest.peek();
        let of_module = matches!(next, Some(TokenTree::Punct(colon)) if colon.as_char() == ':');
        let found = match token {
            TokenTree::Ident(ident) if ident == "Self" => Some(ident.span()),
            // `self::LIMIT` is a path in this module.
            TokenTree::Ident(ident) if ident == "self" && !of_module => Some(ident.span()),
            TokenTree::Group(group) => of_self(&group.stream()),
            _ => None,
        };
        if found.is_some() {
            return found;
        }
    }
    None
}
