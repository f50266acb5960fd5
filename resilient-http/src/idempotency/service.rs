//! The layer around one service.

use std::error::Error;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use bytes::Bytes;
use http::{Request, Response};
use http_body::Body;
use tower_service::Service;
use tracing::Instrument;

use super::Problem;
use super::client::Waiting;
use super::guard::{Examined, Guard, Keyed};
use crate::body::BufferedBody;
use crate::problem::Form;

/// A service in which requests with a key run once; made by
/// [`IdempotencyLayer`](super::IdempotencyLayer).
///
/// # Cancel safety
///
/// A request is dropped with its future until its body was read. From then on it is at work in a task
/// of its own, which goes on.
#[derive(Clone, Debug)]
pub struct IdempotencyService<S> {
    pub(super) inner: S,
    pub(super) guard: Arc<Guard>,
}

impl<S, B, R> Service<Request<B>> for IdempotencyService<S>
where
    S: Service<Request<BufferedBody<B>>, Response = Response<R>> + Clone + Send + 'static,
    S::Future: Send + 'static,
    S::Error: Send + 'static,
    B: Body<Data = Bytes> + Send + 'static,
    B::Error: Into<Box<dyn Error + Send + Sync>> + Send,
    R: Body<Data = Bytes> + Send + 'static,
    R::Error: Send,
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
        let guard = Arc::clone(&self.guard);
        Box::pin(async move {
            let form = Form::of(request.headers());
            match guard.examine(request).await {
                Examined::Unguarded(request) => {
                    let response = service.call(request).await?;
                    Ok(response.map(BufferedBody::unread))
                }
                Examined::Refused(problem) => Ok(problem.into_response(form)),
                Examined::Keyed(keyed) => detached(guard, service, keyed).await,
            }
        })
    }
}

/// Runs a request in a task of its own, so that a client that goes away neither stops it half-way
/// nor leaves its key claimed.
async fn detached<S, B, R>(
    guard: Arc<Guard>,
    service: S,
    keyed: Keyed<B>,
) -> Result<Response<BufferedBody<R>>, S::Error>
where
    S: Service<Request<BufferedBody<B>>, Response = Response<R>> + Send + 'static,
    S::Future: Send + 'static,
    S::Error: Send + 'static,
    B: Body<Data = Bytes> + Send + 'static,
    B::Error: Send,
    R: Body<Data = Bytes> + Send + 'static,
    R::Error: Send,
{
    let form = keyed.form;
    let waiting = Waiting::new();
    let client = waiting.client();
    let at_work = guard.drain.enter();
    let task = async move {
        let answer = guard.serve(service, keyed, client).await;
        drop(at_work);
        answer
    };
    let task = resilient_core::propagate(task.in_current_span());
    let answer = tokio::spawn(task).await;
    drop(waiting);
    // The runtime ends, or the store panicked.
    answer.unwrap_or_else(|_| Ok(Problem::internal().into_response(form)))
}
