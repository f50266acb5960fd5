//! The implementation as a reader would see it, and the words for every wrong mark.

use proc_macro2::TokenStream;
use quote::quote;

use super::{Errors, expand, parse};

fn derived(input: TokenStream) -> Result<String, Vec<String>> {
    let input = syn::parse2(input).unwrap();
    let mut errors = Errors::new();
    let parsed = parse::parse(&input, &mut errors);
    match errors.finish() {
        Ok(()) => {
            let file = syn::parse2(expand::expand(&input, &parsed)).unwrap();
            Ok(prettyplease::unparse(&file))
        }
        Err(errors) => Err(errors.into_iter().map(|error| error.to_string()).collect()),
    }
}

fn assert_derives(input: TokenStream, expected: TokenStream) {
    let expected = prettyplease::unparse(&syn::parse2(expected).unwrap());
    assert_eq!(derived(input), Ok(expected));
}

#[test]
fn one_arm_for_each_meaning() {
    assert_derives(
        quote! {
            enum ChargeError {
                #[transient]
                Network(#[source] std::io::Error),
                #[transient(unsent)]
                Refused,
                #[throttled(retry_after = after)]
                Busy { after: Option<Duration>, by: String },
                #[permanent]
                Declined,
                #[permanent]
                Invalid { field: &'static str },
                #[classify(with = judge::odd)]
                Odd(u16),
                #[fault]
                Broken,
                #[ignored]
                Encoding,
                #[throttled]
                Slow,
            }
        },
        quote! {
            #[automatically_derived]
            impl ::resilient::Classify for ChargeError {
                fn class(&self) -> ::resilient::Class {
                    match self {
                        Self::Network { .. } => ::resilient::Class::transient(),
                        Self::Refused { .. } => ::resilient::Class::unsent(),
                        Self::Busy { after: __resilient_hint, .. } => {
                            ::resilient::Class::throttled_by(*__resilient_hint)
                        }
                        Self::Declined { .. } | Self::Invalid { .. } => ::resilient::Class::Permanent,
                        Self::Odd { .. } => judge::odd(self),
                        Self::Broken { .. } => ::resilient::Class::Fault,
                        Self::Encoding { .. } => ::resilient::Class::Ignored,
                        Self::Slow { .. } => ::resilient::Class::Throttled {
                            retry_after: ::core::option::Option::None,
                        },
                    }
                }
            }
        },
    );
}

#[test]
fn kinds_follow_the_class_unless_said_otherwise() {
    assert_derives(
        quote! {
            #[classify(crate = ::resilient_core)]
            enum E<T> {
                #[permanent(kind = "business")]
                Declined,
                #[throttled(retry_after = 0)]
                Busy(Duration),
                #[transient]
                Lost,
                #[classify(source)]
                Inner(T),
            }
        },
        quote! {
            #[automatically_derived]
            impl<T> ::resilient_core::Classify for E<T>
            where
                T: ::resilient_core::Classify,
            {
                fn class(&self) -> ::resilient_core::Class {
                    match self {
                        Self::Declined { .. } => ::resilient_core::Class::Permanent,
                        Self::Busy { 0: __resilient_hint, .. } => {
                            ::resilient_core::Class::throttled_by(*__resilient_hint)
                        }
                        Self::Lost { .. } => ::resilient_core::Class::transient(),
                        Self::Inner { 0: __resilient_source, .. } => {
                            ::resilient_core::classify::Source::source_class(__resilient_source)
                        }
                    }
                }
                fn kind(&self) -> &'static str {
                    match self {
                        Self::Declined { .. } => "business",
                        Self::Busy { .. } => ::resilient_core::Class::Throttled {
                            retry_after: ::core::option::Option::None,
                        }.kind(),
                        Self::Lost { .. } => ::resilient_core::Class::transient().kind(),
                        Self::Inner { 0: __resilient_source, .. } => {
                            ::resilient_core::classify::Source::source_kind(__resilient_source)
                        }
                    }
                }
            }
        },
    );
}

#[test]
fn structs_and_empty_enums() {
    assert_derives(
        quote!(
            #[transient(kind = "timeout")]
            struct Late;
        ),
        quote! {
            #[automatically_derived]
            impl ::resilient::Classify for Late {
                fn class(&self) -> ::resilient::Class {
                    match self {
                        Self { .. } => ::resilient::Class::transient(),
                    }
                }
                fn kind(&self) -> &'static str {
                    match self {
                        Self { .. } => "timeout",
                    }
                }
            }
        },
    );
    assert_derives(
        quote!(
            enum Never {}
        ),
        quote! {
            #[automatically_derived]
            impl ::resilient::Classify for Never {
                fn class(&self) -> ::resilient::Class {
                    match *self {}
                }
            }
        },
    );
}

