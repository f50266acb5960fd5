//! The server under the examples does what its script says, or the examples prove nothing.

#[path = "../examples/scripted_server/mod.rs"]
mod scripted_server;

use std::error::Error;
use std::io;
use std::time::Duration;

use reqwest::{Client, Response, StatusCode};
use scripted_server::{Entry, Phase, ScriptedServer};

type Outcome = Result<(), Box<dyn Error>>;

/// Enough for many requests on loopback.
const WHILE: Duration = Duration::from_millis(300);

async fn get(client: &Client, server: &ScriptedServer) -> reqwest::Result<Response> {
    client.get(server.url("/")).send().await
}

async fn charge(
    client: &Client,
    server: &ScriptedServer,
    order: &str,
    key: Option<&str>,
) -> reqwest::Result<Response> {
    let mut request = client
        .post(server.url(&format!("/charges/{order}")))
        .body("1200");
    if let Some(key) = key {
        request = request.header("idempotency-key", key);
    }
    request.send().await
}

async fn keep_calling(client: &Client, server: &ScriptedServer) -> reqwest::Result<()> {
    loop {
        get(client, server).await?;
    }
}

/// The kind of the I/O error at the bottom of `error`, if there is one.
fn io_kind(error: &(dyn Error + 'static)) -> Option<io::ErrorKind> {
    let mut cause = Some(error);
    while let Some(error) = cause {
        if let Some(io) = error.downcast_ref::<io::Error>() {
            return Some(io.kind());
        }
        cause = error.source();
    }
    None
}

#[tokio::test]
async fn every_phase_with_an_answer_gives_its_status() -> Outcome {
    let rows = [
        (Phase::Healthy, StatusCode::OK, None),
        (Phase::Unavailable, StatusCode::SERVICE_UNAVAILABLE, None),
        (
            Phase::Throttling { retry_after: 2 },
            StatusCode::TOO_MANY_REQUESTS,
            Some("2"),
        ),
    ];
    let (client, server) = (Client::new(), ScriptedServer::start().await?);
    for (phase, status, retry_after) in rows {
        server.enter(phase).await?;
        let answer = get(&client, &server).await?;
        assert_eq!(answer.status(), status, "{phase}");
        let told = answer.headers().get("retry-after").map(|it| it.to_str());
        assert_eq!(told.transpose()?, retry_after, "{phase}");
    }
    Ok(())
}

#[tokio::test]
async fn a_stalling_server_takes_the_request_and_never_answers() -> Outcome {
    let (client, server) = (Client::new(), ScriptedServer::start().await?);
    server.enter(Phase::Stalling).await?;
    let answer = tokio::time::timeout(WHILE, get(&client, &server)).await;
    assert!(answer.is_err(), "{answer:?}");
    assert_eq!(server.requests(), 1);
    Ok(())
}

#[tokio::test]
async fn a_resetting_server_resets_after_the_request() -> Outcome {
    let (client, server) = (Client::new(), ScriptedServer::start().await?);
    server.enter(Phase::Resetting).await?;
    let error = get(&client, &server).await.err().ok_or("answered")?;
    assert_eq!(io_kind(&error), Some(io::ErrorKind::ConnectionReset));
    assert_eq!(server.requests(), 1);
    Ok(())
}

#[tokio::test]
async fn a_dead_server_refuses_connections_and_revives_on_the_same_port() -> Outcome {
    let (client, server) = (Client::new(), ScriptedServer::start().await?);
    get(&client, &server).await?;

    server.enter(Phase::Dead).await?;
    let error = get(&client, &server).await.err().ok_or("answered")?;
    assert!(error.is_connect(), "{error:?}");
    assert_eq!(io_kind(&error), Some(io::ErrorKind::ConnectionRefused));

    server.enter(Phase::Healthy).await?;
    assert_eq!(get(&client, &server).await?.status(), StatusCode::OK);
    Ok(())
}

#[tokio::test]
async fn dying_ends_the_requests_under_way() -> Outcome {
    let (client, server) = (Client::new(), ScriptedServer::start().await?);
    server.enter(Phase::Stalling).await?;
    let stalled = get(&client, &server);
    let dying = async {
        while server.requests() == 0 {
            tokio::task::yield_now().await;
        }
        server.enter(Phase::Dead).await
    };
    let (outcome, died) = tokio::join!(stalled, dying);
    died?;
    assert!(outcome.is_err());
    Ok(())
}

#[tokio::test]
async fn a_script_is_played_in_time_and_counted_by_phase() -> Outcome {
    let (client, server) = (Client::new(), ScriptedServer::start().await?);
    get(&client, &server).await?;

    let script = [(Phase::Unavailable, WHILE), (Phase::Healthy, WHILE)];
    tokio::select! {
        played = server.play(&script) => played?,
        failed = keep_calling(&client, &server) => failed?,
    }

    let journal = server.journal();
    let phases: Vec<Phase> = journal.iter().map(|entry| entry.phase).collect();
    assert_eq!(phases, [Phase::Healthy, Phase::Unavailable, Phase::Healthy]);
    assert!(
        journal.iter().all(|entry| entry.requests > 0),
        "{journal:?}"
    );
    Ok(())
}

#[tokio::test]
async fn entering_a_phase_twice_goes_on_with_its_entry() -> Outcome {
    let (client, server) = (Client::new(), ScriptedServer::start().await?);
    get(&client, &server).await?;
    server.enter(Phase::Healthy).await?;
    get(&client, &server).await?;
    assert_eq!(
        server.journal(),
        [Entry {
            phase: Phase::Healthy,
            requests: 2
        }]
    );
    Ok(())
}

#[tokio::test]
async fn without_a_key_a_lost_answer_leads_to_a_second_charge() -> Outcome {
    let (client, server) = (Client::new(), ScriptedServer::start().await?);
    server.enter(Phase::LosingAnswers).await?;
    assert!(charge(&client, &server, "a-1", None).await.is_err());
    server.enter(Phase::Healthy).await?;
    charge(&client, &server, "a-1", None).await?;

    let ledger = server.ledger();
    assert_eq!(ledger.times_charged("a-1"), 2);
    assert_eq!(ledger.charged_twice(), ["a-1"]);
    Ok(())
}

#[tokio::test]
async fn with_its_key_a_repeat_is_answered_and_not_charged() -> Outcome {
    let (client, server) = (Client::new(), ScriptedServer::start().await?);
    server.enter(Phase::LosingAnswers).await?;
    assert!(charge(&client, &server, "a-1", Some("k")).await.is_err());
    server.enter(Phase::Healthy).await?;
    let answer = charge(&client, &server, "a-1", Some("k")).await?;

    assert!(answer.headers().contains_key("idempotent-replayed"));
    assert_eq!(answer.text().await?, "receipt 1");
    let ledger = server.ledger();
    assert_eq!((ledger.charges(), ledger.repeats()), (1, 1));
    assert_eq!(ledger.charged_twice(), [""; 0]);
    Ok(())
}

#[tokio::test]
async fn a_silent_server_charges_without_saying_so() -> Outcome {
    let (client, server) = (Client::new(), ScriptedServer::start().await?);
    server.enter(Phase::KeepingSilent).await?;
    let charge = charge(&client, &server, "a-1", None);
    let answer = tokio::time::timeout(WHILE, charge).await;
    assert!(answer.is_err(), "{answer:?}");
    assert_eq!(server.ledger().times_charged("a-1"), 1);
    Ok(())
}

#[tokio::test]
async fn a_bad_amount_is_an_answer_and_charges_nobody() -> Outcome {
    let (client, server) = (Client::new(), ScriptedServer::start().await?);
    for amount in ["", "0", "-5", "free"] {
        let request = client.post(server.url("/charges/a-1")).body(amount);
        let status = request.send().await?.status();
        assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY, "{amount:?}");
    }
    assert_eq!(server.ledger().charges(), 0);
    Ok(())
}
