//! C1: faults to order.

use std::time::Duration;

use resilient::breaker::Breaker;
use resilient::budget::Budget;
use resilient::bulkhead::Bulkhead;
use resilient::hedge::Hedge;
use resilient::retry::Retry;
use resilient::testing::{Fault, Faults};
use resilient::{Dependency, Registry, Rejection, resilient, scope};

use crate::script::Step::SlowS;
use crate::script::{Answer, Failure, Script, registered};

#[resilient(dependency = "dep", idempotent)]
async fn plain(script: &Script) -> Answer {
    script.attempt().await
}

#[resilient(dependency = "dep", hedge, idempotent, name = "faults.hedged")]
async fn hedged(script: &Script) -> Answer {
    script.attempt().await
}

fn dependency() -> Dependency {
    Dependency::named("dep")
        .retry(Retry::max(3).base("0s"))
        .hedge(Hedge::after("10ms").max(3))
        .budget(Budget::unlimited())
        .breaker(Breaker::consecutive(3))
        .bulkhead(Bulkhead::max_concurrent(3))
        .timeout("100ms")
        .deadline("1s")
}

fn injected(faults: Faults) -> Registry {
    let (registry, _) = registered(dependency(), "dep");
    registry.inject(faults).unwrap();
    registry
}

fn timed_out() -> Answer {
    Err(Failure::Rejected(Rejection::TimedOut {
        after: Duration::from_millis(100),
    }))
}

