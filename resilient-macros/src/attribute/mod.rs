//! `#[resilient(..)]`: parse, check, expand.

mod check;
mod claim;
mod claimed;
mod effective;
mod expand;
mod fallback;
mod impl_block;
mod mark;
mod merge;
mod options;
mod parse;
mod rate_limit;
mod site;
mod variables;
mod vocabulary;

use proc_macro2::{Span, TokenStream};

use self::options::Options;
use crate::diagnostic::Errors;
use crate::shape::{self, Function};

/// The protected function or impl block, or all errors together with the item as it was written:
/// whoever calls it should not be told that it does not exist.
pub(crate) fn resilient(arguments: TokenStream, item: TokenStream) -> TokenStream {
    match protect(arguments, item.clone()) {
        Ok(item) => item,
        Err(errors) => {
            let mut tokens = errors.into_compile_error();
            tokens.extend(if shape::is_impl_block(&item) {
                impl_block::unmarked(item)
            } else {
                item
            });
            tokens
        }
    }
}

fn protect(arguments: TokenStream, item: TokenStream) -> syn::Result<TokenStream> {
    if shape::is_impl_block(&item) {
        return impl_block::protect(arguments, item);
    }
    let mut errors = Errors::new();
    let options = parse::parse(arguments, &mut errors);
    let function = errors.keep(shape::parse(item));
    let tokens = match function {
        // Whether options fit each other can only be said of options that could be read.
        Some(function) if errors.is_empty() => {
            protected(&options, Span::call_site(), function, &mut errors)
        }
        _ => TokenStream::new(),
    };
    errors.finish()?;
    Ok(tokens)
}

/// `function` under `options`, whose attribute stands `at` some place, after noting what is wrong
/// with them.
fn protected(options: &Options, at: Span, function: Function, errors: &mut Errors) -> TokenStream {
    check::options(options, at, errors);
    check::function(&function, options, at, errors);
    expand::expand(options, at, function)
}

#[cfg(test)]
mod tests;
