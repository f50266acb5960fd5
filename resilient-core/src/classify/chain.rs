//! What an error means whose type is gone: `anyhow`, boxes, trait objects.

use std::error::Error;
use std::fmt;
use std::io;
use std::ops::Deref;

use super::io::{class_of, kind_of};
use crate::class::{Class, Classify};
use crate::rejection::Rejection;

/// An error whose sources form a circle must not hold us for ever.
const MOST_LINKS: usize = 64;

/// The class of an error whose type is gone, found by walking its
/// [`source`](Error::source)s.
///
/// The first error that says for certain decides: a [`Rejection`], a [`Classified`] error, a
/// `reqwest::Error`, `tonic::Status`, `sqlx::Error` or `redis::RedisError` (each behind its
/// feature), a timeout of tokio's. Without one an
/// [`io::Error`] decides, and without that too the class is [`Class::Ignored`]: what nobody
/// knows is neither retried nor counted.
///
/// Errors of types of one's own are found by [`chain_with`].
///
/// ```
/// # use resilient_core as resilient;
/// use resilient::Class;
/// use resilient::classify::chain;
/// use std::error::Error;
/// use std::io;
///
/// let reset: Box<dyn Error + Send + Sync> =
///     Box::new(io::Error::from(io::ErrorKind::ConnectionReset));
/// assert_eq!(chain(&*reset), Class::transient());
///
/// let unknown: Box<dyn Error + Send + Sync> = "something else".into();
/// assert_eq!(chain(&*unknown), Class::Ignored);
/// ```
pub fn chain(error: &(dyn Error + 'static)) -> Class {
    chain_with(error, |_| None)
}

/// The class of an outcome whose error's type is gone, for `classify = ...` at functions that
/// return `anyhow::Result<T>`, `eyre::Result<T>` or `Result<T, Box<dyn Error + Send + Sync>>`.
///
/// An `Ok` is a success; see [`chain`] for errors.
///
/// ```
/// # use resilient_core as resilient;
/// use resilient::Class;
/// use resilient::classify::chained;
/// use std::error::Error;
/// use std::io;
///
/// type Outcome = Result<u32, Box<dyn Error + Send + Sync>>;
///
/// // #[resilient(dependency = "stock", classify = resilient::classify::chained)]
/// // async fn stock() -> anyhow::Result<u32> { .. }
/// let found: Outcome = Ok(3);
/// assert_eq!(chained(&found), Class::Success);
/// let refused: Outcome = Err(io::Error::from(io::ErrorKind::ConnectionRefused).into());
/// assert_eq!(chained(&refused), Class::unsent());
/// ```
pub fn chained<T, E: Erased>(outcome: &Result<T, E>) -> Class {
    match outcome {
        Ok(_) => Class::Success,
        Err(error) => chain(error.erased()),
    }
}

/// An error whose type is gone: `anyhow::Error`, `eyre::Report`, `Box<dyn Error + Send + Sync>`, and
/// whatever else points at any error that may go to another thread.
///
/// ```
/// # use resilient_core as resilient;
/// use resilient::classify::Erased;
/// use std::error::Error;
///
/// let error: Box<dyn Error + Send + Sync> = "broken".into();
/// assert_eq!(error.erased().to_string(), "broken");
/// ```
#[diagnostic::on_unimplemented(
    message = "`chained` looks into errors whose type is gone, and `{Self}` is none",
    label = "neither `Box<dyn Error + Send + Sync>` nor `anyhow::Error`",
    note = "a box needs `Send + Sync`; for an error type of your own derive `resilient::Classify` and leave `classify` out, or name a function of your own: `classify = path`"
)]
pub trait Erased {
    /// The error inside.
    fn erased(&self) -> &(dyn Error + 'static);
}

#[diagnostic::do_not_recommend]
impl<E: Deref<Target = dyn Error + Send + Sync + 'static>> Erased for E {
    fn erased(&self) -> &(dyn Error + 'static) {
        &**self
    }
}

