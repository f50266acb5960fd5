//! An order that is committed together with its charge and its key: all of it or nothing. The charge
//! is a row, to be sent to the provider by someone who reads them.

use axum::Json;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use deadpool_postgres::Transaction;
use resilient::http::idempotency::Problem;
use resilient::idempotency::{InvalidKey, Key, Refusal, current};
use resilient::{Rejection, resilient};

use crate::order::{NewOrder, Order};
use crate::orders::Orders;

pub(crate) async fn place(
    State(orders): State<Orders>,
    headers: HeaderMap,
    Json(new): Json<NewOrder>,
) -> Response {
    match placed(&orders, &headers, &new).await {
        Ok(order) => (StatusCode::CREATED, Json(order)).into_response(),
        Err(PlaceError::Rejected(Rejection::Idempotency(refusal))) => told(&refusal),
        Err(PlaceError::Refused(refusal)) => told(&refusal),
        Err(error) => (StatusCode::SERVICE_UNAVAILABLE, error.to_string()).into_response(),
    }
}

async fn placed(orders: &Orders, headers: &HeaderMap, new: &NewOrder) -> Result<Order, PlaceError> {
    let text = |name| headers.get(name).and_then(|value| value.to_str().ok());
    let user = text("X-User").unwrap_or_default();
    let key = Key::parse(text("Idempotency-Key").ok_or(Refusal::MissingKey)?)?;
    let connection = orders.connection().await.ok_or(PlaceError::NoDatabase)?;
    let mut connection = connection?;
    let mut transaction = connection.transaction().await?;
    let order = insert(&mut transaction, user, &key, new).await?;
    transaction.commit().await?;
    Ok(order)
}

#[resilient(idempotent(
    store = "orders",
    key = key.as_str(),
    scope = user,
    fingerprint = new,
    tx = transaction
))]
async fn insert(
    transaction: &mut Transaction<'_>,
    user: &str,
    key: &Key,
    new: &NewOrder,
) -> Result<Order, PlaceError> {
    let run = current().ok_or(PlaceError::NoDatabase)?;
    let order = Order {
        id: run.derived_key(&format!("order {}", run.fence())),
        reference: new.reference.clone(),
        amount: new.amount,
    };
    let amount = i64::from(order.amount);
    let order_row = "insert into orders (id, reference, amount) values ($1, $2, $3)";
    transaction
        .execute(order_row, &[&order.id, &order.reference, &amount])
        .await?;
    let charge_row = "insert into charges (order_id, amount) values ($1, $2)";
    transaction
        .execute(charge_row, &[&order.id, &amount])
        .await?;
    Ok(order)
}

fn told(refusal: &Refusal) -> Response {
    let problem = Problem::from(refusal);
    let body = Json(serde_json::json!({ "code": problem.code(), "detail": problem.detail() }));
    (problem.status(), body).into_response()
}

#[derive(Debug, thiserror::Error)]
enum PlaceError {
    #[error("orders are not kept in a database")]
    NoDatabase,
    #[error(transparent)]
    Pool(#[from] deadpool_postgres::PoolError),
    #[error(transparent)]
    Database(#[from] tokio_postgres::Error),
    #[error(transparent)]
    Refused(#[from] Refusal),
    #[error(transparent)]
    Rejected(#[from] Rejection),
}

impl From<InvalidKey> for PlaceError {
    fn from(invalid: InvalidKey) -> Self {
        PlaceError::Refused(invalid.into())
    }
}
