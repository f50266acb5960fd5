//! `#[resilient]` on the methods of an impl block, which the block's own attribute takes off.

use proc_macro2::{Span, TokenStream, TokenTree};
use quote::{ToTokens, quote, quote_spanned};
use syn::{Attribute, Meta, Path};

use crate::diagnostic::Errors;

/// One `#[resilient(..)]` of a method.
pub(super) struct Mark {
    /// Where it stands.
    pub(super) at: Span,
    pub(super) arguments: TokenStream,
    /// What must hold for it, if it stands in `cfg_attr`s.
    pub(super) condition: Option<TokenStream>,
}

/// Takes the marks out of `attributes`.
pub(super) fn take(attributes: &mut Vec<Attribute>, errors: &mut Errors) -> Vec<Mark> {
    let mut marks = Vec::new();
    attributes.retain_mut(|attribute| {
        let at = attribute.bracket_token.span.join();
        let left = unmarked(attribute.meta.clone(), at, &[], &mut marks, errors);
        match left {
            Some(meta) => {
                attribute.meta = meta;
                true
            }
            None => false,
        }
    });
    marks
}

/// What is left of `meta`, which stands under `conditions`, without the marks.
fn unmarked(
    meta: Meta,
    at: Span,
    conditions: &[TokenStream],
    marks: &mut Vec<Mark>,
    errors: &mut Errors,
) -> Option<Meta> {
    if is_mark(meta.path()) {
        let arguments = match meta {
            Meta::Path(_) => TokenStream::new(),
            Meta::List(list) => list.tokens,
            Meta::NameValue(pair) => {
                errors.at(
                    pair.eq_token.span,
                    "options stand in parentheses: write `#[resilient(dependency = \"name\")]`",
                );
                TokenStream::new()
            }
        };
        marks.push(Mark {
            at,
            arguments,
            condition: all(conditions),
        });
        return None;
    }
    match meta {
        Meta::List(mut list) if list.path.is_ident("cfg_attr") => {
            let mut parts = between_commas(list.tokens.clone()).into_iter();
            let predicate = parts.next().unwrap_or_default();
            let inner = [conditions, std::slice::from_ref(&predicate)].concat();
            let known = marks.len();
            let mut left = Vec::new();
            for part in parts {
                match syn::parse2::<Meta>(part.clone()) {
                    Ok(meta) => {
                        let at = last_of(meta.path());
                        let meta = unmarked(meta, at, &inner, marks, errors);
                        left.extend(meta.map(ToTokens::into_token_stream));
                    }
                    Err(_) => left.push(part),
                }
            }
            if marks.len() == known {
                return Some(Meta::List(list));
            }
            list.tokens = quote!(#predicate #(, #left)*);
            (!left.is_empty()).then_some(Meta::List(list))
        }
        other => Some(other),
    }
}

/// The last name counts: the attribute may be written with a path in front.
fn is_mark(path: &Path) -> bool {
    let last = path.segments.last();
    last.is_some_and(|last| last.ident == "resilient" && last.arguments.is_none())
}

fn last_of(path: &Path) -> Span {
    let last = path.segments.last();
    last.map_or_else(Span::call_site, |last| last.ident.span())
}

fn all(conditions: &[TokenStream]) -> Option<TokenStream> {
    match conditions {
        [] => None,
        [one] => Some(one.clone()),
        several => Some(quote!(all(#(#several),*))),
    }
}

/// `#[cfg(..)]` for a method that is there when `condition` holds.
pub(super) fn only_if(condition: &TokenStream, at: Span) -> TokenStream {
    quote_spanned!(at=> #[cfg(#condition)])
}

/// `#[cfg(..)]` for a method that is there when none of `conditions` holds.
pub(super) fn unless(conditions: &[TokenStream], at: Span) -> TokenStream {
    match conditions {
        [one] => quote_spanned!(at=> #[cfg(not(#one))]),
        several => quote_spanned!(at=> #[cfg(not(any(#(#several),*)))]),
    }
}

fn between_commas(tokens: TokenStream) -> Vec<TokenStream> {
    let mut parts = vec![TokenStream::new()];
    for token in tokens {
        if matches!(&token, TokenTree::Punct(punct) if punct.as_char() == ',') {
            parts.push(TokenStream::new());
        } else if let Some(part) = parts.last_mut() {
            part.extend(Some(token));
        }
    }
    parts.retain(|part| !part.is_empty());
    parts
}
