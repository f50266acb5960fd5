//! Writes the implementation: one match for the class, one for the kind if any mark names one.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{DeriveInput, GenericParam, Path, Type, parse_quote};

use super::marks::{self, Mark, Meaning};
use super::parse::{Case, Parsed};
use crate::place::shown_at;

pub(super) fn expand(input: &DeriveInput, parsed: &Parsed) -> TokenStream {
    let krate = krate(parsed.krate.as_ref());
    let class = arms(parsed, |mark| class(mark, &krate));
    let class = quote! {
        fn class(&self) -> #krate::Class {
            #class
        }
    };
    // Without a word of its own, a kind follows from the class.
    let spoken = parsed
        .cases
        .iter()
        .any(|case| case.mark.kind.is_some() || matches!(case.mark.meaning, Meaning::Source(..)));
    let kind = spoken.then(|| {
        let kind = arms(parsed, |mark| kind(mark, &krate));
        quote! {
            fn kind(&self) -> &'static str {
                #kind
            }
        }
    });
    implementation(input, parsed, &krate, &quote!(#class #kind))
}

/// An implementation in place of one that could not be written.
pub(super) fn stand_in(input: &DeriveInput, krate: Option<&Path>) -> TokenStream {
    let path = self::krate(krate);
    let nothing = Parsed {
        cases: Vec::new(),
        krate: krate.cloned(),
    };
    implementation(
        input,
        &nothing,
        &path,
        &quote! {
            fn class(&self) -> #path::Class {
                #path::Class::Ignored
            }
        },
    )
}

fn krate(path: Option<&Path>) -> TokenStream {
    if let Some(path) = path {
        quote!(#path)
    } else {
        quote!(::resilient)
    }
}

fn implementation(
    input: &DeriveInput,
    parsed: &Parsed,
    krate: &TokenStream,
    methods: &TokenStream,
) -> TokenStream {
    let ident = &input.ident;
    let mut generics = input.generics.clone();
    for case in &parsed.cases {
        if let Meaning::Source(_, ty) = &case.mark.meaning
            && names_parameter(ty, input)
        {
            generics
                .make_where_clause()
                .predicates
                .push(parse_quote!(#ty: #krate::Classify));
        }
    }
    let (parameters, arguments, bounds) = generics.split_for_impl();
    quote! {
        #[automatically_derived]
        impl #parameters #krate::Classify for #ident #arguments #bounds {
            #methods
        }
    }
}

/// Whether `ty` speaks of a type parameter of the input.
fn names_parameter(ty: &Type, input: &DeriveInput) -> bool {
    let parameters: Vec<&Ident> = input
        .generics
        .params
        .iter()
        .filter_map(|parameter| match parameter {
            GenericParam::Type(parameter) => Some(&parameter.ident),
            _ => None,
        })
        .collect();
    speaks_of(quote!(#ty), &parameters)
}

fn speaks_of(tokens: TokenStream, names: &[&Ident]) -> bool {
    tokens.into_iter().any(|token| match token {
        proc_macro2::TokenTree::Ident(ident) => names.contains(&&ident),
        proc_macro2::TokenTree::Group(group) => speaks_of(group.stream(), names),
        _ => false,
    })
}

/// A match over all cases; those with the same answer share an arm.
fn arms(parsed: &Parsed, answer: impl Fn(&Mark) -> (TokenStream, TokenStream)) -> TokenStream {
    if parsed.cases.is_empty() {
        return quote!(match *self {});
    }
    let mut arms: Vec<(Vec<TokenStream>, TokenStream)> = Vec::new();
    for Case { path, mark } in &parsed.cases {
        let (fields, answer) = answer(mark);
        let pattern = quote!(#path { #fields .. });
        let same = arms
            .iter_mut()
            .find(|(_, other)| fields.is_empty() && other.to_string() == answer.to_string());
        match same {
            Some((patterns, _)) => patterns.push(pattern),
            None => arms.push((vec![pattern], answer)),
        }
    }
    let arms = arms
        .into_iter()
        .map(|(patterns, answer)| quote!(#(#patterns)|* => #answer,));
    quote!(match self { #(#arms)* })
}

/// The fields a class is read from, and the class.
fn class(mark: &Mark, krate: &TokenStream) -> (TokenStream, TokenStream) {
    if let Some(constant) = marks::constant(&mark.meaning) {
        return (TokenStream::new(), quote!(#krate::Class::#constant));
    }
    match &mark.meaning {
        Meaning::Throttled(Some(member)) => {
            let span = shown_at(member.span());
            let hint = Ident::new("__resilient_hint", span);
            (
                quote!(#member: #hint,),
                quote_spanned!(span=> #krate::Class::throttled_by(*#hint)),
            )
        }
        Meaning::Source(member, ty) => asked(member, ty, krate, "source_class"),
        Meaning::With(path) => {
            let this = Ident::new("self", Span::call_site().located_at(path.span()));
            (
                TokenStream::new(),
                quote_spanned!(path.span()=> #path(#this)),
            )
        }
        _ => (TokenStream::new(), TokenStream::new()),
    }
}

/// The fields a kind is read from, and the kind.
fn kind(mark: &Mark, krate: &TokenStream) -> (TokenStream, TokenStream) {
    if let Some(kind) = mark.kind {
        return (TokenStream::new(), quote!(#kind));
    }
    if let Meaning::Source(member, ty) = &mark.meaning {
        return asked(member, ty, krate, "source_kind");
    }
    if let Meaning::Throttled(Some(_)) = mark.meaning {
        let unhinted = marks::constant(&Meaning::Throttled(None));
        return (TokenStream::new(), quote!(#krate::Class::#unhinted.kind()));
    }
    let (fields, class) = class(mark, krate);
    (fields, quote!(#class.kind()))
}

/// What the error in `member` says of itself.
fn asked(
    member: &syn::Member,
    ty: &Type,
    krate: &TokenStream,
    question: &str,
) -> (TokenStream, TokenStream) {
    let question = Ident::new(question, Span::mixed_site());
    let span = shown_at(ty.span());
    let source = Ident::new("__resilient_source", span);
    (
        quote!(#member: #source,),
        quote_spanned!(span=> #krate::classify::Source::#question(#source)),
    )
}
