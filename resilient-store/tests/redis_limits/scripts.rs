//! Servers that have forgotten the scripts, or will not run them.

use resilient_core::rate_limit::{Limit, RateLimitError};
use resilient_test_servers::Redis;

use crate::stage::{ENDLESS, api, calls, check, limiter, named, patient, remaining};

/// Case R25: a script that was flushed is loaded again, and each request counts once.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn r25_a_flushed_script_is_loaded_again() {
    let Some(server) = Redis::start().unwrap() else {
        return;
    };
    let api = api(&server, [Limit::fixed("l", 1_000, ENDLESS)]);
    let forget = || server.ask(&["SCRIPT", "FLUSH"]).unwrap();
    let taken = check(&api, 10).await;
    forget();
    let loaded = calls(&server, "script|load");
    assert!(check(&api, 1).await.is_allowed());
    assert!(check(&api, 1).await.is_allowed());
    assert_eq!(calls(&server, "script|load"), loaded + 1);
    forget();
    api.limiter.refund("u", taken).await.unwrap();
    forget();
    let asked: Vec<_> = (0..50)
        .map(|_| {
            let limiter = api.limiter.clone();
            tokio::spawn(async move { limiter.check("u", 1).await.unwrap() })
        })
        .collect();
    for request in asked {
        assert!(request.await.unwrap().is_allowed());
    }
    assert_eq!(remaining(&api).await, 1_000 - 52);
}

/// Case R25: a primary that became a replica is an outage until it is a primary again.
#[tokio::test]
async fn r25_a_server_that_may_not_write_does_not_decide() {
    let Some(server) = Redis::start().unwrap() else {
        return;
    };
    let limits = || named([Limit::fixed("l", 5, ENDLESS)]);
    let api = limiter(&patient(&server), limits());
    assert!(check(&api, 1).await.is_allowed());
    server.ask(&["REPLICAOF", "127.0.0.1", "1"]).unwrap();
    let error = api
        .limiter
        .check("u", 1)
        .await
        .expect_err("it may not write");
    assert!(
        matches!(error, RateLimitError::Unavailable { .. }),
        "{error}"
    );
    assert_eq!(api.counter.counts().errors, 1);
    server.ask(&["REPLICAOF", "NO", "ONE"]).unwrap();
    // Another process: this one leaves the server alone for a second.
    let other = limiter(&patient(&server), limits());
    assert_eq!(remaining(&other).await, 4, "what was refused did not count");
}
