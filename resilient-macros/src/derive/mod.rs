//! `#[derive(Classify)]`: parse, check, expand.

mod expand;
mod marks;
mod parse;

use proc_macro2::TokenStream;
use syn::DeriveInput;

use crate::diagnostic::Errors;

/// The implementation, or all errors together with an implementation that lets the rest of the
/// crate go on compiling.
pub(crate) fn classify(input: TokenStream) -> TokenStream {
    let input: DeriveInput = match syn::parse2(input) {
        Ok(input) => input,
        Err(error) => return error.into_compile_error(),
    };
    let mut errors = Errors::new();
    let parsed = parse::parse(&input, &mut errors);
    match errors.finish() {
        Ok(()) => expand::expand(&input, &parsed),
        Err(errors) => {
            let mut tokens = errors.into_compile_error();
            tokens.extend(expand::stand_in(&input, parsed.krate.as_ref()));
            tokens
        }
    }
}

#[cfg(test)]
mod tests;
