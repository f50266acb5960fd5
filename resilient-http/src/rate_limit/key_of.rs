//! Whose limit a request counts against.

use http::request::Parts;

use crate::Problem;

/// Says whose limit a request counts against: a user, an API key, or an address
/// ([`ClientIp`](super::ClientIp)).
///
/// A closure over the head of the request that answers with a `String`, an `Option` of one, or a
/// `Result` with a [`NoKey`] or the [`Problem`] to answer. An empty key is none: requests that have
/// nothing in common would share it.
///
/// Take what authentication has proved. Of what a request merely claims, a client can claim something
/// else each time.
///
/// ```
/// use http::request::Parts;
/// use resilient_http::rate_limit::KeyOf;
///
/// /// Put there by authentication, which ran before.
/// #[derive(Clone)]
/// struct User(u64);
///
/// fn user(request: &Parts) -> Option<String> {
///     request.extensions.get::<User>().map(|user| format!("user:{}", user.0))
/// }
///
/// let (mut request, ()) = http::Request::new(()).into_parts();
/// assert!(user.key_of(&request).is_err());
/// request.extensions.insert(User(7));
/// assert_eq!(user.key_of(&request).ok().as_deref(), Some("user:7"));
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not say whose limit a request counts against",
    label = "neither `ClientIp` nor `Fn(&http::request::Parts) -> String`, or with an `Option` or `Result` of it"
)]
pub trait KeyOf: Send + Sync + 'static {
    /// The key of the limiter, or why there is none.
    fn key_of(&self, request: &Parts) -> Result<String, NoKey>;
}

/// Why a request has no key.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum NoKey {
    /// The request does not say whose it is. Answered with 400, unless the layer is
    /// [told otherwise](super::RateLimitLayerBuilder::without_key).
    Unknown,
    /// The server does not know the address of its peer. Answered with 500, unless the layer is told
    /// otherwise.
    NoPeer,
    /// Answered with this, whatever the layer is told.
    Refused(Problem),
}

impl From<Problem> for NoKey {
    fn from(problem: Problem) -> Self {
        NoKey::Refused(problem)
    }
}

/// What becomes of requests without a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum WithoutKey {
    /// 400 `RATE_LIMIT_KEY_MISSING`: it is the client's fault.
    Refuse,
    /// 500 `RATE_LIMIT_KEY_UNKNOWN`: it is the server's.
    Fail,
    /// They pass, counted nowhere.
    Pass,
}

impl<F, R> KeyOf for F
where
    F: Fn(&Parts) -> R + Send + Sync + 'static,
    R: IntoKey,
{
    fn key_of(&self, request: &Parts) -> Result<String, NoKey> {
        self(request).into_key()
    }
}

/// What a closure of [`KeyOf`] may answer with.
pub trait IntoKey {
    /// The key, or why there is none.
    fn into_key(self) -> Result<String, NoKey>;
}

impl IntoKey for String {
    fn into_key(self) -> Result<String, NoKey> {
        Ok(self)
    }
}

impl IntoKey for Option<String> {
    fn into_key(self) -> Result<String, NoKey> {
        self.ok_or(NoKey::Unknown)
    }
}

impl<E: Into<NoKey>> IntoKey for Result<String, E> {
    fn into_key(self) -> Result<String, NoKey> {
        self.map_err(Into::into)
    }
}
