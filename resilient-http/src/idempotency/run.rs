//! A request with a key, from the claim to what its sender is told.

use bytes::Bytes;
use http::header::{HeaderName, HeaderValue};
use http::{Request, Response};
use http_body::Body;
use resilient_core::idempotency::{self, Answer, Begun, Ended, Refusal, Run};
use tower_service::Service;

use super::Problem;
use super::catch_panic::{CatchPanic, Panicked};
use super::client::Client;
use super::guard::{Guard, Keyed};
use super::outcome::{End, Outcome};
use super::stored_response::StoredResponse;
use crate::body::BufferedBody;
use crate::problem::Form;

/// On every answer that is a repetition of an earlier one.
pub const IDEMPOTENT_REPLAYED: HeaderName = HeaderName::from_static("idempotent-replayed");

/// On every answer of a run that nothing protected, because the store was not available.
pub const IDEMPOTENCY_BYPASSED: HeaderName = HeaderName::from_static("idempotency-bypassed");

const TRUE: HeaderValue = HeaderValue::from_static("true");

impl Guard {
    /// Runs a request, or answers it with what is kept.
    pub(super) async fn serve<S, B, R>(
        &self,
        service: S,
        keyed: Keyed<B>,
        client: Client,
    ) -> Result<Response<BufferedBody<R>>, S::Error>
    where
        S: Service<Request<BufferedBody<B>>, Response = Response<R>>,
        B: Body<Data = Bytes>,
        R: Body<Data = Bytes>,
    {
        let mut asked = idempotency::Request::new(keyed.id).fingerprint(keyed.fingerprint);
        if let Some(resolve) = &self.resolve {
            asked = asked.resolve(&**resolve);
        }
        let (request, form) = (keyed.request, keyed.form);
        match self.ledger.begin(asked).await {
            Ok(Begun::Run(run)) if client.has_gone() && !finishes_another(&run) => {
                end(run, End::NotExecuted, None).await;
                Ok(Problem::internal().into_response(form))
            }
            Ok(Begun::Run(run)) => self.run(run, service, request, form).await,
            Ok(Begun::Replay(answer)) => Ok(told(Ok(answer), form)),
            Ok(Begun::Bypassed) => unprotected(service, request, form).await,
            Err(refusal) => Ok(told(Err(refusal), form)),
        }
    }

    async fn run<S, B, R>(
        &self,
        run: Run,
        mut service: S,
        request: Request<BufferedBody<B>>,
        form: Form,
    ) -> Result<Response<BufferedBody<R>>, S::Error>
    where
        S: Service<Request<BufferedBody<B>>, Response = Response<R>>,
        B: Body<Data = Bytes>,
        R: Body<Data = Bytes>,
    {
        // The answer is read while the lease is renewed: its body may take as long as the handler.
        let call = async { Ok(self.outcome(service.call(request).await?).await) };
        let outcome = match run.drive(CatchPanic::new(call)).await {
            Err(_) => return Ok(told(run.instead().await, form)),
            Ok(Err(Panicked)) => Outcome {
                response: Problem::internal().into_response(form),
                end: End::Failed,
                resource: None,
            },
            Ok(Ok(Err(error))) => {
                end(run, End::Failed, None).await;
                return Err(error);
            }
            Ok(Ok(Ok(outcome))) => outcome,
        };
        Ok(match end(run, outcome.end, outcome.resource).await {
            None => outcome.response,
            Some(instead) => told(instead, form),
        })
    }
}

/// Whether the run before it fell silent, so that nobody was told how it ended.
fn finishes_another(run: &Run) -> bool {
    run.execution().attempts() > 1 && !run.execution().retried()
}

/// Ends a run. What is to be answered instead, if the lease went to another one.
async fn end(
    run: Run,
    end: End,
    resource: Option<idempotency::Resource>,
) -> Option<Result<Answer, Refusal>> {
    let id = run.execution().id().clone();
    let ended = match end {
        End::Answered(stored) => run.complete(stored.into_answer(), resource).await,
        End::Done => run.complete_without_body(resource).await,
        End::NotExecuted => run.release().await,
        End::Failed => run.fail().await,
    };
    match ended {
        Ok(Ended::Stored) => None,
        Ok(Ended::Superseded(instead)) => Some(instead),
        Err(error) => {
            // The answer is true all the same, and its sender is waiting for it.
            tracing::error!(target: "resilient", record = %id, %error, "idempotency.end_not_stored");
            None
        }
    }
}

async fn unprotected<S, B, R>(
    mut service: S,
    request: Request<BufferedBody<B>>,
    form: Form,
) -> Result<Response<BufferedBody<R>>, S::Error>
where
    S: Service<Request<BufferedBody<B>>, Response = Response<R>>,
    B: Body,
    R: Body<Data = Bytes>,
{
    let mut response = match CatchPanic::new(async { service.call(request).await }).await {
        Ok(response) => response?.map(BufferedBody::unread),
        Err(Panicked) => Problem::internal().into_response(form),
    };
    response.headers_mut().insert(IDEMPOTENCY_BYPASSED, TRUE);
    Ok(response)
}

/// What a repeat is told: the kept answer, or why there is none.
fn told<B: Body>(kept: Result<Answer, Refusal>, form: Form) -> Response<BufferedBody<B>> {
    match kept.and_then(StoredResponse::from_answer) {
        Ok(stored) => {
            let (mut parts, body, trailers) = stored.into_parts();
            parts.headers.insert(IDEMPOTENT_REPLAYED, TRUE);
            Response::from_parts(parts, BufferedBody::whole(body, trailers))
        }
        Err(refusal) => Problem::from(&refusal).into_response(form),
    }
}
