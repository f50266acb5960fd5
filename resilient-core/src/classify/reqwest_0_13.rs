//! Answers and errors of `reqwest` 0.13.

use std::error::Error;

use reqwest::Response;

use super::chain::{Verdict, judge};
use super::http_1::by_head;
use super::status_error::StatusError;
use crate::class::{Class, Classify};

#[diagnostic::do_not_recommend]
impl Classify for reqwest::Error {
    /// | error | class |
    /// |---|---|
    /// | `error_for_status` | by the status; its `Retry-After` is lost, see [`reqwest_0_13_response`] |
    /// | the request cannot be built | ignored: our own side |
    /// | no connection, the name lookup included | transient, unsent |
    /// | timeout | transient |
    /// | too many redirects, refused upgrade | fault |
    /// | sending, or a body that breaks off | by the io error beneath, else transient |
    /// | a body that does not decode | ignored: what was agreed on is a matter of our own side too |
    ///
    /// No connection is unsent even after a redirect was followed, which `reqwest` does not tell:
    /// turn redirects off in a client whose calls must not be repeated.
    fn class(&self) -> Class {
        verdict(self).class
    }

    fn kind(&self) -> &'static str {
        verdict(self).kind
    }
}

fn verdict(error: &reqwest::Error) -> Verdict {
    if let Some(status) = error.status() {
        return Verdict::of(&status);
    }
    if error.is_builder() {
        return Verdict::plain(Class::Ignored);
    }
    let beneath = error.source().and_then(|source| judge(source, |_| None));
    if error.is_connect() || error.is_dns() {
        return match beneath {
            Some(beneath) if !beneath.class.is_retryable() => beneath,
            Some(beneath) => Verdict {
                class: Class::unsent(),
                ..beneath
            },
            None => Verdict::plain(Class::unsent()),
        };
    }
    if let Some(beneath) = beneath {
        return beneath;
    }
    if error.is_timeout() {
        return Verdict {
            class: Class::transient(),
            kind: "timeout",
        };
    }
    Verdict::plain(if error.is_redirect() || error.is_upgrade() {
        Class::Fault
    } else if error.is_decode() {
        Class::Ignored
    } else {
        Class::transient()
    })
}

/// The class of an outcome of `reqwest`, for `classify = ...`: an answer by its status and
/// `Retry-After`, an error by its own class.
///
/// The error type is one's own, because `reqwest::Error` has no room for a `Rejection`.
///
/// ```
/// # use resilient_core as resilient;
/// use resilient::Class;
/// use resilient::classify::reqwest_0_13;
///
/// // #[derive(Debug, thiserror::Error, resilient::Classify)]
/// // enum StockError {
/// //     #[error(transparent)]
/// //     #[classify(source)]
/// //     Http(#[from] reqwest::Error),
/// //     #[error(transparent)]
/// //     #[classify(source)]
/// //     Rejected(#[from] resilient::Rejection),
/// // }
/// //
/// // #[resilient(dependency = "stock", idempotent, classify = resilient::classify::reqwest_0_13)]
/// // async fn stock(client: &reqwest::Client) -> Result<reqwest::Response, StockError> {
/// //     Ok(client.get(STOCK).send().await?)
/// // }
/// let answer = http::Response::builder().status(503).body("")?;
/// let outcome: Result<_, reqwest::Error> = Ok(answer.into());
/// assert_eq!(reqwest_0_13(&outcome), Class::transient());
/// # Ok::<(), http::Error>(())
/// ```
pub fn reqwest_0_13<E: Classify>(outcome: &Result<Response, E>) -> Class {
    match outcome {
        Ok(response) => reqwest_0_13_response(response),
        Err(error) => error.class(),
    }
}

/// The class of an answer of `reqwest`, by its status and `Retry-After`.
///
/// ```
/// # use resilient_core as resilient;
/// use resilient::Class;
/// use resilient::classify::reqwest_0_13_response;
///
/// let answer = http::Response::builder().status(502).body("")?;
/// assert_eq!(reqwest_0_13_response(&answer.into()), Class::transient());
/// # Ok::<(), http::Error>(())
/// ```
pub fn reqwest_0_13_response(response: &Response) -> Class {
    by_head(response.status(), response.headers())
}

/// The answer again if it is a success, else its status and class as an error.
///
/// Unlike `error_for_status` it keeps what `Retry-After` asked for.
///
/// ```
/// # use resilient_core as resilient;
/// use resilient::classify::reqwest_0_13_checked;
/// use resilient::{Class, Classify};
/// use std::time::Duration;
///
/// let answer = http::Response::builder().status(429).header("retry-after", "2").body("")?;
/// let error = reqwest_0_13_checked(answer.into()).unwrap_err();
/// assert_eq!(error.status(), 429);
/// assert_eq!(error.class(), Class::throttled(Duration::from_secs(2)));
/// # Ok::<(), http::Error>(())
/// ```
pub fn reqwest_0_13_checked(response: Response) -> Result<Response, StatusError> {
    match reqwest_0_13_response(&response) {
        Class::Success => Ok(response),
        class => Err(StatusError::new(response.status().as_u16(), class)),
    }
}

#[cfg(test)]
mod tests;
