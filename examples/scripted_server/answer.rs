//! What becomes of one request.

use std::fmt;
use std::future::pending;

use http_body_util::{BodyExt, Full};
use hyper::body::{Bytes, Incoming};
use hyper::header::{HeaderName, RETRY_AFTER};
use hyper::{Method, Request, Response, StatusCode};

use super::{Phase, desk::Desk};

/// Instead of an answer: the connection is to be reset.
#[derive(Debug)]
pub struct HangUp;

impl fmt::Display for HangUp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the script says to hang up")
    }
}

impl std::error::Error for HangUp {}

pub type Answer = Response<Full<Bytes>>;

pub async fn answer(desk: &Desk, request: Request<Incoming>) -> Result<Answer, HangUp> {
    match desk.arrival() {
        Phase::Healthy => work(desk, request).await,
        Phase::Unavailable => Ok(plain(StatusCode::SERVICE_UNAVAILABLE, "try later")),
        Phase::Throttling { retry_after } => {
            let mut answer = plain(StatusCode::TOO_MANY_REQUESTS, "slow down");
            answer.headers_mut().insert(RETRY_AFTER, retry_after.into());
            Ok(answer)
        }
        Phase::Stalling => pending().await,
        Phase::LosingAnswers => {
            work(desk, request).await?;
            Err(HangUp)
        }
        Phase::KeepingSilent => {
            work(desk, request).await?;
            pending().await
        }
        // A request may be under way on an open connection when the server dies.
        Phase::Resetting | Phase::Dead => Err(HangUp),
    }
}

/// `POST /charges/{order}` with the amount as its body charges that order; all else is answered "ok".
async fn work(desk: &Desk, request: Request<Incoming>) -> Result<Answer, HangUp> {
    let (head, body) = request.into_parts();
    let order = match head.uri.path().strip_prefix("/charges/") {
        Some(order) if head.method == Method::POST => order,
        _ => return Ok(plain(StatusCode::OK, "ok")),
    };

    let amount = body.collect().await.map_err(|_| HangUp)?.to_bytes();
    if !is_chargeable(&amount) {
        return Ok(plain(StatusCode::UNPROCESSABLE_ENTITY, "no such amount"));
    }

    let key = head.headers.get("idempotency-key");
    let receipt = desk.charge(order, key.and_then(|key| key.to_str().ok()));
    let mut answer = plain(StatusCode::OK, format!("receipt {}", receipt.number));
    if receipt.repeated {
        answer.headers_mut().insert(REPLAYED, 1.into());
    }
    Ok(answer)
}

/// Marks an answer that was given before, to an earlier request with the same key.
const REPLAYED: HeaderName = HeaderName::from_static("idempotent-replayed");

fn is_chargeable(amount: &[u8]) -> bool {
    std::str::from_utf8(amount)
        .ok()
        .and_then(|amount| amount.parse::<u32>().ok())
        .is_some_and(|amount| amount > 0)
}

fn plain(status: StatusCode, text: impl Into<Bytes>) -> Answer {
    let mut answer = Response::new(Full::new(text.into()));
    *answer.status_mut() = status;
    answer
}
