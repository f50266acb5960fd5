//! An option that can be given once.

use proc_macro2::{Ident, Span};

use super::Errors;

/// The value of one option and where its key stands.
pub(crate) struct Slot<T> {
    given: Option<(T, Span)>,
}

impl<T> Default for Slot<T> {
    fn default() -> Self {
        Slot { given: None }
    }
}

impl<T> Slot<T> {
    /// Fills the slot; a second value is an error at both keys.
    pub(crate) fn fill(&mut self, key: &Ident, value: T, errors: &mut Errors) {
        if let Some((_, first)) = &self.given {
            errors.at(
                key.span(),
                format_args!("duplicate option `{key}`; drop one"),
            );
            errors.at(*first, format_args!("`{key}` is first given here"));
        } else {
            self.given = Some((value, key.span()));
        }
    }

    pub(crate) fn get(&self) -> Option<&T> {
        self.given.as_ref().map(|(value, _)| value)
    }

    pub(crate) fn is_given(&self) -> bool {
        self.given.is_some()
    }

    /// Where the option's key stands, if the option was given.
    pub(crate) fn key(&self) -> Option<Span> {
        self.given.as_ref().map(|(_, key)| *key)
    }
}