// case CH-A3
/// What a fault does to one call: the outcome, how often the body ran, and how long it took.
#[tokio::test(start_paused = true)]
async fn c1_one_call() {
    let error = || Err(Failure::Rejected(Rejection::Injected));
    let rows: [(&str, Fault, Answer, usize, u64); 5] = [
        ("errors", Fault::errors(1.0), error(), 0, 0),
        ("hangs", Fault::hangs(1.0), timed_out(), 0, 300),
        ("slow", Fault::slow(1.0, "40ms"), Ok(200), 1, 40),
        ("too slow", Fault::slow(1.0, "1s"), timed_out(), 0, 300),
        ("none", Fault::errors(0.0), Ok(200), 1, 0),
    ];
    for (what, fault, expected, ran, took) in rows {
        let registry = injected(Faults::seeded(7).at("dep", fault));
        let script = Script::new(&[]);
        let answer = scope(&registry, plain(&script)).await;
        assert_eq!(answer, expected, "{what}");
        assert_eq!(
            (script.starts().len(), script.elapsed()),
            (ran, took),
            "{what}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn c1_an_injected_failure_is_the_dependency_s() {
    let registry = injected(Faults::seeded(7).at("dep", Fault::errors(1.0)));
    let script = Script::new(&[]);
    let _ = scope(&registry, plain(&script)).await;
    let open = scope(&registry, plain(&script)).await;
    assert!(
        matches!(open, Err(Failure::Rejected(Rejection::BreakerOpen { .. }))),
        "three attempts have opened the breaker: {open:?}"
    );
    registry.inject(Faults::none()).unwrap();
    registry.breaker("dep").unwrap().reset();
    assert_eq!(scope(&registry, plain(&script)).await, Ok(200));
}

#[tokio::test(start_paused = true)]
async fn c1_each_copy_draws_for_itself() {
    let rows: [(&str, Fault, Answer, &[u64]); 3] = [
        (
            "all slow",
            Fault::slow(1.0, "35ms"),
            Ok(200),
            // The first is the first to begin, and takes no time itself.
            &[35],
        ),
        ("all hang", Fault::hangs(1.0), timed_out(), &[]),
        (
            "all fail",
            Fault::errors(1.0),
            Err(Failure::Rejected(Rejection::Injected)),
            &[],
        ),
    ];
    for (what, fault, expected, starts) in rows {
        // At the site alone, which has a name of its own.
        let registry = injected(Faults::seeded(7).at("faults.hedged", fault));
        let script = Script::new(&[]);
        assert_eq!(scope(&registry, hedged(&script)).await, expected, "{what}");
        assert_eq!(script.starts(), starts, "{what}");
        let free = Script::new(&[SlowS(1)]);
        registry.breaker("dep").unwrap().reset();
        assert_eq!(scope(&registry, plain(&free)).await, Ok(200), "{what}");
    }
    // Half of the copies hang: mostly another one helps out.
    let registry = injected(Faults::seeded(7).at("faults.hedged", Fault::hangs(0.5)));
    let mut took = Vec::new();
    for _ in 0..20 {
        let script = Script::new(&[]);
        let _ = scope(&registry, hedged(&script)).await;
        took.push(script.elapsed());
    }
    assert!(took.contains(&0) && took.contains(&10), "{took:?}");
}

#[tokio::test(start_paused = true)]
async fn c1_the_seed_decides_and_the_share_holds() {
    async fn failures(seed: u64) -> Vec<bool> {
        let (registry, policy) = registered(
            dependency()
                .retry(Retry::never())
                .breaker(Breaker::disabled()),
            "dep",
        );
        let faults = Faults::seeded(seed).at("dep", Fault::errors(0.25));
        registry.inject(faults).unwrap();
        let mut failed = Vec::new();
        for _ in 0..2000 {
            let call = policy.call(|| async { Ok::<_, Failure>(()) });
            failed.push(call.await.is_err());
        }
        failed
    }
    let first = failures(7).await;
    assert_eq!(first, failures(7).await);
    assert_ne!(first, failures(8).await);
    let share = first.iter().filter(|failed| **failed).count();
    assert!((450..550).contains(&share), "{share} of 2000");
}

// case CH-A2
#[tokio::test(start_paused = true)]
async fn c1_what_was_never_polled_draws_nothing() {
    async fn hit(with_others: bool) -> Vec<bool> {
        let (registry, policy) = registered(
            dependency()
                .breaker(Breaker::disabled())
                .retry(Retry::never()),
            "dep",
        );
        let faults = Faults::seeded(7).at("dep", Fault::errors(0.5));
        registry.inject(faults).unwrap();
        let call = || policy.call(|| async { Ok::<_, Failure>(()) });
        let mut hit = Vec::new();
        for _ in 0..20 {
            if with_others {
                drop(call());
            }
            hit.push(call().await.is_err());
        }
        hit
    }
    let alone = hit(false).await;
    assert!(alone.contains(&true) && alone.contains(&false));
    assert_eq!(alone, hit(true).await);
}

#[tokio::test(start_paused = true)]
async fn c1_x1_dropped_while_it_suffers() {
    for fault in [Fault::hangs(1.0), Fault::slow(1.0, "50ms")] {
        let registry = injected(Faults::seeded(7).at("dep", fault));
        for call in 0..4 {
            let script = Script::new(&[]);
            let soon = Duration::from_millis(20);
            let cut = tokio::time::timeout(soon, scope(&registry, plain(&script))).await;
            assert!(cut.is_err(), "{call}: a permit was not given back");
        }
    }
}

// case CH-A1: a share outside 0 to 1 is refused and not bent
#[test]
fn c1_faults_that_cannot_be() {
    let registry = Registry::new();
    let wrong = [
        Fault::errors(-0.1),
        Fault::errors(1.1),
        Fault::errors(f64::NAN),
        Fault::slow(0.5, "soon"),
        Fault::errors(0.6).and_hangs(0.5),
    ];
    for fault in wrong {
        let text = format!("{fault:?}");
        let faults = Faults::seeded(7).at("dep", fault);
        let error = registry.inject(faults).expect_err(&text);
        assert_eq!(error.problems.len(), 1, "{text}");
        assert_eq!(error.problems[0].0, "dep", "{text}");
    }
    let third = 1.0 / 3.0;
    let all = Fault::errors(third).and_slow(third, "1ms").and_hangs(third);
    assert!(registry.inject(Faults::seeded(7).at("dep", all)).is_ok());
}
