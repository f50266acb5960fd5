//! Customers who place orders and do not give up.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use reqwest::{Client, StatusCode};
use resilient::breaker::Breaker;
use resilient::budget::Budget;
use resilient::classify::reqwest_0_13_response;
use resilient::retry::Retry;
use resilient::{Class, Classify, Dependency, RegisterError, Rejection, resilient};
use serde::Deserialize;
use tokio::task::{JoinHandle, JoinSet};
use tokio::time::sleep;

use crate::shop::Shop;

const CUSTOMERS: usize = 12;

/// What all of them did.
#[derive(Debug, Default)]
pub(crate) struct Placed {
    /// What the shop acknowledged: the customer's reference and the shop's number.
    pub(crate) acknowledged: Vec<Acknowledged>,
    /// Requests that were sent.
    pub(crate) requests: u64,
    /// Answers that were replayed.
    pub(crate) replays: u64,
    /// Answers that another request was at work.
    pub(crate) conflicts: u64,
    /// Calls that ended without an answer, and were made again with the same key.
    pub(crate) calls_repeated: u64,
    /// What nobody expects: a shop that says the order is another one.
    pub(crate) refused: Vec<String>,
}

#[derive(Debug)]
pub(crate) struct Acknowledged {
    pub(crate) reference: String,
    pub(crate) order: String,
}

pub(crate) fn register() -> Result<(), RegisterError> {
    resilient::register(
        Dependency::named("shop")
            .retry(Retry::max(6).base("100ms").cap("2s"))
            .budget(Budget::ratio(2.0))
            .breaker(Breaker::consecutive(20).within("5s").open_for("500ms"))
            .timeout("3s")
            .deadline("20s"),
    )
}

#[derive(Clone)]
pub(crate) struct Customers {
    shared: Arc<Shared>,
}

struct Shared {
    http: Client,
    orders: String,
    closing: AtomicBool,
    requests: AtomicU64,
    replays: AtomicU64,
    conflicts: AtomicU64,
}

#[derive(Deserialize)]
struct Answer {
    id: String,
}

#[derive(Debug, thiserror::Error, Classify)]
enum PlaceError {
    #[error("the shop does not answer")]
    #[classify(source)]
    Network(#[from] reqwest::Error),
    #[error("the shop answers {0}")]
    #[transient]
    Server(StatusCode),
    #[error("the shop asks for patience")]
    #[throttled(retry_after = retry_after)]
    Busy { retry_after: Option<Duration> },
    #[error("the shop refuses: {0}")]
    #[permanent(kind = "business")]
    Refused(StatusCode),
    #[error(transparent)]
    #[classify(source)]
    Rejected(#[from] Rejection),
}

impl Customers {
    pub(crate) fn of(shop: &Shop) -> Self {
        Customers {
            shared: Arc::new(Shared {
                http: Client::new(),
                orders: shop.url("/orders"),
                closing: AtomicBool::new(false),
                requests: AtomicU64::new(0),
                replays: AtomicU64::new(0),
                conflicts: AtomicU64::new(0),
            }),
        }
    }

    /// Places orders, until [`last_orders`](Customers::last_orders) are called and all are
    /// acknowledged.
    pub(crate) fn start(&self) -> JoinHandle<Placed> {
        tokio::spawn(self.clone().all())
    }

    pub(crate) fn last_orders(&self) {
        self.shared.closing.store(true, Ordering::Relaxed);
    }

    async fn all(self) -> Placed {
        let mut customers: JoinSet<Placed> = (0..CUSTOMERS)
            .map(|number| Arc::clone(&self.shared).customer(number))
            .collect();
        let mut all = Placed::default();
        while let Some(one) = customers.join_next().await {
            match one {
                Ok(one) => {
                    all.acknowledged.extend(one.acknowledged);
                    all.refused.extend(one.refused);
                    all.calls_repeated += one.calls_repeated;
                }
                Err(error) => all.refused.push(error.to_string()),
            }
        }
        let read = |count: &AtomicU64| count.load(Ordering::Relaxed);
        all.requests = read(&self.shared.requests);
        all.replays = read(&self.shared.replays);
        all.conflicts = read(&self.shared.conflicts);
        all
    }
}

impl Shared {
    async fn customer(self: Arc<Self>, number: usize) -> Placed {
        let mut placed = Placed::default();
        for order in 1.. {
            if self.closing.load(Ordering::Relaxed) {
                break;
            }
            let reference = format!("customer-{number}-order-{order}");
            match self.insist(&reference, &mut placed).await {
                Ok(order) => placed.acknowledged.push(Acknowledged { reference, order }),
                Err(error) => placed.refused.push(format!("{reference}: {error}")),
            }
            sleep(Duration::from_millis(20)).await;
        }
        placed
    }

    /// Makes the call again, with the same key, until it has an answer: the way to go on after a
    /// call that ended without one.
    async fn insist(&self, reference: &str, placed: &mut Placed) -> Result<String, PlaceError> {
        loop {
            match self.place(reference).await {
                Ok(answer) => return Ok(answer.id),
                Err(error @ PlaceError::Refused(_)) => return Err(error),
                Err(_) => {
                    placed.calls_repeated += 1;
                    sleep(Duration::from_millis(200)).await;
                }
            }
        }
    }

    #[resilient(dependency = "shop", idempotency_key = reference)]
    async fn place(&self, reference: &str) -> Result<Answer, PlaceError> {
        self.requests.fetch_add(1, Ordering::Relaxed);
        let body = serde_json::json!({ "reference": reference, "amount": 1200 });
        let mut request = self
            .http
            .post(&self.orders)
            .header("X-User", "drill")
            .header("Content-Type", "application/json")
            .body(body.to_string());
        if let Some(key) = resilient::context().idempotency_key() {
            request = request.header("Idempotency-Key", key.to_string());
        }
        let answer = request.send().await?;
        if answer.headers().contains_key("Idempotent-Replayed") {
            self.replays.fetch_add(1, Ordering::Relaxed);
        }
        let status = answer.status();
        match reqwest_0_13_response(&answer) {
            Class::Success => {
                let body = answer.bytes().await?;
                serde_json::from_slice(&body).map_err(|_| PlaceError::Refused(status))
            }
            _ if status == StatusCode::CONFLICT => {
                self.conflicts.fetch_add(1, Ordering::Relaxed);
                let retry_after = Some(Duration::from_millis(300));
                Err(PlaceError::Busy { retry_after })
            }
            Class::Throttled { retry_after } => Err(PlaceError::Busy { retry_after }),
            Class::Permanent => Err(PlaceError::Refused(status)),
            _ => Err(PlaceError::Server(status)),
        }
    }
}
