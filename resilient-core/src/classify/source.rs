//! The error inside another one, asked by the derive.

use crate::class::{Class, Classify};

/// An error that `#[classify(source)]` can ask. A trait beside [`Classify`] only for what is said
/// where it is missing: inside a derive, other things help than at an annotated function.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not say which errors are worth retrying",
    label = "needs a classification to be asked by `#[classify(source)]`",
    note = "mark the variant itself, for example `#[transient]`, or derive `resilient::Classify` for its source",
    note = "or ask a function, `#[classify(with = path)]`; for `anyhow::Error` and boxed errors in a `#[source]` that is `#[classify(with = resilient::classify::chain)]`"
)]
pub trait Source {
    /// What the error means.
    fn source_class(&self) -> Class;

    /// The word for it.
    fn source_kind(&self) -> &'static str;
}

#[diagnostic::do_not_recommend]
impl<E: Classify + ?Sized> Source for E {
    fn source_class(&self) -> Class {
        self.class()
    }

    fn source_kind(&self) -> &'static str {
        self.kind()
    }
}
