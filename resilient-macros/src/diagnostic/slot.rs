//! An option that can be given once, or taken from an outer level.

use proc_macro2::{Ident, Span};

use super::Errors;

/// The value of one option, where its key stands, and at which level.
#[derive(Clone)]
pub(crate) struct Slot<T> {
    given: Option<(T, Span)>,
    inherited: bool,
}

impl<T> Default for Slot<T> {
    fn default() -> Self {
        Slot {
            given: None,
            inherited: false,
        }
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

    /// The same, unless the option was taken from an outer level: what was written for others too
    /// is no mistake of this place.
    pub(crate) fn own_key(&self) -> Option<Span> {
        self.key().filter(|_| !self.inherited)
    }

    /// Whether the option was taken from an outer level.
    pub(crate) fn is_inherited(&self) -> bool {
        self.inherited
    }

    /// This option, or else that of the outer level.
    pub(crate) fn or(self, outer: &Slot<T>) -> Slot<T>
    where
        T: Clone,
    {
        if self.is_given() {
            return self;
        }
        Slot {
            given: outer.given.clone(),
            inherited: outer.is_given(),
        }
    }

    /// Empties the slot if the option was taken from an outer level.
    pub(crate) fn disinherit(&mut self) {
        if self.inherited {
            *self = Slot::default();
        }
    }

    /// Changes the value, if there is one.
    pub(crate) fn change(&mut self, change: impl FnOnce(&mut T)) {
        if let Some((value, _)) = &mut self.given {
            change(value);
        }
    }

    /// Both levels' values as one, where a value has parts; the key is that of the inner level.
    pub(crate) fn or_merged(self, outer: &Slot<T>, merge: impl FnOnce(T, &T) -> T) -> Slot<T>
    where
        T: Clone + Default,
    {
        let Some((theirs, _)) = &outer.given else {
            return self;
        };
        match self.given {
            Some((ours, key)) => Slot {
                given: Some((merge(ours, theirs), key)),
                inherited: false,
            },
            // Its parts are told to be inherited as well.
            None => Slot {
                given: outer.key().map(|key| (merge(T::default(), theirs), key)),
                inherited: true,
            },
        }
    }
}
