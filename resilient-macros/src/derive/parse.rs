//! Finds the mark of every variant, and says which have none.

use proc_macro2::{Ident, TokenStream};
use quote::quote;
use syn::spanned::Spanned;
use syn::{Data, DeriveInput, Path, Variant};

use super::marks::{self, Mark};
use crate::diagnostic::Errors;

/// A type with a meaning for each of its variants.
pub(super) struct Parsed {
    pub(super) cases: Vec<Case>,
    pub(super) krate: Option<Path>,
}

/// One variant, or the whole of a struct.
pub(super) struct Case {
    /// `Self` or `Self::Variant`
    pub(super) path: TokenStream,
    pub(super) mark: Mark,
}

pub(super) fn parse(input: &DeriveInput, errors: &mut Errors) -> Parsed {
    match &input.data {
        Data::Struct(data) => {
            let marks = marks::read(&input.attrs, &data.fields, errors);
            if !marks.any {
                errors.at(input.ident.span(), unmarked(&input.ident));
            }
            let case = marks.mark.map(|mark| Case {
                path: quote!(Self),
                mark,
            });
            Parsed {
                cases: case.into_iter().collect(),
                krate: marks.krate,
            }
        }
        Data::Enum(data) => Parsed {
            krate: marks::read_container(&input.attrs, errors),
            cases: data
                .variants
                .iter()
                .filter_map(|variant| case(variant, errors))
                .collect(),
        },
        Data::Union(data) => {
            errors.at(
                data.union_token.span,
                "`Classify` can be derived for enums and structs, not for unions",
            );
            Parsed {
                cases: Vec::new(),
                krate: None,
            }
        }
    }
}

fn case(variant: &Variant, errors: &mut Errors) -> Option<Case> {
    let ident = &variant.ident;
    let marks = marks::read(&variant.attrs, &variant.fields, errors);
    if let Some(path) = marks.krate {
        errors.at(path.span(), "`crate` goes on the enum, not on a variant");
    }
    if !marks.any {
        errors.at(ident.span(), unmarked(ident));
    }
    marks.mark.map(|mark| Case {
        path: quote!(Self::#ident),
        mark,
    })
}

fn unmarked(name: &Ident) -> String {
    format!(
        "`{name}` does not say what it means; mark it `#[transient]`, `#[throttled]`, `#[fault]`, \
         `#[permanent]`, `#[ignored]` or `#[classify(source)]`"
    )
}
