//! The forms a value can take, and what to write instead of the ones it cannot.

use std::fmt::Display;
use std::time::Duration;

use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use syn::ext::IdentExt;
use syn::parse::ParseStream;
use syn::spanned::Spanned;
use syn::{Expr, ExprPath, Lit, LitStr, Path, Token, UnOp, braced};

use crate::diagnostic::{listed, nearest};
use crate::{duration, name};

/// A value in an attribute: a literal, read here, or a constant in braces, read by the compiler.
pub(crate) enum Value<T> {
    Literal { value: T, span: Span },
    Constant(TokenStream),
}

impl<T> Value<T> {
    /// The tokens inside the braces.
    pub(crate) fn constant(&self) -> Option<&TokenStream> {
        match self {
            Value::Literal { .. } => None,
            Value::Constant(tokens) => Some(tokens),
        }
    }

    /// The literal and its place.
    pub(crate) fn literal(&self) -> Option<(&T, Span)> {
        match self {
            Value::Literal { value, span } => Some((value, *span)),
            Value::Constant(_) => None,
        }
    }
}

/// A string: a name of a dependency or of the function.
pub(crate) fn text(key: &Ident, input: ParseStream<'_>) -> syn::Result<Value<LitStr>> {
    let value = string(key, "a string", input)?;
    if let Some((literal, span)) = value.literal()
        && let Some(problem) = name::problem(&literal.value())
    {
        return Err(syn::Error::new(span, format_args!("`{key}`: {problem}")));
    }
    Ok(value)
}

/// A string that is a duration.
pub(crate) fn time(key: &Ident, input: ParseStream<'_>) -> syn::Result<Value<Duration>> {
    match string(key, "a duration in a string such as `\"5s\"`", input)? {
        Value::Constant(constant) => Ok(Value::Constant(constant)),
        Value::Literal { value, span } => match duration::parse(&value.value()) {
            Ok(value) => Ok(Value::Literal { value, span }),
            Err(problem) => Err(syn::Error::new(span, problem)),
        },
    }
}

/// A duration that must be longer than nothing.
pub(crate) fn time_span(key: &Ident, input: ParseStream<'_>) -> syn::Result<Value<Duration>> {
    let value = time(key, input)?;
    match value.literal() {
        Some((literal, span)) if literal.is_zero() => Err(syn::Error::new(
            span,
            format_args!("`{key}` must be greater than zero"),
        )),
        _ => Ok(value),
    }
}

/// A number of attempts.
pub(crate) fn count(key: &Ident, input: ParseStream<'_>) -> syn::Result<Value<u32>> {
    if let Some(constant) = constant(input)? {
        return Ok(Value::Constant(constant));
    }
    let value: Expr = number(key, "an integer", input)?;
    let span = value.span();
    let given = match &value {
        Expr::Lit(literal) => match &literal.lit {
            Lit::Int(int) => int.base10_parse::<u32>().ok(),
            _ => None,
        },
        _ => None,
    };
    match given {
        Some(0) => Err(syn::Error::new(
            span,
            format_args!("`{key}` counts attempts including the first; it must be at least 1"),
        )),
        Some(value) => Ok(Value::Literal { value, span }),
        None => Err(syn::Error::new(
            span,
            format_args!("expected a whole number from 1 to {}", u32::MAX),
        )),
    }
}

/// A factor by which delays grow.
pub(crate) fn factor(key: &Ident, input: ParseStream<'_>) -> syn::Result<Value<f64>> {
    if let Some(constant) = constant(input)? {
        return Ok(Value::Constant(constant));
    }
    let value: Expr = number(key, "a number", input)?;
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
        _ => Err(syn::Error::new(
            span,
            format_args!("`{key}` below 1 makes delays shrink; write a number from 1.0 on"),
        )),
    }
}

/// A string that is one of `words`, as what it stands for.
pub(crate) fn word(
    key: &Ident,
    words: &[(&'static str, &'static str)],
    input: ParseStream<'_>,
) -> syn::Result<&'static str> {
    if let Ok(bare) = input.fork().call(Ident::parse_any) {
        return Err(refuse(
            input,
            format_args!("`{key}` is a string: write `{key} = \"{bare}\"`"),
        ));
    }
    let literal: Lit = input.parse()?;
    let Lit::Str(literal) = literal else {
        return Err(syn::Error::new(
            literal.span(),
            format_args!("expected a string, found {}", literal_kind(&literal)),
        ));
    };
    let given = literal.value();
    if let Some((_, name)) = words.iter().find(|(word, _)| *word == given) {
        return Ok(name);
    }
    let known = || words.iter().map(|(word, _)| *word);
    let meant = match nearest(&given, known()) {
        Some(near) => format!("; did you mean `{near}`?"),
        None => String::new(),
    };
    Err(syn::Error::new(
        literal.span(),
        format_args!(
            "`{key}` cannot be `{given}`{meant} (expected {})",
            listed(known())
        ),
    ))
}

/// `true` or `false`.
pub(crate) fn truth(key: &Ident, input: ParseStream<'_>) -> syn::Result<bool> {
    match input.parse::<Option<syn::LitBool>>()? {
        Some(literal) => Ok(literal.value),
        None => Err(refuse(
            input,
            format_args!("write `{key}` alone, or `{key} = false`"),
        )),
    }
}

