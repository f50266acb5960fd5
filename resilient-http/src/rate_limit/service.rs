//! The layer around one service.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use bytes::Bytes;
use http::header::{self, HeaderValue};
use http::{Request, Response};
use http_body::Body;
use tower_service::Service;

use super::gate::{Gate, Gated};
use crate::body::BufferedBody;
use crate::problem::Form;

/// A service whose requests are limited; made by [`RateLimitLayer`](super::RateLimitLayer).
///
/// # Cancel safety
///
/// A request that is dropped after the limiter was asked stays counted.
#[derive(Clone, Debug)]
pub struct RateLimitService<S> {
    pub(super) inner: S,
    pub(super) gate: Arc<Gate>,
}

impl<S, B, R> Service<Request<B>> for RateLimitService<S>
where
    S: Service<Request<B>, Response = Response<R>> + Clone + Send + 'static,
    S::Future: Send,
    S::Error: Send,
    B: Send + 'static,
    R: Body<Data = Bytes> + Send + 'static,
{
    type Response = Response<BufferedBody<R>>;
    type Error = S::Error;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, S::Error>> + Send>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        // The clone was not asked whether it is ready; the one that was is used now.
        let clone = self.inner.clone();
        let mut service = std::mem::replace(&mut self.inner, clone);
        let gate = Arc::clone(&self.gate);
        Box::pin(async move {
            let form = Form::of(request.headers());
            let (parts, body) = request.into_parts();
            let asked = gate.ask(&parts);
            let (mut response, decided) = match gate.decide(asked).await {
                Gated::Refused(problem, decided) => {
                    let mut response = problem.into_response(form);
                    // RFC 6585, section 4; and none of them is true for the next request.
                    let no_store = HeaderValue::from_static("no-store");
                    response
                        .headers_mut()
                        .insert(header::CACHE_CONTROL, no_store);
                    (response, decided)
                }
                Gated::Passes(decided) => {
                    let response = service.call(Request::from_parts(parts, body)).await?;
                    let decided = match decided {
                        Some(decided) => gate.settle(decided, response.headers()).await,
                        None => None,
                    };
                    (response.map(BufferedBody::unread), decided)
                }
            };
            if let Some(decided) = decided {
                gate.tell(&decided, response.headers_mut());
            }
            Ok(response)
        })
    }
}