/// [`chain`] that asks `own` first at every error it passes, for types that only the caller
/// knows. [`known`] asks for one type.
///
/// ```
/// # use resilient_core as resilient;
/// use resilient::classify::{chain_with, known};
/// use resilient::{Class, Classify};
/// use std::error::Error;
/// use std::fmt;
///
/// #[derive(Debug)]
/// struct Declined;
/// impl fmt::Display for Declined {
///     fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
///         f.write_str("card declined")
///     }
/// }
/// impl Error for Declined {}
/// impl Classify for Declined {
///     fn class(&self) -> Class {
///         Class::Permanent
///     }
/// }
///
/// fn classify<T>(outcome: &Result<T, Box<dyn Error + Send + Sync>>) -> Class {
///     match outcome {
///         Ok(_) => Class::Success,
///         Err(error) => chain_with(&**error, known::<Declined>),
///     }
/// }
/// assert_eq!(classify::<()>(&Err(Declined.into())), Class::Permanent);
/// ```
pub fn chain_with(
    error: &(dyn Error + 'static),
    own: impl Fn(&(dyn Error + 'static)) -> Option<Class>,
) -> Class {
    judge(error, own).map_or(Class::Ignored, |verdict| verdict.class)
}

/// The class of an error if it is an `E`, for [`chain_with`].
///
/// ```
/// # use resilient_core as resilient;
/// use resilient::{Class, Rejection};
/// use resilient::classify::known;
/// use std::fmt;
/// use std::time::Duration;
///
/// let cut = Rejection::TimedOut { after: Duration::from_secs(1) };
/// assert_eq!(known::<Rejection>(&cut), Some(Class::transient()));
/// assert_eq!(known::<Rejection>(&fmt::Error), None);
/// ```
pub fn known<E: Error + Classify + 'static>(error: &(dyn Error + 'static)) -> Option<Class> {
    error.downcast_ref::<E>().map(Classify::class)
}

/// An error with its class beside it, to be found inside `anyhow` errors and boxes.
///
/// It shows itself exactly like the error within.
///
/// ```
/// # use resilient_core as resilient;
/// use resilient::Class;
/// use resilient::classify::{Classified, chain};
/// use std::error::Error;
///
/// fn charge() -> Result<(), Box<dyn Error + Send + Sync>> {
///     Err(Classified::new(Class::Permanent, "card declined"))?
/// }
/// let error = charge().unwrap_err();
/// assert_eq!(error.to_string(), "card declined");
/// assert_eq!(chain(&*error), Class::Permanent);
/// ```
#[derive(Debug)]
pub struct Classified {
    class: Class,
    error: Box<dyn Error + Send + Sync>,
}

impl Classified {
    /// Puts a class beside an error, or beside a message.
    ///
    /// ```
    /// # use resilient_core as resilient;
    /// use resilient::{Class, Classify};
    /// use resilient::classify::Classified;
    ///
    /// let broken = Classified::new(Class::Fault, std::fmt::Error);
    /// assert_eq!(broken.class(), Class::Fault);
    /// ```
    pub fn new(class: Class, error: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Classified {
            class,
            error: error.into(),
        }
    }

    /// The error within.
    ///
    /// ```
    /// # use resilient_core as resilient;
    /// use resilient::Class;
    /// use resilient::classify::Classified;
    ///
    /// let broken = Classified::new(Class::Fault, std::fmt::Error);
    /// assert!(broken.into_inner().is::<std::fmt::Error>());
    /// ```
    pub fn into_inner(self) -> Box<dyn Error + Send + Sync> {
        self.error
    }
}

impl fmt::Display for Classified {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.error.fmt(f)
    }
}

impl Error for Classified {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.error.source()
    }
}

#[diagnostic::do_not_recommend]
impl Classify for Classified {
    fn class(&self) -> Class {
        self.class
    }
}

