//! F1: what a site does instead of failing.

#![allow(
    clippy::unused_async,
    reason = "a fallback is async, whether it waits or not"
)]

use std::time::Duration;

use resilient::{Dependency, Registry, Rejection, context, resilient, scope, testing};

use crate::script::Step::{F, Fault, Hang, Ignored, Permanent, S, Throttled};
use crate::script::row::hears;
use crate::script::{Answer, Failure, Script, Step, told};

/// 1 and the error's place in the list of what may be asked for it.
async fn stale(failure: Failure, script: &Script) -> Answer {
    assert_eq!(
        script.running(),
        0,
        "the body is gone when the fallback runs"
    );
    assert_ne!(failure, Failure::Permanent);
    Ok(1)
}

async fn fails_too(_failure: Failure) -> Answer {
    Err(Failure::Fault)
}

#[resilient(dependency = "dep", idempotent, fallback = stale(script))]
async fn guarded(script: &Script) -> Answer {
    script.attempt().await
}

#[resilient(timeout = "50ms", fallback = fails_too)]
async fn twice_unlucky(script: &Script) -> Answer {
    script.attempt().await
}

fn registry() -> Registry {
    let registry = Registry::seeded(1);
    let retry = resilient::Retry::max(2).base("0s");
    let dependency = Dependency::named("dep")
        .retry(retry)
        .timeout("1s")
        .deadline("1s");
    registry.register(dependency).unwrap();
    registry
}

// case O06
#[tokio::test(start_paused = true)]
async fn f1_it_runs_for_every_final_error_but_a_permanent_one() {
    let rows: [(&[Step], Answer); 8] = [
        (&[S], Ok(200)),
        (&[F, S], Ok(200)),
        (&[F, F], Ok(1)),
        (&[Hang], Ok(1)),
        (&[Fault], Ok(1)),
        (&[Ignored], Ok(1)),
        (&[Throttled(60_000)], Ok(1)),
        (&[Permanent], Err(Failure::Permanent)),
    ];
    for (steps, expected) in rows {
        let script = Script::new(steps);
        assert_eq!(
            scope(&registry(), guarded(&script)).await,
            expected,
            "{steps:?}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn f1_it_runs_for_rejections_without_running_the_body() {
    let registry = registry();
    registry.breaker("dep").unwrap().force_open();
    let script = Script::new(&[]);
    assert_eq!(scope(&registry, guarded(&script)).await, Ok(1));
    assert_eq!(
        scope(&Registry::new(), guarded(&script)).await,
        Ok(1),
        "an unknown name, too"
    );
    assert!(script.starts().is_empty());
}

// case M07
#[tokio::test(start_paused = true)]
async fn f1_m07_its_success_hides_no_failure_from_the_breaker() {
    let registry = Registry::seeded(1);
    let breaker = resilient::Breaker::consecutive(1);
    registry
        .register(
            Dependency::named("dep")
                .retry(resilient::Retry::never())
                .breaker(breaker),
        )
        .unwrap();
    let script = Script::new(&[F]);
    assert_eq!(scope(&registry, guarded(&script)).await, Ok(1));
    assert!(!registry.breaker("dep").unwrap().state().admits_all());
}

// case FB-04
#[tokio::test(start_paused = true)]
async fn f1_it_runs_outside_the_deadline_and_its_own_failure_is_the_outcome() {
    #[resilient(deadline = "50ms", fallback = patient(log))]
    async fn hopeless(log: &Script) -> Answer {
        std::future::pending().await
    }
    async fn patient(failure: Failure, log: &Script) -> Answer {
        assert!(matches!(
            failure,
            Failure::Rejected(Rejection::DeadlineExceeded { .. })
        ));
        assert_eq!(context().remaining(), None, "the call's limit is over");
        tokio::time::sleep(Duration::from_secs(60)).await;
        log.attempt().await
    }
    let log = Script::new(&[]);
    assert_eq!(hopeless(&log).await, Ok(200));
    assert_eq!(log.starts(), [60_050]);
    assert_eq!(
        twice_unlucky(&Script::new(&[Hang])).await,
        Err(Failure::Fault)
    );
}

#[tokio::test(start_paused = true)]
async fn f1_without_policies_there_is_no_fallback_either() {
    let script = Script::new(&[F]);
    let outcome = scope(&testing::passthrough(), guarded(&script)).await;
    assert_eq!(outcome, Err(Failure::Transient));
}

// case FB-04
#[tokio::test(start_paused = true)]
async fn f1_methods_hand_on_themselves() {
    struct Prices {
        last: u32,
    }
    impl Prices {
        #[resilient(timeout = "50ms", fallback = Self::remembered(self, item))]
        async fn price(&mut self, item: String) -> Answer {
            self.last += 1;
            assert_eq!(item, "tea");
            std::future::pending().await
        }

        async fn remembered(_failure: Failure, prices: &Prices, item: &str) -> Answer {
            assert_eq!(item, "tea");
            Ok(prices.last)
        }
    }
    let mut prices = Prices { last: 6 };
    assert_eq!(prices.price("tea".to_owned()).await, Ok(7));
}

#[tokio::test(start_paused = true)]
async fn f1_it_is_handed_a_clone_of_what_the_body_moves() {
    #[resilient(timeout = "50ms", clone(item), fallback = remembered(item))]
    async fn consumes(mut item: String) -> Result<String, Failure> {
        item.push('!');
        drop(item);
        std::future::pending().await
    }
    async fn remembered(_failure: Failure, item: &str) -> Result<String, Failure> {
        Ok(item.to_owned())
    }
    assert_eq!(consumes("tea".to_owned()).await, Ok("tea".to_owned()));
}

/// In no hurry: as slow as its script, and told what is left of its time.
async fn slow(_failure: Failure, script: &Script) -> Answer {
    assert_eq!(context().remaining(), Some(Duration::from_millis(200)));
    script.attempt().await
}

#[resilient(
    dependency = "dep",
    idempotent,
    fallback(call = slow(fallback), timeout = "200ms")
)]
async fn guarded_in_time(script: &Script, fallback: &Script) -> Answer {
    script.attempt().await
}

