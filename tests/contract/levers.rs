//! L1: retries and hedges can be turned off while the program runs.

use resilient::budget::Budget;
use resilient::hedge::Hedge;
use resilient::retry::Retry;
use resilient::{Dependency, Levers, Registry, resilient, scope};

use crate::script::Step::{F, Hang, SlowS};
use crate::script::{Answer, Failure, Script};

#[resilient(dependency = "dep", budget = "other", hedge, idempotent)]
async fn guarded(script: &Script) -> Answer {
    script.attempt().await
}

type Lever<'a> = &'a dyn Fn(&Registry) -> Levers;

fn registry() -> Registry {
    let registry = Registry::seeded(1);
    for name in ["dep", "other", "third"] {
        let dependency = Dependency::named(name)
            .retry(Retry::max(2).base("0s"))
            .budget(Budget::unlimited())
            .hedge(Hedge::after("10ms"));
        registry.register(dependency).unwrap();
    }
    registry
}

/// How many attempts a failing call makes, and how many copies a slow one has.
async fn attempts_and_copies(registry: &Registry) -> (usize, usize) {
    let failing = Script::new(&[F, F]);
    let failed = scope(registry, guarded(&failing)).await;
    assert_eq!(failed, Err(Failure::Transient));
    let slow = Script::new(&[SlowS(50), Hang]);
    assert_eq!(scope(registry, guarded(&slow)).await, Ok(200));
    (failing.starts().len(), slow.starts().len())
}

#[tokio::test(start_paused = true)]
async fn l1_a_lever_acts_on_every_call_below_it() {
    let of = |name: &'static str| move |registry: &Registry| registry.levers_of(name).unwrap();
    let all = |registry: &Registry| registry.levers();
    let rows: [(&str, Lever<'_>, (usize, usize)); 4] = [
        ("the registry's", &all, (1, 1)),
        ("the dependency's", &of("dep"), (1, 1)),
        ("that of another name of the site", &of("other"), (1, 1)),
        (
            "that of a dependency it does not name",
            &of("third"),
            (2, 2),
        ),
    ];
    for (whose, lever, (attempts, copies)) in rows {
        let registry = registry();
        assert_eq!(attempts_and_copies(&registry).await, (2, 2), "{whose}");
        let lever = lever(&registry);
        lever.set_retries(false);
        assert_eq!(
            attempts_and_copies(&registry).await,
            (attempts, 2),
            "{whose}"
        );
        lever.set_hedges(false);
        assert_eq!(
            attempts_and_copies(&registry).await,
            (attempts, copies),
            "{whose}"
        );
        lever.set_retries(true);
        assert_eq!(attempts_and_copies(&registry).await, (2, copies), "{whose}");
        lever.set_hedges(true);
        assert_eq!(attempts_and_copies(&registry).await, (2, 2), "{whose}");
    }
}

#[tokio::test(start_paused = true)]
async fn l1_closures_too_and_calls_in_progress() {
    let registry = registry();
    let policy = registry.policy("dep").unwrap().idempotent();
    let script = Script::new(&[F, F]);
    let answer = policy
        .call(|| {
            registry.levers().set_retries(false);
            script.attempt()
        })
        .await;
    assert_eq!(answer, Err(Failure::Transient));
    assert_eq!(script.starts().len(), 1);
    assert!(registry.levers_of("unknown").is_err());
}
