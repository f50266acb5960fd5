//! The payment provider, which charges a customer and can be in trouble.

use std::time::Duration;

use reqwest::{Client, StatusCode};
use resilient::breaker::Breaker;
use resilient::classify::reqwest_0_13_response;
use resilient::http::Outgoing;
use resilient::idempotency::InvalidKey;
use resilient::retry::Retry;
use resilient::{Class, Classify, Dependency, RegisterError, Rejection, resilient};

use crate::order::Order;

/// As long as a customer waits, and not longer: what is cut here is repeated by them.
pub(crate) fn register() -> Result<(), RegisterError> {
    resilient::register(
        Dependency::named("payment")
            .retry(Retry::max(3).base("100ms").cap("1s"))
            .breaker(Breaker::consecutive(10).within("5s").open_for("500ms"))
            .timeout("1s")
            .deadline("2500ms"),
    )
}

#[derive(Clone)]
pub(crate) struct Payments {
    http: Client,
    charges: String,
}

#[derive(Debug, thiserror::Error, Classify)]
pub(crate) enum ChargeError {
    #[error("the payment provider does not answer")]
    #[classify(source)]
    Network(#[from] reqwest::Error),
    #[error("the payment provider answers {0}")]
    #[classify(source)]
    Server(StatusCode),
    #[error("the payment provider asks for patience")]
    #[throttled(retry_after = retry_after)]
    Throttled { retry_after: Option<Duration> },
    #[error(transparent)]
    #[ignored]
    Key(#[from] InvalidKey),
    #[error(transparent)]
    #[classify(source)]
    Rejected(#[from] Rejection),
}

impl Payments {
    pub(crate) fn at(charges: &str) -> Self {
        Payments {
            http: Client::new(),
            charges: charges.to_owned(),
        }
    }

    /// The order's number is the key: whoever runs again charges under the same one.
    #[resilient(dependency = "payment", idempotency_key = order.id)]
    pub(crate) async fn charge(&self, order: &Order) -> Result<(), ChargeError> {
        let answer = self
            .http
            .post(format!("{}/{}", self.charges, order.id))
            .headers(Outgoing::current()?.headers())
            .body(order.amount.to_string())
            .send()
            .await?;
        match reqwest_0_13_response(&answer) {
            Class::Success => Ok(()),
            Class::Throttled { retry_after } => Err(ChargeError::Throttled { retry_after }),
            _ => Err(ChargeError::Server(answer.status())),
        }
    }
}