#[tokio::test(start_paused = true)]
async fn f1_a_fallback_with_a_time_of_its_own_ends_with_it() {
    let in_time = "call.fell_back failed=false";
    let failed = "call.fell_back failed=true";
    let late = "call.fell_back failed=true timed_out=true";
    let rows: [(Step, Answer, u64, &str); 6] = [
        (S, Ok(200), 0, in_time),
        (Step::SlowS(199), Ok(200), 199, in_time),
        // Whoever is done at the same instant is in time.
        (Step::SlowS(200), Ok(200), 200, in_time),
        (Step::SlowF(199), Err(Failure::Transient), 199, failed),
        (Step::SlowS(201), too_late(), 200, late),
        (Hang, too_late(), 200, late),
    ];
    for (step, expected, took, told) in rows {
        told::listen();
        let registry = registry();
        let (script, fallback) = (Script::new(&[Fault]), Script::new(&[step]));
        let outcome = scope(&registry, guarded_in_time(&script, &fallback)).await;
        assert_eq!(outcome, expected, "{step:?}");
        assert_eq!(fallback.elapsed(), took, "{step:?}");
        assert_eq!(fallback.running(), 0, "it is dropped: {step:?}");
        hears(&["call.fallback kind=server", told], &told::take()).expect("both are told");
    }
}

fn too_late() -> Answer {
    let after = Duration::from_millis(200);
    Err(Failure::Rejected(Rejection::TimedOut { after }))
}

/// The time is the fallback's alone: it is no attempt's, and nobody holds it against the dependency.
#[tokio::test(start_paused = true)]
async fn f1_a_fallback_that_is_late_is_no_failure_of_the_dependency() {
    let registry = registry();
    let permanent = Script::new(&[Permanent]);
    let hangs = Script::new(&[Hang; 9]);
    let outcome = scope(&registry, guarded_in_time(&permanent, &hangs)).await;
    assert_eq!(
        outcome,
        Err(Failure::Permanent),
        "no fallback for an answer"
    );
    assert!(hangs.starts().is_empty());
    registry.breaker("dep").unwrap().force_open();
    for _ in 0..3 {
        let outcome = scope(&registry, guarded_in_time(&permanent, &hangs)).await;
        assert_eq!(outcome, too_late());
    }
    assert_eq!(registry.breaker("dep").unwrap().snapshot().failures, 0);
    // Without the names, too.
    let outcome = scope(&Registry::new(), guarded_in_time(&permanent, &hangs)).await;
    assert_eq!(outcome, too_late());
}

const A_MOMENT: Duration = Duration::from_millis(20);

#[resilient(dependency = "dep", idempotent)]
async fn inside(script: &Script) -> Answer {
    script.attempt().await
}

#[tokio::test(start_paused = true)]
async fn f1_t2_a_call_inside_a_fallback_does_not_outlive_it() {
    async fn asks_another(_failure: Failure, script: &Script) -> Answer {
        inside(script).await
    }
    #[resilient(deadline = "50ms", fallback(call = asks_another(other), timeout = { A_MOMENT }))]
    async fn hopeless(other: &Script) -> Answer {
        std::future::pending().await
    }
    let registry = registry();
    let other = Script::new(&[Hang]);
    let outcome = scope(&registry, hopeless(&other)).await;
    let after = A_MOMENT;
    assert_eq!(
        outcome,
        Err(Failure::Rejected(Rejection::TimedOut { after })),
        "the fallback's time ends it, not what is left for the call inside"
    );
    assert_eq!((other.starts(), other.elapsed()), (vec![50], 70));
    assert_eq!(other.running(), 0);
}

#[tokio::test(start_paused = true)]
async fn f1_its_rejection_is_made_as_the_site_says() {
    #[allow(clippy::needless_pass_by_value, reason = "as `reject` asks for it")]
    fn refused(rejection: Rejection) -> String {
        format!("refused: {}", rejection.kind())
    }
    async fn never(failure: String) -> Result<u32, String> {
        assert_eq!(failure, "refused: deadline");
        std::future::pending().await
    }
    fn broken(_: &Result<u32, String>) -> resilient::Class {
        resilient::Class::Fault
    }
    #[resilient(
        deadline = "50ms",
        reject = refused,
        classify = broken,
        fallback(call = never, timeout = "10ms")
    )]
    async fn hopeless() -> Result<u32, String> {
        std::future::pending().await
    }
    assert_eq!(hopeless().await, Err("refused: timeout".to_owned()));
}

#[test]
fn a_call_with_a_fallback_can_be_spawned() {
    fn sendable<T: Send>(_: &T) {}
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build();
    let _entered = runtime.as_ref().expect("a runtime").enter();
    sendable(&guarded(&Script::new(&[])));
    sendable(&guarded_in_time(&Script::new(&[]), &Script::new(&[])));
}
