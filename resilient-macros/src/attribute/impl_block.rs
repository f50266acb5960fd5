//! `#[resilient(..)]` on an impl block: defaults for the methods in it that are marked.
//!
//! The block's attribute expands them itself. It so sees each as an `async fn`, if it stands above
//! attributes that rewrite methods.

use proc_macro2::{Ident, Span, TokenStream};
use quote::ToTokens;

use super::mark::{self, Mark};
use super::options::Options;
use super::{check, parse, protected};
use crate::diagnostic::Errors;
use crate::shape::{self, ImplItem};

/// What a method has from the block around it.
#[derive(Clone, Copy)]
struct Around<'a> {
    defaults: &'a Options,
    /// The type the methods belong to.
    owner: Option<&'a Ident>,
}

/// The block with its marked methods protected.
pub(super) fn protect(arguments: TokenStream, item: TokenStream) -> syn::Result<TokenStream> {
    let mut errors = Errors::new();
    let defaults = parse::parse(arguments, &mut errors);
    // What cannot be read is told once, and not what each method lacks because of it.
    let defaults = errors.is_empty().then_some(defaults);
    if let Some(defaults) = &defaults {
        check::defaults(defaults, &mut errors);
    }
    let Some(mut block) = errors.keep(shape::impl_block(item)) else {
        errors.finish()?;
        return Ok(TokenStream::new());
    };
    for mark in mark::take(&mut block.attributes, &mut errors) {
        errors.at(
            mark.at,
            "`#[resilient]` is already applied to this impl block; merge the options into one",
        );
    }
    let owner = block.owner();
    let mut any = false;
    let mut content = TokenStream::new();
    for mut item in std::mem::take(&mut block.items) {
        let marks = mark::take(&mut item.attributes, &mut errors);
        any |= !marks.is_empty();
        let around = defaults.as_ref().map(|defaults| Around {
            defaults,
            owner: owner.as_ref(),
        });
        content.extend(method(&item, marks, around, &mut errors));
    }
    if !any {
        errors.at(
            block.keyword,
            "no method in this impl block is marked; put `#[resilient]` on each that is to be \
             protected",
        );
    }
    errors.finish()?;
    Ok(block.around(content))
}

/// The block without marks: after an error of the block, those of the methods would only tell that
/// the defaults are missing.
pub(super) fn unmarked(item: TokenStream) -> TokenStream {
    let Ok(mut block) = shape::impl_block(item.clone()) else {
        return item;
    };
    let mut told = Errors::new();
    mark::take(&mut block.attributes, &mut told);
    for item in &mut block.items {
        mark::take(&mut item.attributes, &mut told);
    }
    // Whatever is wrong with them has been told.
    let _ = told.finish();
    let items = std::mem::take(&mut block.items);
    block.around(items.iter().map(ToTokens::to_token_stream).collect())
}

/// `item` protected as its marks say. Under a condition there are two of it, of which the compiler
/// takes one.
fn method(
    item: &ImplItem,
    marks: Vec<Mark>,
    around: Option<Around<'_>>,
    errors: &mut Errors,
) -> TokenStream {
    let mut conditions = Vec::new();
    let mut always: Option<Span> = None;
    let mut tokens = TokenStream::new();
    let several = marks.len() > 1;
    for Mark {
        at,
        arguments,
        condition,
    } in marks
    {
        if let Some(condition) = condition {
            tokens.extend(mark::only_if(&condition, at));
            conditions.push((condition, at));
        } else if always.replace(at).is_some() {
            errors.at(
                at,
                "`#[resilient]` is already applied to this function; merge the options into one",
            );
        }
        tokens.extend(marked(item, arguments, at, around, errors));
    }
    match (always, conditions.first()) {
        (Some(_), Some((_, at))) if several => errors.at(
            *at,
            "`#[resilient]` is already applied to this function; merge the options into one",
        ),
        (None, Some((_, at))) => {
            let at = *at;
            let conditions: Vec<_> = conditions.into_iter().map(|(is, _)| is).collect();
            tokens.extend(mark::unless(&conditions, at));
            item.to_tokens(&mut tokens);
        }
        (None, None) => item.to_tokens(&mut tokens),
        (Some(_), _) => {}
    }
    tokens
}

fn marked(
    item: &ImplItem,
    arguments: TokenStream,
    at: Span,
    around: Option<Around<'_>>,
    errors: &mut Errors,
) -> TokenStream {
    let before = errors.count();
    let options = parse::parse(arguments, errors);
    let function = errors.keep(shape::parse(item.to_token_stream()));
    match (function, around) {
        (Some(function), Some(around)) if errors.count() == before => {
            let function = function.owned_by(around.owner.cloned());
            protected(&options.over(around.defaults), at, function, errors)
        }
        _ => TokenStream::new(),
    }
}
