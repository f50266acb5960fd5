//! The same calls twice, through everything a dependency can do to them: once under one attribute,
//! once with the retries that many services write by hand.
//!
//! ```text
//! cargo run --example quickstart
//! ```

#[path = "quickstart/event.rs"]
mod event;
#[path = "quickstart/naive.rs"]
mod naive;
mod scripted_server;
#[path = "quickstart/story.rs"]
mod story;
#[path = "quickstart/summary.rs"]
mod summary;

use std::error::Error;
use std::time::Duration;

use reqwest::Client;
use resilient::breaker::Breaker;
use resilient::classify::{StatusError, reqwest_0_13_checked as checked};
use resilient::retry::Retry;
use resilient::{Classify, Dependency, Rejection, resilient};
use tokio::task::JoinSet;
use tokio::time::sleep;

use scripted_server::{Phase, ScriptedServer};
use story::Story;
use summary::{Call, Ending, Summary};

/// The protected call. Its body is what it would be without the attribute.
#[resilient(dependency = "stock", idempotent)]
async fn in_stock(client: &Client, url: &str) -> Result<String, StockError> {
    let answer = client.get(url).send().await?;
    Ok(checked(answer)?.text().await?)
}

/// What can go wrong, and what each case means to the policies.
#[derive(Debug, thiserror::Error, Classify)]
enum StockError {
    #[error("the stock service does not answer")]
    #[classify(source)]
    NoAnswer(#[from] reqwest::Error),
    #[error("the stock service {0}")]
    #[classify(source)]
    Status(#[from] StatusError),
    #[error(transparent)]
    #[classify(source)]
    Rejected(#[from] Rejection),
}

/// The numbers of the dependency, once at startup, for all functions that call it.
///
/// They are small so that the story fits into seconds. In production start from the defaults: a
/// bare `Dependency::named("stock")`.
fn register() -> Result<(), Box<dyn Error>> {
    resilient::register(
        Dependency::named("stock")
            .retry(Retry::max(ATTEMPTS).base("100ms").cap("2s"))
            .breaker(
                Breaker::failure_rate(0.5)
                    .min_attempts(10)
                    .window("1s")
                    .open_for("250ms"),
            )
            .timeout(TIMEOUT)
            .deadline("3s"),
    )?;
    resilient::check()?;
    Ok(())
}

const ATTEMPTS: u32 = 4;
const TIMEOUT: Duration = Duration::from_millis(300);

/// What the dependency goes through, and how many calls are made meanwhile.
const SCRIPT: [(Phase, u32); 11] = [
    (Phase::Healthy, 30),
    (Phase::Unavailable, 3),
    (Phase::Healthy, 30),
    (Phase::Unavailable, 35),
    (Phase::Healthy, 40),
    (Phase::Throttling { retry_after: 1 }, 15),
    (Phase::Healthy, 40),
    (Phase::Stalling, 30),
    (Phase::Resetting, 20),
    (Phase::Dead, 20),
    (Phase::Healthy, 40),
];
const BETWEEN_CALLS: Duration = Duration::from_millis(40);

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    register()?;
    println!(
        "Calls to one dependency every {BETWEEN_CALLS:?}, {ATTEMPTS} attempts of {TIMEOUT:?} each.\n"
    );
    let story = Story::begin();
    story.listen()?;

    // Two servers play the same script side by side, so that one is the measure of the other.
    let ours = ScriptedServer::start().await?;
    let theirs = ScriptedServer::start().await?;
    let client = Client::new();

    let mut calls = JoinSet::new();
    let mut naive_calls = JoinSet::new();
    for (chapter, &(phase, count)) in SCRIPT.iter().enumerate() {
        ours.enter(phase).await?;
        theirs.enter(phase).await?;
        story.turn_to(phase);
        for _ in 0..count {
            calls.spawn(Call::timed(
                chapter,
                protected_call(client.clone(), ours.url("/")),
            ));
            naive_calls.spawn(Call::timed(
                chapter,
                naive_call(client.clone(), theirs.url("/")),
            ));
            sleep(BETWEEN_CALLS).await;
        }
    }

    let ours = Summary::of(&ours.journal(), &calls.join_all().await);
    let theirs = Summary::of(&theirs.journal(), &naive_calls.join_all().await);
    story.end_phase();
    summary::print(&ours, &theirs);
    Ok(())
}

async fn protected_call(client: Client, url: String) -> Ending {
    match in_stock(&client, &url).await {
        Ok(_) => Ending::Answered,
        Err(StockError::Rejected(Rejection::BreakerOpen { .. })) => Ending::FailedFast,
        Err(_) => Ending::Failed,
    }
}

async fn naive_call(client: Client, url: String) -> Ending {
    match naive::in_stock(&client, &url).await {
        Ok(_) => Ending::Answered,
        Err(_) => Ending::Failed,
    }
}
