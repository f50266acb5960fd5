//! Lists of options: `key`, `key = value` and `key(..)`, with commas between.
//!
//! A wrong option is noted and skipped, so that every mistake of a list is told at once.

use proc_macro2::{Ident, TokenStream, TokenTree};
use syn::ext::IdentExt;
use syn::parse::ParseStream;
use syn::{Lit, Token, parenthesized, token};

use crate::diagnostic::{Errors, example, value_missing};

/// Reads the value of one option, whose key has been read.
pub(crate) type ReadOption<'a> =
    dyn FnMut(&Ident, ParseStream<'_>, &mut Errors) -> syn::Result<()> + 'a;

/// What to write instead of something that is no option, perhaps a literal.
pub(crate) type Stranger<'a> = dyn Fn(Option<Lit>) -> String + 'a;

/// Calls `read` with each key in `input`, and skips what it could not read.
pub(crate) fn each_option(
    input: ParseStream<'_>,
    errors: &mut Errors,
    stranger: &Stranger<'_>,
    read: &mut ReadOption<'_>,
) {
    while !input.is_empty() {
        let done = match input.call(Ident::parse_any) {
            Ok(key) => read(&key, input, errors).and_then(|()| separated(input)),
            Err(_) => Err(input.error(match negated(input) {
                Some(key) => format!("an option is not negated; write `{key} = false`"),
                None => stranger(input.fork().parse().ok()),
            })),
        };
        if errors.keep(done).is_none() {
            skip(input);
        }
        // Only a comma or the end can come here.
        let _ = input.parse::<Option<Token![,]>>();
    }
}

/// The switch behind a `!`.
fn negated(input: ParseStream<'_>) -> Option<Ident> {
    let ahead = input.fork();
    ahead.parse::<Token![!]>().ok()?;
    let key = ahead.call(Ident::parse_any).ok()?;
    (example(&key.to_string()) == "false").then_some(key)
}

fn separated(input: ParseStream<'_>) -> syn::Result<()> {
    if is_bare(input) {
        Ok(())
    } else if input.peek(Token![;]) {
        Err(input.error("options are separated by `,`, not by `;`"))
    } else if input.peek(Token![.]) {
        Err(input.error(
            "options have no methods; write them in a list, separated by `,`: \
             `retry(max = 4, base = \"100ms\")`",
        ))
    } else {
        Err(input.error("expected `,` in front of another option"))
    }
}

/// Leaves `input` at the next comma or at its end.
fn skip(input: ParseStream<'_>) {
    while !input.is_empty() && !input.peek(Token![,]) {
        if input.parse::<TokenTree>().is_err() {
            return;
        }
    }
}

/// The value behind `key =`.
pub(crate) fn assigned<T>(
    key: &Ident,
    input: ParseStream<'_>,
    read: impl FnOnce(&Ident, ParseStream<'_>) -> syn::Result<T>,
) -> syn::Result<T> {
    if input.peek(token::Paren) {
        let content;
        parenthesized!(content in input);
        let content: TokenStream = content.parse()?;
        return Err(value_missing(key, Some(content)));
    }
    if input.peek(Token![:]) {
        return Err(input.error(format_args!(
            "write `=` between an option and its value: `{key} = {}`",
            example(&key.to_string())
        )));
    }
    if input.parse::<Option<Token![=]>>()?.is_none() || is_bare(input) {
        return Err(value_missing(key, None));
    }
    if input.peek(Token![=]) || input.peek(Token![>]) {
        return Err(input.error(format_args!(
            "one `=` stands between an option and its value: `{key} = {}`",
            example(&key.to_string())
        )));
    }
    read(key, input)
}

/// The options in the parentheses behind `key`.
pub(crate) fn nested(
    key: &Ident,
    input: ParseStream<'_>,
    errors: &mut Errors,
    stranger: &Stranger<'_>,
    read: &mut ReadOption<'_>,
) -> syn::Result<()> {
    if !input.peek(token::Paren) {
        return Err(input.error(format_args!("write `{key}(..)` with parentheses")));
    }
    let content;
    parenthesized!(content in input);
    each_option(&content, errors, stranger, read);
    Ok(())
}

/// Whether nothing belongs to the key just read.
pub(crate) fn is_bare(input: ParseStream<'_>) -> bool {
    input.is_empty() || input.peek(Token![,])
}
