//! For what a key is: a scope of its caller, narrowed to one method and path.

use http::request::Parts;
use resilient_core::idempotency::Scope;

/// The same key for another method or path is another key.
pub(super) fn within(caller: Scope, request: &Parts) -> Scope {
    caller.and(&request.method).and(path(request))
}

#[cfg(not(feature = "axum-0_8"))]
fn path(request: &Parts) -> &str {
    request.uri.path()
}

/// A nested router sees only what is left of the path; two of them may see the same.
#[cfg(feature = "axum-0_8")]
fn path(request: &Parts) -> &str {
    let original = request.extensions.get::<axum::extract::OriginalUri>();
    original.map_or(&request.uri, |original| &original.0).path()
}
