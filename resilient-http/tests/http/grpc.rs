//! Answers of gRPC: the status comes in a trailer, and so does a refusal.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::task::{Context, Poll};

use bytes::Bytes;
use http::{HeaderMap, Request, Response};
use http_body::Frame;
use http_body_util::BodyExt;
use resilient_core::idempotency::{MemoryStore, Scope};
use resilient_http::idempotency::IdempotencyService;
use resilient_http::{BufferedBody, IdempotencyLayer};
use tonic::body::Body;
use tonic::{Code, Status};
use tower::util::BoxCloneSyncService;
use tower::{Layer, ServiceExt, service_fn};

use crate::app::{ledger, rules};

/// A unary answer as tonic makes it: one message, then the trailers, of unknown length.
struct Unary {
    message: Option<Bytes>,
    status: Option<Status>,
}

impl http_body::Body for Unary {
    type Data = Bytes;
    type Error = Status;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Status>>> {
        if let Some(message) = self.message.take() {
            return Poll::Ready(Some(Ok(Frame::data(message))));
        }
        Poll::Ready(self.status.take().map(|status| {
            let mut trailers = HeaderMap::new();
            status.add_header(&mut trailers)?;
            Ok(Frame::trailers(trailers))
        }))
    }
}

type Inner = BoxCloneSyncService<Request<BufferedBody<Body>>, Response<Body>, Infallible>;

/// Ends the first run with a code in the trailers, all others well.
fn service(first: Code) -> IdempotencyService<Inner> {
    let runs = Arc::new(AtomicU32::new(0));
    let layer = IdempotencyLayer::builder(ledger(MemoryStore::new(9), &rules()), |_: &_| {
        Scope::of("t")
    })
    .collect_unsized()
    .build()
    .unwrap();
    layer.layer(BoxCloneSyncService::new(service_fn(move |_| {
        let run = runs.fetch_add(1, Ordering::SeqCst) + 1;
        let code = if run == 1 { first } else { Code::Ok };
        let body = Unary {
            message: Some(format!("run {run}").into()),
            status: Some(Status::new(code, "")),
        };
        let mut response = Response::new(Body::new(body));
        let kind = "application/grpc".parse().unwrap();
        response.headers_mut().insert("content-type", kind);
        async { Ok(response) }
    })))
}

async fn send(
    service: &IdempotencyService<Inner>,
    key: &str,
    body: &'static str,
) -> (String, Code, bool) {
    let body = Body::new(http_body_util::Full::new(Bytes::from(body)));
    let request = Request::post("/shop.Orders/Pay")
        .header("content-type", "application/grpc")
        .header("idempotency-key", key)
        .body(body)
        .unwrap();
    let (parts, body) = service.clone().oneshot(request).await.unwrap().into_parts();
    assert_eq!(
        (parts.status.as_u16(), &parts.headers["content-type"]),
        (200, &"application/grpc".parse().unwrap())
    );
    let collected = body.collect().await.unwrap();
    let trailers = collected.trailers().cloned().unwrap_or_default();
    let status = Status::from_header_map(&trailers).or(Status::from_header_map(&parts.headers));
    let text = String::from_utf8(collected.to_bytes().to_vec()).unwrap();
    let is_replay = parts.headers.contains_key("idempotent-replayed");
    (text, status.unwrap().code(), is_replay)
}

#[tokio::test(start_paused = true)]
async fn a_status_in_the_trailers_decides() {
    for (first, kept) in [
        (Code::Ok, true),
        (Code::NotFound, true),
        (Code::AlreadyExists, true),
        (Code::FailedPrecondition, true),
        (Code::InvalidArgument, false),
        (Code::Unauthenticated, false),
        (Code::ResourceExhausted, false),
        (Code::Unavailable, false),
        (Code::Internal, false),
        (Code::DeadlineExceeded, false),
    ] {
        let service = service(first);
        let told = send(&service, "k", "{}").await;
        assert_eq!(told, ("run 1".to_owned(), first, false));
        let again = send(&service, "k", "{}").await;
        let expected = if kept {
            ("run 1".to_owned(), first, true)
        } else {
            ("run 2".to_owned(), Code::Ok, false)
        };
        assert_eq!(again, expected, "{first:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_refusal_is_a_status() {
    let service = service(Code::Ok);
    assert_eq!(send(&service, "", "{}").await.1, Code::InvalidArgument);
    assert_eq!(send(&service, "k", "one").await.1, Code::Ok);
    assert_eq!(send(&service, "k", "two").await.1, Code::InvalidArgument);
}
