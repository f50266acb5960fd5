//! `#[resilient(..)]`: parse, check, expand.

mod check;
mod effective;
mod expand;
mod options;
mod parse;
mod site;
mod variables;
mod vocabulary;

use proc_macro2::TokenStream;

use crate::diagnostic::Errors;
use crate::shape;

/// The protected function, or all errors together with the function as it was written: whoever
/// calls it should not be told that it does not exist.
pub(crate) fn resilient(arguments: TokenStream, item: TokenStream) -> TokenStream {
    match protect(arguments, item.clone()) {
        Ok(function) => function,
        Err(errors) => {
            let mut tokens = errors.into_compile_error();
            tokens.extend(item);
            tokens
        }
    }
}

fn protect(arguments: TokenStream, item: TokenStream) -> syn::Result<TokenStream> {
    let mut errors = Errors::new();
    let options = parse::parse(arguments, &mut errors);
    let function = errors.keep(shape::parse(item));
    // Whether options fit each other can only be said of options that could be read.
    if errors.is_empty() {
        check::options(&options, &mut errors);
        if let Some(function) = &function {
            check::function(function, &options, &mut errors);
        }
    }
    errors.finish()?;
    Ok(function.map_or_else(TokenStream::new, |function| {
        expand::expand(&options, function)
    }))
}

#[cfg(test)]
mod tests;
