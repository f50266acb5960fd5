//! An order that is kept from being placed twice by a lease on its key, in a layer in front of this
//! handler. What it does elsewhere is safe to repeat: the order is found under the same number, and
//! the charge has a key.

use std::time::Duration;

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use resilient::idempotency;

use crate::order::{NewOrder, Order};
use crate::orders::Orders;
use crate::payments::Payments;

/// Long enough to send a repeat meanwhile by hand.
const SLOW: Duration = Duration::from_secs(5);

pub(crate) async fn place(
    State((orders, payments)): State<(Orders, Payments)>,
    Json(new): Json<NewOrder>,
) -> Response {
    let Some(run) = idempotency::current() else {
        return StatusCode::INTERNAL_SERVER_ERROR.into_response();
    };
    let order = Order {
        id: run.derived_key("order"),
        reference: new.reference,
        amount: new.amount,
    };
    if order.reference == "slow" {
        tokio::time::sleep(SLOW).await;
    }
    if let Err(error) = payments.charge(&order).await {
        // Not kept: the customer repeats it, and it runs again.
        return (StatusCode::SERVICE_UNAVAILABLE, error.to_string()).into_response();
    }
    match orders.insert(&order).await {
        Ok(()) => (StatusCode::CREATED, Json(order)).into_response(),
        Err(error) => (StatusCode::SERVICE_UNAVAILABLE, error.to_string()).into_response(),
    }
}