#[test]
#[allow(clippy::too_many_lines, reason = "one table")]
fn wrong_marks() {
    let table: Vec<(TokenStream, &[&str])> = vec![
        (
            quote!(
                enum E {
                    A,
                    #[fault]
                    B,
                    C(u8),
                }
            ),
            &[
                "`A` does not say what it means; mark it `#[transient]`",
                "`C` does not say what it means",
            ],
        ),
        (
            quote!(
                struct S {
                    a: u8,
                }
            ),
            &["`S` does not say what it means"],
        ),
        (
            quote!(union U { a: u8 }),
            &["for enums and structs, not for unions"],
        ),
        (
            quote!(
                #[transient]
                enum E {
                    #[fault]
                    A,
                }
            ),
            &["`#[transient]` goes on the variants, not on the enum"],
        ),
        (
            quote!(
                enum E {
                    #[transient]
                    #[fault]
                    A,
                }
            ),
            &["`#[fault]` stands beside `#[transient]`; one mark is enough"],
        ),
        (
            quote!(
                enum E {
                    #[transient(unsnt)]
                    A,
                }
            ),
            &["unknown option `unsnt` for `#[transient]`; did you mean `unsent`?"],
        ),
        (
            quote!(
                enum E {
                    #[classify(transient)]
                    A,
                }
            ),
            &["`transient` is a mark of its own: write `#[transient]`"],
        ),
        (
            quote!(
                enum E {
                    #[fault(unsent)]
                    A,
                }
            ),
            &["unknown option `unsent` for `#[fault]`; expected one of `kind`"],
        ),
        (
            quote!(
                enum E {
                    #[permanent("business")]
                    A,
                }
            ),
            &["expected the option `kind = ..`"],
        ),
        (
            quote!(
                enum E {
                    #[fault = 1]
                    A,
                }
            ),
            &["write `#[fault]` or `#[fault(..)]`"],
        ),
        (
            quote!(
                enum E {
                    #[permanent(kind = "busines")]
                    A,
                }
            ),
            &["`kind` cannot be `busines`; did you mean `business`?"],
        ),
        (
            quote!(
                enum E {
                    #[throttled(retry_after = aftr)]
                    A { after: Duration },
                }
            ),
            &["no field `aftr`; did you mean `after`?"],
        ),
        (
            quote!(
                enum E {
                    #[throttled(retry_after = 1)]
                    A(Duration),
                }
            ),
            &["no field `1`; fields: `0`"],
        ),
        (
            quote!(
                enum E {
                    #[throttled(retry_after = x)]
                    A,
                }
            ),
            &["no field `x`; there are no fields here"],
        ),
        (
            quote!(
                enum E {
                    #[classify]
                    A,
                }
            ),
            &["`#[classify]` needs to know by what"],
        ),
        (
            quote!(
                enum E {
                    #[classify(source)]
                    A,
                }
            ),
            &["there is no field that could be the source"],
        ),
        (
            quote!(
                enum E {
                    #[classify(source)]
                    A(X, Y),
                }
            ),
            &["which field is the source?"],
        ),
        (
            quote!(
                enum E {
                    #[classify(source, with = f)]
                    A(X),
                }
            ),
            &["`source` and `with` both decide; drop one"],
        ),
        (
            quote!(
                enum E {
                    #[classify(with = "f")]
                    A,
                }
            ),
            &["found a string; write `with = f`"],
        ),
        (
            quote!(
                enum E {
                    #[fault]
                    #[classify(crate = ::x)]
                    A,
                }
            ),
            &["`crate` goes on the enum, not on a variant"],
        ),
    ];
    for (input, expected) in table {
        let found = derived(input.clone()).expect_err(&input.to_string());
        let as_expected = found.len() == expected.len()
            && found
                .iter()
                .zip(expected)
                .all(|(found, expected)| found.contains(expected));
        assert!(
            as_expected,
            "{input}\n found: {found:#?}\n expected: {expected:#?}"
        );
    }
}

#[test]
fn the_source_is_the_marked_the_named_or_the_only_field() {
    for (input, member) in [
        (
            quote!(
                enum E {
                    #[classify(source)]
                    A(u8, #[from] X),
                }
            ),
            "1",
        ),
        (
            quote!(
                enum E {
                    #[classify(source)]
                    A {
                        a: u8,
                        #[source]
                        cause: X,
                    },
                }
            ),
            "cause",
        ),
        (
            quote!(
                enum E {
                    #[classify(source)]
                    A { a: u8, source: X },
                }
            ),
            "source",
        ),
        (
            quote!(
                enum E {
                    #[classify(source)]
                    A(X),
                }
            ),
            "0",
        ),
    ] {
        let code = derived(input).unwrap();
        assert!(
            code.contains(&format!("{member}: __resilient_source")),
            "{code}"
        );
    }
}
