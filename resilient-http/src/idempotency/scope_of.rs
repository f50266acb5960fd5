//! Whose request it is.

use http::request::Parts;
use resilient_core::idempotency::Scope;

use super::Problem;

/// Says whose request it is, from what authentication has proved about it.
///
/// A closure over the head of the request that answers with a [`Scope`], an `Option` of one (`None`
/// is a caller nobody knows, who is refused), or a `Result` with the [`Problem`] to answer. Method
/// and path of the request are added to the scope by the layer.
///
/// Never read the caller from what the request merely claims: whoever sends another's name and key
/// would be given the other's answer.
///
/// ```
/// use http::request::Parts;
/// use resilient_core::idempotency::Scope;
/// use resilient_http::idempotency::ScopeOf;
///
/// /// Put there by authentication, which ran before.
/// #[derive(Clone)]
/// struct Tenant(u64);
///
/// fn tenant(request: &Parts) -> Option<Scope> {
///     request.extensions.get::<Tenant>().map(|tenant| Scope::of(tenant.0))
/// }
///
/// let (mut parts, ()) = http::Request::new(()).into_parts();
/// assert!(tenant.scope_of(&parts).is_err(), "anonymous");
/// parts.extensions.insert(Tenant(7));
/// assert!(tenant.scope_of(&parts).is_ok());
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not say whose request it is",
    label = "neither `Fn(&http::request::Parts) -> Scope` nor with an `Option` or `Result` of it",
    note = "for callers that are one party, write `|_: &_| Scope::shared_by_all_callers()`"
)]
pub trait ScopeOf: Send + Sync + 'static {
    /// The scope of the caller, or what to answer instead of running.
    fn scope_of(&self, request: &Parts) -> Result<Scope, Problem>;
}

impl<F, R> ScopeOf for F
where
    F: Fn(&Parts) -> R + Send + Sync + 'static,
    R: IntoScope,
{
    fn scope_of(&self, request: &Parts) -> Result<Scope, Problem> {
        self(request).into_scope()
    }
}

/// What a closure of [`ScopeOf`] may answer with.
pub trait IntoScope {
    /// The scope, or what to answer instead of running.
    fn into_scope(self) -> Result<Scope, Problem>;
}

impl IntoScope for Scope {
    fn into_scope(self) -> Result<Scope, Problem> {
        Ok(self)
    }
}

impl IntoScope for Option<Scope> {
    fn into_scope(self) -> Result<Scope, Problem> {
        self.ok_or_else(Problem::anonymous)
    }
}

impl IntoScope for Result<Scope, Problem> {
    fn into_scope(self) -> Result<Scope, Problem> {
        self
    }
}
