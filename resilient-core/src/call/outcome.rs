//! The user's types: what is returned, what it means, and how a rejection becomes an error.

use crate::class::{Class, Classify};
use crate::rejection::Rejection;

/// What an annotated function returns: a `Result`, by whatever alias.
#[diagnostic::on_unimplemented(
    message = "`#[resilient]` needs a function that returns `Result`, but this one returns `{Self}`",
    label = "not a `Result`"
)]
pub trait Outcome: Sized {
    /// The type of an `Ok`.
    type Value;

    /// The error type.
    type Failure;

    /// The error, if it is one.
    fn failure(&self) -> Option<&Self::Failure>;

    /// Both sides of it.
    fn as_result(&self) -> Result<&Self::Value, &Self::Failure>;

    /// An outcome of either side.
    fn from_result(result: Result<Self::Value, Self::Failure>) -> Self;

    /// Gives the value away unless it is an error.
    fn into_failure(self) -> Option<Self::Failure> {
        self.split().err()
    }

    /// The error by itself, if it is one.
    fn split(self) -> Result<Self, Self::Failure>;

    /// An outcome that is this error.
    fn from_failure(failure: Self::Failure) -> Self;
}

#[diagnostic::do_not_recommend]
impl<T, E> Outcome for Result<T, E> {
    type Value = T;
    type Failure = E;

    fn failure(&self) -> Option<&E> {
        self.as_ref().err()
    }

    fn as_result(&self) -> Result<&T, &E> {
        self.as_ref()
    }

    fn from_result(result: Result<T, E>) -> Self {
        result
    }

    fn split(self) -> Result<Self, E> {
        self.map(Ok)
    }

    fn from_failure(failure: E) -> Self {
        Err(failure)
    }
}

/// An error that can hold a [`Rejection`].
#[diagnostic::on_unimplemented(
    message = "the error type `{Self}` cannot hold a `Rejection`",
    label = "needs `From<Rejection>`",
    note = "add a variant with `#[from] resilient::Rejection`, implement `From<resilient::Rejection>`, or name a function at the site: `reject = path`"
)]
pub trait FromRejection {
    /// The error that says so.
    fn from_rejection(rejection: Rejection) -> Self;
}

#[diagnostic::do_not_recommend]
impl<E: From<Rejection>> FromRejection for E {
    fn from_rejection(rejection: Rejection) -> Self {
        E::from(rejection)
    }
}

/// What turns rejections into errors unless the site names a function, `reject = path`.
///
/// A function of its own, so that the error type's lack of [`FromRejection`] is told about the
/// error type and not about a rule of ours.
pub fn rejected<E: FromRejection>(rejection: Rejection) -> E {
    E::from_rejection(rejection)
}

/// What an attempt returns, for a branch that is never taken: it tells the compiler the type before
/// the body.
pub fn returned<R>() -> R {
    unreachable!("this branch is never taken")
}

/// How a site tells what an outcome `R` with an error `E` means, and what it keeps of one between
/// attempts.
///
/// No rule asks for `R: Outcome`: that is asked once, by `settle`, and what is no
/// `Result` is told once.
pub trait Judge<R, E> {
    /// What is kept while another attempt is made.
    type Kept;

    /// Whether an `Ok` may be called anything but a success.
    const DOUBTS_SUCCESS: bool = false;

    /// The class of an outcome, and the word for it in events.
    fn judge(&self, outcome: &R, failure: Option<&E>) -> (Class, &'static str);

    /// What is kept of an outcome that another attempt may better.
    fn keep(&self, outcome: R, failure: impl FnOnce(R) -> Option<E>) -> Option<Self::Kept>;

    /// The outcome again.
    fn give_back(&self, kept: Self::Kept, outcome: impl FnOnce(E) -> R) -> R;
}

/// By the error alone: a function that says its class and the word for it.
#[derive(Clone, Copy, Debug)]
pub struct ByError<F>(F);

/// By the error type's [`Classify`].
///
/// A function of its own, so that the error type's lack of it is told about the error type and not
/// about a rule of ours.
pub fn by_trait<E: Classify>() -> ByError<impl Fn(&E) -> (Class, &'static str)> {
    ByError(|failure: &E| (failure.class(), failure.kind()))
}

impl<R, E, F: Fn(&E) -> (Class, &'static str)> Judge<R, E> for ByError<F> {
    type Kept = E;

    fn judge(&self, _: &R, failure: Option<&E>) -> (Class, &'static str) {
        match failure {
            Some(failure) => (self.0)(failure),
            None => (Class::Success, Class::Success.kind()),
        }
    }

    fn keep(&self, outcome: R, failure: impl FnOnce(R) -> Option<E>) -> Option<E> {
        failure(outcome)
    }

    fn give_back(&self, kept: E, outcome: impl FnOnce(E) -> R) -> R {
        outcome(kept)
    }
}

/// By a function of the whole outcome, `classify = path`.
#[derive(Clone, Copy, Debug)]
pub struct ByFn<F>(pub F);

impl<R, E, F: Fn(&R) -> Class> Judge<R, E> for ByFn<F> {
    type Kept = R;

    const DOUBTS_SUCCESS: bool = true;

    fn judge(&self, outcome: &R, _: Option<&E>) -> (Class, &'static str) {
        let class = (self.0)(outcome);
        (class, class.kind())
    }

    fn keep(&self, outcome: R, _: impl FnOnce(R) -> Option<E>) -> Option<R> {
        Some(outcome)
    }

    fn give_back(&self, kept: R, _: impl FnOnce(E) -> R) -> R {
        kept
    }
}

/// By a predicate on the error, `retry(when = path)`: transient where it holds, else permanent.
#[derive(Clone, Copy, Debug)]
pub struct When<F>(pub F);

impl<R, E, F: Fn(&E) -> bool> Judge<R, E> for When<F> {
    type Kept = E;

    fn judge(&self, _: &R, failure: Option<&E>) -> (Class, &'static str) {
        let class = match failure {
            None => Class::Success,
            Some(failure) if (self.0)(failure) => Class::transient(),
            Some(_) => Class::Permanent,
        };
        (class, class.kind())
    }

    fn keep(&self, outcome: R, failure: impl FnOnce(R) -> Option<E>) -> Option<E> {
        failure(outcome)
    }

    fn give_back(&self, kept: E, outcome: impl FnOnce(E) -> R) -> R {
        outcome(kept)
    }
}

/// Not at all: nothing at the site depends on it.
#[derive(Clone, Copy, Debug)]
pub struct Unclassified;

impl<R, E> Judge<R, E> for Unclassified {
    type Kept = E;

    fn judge(&self, _: &R, failure: Option<&E>) -> (Class, &'static str) {
        let class = if failure.is_some() {
            Class::Permanent
        } else {
            Class::Success
        };
        (class, class.kind())
    }

    fn keep(&self, outcome: R, failure: impl FnOnce(R) -> Option<E>) -> Option<E> {
        failure(outcome)
    }

    fn give_back(&self, kept: E, outcome: impl FnOnce(E) -> R) -> R {
        outcome(kept)
    }
}
