//! A shop whose orders are placed once, however often they are sent, and whose products are asked for
//! so often and no oftener.
//!
//! ```text
//! cargo run --example shop --features http,postgres,redis
//! cargo run --example shop --features http,postgres,redis -- \
//!     --postgres postgres://postgres@127.0.0.1/postgres --redis redis://127.0.0.1
//! ```
//!
//! The first command keeps everything in memory, the second one orders and keys in a database, with
//! copies of answers in Redis. Then:
//!
//! ```text
//! order() { curl -i localhost:3000/orders -H 'X-User: ada' -H "Idempotency-Key: $1" \
//!     -H 'Content-Type: application/json' -d "{\"reference\": \"$2\", \"amount\": 1200}"; }
//!
//! order k-1 tea                 201, and a charge
//! order k-1 tea                 201 again, the same bytes, with Idempotent-Replayed: true
//! order k-1 coffee              422: the key was used for another payload
//! order k-2 slow & order k-2 slow      one 201; the other one 409 with Retry-After, come too early
//! curl -i localhost:3000/orders -H 'X-User: ada' -d '{}'         400: there is no key
//! curl -i localhost:3000/products -H 'X-User: ada'     200, and what is left in X-RateLimit-Remaining
//! for _ in {1..25}; do curl -s -o /dev/null -w '%{http_code}\n' localhost:3000/products -H 'X-User: ada'; done
//!                               200 up to 20 times in 5 s, then 429: RATE_LIMIT_EXCEEDED with Retry-After
//! ```
//!
//! | argument | |
//! |---|---|
//! | `--listen` | where it listens; default `127.0.0.1:3000` |
//! | `--postgres`, `--redis` | where records are kept, and copies of them |
//! | `--mode` | `lease` (default) or `transaction`, which needs `--postgres` |
//! | `--payments` | where charges are sent; default a provider inside this process |
//! | `--share` | how many shops share the quota while Redis is away; default: nobody gets in |
//! | `--reserve` | how much of the quota a shop takes at once and hands out by itself; default 1 |
//! | `--lease` | how long a run that was killed holds its key; default `30s` |

mod arguments;
mod by_lease;
mod by_transaction;
mod order;
mod orders;
mod payments;
mod products;
#[path = "../scripted_server/mod.rs"]
mod scripted_server;
#[cfg(test)]
mod tests;

use std::error::Error;
use std::time::Duration;

use axum::Router;
use axum::http::HeaderMap;
use axum::http::request::Parts;
use axum::routing::{get, post};
use resilient::http::IdempotencyLayer;
use resilient::http::idempotency::Drain;
use resilient::idempotency::{Effects, Idempotency, Ledger, MemoryStore, Scope};
use resilient::store::{Copies, PostgresStore, RedisConfig, Tiered};
use tokio::net::TcpListener;

use arguments::{Arguments, Mode};
use orders::Orders;
use payments::Payments;
use scripted_server::ScriptedServer;

/// How long connections may stay, and then runs whose customers have gone, after the shop was told to
/// end.
const DRAIN: Duration = Duration::from_secs(10);

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    tracing_subscriber::fmt().init();
    let arguments = Arguments::read(std::env::args().skip(1))?;
    let orders = Orders::open(arguments.postgres.as_deref()).await?;
    let ledger = ledger(&arguments).await?;
    resilient::register_store("orders", ledger.clone())?;
    payments::register()?;
    resilient::check()?;

    let provider = ScriptedServer::start().await?;
    let own = provider.url("/charges");
    let payments = Payments::at(arguments.payments.as_deref().unwrap_or(&own));
    let (app, drain) = open(&arguments, ledger, orders, payments)?;

    let listener = TcpListener::bind(&arguments.listen).await?;
    println!("the shop listens on http://{}", listener.local_addr()?);
    let serving = axum::serve(listener, app).with_graceful_shutdown(told_to_end());
    tokio::select! {
        served = serving.into_future() => served?,
        // Who never sends the rest of a request is not waited for.
        () = overdue() => {}
    }
    drain.drain(DRAIN).await?;
    Ok(())
}

/// The shop's routes, and what waits for runs whose customers have gone.
fn open(
    arguments: &Arguments,
    ledger: Ledger,
    orders: Orders,
    payments: Payments,
) -> Result<(Router, Drain), Box<dyn Error>> {
    let idempotency = IdempotencyLayer::new(ledger, caller);
    let drain = idempotency.drain().clone();
    let place = match arguments.mode {
        Mode::Lease => post(by_lease::place)
            .with_state((orders, payments))
            .layer(idempotency),
        Mode::Transaction => post(by_transaction::place).with_state(orders),
    };
    let limits = products::limits(arguments)?;
    let products = get(products::list).layer(limits);
    let app = Router::new()
        .route("/orders", place)
        .route("/products", products);
    Ok((app, drain))
}

async fn ledger(arguments: &Arguments) -> Result<Ledger, Box<dyn Error>> {
    // Charges carry a key of their own, and orders are found under the key they were placed with:
    // running twice does no harm.
    let rules = Idempotency::of(Effects::Keyed).lease(arguments.lease.as_str());
    let Some(postgres) = &arguments.postgres else {
        return Ok(Ledger::new(MemoryStore::new(100_000), &rules)?);
    };
    let table = PostgresStore::connect(postgres)?;
    table.migrate().await?;
    match &arguments.redis {
        None => Ok(Ledger::new(table, &rules)?),
        Some(redis) => {
            let copies = Copies::in_redis(RedisConfig::at(redis));
            Ok(Ledger::new(Tiered::over(table, &copies)?, &rules)?)
        }
    }
}

/// A real shop would have asked for a password; who says nothing is nobody.
pub(crate) fn user(headers: &HeaderMap) -> Option<&str> {
    headers.get("X-User")?.to_str().ok()
}

fn caller(request: &Parts) -> Option<Scope> {
    user(&request.headers).map(Scope::of)
}

async fn overdue() {
    told_to_end().await;
    tokio::time::sleep(DRAIN).await;
}

async fn told_to_end() {
    use tokio::signal::unix::{SignalKind, signal};
    match signal(SignalKind::terminate()) {
        Ok(mut terminate) => {
            terminate.recv().await;
        }
        Err(_) => std::future::pending().await,
    }
}