/// What an error means, with the word for events and metrics.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Verdict {
    pub(super) class: Class,
    pub(super) kind: &'static str,
}

impl Verdict {
    pub(super) fn of(error: &impl Classify) -> Self {
        Verdict {
            class: error.class(),
            kind: error.kind(),
        }
    }

    pub(super) const fn plain(class: Class) -> Self {
        Verdict {
            class,
            kind: class.kind(),
        }
    }
}

/// What an error or one of its sources means, if any is known.
pub(super) fn judge(
    error: &(dyn Error + 'static),
    own: impl Fn(&(dyn Error + 'static)) -> Option<Class>,
) -> Option<Verdict> {
    let mut by_io: Option<(io::ErrorKind, Verdict)> = None;
    for error in links(error) {
        if let Some(class) = own(error) {
            return Some(Verdict::plain(class));
        }
        if let Some(verdict) = certain(error) {
            return Some(verdict);
        }
        // `Other` is what an io error says that only wraps something: the next may know more.
        if let Some(error) = error.downcast_ref::<io::Error>()
            && by_io.is_none_or(|(kind, _)| kind == io::ErrorKind::Other)
        {
            by_io = Some((error.kind(), by_kind(error.kind())));
        }
    }
    by_io.map(|(_, verdict)| verdict)
}

/// The verdict of types whose meaning does not depend on what wraps them.
fn certain(error: &(dyn Error + 'static)) -> Option<Verdict> {
    if let Some(rejection) = error.downcast_ref::<Rejection>() {
        return Some(Verdict::of(rejection));
    }
    if let Some(classified) = error.downcast_ref::<Classified>() {
        return Some(Verdict::of(classified));
    }
    #[cfg(feature = "reqwest-0_13")]
    if let Some(error) = error.downcast_ref::<reqwest::Error>() {
        return Some(Verdict::of(error));
    }
    #[cfg(feature = "tonic-0_14")]
    if let Some(status) = error.downcast_ref::<tonic::Status>() {
        return Some(Verdict::of(status));
    }
    #[cfg(feature = "sqlx-0_9")]
    if let Some(error) = error.downcast_ref::<sqlx::Error>() {
        return Some(Verdict::of(error));
    }
    #[cfg(feature = "redis-1")]
    if let Some(error) = error.downcast_ref::<redis::RedisError>() {
        return Some(Verdict::of(error));
    }
    #[cfg(feature = "runtime")]
    if error.is::<tokio::time::error::Elapsed>() {
        return Some(by_kind(io::ErrorKind::TimedOut));
    }
    None
}

pub(super) fn by_kind(kind: io::ErrorKind) -> Verdict {
    let class = class_of(kind);
    Verdict {
        class,
        kind: kind_of(kind, class),
    }
}

/// An error and its sources, the outermost first.
fn links<'a>(error: &'a (dyn Error + 'static)) -> impl Iterator<Item = &'a (dyn Error + 'static)> {
    std::iter::successors(Some(error), |&error: &&'a (dyn Error + 'static)| {
        // The `source` of an io error skips the error that it carries.
        match error
            .downcast_ref::<io::Error>()
            .and_then(io::Error::get_ref)
        {
            Some(carried) => Some(carried as &(dyn Error + 'static)),
            None => error.source(),
        }
    })
    .take(MOST_LINKS)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    type Boxed = Box<dyn Error + Send + Sync>;

    /// What `context` of anyhow and a `#[source]` of thiserror do.
    #[derive(Debug, thiserror::Error)]
    #[error("{0}")]
    struct Wrapped(&'static str, #[source] Boxed);

    #[derive(Debug, thiserror::Error)]
    #[error("ours")]
    struct Ours;

    impl Classify for Ours {
        fn class(&self) -> Class {
            Class::Permanent
        }
    }

    fn wrap(error: impl Into<Boxed>) -> Boxed {
        Wrapped("outer", Wrapped("inner", error.into()).into()).into()
    }

    fn cut() -> Rejection {
        Rejection::TimedOut {
            after: Duration::from_secs(1),
        }
    }

    fn late() -> Rejection {
        Rejection::DeadlineExceeded {
            after: Duration::from_secs(1),
        }
    }

    // case O09
    #[test]
    fn the_first_known_error_decides() {
        let io = |kind: io::ErrorKind| io::Error::from(kind);
        let rows: Vec<(Boxed, Class)> = vec![
            ("unknown".into(), Class::Ignored),
            (wrap("unknown"), Class::Ignored),
            (wrap(Ours), Class::Ignored),
            (cut().into(), Class::transient()),
            (wrap(cut()), Class::transient()),
            (wrap(late()), Class::Ignored),
            (wrap(io(io::ErrorKind::ConnectionRefused)), Class::unsent()),
            (wrap(io(io::ErrorKind::NotFound)), Class::Permanent),
            // Certain beats io, however deep it is.
            (wrap(io::Error::from(late())), Class::Ignored),
            (wrap(io::Error::other(wrap(late()))), Class::Ignored),
            (
                wrap(io::Error::new(io::ErrorKind::NotFound, cut())),
                Class::transient(),
            ),
            // The first io error with a kind beats those without.
            (
                wrap(io::Error::other(wrap(io(io::ErrorKind::NotFound)))),
                Class::Permanent,
            ),
            (
                wrap(io::Error::new(
                    io::ErrorKind::NotFound,
                    io(io::ErrorKind::TimedOut),
                )),
                Class::Permanent,
            ),
            (wrap(io::Error::other("unknown")), Class::transient()),
            (
                wrap(Classified::new(Class::Fault, wrap(late()))),
                Class::Fault,
            ),
        ];
        for (error, expected) in rows {
            assert_eq!(chain(&*error), expected, "{error:?}");
            assert_eq!(chained::<(), _>(&Err(error)), expected);
        }
        assert_eq!(chained::<_, Boxed>(&Ok(1)), Class::Success);
    }

    #[test]
    fn own_types_are_asked_first() {
        let own = known::<Ours>;
        for (error, expected) in [
            (wrap(Ours), Class::Permanent),
            (wrap(io::Error::other(Ours)), Class::Permanent),
            (wrap(cut()), Class::transient()),
            (wrap("unknown"), Class::Ignored),
        ] {
            assert_eq!(chain_with(&*error, own), expected, "{error:?}");
        }
        let all_faults = chain_with(&cut(), |_| Some(Class::Fault));
        assert_eq!(all_faults, Class::Fault);
    }

    #[test]
    fn a_classified_error_shows_itself_like_the_one_within() {
        let error = Classified::new(Class::Fault, wrap("cause"));
        assert_eq!(error.to_string(), "outer");
        assert_eq!(
            error.source().map(ToString::to_string),
            Some("inner".into())
        );
        assert_eq!(Classify::kind(&error), "server");
        assert!(error.into_inner().is::<Wrapped>());
    }

    #[test]
    fn errors_in_a_circle_end() {
        #[derive(Debug)]
        struct Endless;
        impl fmt::Display for Endless {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("endless")
            }
        }
        impl Error for Endless {
            fn source(&self) -> Option<&(dyn Error + 'static)> {
                Some(self)
            }
        }
        assert_eq!(chain(&Endless), Class::Ignored);
    }

    #[cfg(feature = "runtime")]
    #[tokio::test(start_paused = true)]
    async fn a_timeout_of_tokio_is_transient() {
        let never = std::future::pending::<()>();
        let elapsed = tokio::time::timeout(Duration::from_secs(1), never)
            .await
            .expect_err("it never ends");
        let error = wrap(elapsed);
        assert_eq!(chain(&*error), Class::transient());
        assert_eq!(judge(&*error, |_| None).map(|v| v.kind), Some("timeout"));
    }
}
