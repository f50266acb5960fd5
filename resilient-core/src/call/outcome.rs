//! The user's types: what is returned, what it means, and how a rejection becomes an error.

use crate::class::{Class, Classify};
use crate::rejection::Rejection;

/// What an annotated function returns: a `Result`, by whatever alias.
#[diagnostic::on_unimplemented(
    message = "`#[resilient]` needs a function that returns `Result`, but this one returns `{Self}`",
    label = "not a `Result`"
)]
pub trait Outcome: Sized {
    /// The error type.
    type Failure;

    /// The error, if it is one.
    fn failure(&self) -> Option<&Self::Failure>;

    /// Gives the value away unless it is an error.
    fn into_failure(self) -> Option<Self::Failure>;

    /// An outcome that is this error.
    fn from_failure(failure: Self::Failure) -> Self;
}

impl<T, E> Outcome for Result<T, E> {
    type Failure = E;

    fn failure(&self) -> Option<&E> {
        self.as_ref().err()
    }

    fn into_failure(self) -> Option<E> {
        self.err()
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

/// How a site tells what an outcome means, and what it keeps of one between attempts.
pub trait Judge<R> {
    /// What is kept while another attempt is made.
    type Kept;

    /// Whether an `Ok` may be called anything but a success.
    const DOUBTS_SUCCESS: bool = false;

    /// The class, and the word for it in events.
    fn judge(&self, outcome: &R) -> (Class, &'static str);

    /// What is kept of an outcome that another attempt may better.
    fn keep(&self, outcome: R) -> Option<Self::Kept>;

    /// The outcome again.
    fn give_back(&self, kept: Self::Kept) -> R;
}

/// By the error type's [`Classify`].
#[derive(Clone, Copy, Debug)]
pub struct ByTrait;

impl<R: Outcome<Failure: Classify>> Judge<R> for ByTrait {
    type Kept = R::Failure;

    fn judge(&self, outcome: &R) -> (Class, &'static str) {
        match outcome.failure() {
            Some(failure) => (failure.class(), failure.kind()),
            None => (Class::Success, Class::Success.kind()),
        }
    }

    fn keep(&self, outcome: R) -> Option<R::Failure> {
        outcome.into_failure()
    }

    fn give_back(&self, kept: R::Failure) -> R {
        R::from_failure(kept)
    }
}

/// By a function of the whole outcome, `classify = path`.
#[derive(Clone, Copy, Debug)]
pub struct ByFn<F>(pub F);

impl<R, F: Fn(&R) -> Class> Judge<R> for ByFn<F> {
    type Kept = R;

    const DOUBTS_SUCCESS: bool = true;

    fn judge(&self, outcome: &R) -> (Class, &'static str) {
        let class = (self.0)(outcome);
        (class, class.kind())
    }

    fn keep(&self, outcome: R) -> Option<R> {
        Some(outcome)
    }

    fn give_back(&self, kept: R) -> R {
        kept
    }
}

/// By a predicate on the error, `retry(when = path)`: transient where it holds, else permanent.
#[derive(Clone, Copy, Debug)]
pub struct When<F>(pub F);

impl<R: Outcome, F: Fn(&R::Failure) -> bool> Judge<R> for When<F> {
    type Kept = R::Failure;

    fn judge(&self, outcome: &R) -> (Class, &'static str) {
        let class = match outcome.failure() {
            None => Class::Success,
            Some(failure) if (self.0)(failure) => Class::transient(),
            Some(_) => Class::Permanent,
        };
        (class, class.kind())
    }

    fn keep(&self, outcome: R) -> Option<R::Failure> {
        outcome.into_failure()
    }

    fn give_back(&self, kept: R::Failure) -> R {
        R::from_failure(kept)
    }
}

/// Not at all: nothing at the site depends on it.
#[derive(Clone, Copy, Debug)]
pub struct Unclassified;

impl<R: Outcome> Judge<R> for Unclassified {
    type Kept = R::Failure;

    fn judge(&self, outcome: &R) -> (Class, &'static str) {
        let class = if outcome.failure().is_some() {
            Class::Permanent
        } else {
            Class::Success
        };
        (class, class.kind())
    }

    fn keep(&self, outcome: R) -> Option<R::Failure> {
        outcome.into_failure()
    }

    fn give_back(&self, kept: R::Failure) -> R {
        R::from_failure(kept)
    }
}

/// How a site turns a rejection into its error.
pub trait Reject<R> {
    /// The outcome that says so.
    fn reject(&self, rejection: Rejection) -> R;
}

/// By `From<Rejection>` of the error type.
#[derive(Clone, Copy, Debug)]
pub struct ByFrom;

impl<R: Outcome<Failure: FromRejection>> Reject<R> for ByFrom {
    fn reject(&self, rejection: Rejection) -> R {
        R::from_failure(R::Failure::from_rejection(rejection))
    }
}

/// By a function, `reject = path`.
#[derive(Clone, Copy, Debug)]
pub struct Via<F>(pub F);

impl<R: Outcome, F: Fn(Rejection) -> R::Failure> Reject<R> for Via<F> {
    fn reject(&self, rejection: Rejection) -> R {
        R::from_failure((self.0)(rejection))
    }
}