/// The path of a function.
pub(crate) fn function(key: &Ident, input: ParseStream<'_>) -> syn::Result<ExprPath> {
    let value: Expr = input.parse()?;
    match ungrouped(value) {
        Expr::Path(path) => Ok(path),
        Expr::Lit(literal) => Err(syn::Error::new(
            literal.span(),
            match &literal.lit {
                Lit::Str(text) => format!(
                    "expected the path of a function, found a string; write `{key} = {}`",
                    text.value()
                ),
                other => format!(
                    "expected the path of a function, found {}",
                    literal_kind(other)
                ),
            },
        )),
        Expr::Closure(closure) => Err(syn::Error::new(
            closure.span(),
            format_args!("`{key}` takes the path of a function; move the closure into a function"),
        )),
        other => Err(syn::Error::new(
            other.span(),
            format_args!("`{key}` takes the path of a function: `{key} = path`"),
        )),
    }
}

/// Any expression; it is only ever looked at, never consumed.
pub(crate) fn expression(input: ParseStream<'_>) -> syn::Result<Expr> {
    input.parse()
}

/// The path of this library where the attribute stands.
pub(crate) fn library(key: &Ident, input: ParseStream<'_>) -> syn::Result<Path> {
    let path = input.call(Path::parse_mod_style)?;
    let first = path.segments.first().map(|segment| &segment.ident);
    let absolute = path.leading_colon.is_some()
        || first.is_some_and(|ident| ident == "crate" || ident == "$crate");
    if absolute {
        return Ok(path);
    }
    Err(syn::Error::new(
        path.span(),
        format_args!("the path of `{key}` must start with `::` or `crate`"),
    ))
}

/// A string or a constant in braces.
fn string(key: &Ident, expected: &str, input: ParseStream<'_>) -> syn::Result<Value<LitStr>> {
    if let Some(constant) = constant(input)? {
        return Ok(Value::Constant(constant));
    }
    if let Ok(path) = input.fork().call(Path::parse_mod_style) {
        return Err(refuse(
            input,
            format_args!(
                "`{key}` is {expected}, or a constant in braces: `{key} = {{ {} }}`",
                written(&path)
            ),
        ));
    }
    let Ok(literal) = input.parse::<Lit>() else {
        return Err(refuse(input, format_args!("expected {expected}")));
    };
    match literal {
        Lit::Str(value) => {
            let span = value.span();
            Ok(Value::Literal { value, span })
        }
        other => Err(syn::Error::new(
            other.span(),
            format_args!("expected {expected}, found {}", literal_kind(&other)),
        )),
    }
}

/// A number literal, perhaps with a sign in front.
fn number(key: &Ident, expected: &str, input: ParseStream<'_>) -> syn::Result<Expr> {
    let value = ungrouped(input.parse()?);
    let problem = match &value {
        Expr::Lit(literal) => match &literal.lit {
            Lit::Int(_) | Lit::Float(_) => return Ok(value),
            Lit::Str(text) if text.value().parse::<f64>().is_ok() => format!(
                "expected {expected}, found a string; write `{key} = {}`",
                text.value()
            ),
            other => format!("expected {expected}, found {}", literal_kind(other)),
        },
        Expr::Unary(unary) if matches!(unary.op, UnOp::Neg(_)) => return Ok(value),
        Expr::Path(path) => format!(
            "`{key}` is {expected}, or a constant in braces: `{key} = {{ {} }}`",
            written(&path.path)
        ),
        _ => format!("expected {expected}"),
    };
    Err(syn::Error::new(value.span(), problem))
}

/// The expression inside braces, if `input` goes on with braces. It initialises a static, so it
/// can name neither `Self` nor the receiver.
fn constant(input: ParseStream<'_>) -> syn::Result<Option<TokenStream>> {
    if !input.peek(syn::token::Brace) {
        return Ok(None);
    }
    let content;
    let braces = braced!(content in input);
    let tokens: TokenStream = content.parse()?;
    if tokens.is_empty() {
        return Err(syn::Error::new(
            braces.span.join(),
            "expected the path of a constant in the braces",
        ));
    }
    if let Some(span) = find(&tokens, "Self").or_else(|| find(&tokens, "self")) {
        return Err(syn::Error::new(
            span,
            "`Self` cannot be used here, because the value is kept in a static; \
             write the type's name or use a constant outside the impl",
        ));
    }
    Ok(Some(tokens))
}

/// Where `tokens` contain the word `name`.
fn find(tokens: &TokenStream, name: &str) -> Option<Span> {
    tokens.clone().into_iter().find_map(|token| match token {
        TokenTree::Ident(ident) => (ident == name).then(|| ident.span()),
        TokenTree::Group(group) => find(&group.stream(), name),
        _ => None,
    })
}

/// An error at the next token, which is consumed together with what belongs to it.
fn refuse(input: ParseStream<'_>, message: impl Display) -> syn::Error {
    let error = input.error(message);
    while !input.is_empty() && !input.peek(Token![,]) {
        if input.parse::<TokenTree>().is_err() {
            break;
        }
    }
    error
}

/// `value` without the invisible groups that `macro_rules!` fragments arrive in.
fn ungrouped(value: Expr) -> Expr {
    match value {
        Expr::Group(group) => ungrouped(*group.expr),
        other => other,
    }
}

fn written(path: &Path) -> String {
    let words: Vec<String> = path
        .segments
        .iter()
        .map(|segment| segment.ident.to_string())
        .collect();
    let root = if path.leading_colon.is_some() {
        "::"
    } else {
        ""
    };
    format!("{root}{}", words.join("::"))
}

fn literal_kind(literal: &Lit) -> &'static str {
    match literal {
        Lit::Str(_) => "a string",
        Lit::ByteStr(_) | Lit::CStr(_) => "a byte string",
        Lit::Byte(_) => "a byte",
        Lit::Char(_) => "a character",
        Lit::Int(_) => "an integer",
        Lit::Float(_) => "a float",
        Lit::Bool(_) => "a boolean",
        _ => "something else",
    }
}
