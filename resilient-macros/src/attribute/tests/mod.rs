//! What is told about every mistake that can be told without the compiler's help, and expansions.

mod claim;
mod effective;
mod expansion;
mod functions;
mod hedge;
mod impl_block;
mod options;
mod rate_limit;
mod values;

use proc_macro2::TokenStream;
use quote::quote;

use super::protect;

/// The messages of `errors`, in order.
fn told(errors: &syn::Error) -> Vec<String> {
    errors.into_iter().map(|error| error.to_string()).collect()
}

/// What is told about `arguments` on a function with an argument of every sort.
fn mistakes(arguments: TokenStream) -> Vec<String> {
    protect(
        arguments,
        quote! {
            async fn f(&self, owned: String, shared: &str, unique: &mut u8) -> Result<u32, Error> {
                Ok(1)
            }
        },
    )
    .map_or_else(|errors| told(&errors), |_| Vec::new())
}

fn compare(table: Vec<(TokenStream, &[&str])>) {
    for (arguments, expected) in table {
        assert_told(
            &arguments.to_string(),
            &mistakes(arguments.clone()),
            expected,
        );
    }
}

fn assert_told(source: &str, found: &[String], expected: &[&str]) {
    let as_expected = found.len() == expected.len()
        && found
            .iter()
            .zip(expected)
            .all(|(found, expected)| found.contains(expected));
    assert!(
        as_expected,
        "{source}\n found: {found:#?}\n expected: {expected:#?}"
    );
}
