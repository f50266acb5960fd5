//! The layer around one service.

use std::pin::Pin;
use std::task::{Context, Poll};

use http::Request;
use resilient_core::with_deadline;
use tower_service::Service;

use super::header;
use super::layer::Limits;

/// A service whose calls end when its client no longer waits; made by
/// [`DeadlineLayer`](super::DeadlineLayer).
#[derive(Clone, Debug)]
pub struct DeadlineService<S> {
    pub(super) inner: S,
    pub(super) limits: Limits,
}

impl<S, B> Service<Request<B>> for DeadlineService<S>
where
    S: Service<Request<B>> + Clone + Send + 'static,
    S::Future: Send,
    B: Send + 'static,
{
    type Response = S::Response;
    type Error = S::Error;
    type Future = Pin<Box<dyn Future<Output = Result<S::Response, S::Error>> + Send>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        // The clone was not asked whether it is ready; the one that was is used now.
        let clone = self.inner.clone();
        let mut service = std::mem::replace(&mut self.inner, clone);
        let said = header::read(request.headers());
        let time = said.map(|time| time.min(self.limits.max));
        // Called inside, so that what a service does before its future is polled knows it, too.
        let call = async move { service.call(request).await };
        match time.or(self.limits.otherwise) {
            Some(time) => Box::pin(with_deadline(time, call)),
            None => Box::pin(call),
        }
    }
}
