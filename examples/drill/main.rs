//! The shop in trouble: orders are placed while the shop, Redis, Postgres and the payment provider are
//! killed, frozen and cut off in turn; in the end every acknowledged order must be there once, and
//! be charged once; and no window of the quota for its products may be exceeded: by nothing where
//! nobody is let in while Redis is away, and by no more than the share of each shop that was started
//! where each lets its share in.
//!
//! ```text
//! scripts/drill                  two minutes, one in each mode
//! scripts/drill 30               half a minute
//! ```
//!
//! Needs the programs of `PostgreSQL` and Redis; it starts servers of its own.

mod books;
mod browsers;
mod customers;
mod report;
#[path = "../scripted_server/mod.rs"]
mod scripted_server;
mod shop;
mod trouble;

use std::error::Error;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use resilient_test_servers::{Postgres, Proxy, Redis};

use books::Books;
use browsers::Browsers;
use customers::Customers;
use report::Report;
use scripted_server::{Phase, ScriptedServer};
use shop::{Mode, Shop};
use trouble::{Scene, Troubles};

/// After the last trouble, for what is still under way: the longest lease, and then some.
const CALM: Duration = Duration::from_secs(8);

#[tokio::main]
async fn main() -> Result<ExitCode, Box<dyn Error>> {
    let seconds = match std::env::args().nth(1) {
        Some(text) => text.parse()?,
        None => 120,
    };
    customers::register()?;
    let mut sound = true;
    for mode in [Mode::Lease, Mode::Transaction] {
        let Some(report) = drill(mode, Duration::from_secs(seconds) / 2).await? else {
            return Ok(ExitCode::SUCCESS);
        };
        println!("{report}");
        sound &= report.is_sound();
    }
    Ok(if sound {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// One mode; `None` where a server is not installed.
async fn drill(mode: Mode, length: Duration) -> Result<Option<Report>, Box<dyn Error>> {
    let (Some(postgres), Some(redis)) = (Postgres::start()?, Redis::start_durable()?) else {
        return Ok(None);
    };
    let provider = Arc::new(ScriptedServer::start().await?);
    let to_postgres = Proxy::to(postgres.port()).await?;
    let to_redis = Proxy::to(redis.port()).await?;
    let shop = Shop::start(
        mode,
        to_postgres.port(),
        to_redis.port(),
        &provider.url("/charges"),
    )?;
    let customers = Customers::of(&shop);

    let placing = customers.start();
    let browsers = Browsers::start(&shop);
    let scene = Scene {
        shop,
        postgres,
        redis,
        to_postgres,
        to_redis,
        provider: Arc::clone(&provider),
    };
    let (scene, troubles) = Troubles::play(scene, length).await?;
    provider.enter(Phase::Healthy).await?;
    customers.last_orders();
    tokio::time::sleep(CALM).await;
    let placed = placing.await?;
    let browsed = browsers.end().await?;
    let books = Books::read(&scene.postgres.url(), mode, &provider.ledger()).await?;
    Ok(Some(Report::new(mode, placed, books, browsed, troubles)))
}
