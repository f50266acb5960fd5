//! Names that mean another registry for a while: tests and tenants.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use pin_project_lite::pin_project;

use super::stack;
use crate::registry::Registry;

pin_project! {
    /// The future of [`scope`].
    #[derive(Debug)]
    #[must_use = "futures do nothing unless polled"]
    pub struct Scoped<F> {
        registry: Registry,
        #[pin]
        future: F,
    }
}

/// Runs `future` with every dependency name meaning an entry of `registry`.
///
/// Annotated functions called inside take their policies from `registry` instead of the
/// process-wide one; a name it lacks is not looked up further out. Tests get fresh breakers and a
/// seed for the jitter this way, tenants get breakers of their own. Spawned tasks leave the scope
/// unless [`propagate`](crate::propagate) carries it over. Dropping the future drops `future`.
///
/// ```
/// # use resilient_core as resilient;
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use resilient::{Dependency, Registry, scope};
///
/// let tests = Registry::seeded(42);
/// tests.register(Dependency::named("payment"))?;
/// scope(&tests, async {
///     // annotated functions called here use `tests`
/// })
/// .await;
/// # Ok(()) }
/// ```
pub fn scope<F: Future>(registry: &Registry, future: F) -> Scoped<F> {
    Scoped {
        registry: registry.clone(),
        future,
    }
}

impl<F: Future> Future for Scoped<F> {
    type Output = F::Output;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<F::Output> {
        let this = self.project();
        let _in_scope = stack::enter_scope(this.registry.clone());
        this.future.poll(cx)
    }
}
