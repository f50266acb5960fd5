//! Gathers the errors of one item, so that a user sees all of them in one build.

use std::fmt::Display;

use proc_macro2::Span;

/// The errors found so far. [`Errors::finish`] must be called: an error that nobody reports would
/// let a wrong annotation compile.
#[derive(Debug)]
pub(crate) struct Errors {
    found: Option<syn::Error>,
    finished: bool,
}

impl Errors {
    pub(crate) fn new() -> Self {
        Errors {
            found: None,
            finished: false,
        }
    }

    /// Notes a mistake at `span`.
    pub(crate) fn at(&mut self, span: Span, message: impl Display) {
        self.push(syn::Error::new(span, message));
    }

    /// Notes a mistake that already knows its place.
    pub(crate) fn push(&mut self, error: syn::Error) {
        match &mut self.found {
            Some(found) => found.combine(error),
            None => self.found = Some(error),
        }
    }

    /// The value of `result`, or nothing after noting its error.
    pub(crate) fn keep<T>(&mut self, result: syn::Result<T>) -> Option<T> {
        match result {
            Ok(value) => Some(value),
            Err(error) => {
                self.push(error);
                None
            }
        }
    }

    pub(crate) fn count(&self) -> usize {
        self.found
            .as_ref()
            .map_or(0, |found| found.into_iter().count())
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.found.is_none()
    }

    /// All errors as one, if there are any.
    pub(crate) fn finish(mut self) -> syn::Result<()> {
        self.finished = true;
        match self.found.take() {
            Some(found) => Err(found),
            None => Ok(()),
        }
    }
}

impl Drop for Errors {
    fn drop(&mut self) {
        debug_assert!(
            self.finished || std::thread::panicking(),
            "errors were gathered but never reported"
        );
    }
}

#[cfg(test)]
mod tests {
    use super::Errors;
    use proc_macro2::Span;

    #[test]
    fn all_errors_come_back_as_one() {
        let mut errors = Errors::new();
        errors.at(Span::call_site(), "first");
        errors.at(Span::call_site(), "second");
        let told: Vec<_> = errors
            .finish()
            .unwrap_err()
            .into_iter()
            .map(|error| error.to_string())
            .collect();
        assert_eq!(told, ["first", "second"]);
    }

    #[test]
    #[cfg(debug_assertions)]
    #[should_panic(expected = "never reported")]
    fn forgetting_to_report_is_noticed() {
        drop(Errors::new());
    }
}
