//! Annotated calls over a real HTTP client, classified by the ready-made function.

#[path = "../examples/scripted_server/mod.rs"]
mod scripted_server;

use std::error::Error;
use std::time::Duration;

use reqwest::{Client, Response};
use resilient::breaker::{Breaker, BreakerState};
use resilient::bulkhead::Bulkhead;
use resilient::classify::reqwest_0_13;
use resilient::retry::Retry;
use resilient::{Classify, Dependency, Registry, Rejection, resilient, scope};
use scripted_server::{Phase, ScriptedServer};

#[derive(Debug, thiserror::Error, Classify)]
enum CallError {
    #[error("no answer")]
    #[classify(source)]
    Http(#[from] reqwest::Error),
    #[error(transparent)]
    #[classify(source)]
    Rejected(#[from] Rejection),
}

#[resilient(dependency = "server", idempotent, classify = reqwest_0_13)]
async fn get(client: &Client, url: &str) -> Result<Response, CallError> {
    Ok(client.get(url).send().await?)
}

#[resilient(dependency = "server", idempotent = false, classify = reqwest_0_13)]
async fn post(client: &Client, url: &str) -> Result<Response, CallError> {
    Ok(client.post(url).body("1200").send().await?)
}

fn registry() -> Result<Registry, Box<dyn Error>> {
    let registry = Registry::seeded(1);
    let server = Dependency::named("server")
        .retry(Retry::max(3).base("0s"))
        .timeout(Duration::from_millis(500))
        .deadline("5s");
    registry.register(server)?;
    Ok(registry)
}

/// What the caller of one call gets: the status, or the class and kind of the error.
fn got(outcome: Result<Response, CallError>) -> String {
    match outcome {
        Ok(answer) => answer.status().as_u16().to_string(),
        Err(error) => error.kind().to_owned(),
    }
}

#[tokio::test]
async fn each_failure_is_tried_as_often_as_it_deserves() -> Result<(), Box<dyn Error>> {
    let soon = Phase::Throttling { retry_after: 0 };
    let late = Phase::Throttling { retry_after: 3600 };
    let rows = [
        // phase, (requests, outcome) of a call that may be repeated, and of one that may not
        (Phase::Healthy, (1, "200"), (1, "200")),
        (Phase::Unavailable, (3, "503"), (1, "503")),
        (soon, (3, "429"), (1, "429")),
        (late, (1, "429"), (1, "429")),
        (Phase::Resetting, (3, "network"), (1, "network")),
        (Phase::Stalling, (3, "timeout"), (1, "timeout")),
        // Refused connections do not arrive, so they do not count here.
        (Phase::Dead, (0, "network"), (0, "network")),
    ];
    for (phase, repeatable, unrepeatable) in rows {
        let (client, server) = (Client::new(), ScriptedServer::start().await?);
        server.enter(phase).await?;
        let outcome = got(scope(&registry()?, get(&client, &server.url("/"))).await);
        assert_eq!((server.requests(), &*outcome), repeatable, "{phase:?}");

        let before = server.requests();
        let outcome = got(scope(&registry()?, post(&client, &server.url("/charges/a"))).await);
        let requests = server.requests() - before;
        assert_eq!((requests, &*outcome), unrepeatable, "{phase:?}");
    }
    Ok(())
}

#[tokio::test]
async fn refused_connections_are_tried_again_even_if_nothing_may_be_repeated()
-> Result<(), Box<dyn Error>> {
    let (client, server) = (Client::new(), ScriptedServer::start().await?);
    server.enter(Phase::Dead).await?;
    let registry = Registry::seeded(1);
    let patient = Retry::max(3)
        .base("100ms")
        .jitter(resilient::retry::Jitter::None);
    registry.register(Dependency::named("server").retry(patient))?;

    let url = server.url("/charges/a-1");
    let (outcome, revived) = tokio::join!(scope(&registry, post(&client, &url)), async {
        tokio::time::sleep(Duration::from_millis(50)).await;
        server.enter(Phase::Healthy).await
    });
    revived?;
    assert_eq!(got(outcome), "200");
    assert_eq!(server.ledger().times_charged("a-1"), 1);
    Ok(())
}

#[tokio::test]
async fn an_open_breaker_spares_the_server_and_probes_close_it() -> Result<(), Box<dyn Error>> {
    let (client, server) = (Client::new(), ScriptedServer::start().await?);
    let registry = Registry::seeded(1);
    registry.register(
        Dependency::named("server")
            .retry(Retry::never())
            .breaker(Breaker::consecutive(3).open_for("1h").close_after(2)),
    )?;
    let breaker = registry.breaker("server")?;
    let url = server.url("/");
    scope(&registry, async {
        server.enter(Phase::Unavailable).await?;
        let outcomes = [
            got(get(&client, &url).await),
            got(get(&client, &url).await),
            got(get(&client, &url).await),
            got(get(&client, &url).await),
        ];
        assert_eq!(outcomes, ["503", "503", "503", "breaker_open"]);
        assert_eq!(server.requests(), 3, "the refused call sent nothing");

        server.enter(Phase::Healthy).await?;
        // An operator who knows better need not wait for the open time: half-open from here.
        breaker.force_open();
        breaker.lift();
        assert_eq!(breaker.state(), BreakerState::HalfOpen);
        assert_eq!(got(get(&client, &url).await), "200");
        assert_eq!(got(get(&client, &url).await), "200");
        assert_eq!(breaker.state(), BreakerState::Closed);
        Ok(())
    })
    .await
}

#[tokio::test]
async fn a_full_bulkhead_holds_connections_back() -> Result<(), Box<dyn Error>> {
    let (client, server) = (Client::new(), ScriptedServer::start().await?);
    let registry = Registry::seeded(1);
    let fence = Bulkhead::max_concurrent(1);
    registry.register(Dependency::named("server").bulkhead(fence).timeout("300ms"))?;
    server.enter(Phase::Stalling).await?;
    let url = server.url("/");
    scope(&registry, async {
        let (first, second) = tokio::join!(post(&client, &url), post(&client, &url));
        assert_eq!(
            (got(first), got(second)),
            ("timeout".into(), "bulkhead_full".into())
        );
        assert_eq!(server.requests(), 1);
        Ok(())
    })
    .await
}
