//! The forms a value can take, and what to write instead of the ones it cannot.

mod constant;
mod cost;
mod key;
mod number;
mod quantile;

use std::fmt::Display;
use std::time::Duration;

use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::ToTokens;
use syn::parse::ParseStream;
use syn::spanned::Spanned;
use syn::{Expr, ExprPath, Lit, LitStr, Path, Token};

use crate::diagnostic::{example, listed, nearest, written};
use crate::{duration, name};
use constant::{in_braces, is_variable, without_braces};

pub(crate) use cost::{Cost, cost};
pub(crate) use key::{breaker_key, idempotency_key, rate_limit_key, scope, store_key};
pub(crate) use number::{copies, count, factor};
pub(crate) use quantile::{Quantile, quantile};

/// A value in an attribute: a literal, read here, or a constant in braces, read by the compiler.
#[derive(Clone)]
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
    if let Ok(path) = input.fork().call(Path::parse_mod_style)
        && let Some(word) = path.get_ident().filter(|_| is_variable(&path))
        && is_alone(input)
    {
        return Err(refuse(
            input,
            format_args!(
                "`{key}` is a string: write `{key} = \"{word}\"`, or a constant in braces"
            ),
        ));
    }
    if let Ok(literal) = input.fork().parse::<Lit>()
        && !matches!(literal, Lit::Str(_))
    {
        return Err(refuse(
            input,
            format_args!(
                "expected a string, found {}; write for example `{key} = {}`",
                literal_kind(&literal),
                example(&key.to_string())
            ),
        ));
    }
    if input.peek(syn::token::Bracket) {
        return Err(refuse(
            input,
            format_args!(
                "`{key}` takes one name: `{key} = {}`",
                example(&key.to_string())
            ),
        ));
    }
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
    if let Ok(literal) = input.fork().parse::<Lit>()
        && let Lit::Int(_) | Lit::Float(_) = &literal
        && let text = literal.to_token_stream().to_string()
        && duration::parse(&text).is_ok()
    {
        return Err(refuse(
            input,
            format_args!("a duration stands in quotes: write `{key} = \"{text}\"`"),
        ));
    }
    match string(key, "a duration in a string such as `\"5s\"`", input)? {
        Value::Constant(constant) => Ok(Value::Constant(constant)),
        Value::Literal { value, span } => match duration::parse(&value.value()) {
            Ok(value) => Ok(Value::Literal { value, span }),
            Err(problem) => Err(syn::Error::new(span, problem)),
        },
    }
}

/// What is written where no limit is meant.
const ENDLESS: [&str; 9] = [
    "forever",
    "inf",
    "infinite",
    "infinity",
    "never",
    "none",
    "off",
    "unlimited",
    "\u{221e}",
];

/// A duration that must be longer than nothing.
pub(crate) fn time_span(key: &Ident, input: ParseStream<'_>) -> syn::Result<Value<Duration>> {
    if let Ok(text) = input.fork().parse::<LitStr>()
        && ENDLESS.contains(&text.value().to_lowercase().as_str())
        && is_alone(input)
    {
        return Err(refuse(
            input,
            format_args!("`{key}` is a duration that ends; leave it out to set none here"),
        ));
    }
    let value = time(key, input)?;
    match value.literal() {
        Some((literal, span)) if literal.is_zero() => Err(syn::Error::new(
            span,
            format_args!(
                "`{key}` must be greater than zero; write for example `\"5s\"`, \
                 or leave `{key}` out"
            ),
        )),
        _ => Ok(value),
    }
}

/// A string that is one of `words`, as what it stands for.
pub(crate) fn word(
    key: &Ident,
    words: &[(&'static str, &'static str)],
    input: ParseStream<'_>,
) -> syn::Result<&'static str> {
    let known = || words.iter().map(|(word, _)| *word);
    if let Ok(path) = input.fork().call(Path::parse_mod_style) {
        let meant = path.segments.last().map(|last| last.ident.to_string());
        let meant = meant.unwrap_or_default().to_lowercase();
        let example = match nearest(&meant, known()) {
            Some(near) => format!("write `{key} = \"{near}\"`"),
            None => format!("expected one of {}", listed(known())),
        };
        return Err(refuse(
            input,
            format_args!("`{key}` is a string: {example}"),
        ));
    }
    let literal: Lit = input.parse()?;
    let Lit::Str(literal) = literal else {
        let meant = match &literal {
            Lit::Bool(switch) if switch.value => {
                format!("write `{key} = {}`", example(&key.to_string()))
            }
            Lit::Bool(_) if known().any(|word| word == "none") => {
                format!("write `{key} = \"none\"`")
            }
            Lit::Bool(_) => format!("leave `{key}` out"),
            _ => format!("write one of {}", listed(known())),
        };
        return Err(syn::Error::new(
            literal.span(),
            format_args!(
                "expected a string, found {}; {meant}",
                literal_kind(&literal)
            ),
        ));
    };
    let given = literal.value();
    if let Some((_, name)) = words.iter().find(|(word, _)| *word == given) {
        return Ok(name);
    }
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
                    match text.parse::<ExprPath>() {
                        Ok(_) => text.value(),
                        Err(_) => "path".to_owned(),
                    }
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
        Expr::Call(call) if matches!(&*call.func, Expr::Path(_)) => Err(syn::Error::new(
            call.span(),
            format_args!(
                "`{key}` takes the path of a function, without calling it: write `{key} = {}`",
                written(call.func.to_token_stream())
            ),
        )),
        Expr::Field(field) if matches!(&*field.base, Expr::Path(path) if path.path.is_ident("self")) => {
            Err(syn::Error::new(
                field.span(),
                format_args!(
                    "`{key}` takes the path of a function, which knows no `self`: \
                     write `{key} = Self::{}`",
                    written(field.member.to_token_stream())
                ),
            ))
        }
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
    if let Ok(text) = input.fork().parse::<LitStr>() {
        let path = text.value();
        let colons = if path.starts_with("::") || path.starts_with("crate") {
            ""
        } else {
            "::"
        };
        return Err(refuse(
            input,
            format_args!("`{key}` is a path without quotes: write `{key} = {colons}{path}`"),
        ));
    }
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
    if let Some(constant) = in_braces(input)? {
        return Ok(Value::Constant(constant));
    }
    if let Some(error) = without_braces(key, expected, input) {
        return Err(error);
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

/// Whether the next token is all of the value.
fn is_alone(input: ParseStream<'_>) -> bool {
    let ahead = input.fork();
    ahead.parse::<TokenTree>().is_ok() && (ahead.is_empty() || ahead.peek(Token![,]))
}

/// An error at the next token, which is consumed together with what belongs to it.
pub(crate) fn refuse(input: ParseStream<'_>, message: impl Display) -> syn::Error {
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
