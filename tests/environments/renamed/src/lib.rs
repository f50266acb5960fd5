//! Every lint of clippy, `restriction` included, and those of rustc that are off by default, on
//! functions with the attribute. What the same functions trip without it is expected in `bare` and
//! allowed in `protected`, and nothing else is.

// shape 66, 68; case N10
#![deny(
    warnings,
    clippy::all,
    clippy::pedantic,
    clippy::nursery,
    clippy::restriction
)]
#![deny(
    ambiguous_negative_literals,
    closure_returning_async_block,
    explicit_outlives_requirements,
    future_incompatible,
    if_let_rescope,
    impl_trait_redundant_captures,
    keyword_idents,
    let_underscore_drop,
    missing_docs,
    nonstandard_style,
    redundant_imports,
    redundant_lifetimes,
    rust_2018_idioms,
    rust_2021_compatibility,
    rust_2024_compatibility,
    single_use_lifetimes,
    trivial_casts,
    trivial_numeric_casts,
    unit_bindings,
    unnameable_types,
    unreachable_pub,
    unsafe_code,
    unused_extern_crates,
    unused_import_braces,
    unused_lifetimes,
    unused_qualifications,
    unused_results,
    variant_size_differences
)]
#![expect(
    clippy::blanket_clippy_restriction_lints,
    reason = "none of them may be tripped by what the attribute writes"
)]

pub mod bare;
pub mod failure;
pub mod protected;
