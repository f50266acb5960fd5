//! An order that is committed together with its charge and its key: all of it or nothing. The charge
//! is a row, to be sent to the provider by someone who reads them.

use axum::Json;
use axum::extract::State;
use axum::http::header::RETRY_AFTER;
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use deadpool_postgres::Transaction;
use resilient::http::idempotency::{IDEMPOTENCY_KEY, Problem};
use resilient::idempotency::{InvalidKey, Key, Refusal, current};
use resilient::{Rejection, resilient};
use tokio::time::timeout;

use crate::order::{NewOrder, Order};
use crate::orders::{Orders, PATIENCE};

pub(crate) async fn place(
    State(orders): State<Orders>,
    headers: HeaderMap,
    Json(new): Json<NewOrder>,
) -> Response {
    // A transaction that is given up is rolled back, or was committed: the customer's repeat will tell.
    let placing = timeout(PATIENCE, placed(&orders, &headers, &new));
    match placing.await.unwrap_or(Err(PlaceError::TooLate)) {
        Ok(order) => (StatusCode::CREATED, Json(order)).into_response(),
        Err(PlaceError::Rejected(Rejection::Idempotency(refusal))) => told(&refusal),
        Err(PlaceError::Refused(refusal)) => told(&refusal),
        Err(error @ PlaceError::Nobody) => {
            (StatusCode::UNAUTHORIZED, error.to_string()).into_response()
        }
        Err(error) => (StatusCode::SERVICE_UNAVAILABLE, error.to_string()).into_response(),
    }
}

async fn placed(orders: &Orders, headers: &HeaderMap, new: &NewOrder) -> Result<Order, PlaceError> {
    let user = crate::user(headers).ok_or(PlaceError::Nobody)?;
    let key = key(headers)?;
    let connection = orders.connection().await.ok_or(PlaceError::NoDatabase)?;
    let mut connection = connection?;
    let mut transaction = connection.transaction().await?;
    let order = insert(&mut transaction, user, &key, new).await?;
    transaction.commit().await?;
    Ok(order)
}

/// The one key that was sent, as the layer reads it in the other mode.
fn key(headers: &HeaderMap) -> Result<Key, Refusal> {
    let sent: Vec<&HeaderValue> = headers.get_all(IDEMPOTENCY_KEY).iter().collect();
    match sent[..] {
        [] => Err(Refusal::MissingKey),
        [one] => {
            let text = one.to_str().map_err(|_| InvalidKey::NotText)?;
            Ok(Key::parse(text)?)
        }
        _ => Err(InvalidKey::Several { count: sent.len() }.into()),
    }
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
    let mut response = (problem.status(), body).into_response();
    if let Some(seconds) = refusal.retry_after() {
        response
            .headers_mut()
            .insert(RETRY_AFTER, HeaderValue::from(seconds));
    }
    response
}

#[derive(Debug, thiserror::Error)]
enum PlaceError {
    #[error("an order belongs to a customer: say who you are")]
    Nobody,
    #[error("the database does not answer")]
    TooLate,
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
