//! Keys in memory: the ledger by itself, and the layer in front of a handler.

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::routing::post;
use http::{Request, StatusCode};
use resilient::http::IdempotencyLayer;
use resilient::idempotency::{MemoryStore, Scope};
use resilient_benches::table::Table;
use tower::ServiceExt;

use crate::AnyError;
use crate::lane::Lane;
use crate::request::{BODY, FreshKeys, first, handler, ledger, replay};
use crate::section::measure as compare;

const ROUNDS: usize = 300;
/// More than all rounds use.
const RECORDS: usize = 4_000_000;

const HANDLER: &str = "bare handler";
const ROUTE: &str = "bare handler, axum route";

pub(crate) fn measure() -> Result<Table, AnyError> {
    let records = ledger(MemoryStore::new(RECORDS))?;
    let bare = Router::new().route("/orders", post(answer));
    let layer = IdempotencyLayer::new(records.clone(), |_: &_| Some(Scope::of("ada")));
    let layered = bare.clone().layer(layer);
    let lanes = vec![
        (HANDLER, bare_handler()),
        (HANDLER, first("MemoryStore, first", &records)),
        (HANDLER, replay("MemoryStore, replay", &records)?),
        (ROUTE, fresh(ROUTE, bare)),
        (
            ROUTE,
            fresh("layer over MemoryStore, first", layered.clone()),
        ),
        (ROUTE, repeated("layer over MemoryStore, replay", layered)),
    ];
    Ok(compare("in memory", ROUNDS, lanes).1)
}

fn bare_handler() -> Lane {
    Lane::new(HANDLER, async || {
        std::hint::black_box(handler().await);
        Ok(())
    })
}

async fn answer() -> (StatusCode, Vec<u8>) {
    (StatusCode::CREATED, handler().await.body)
}

fn fresh(name: &'static str, app: Router) -> Lane {
    let keys = FreshKeys::default();
    Lane::new(name, async move || send(&app, &keys.next()).await)
}

fn repeated(name: &'static str, app: Router) -> Lane {
    Lane::new(name, async move || send(&app, "the same").await)
}

async fn send(app: &Router, key: &str) -> Result<(), AnyError> {
    let request = Request::post("/orders")
        .header("idempotency-key", key)
        .body(Body::from(BODY))?;
    let response = app.clone().oneshot(request).await?;
    let status = response.status();
    let body = to_bytes(response.into_body(), BODY.len()).await?;
    if status == StatusCode::CREATED && body == BODY {
        return Ok(());
    }
    Err(format!("answered {status}").into())
}
