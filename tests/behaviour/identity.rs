//! Section 13: whose state and whose numbers hold.

use std::io;
use std::time::Duration;

use resilient::breaker::Breaker;
use resilient::bulkhead::Bulkhead;
use resilient::classify::IoKinds;
use resilient::retry::Retry;
use resilient::{Dependency, Registry, Rejection, resilient, scope};

use crate::script::Step::{F, Hang, S, SlowS};
use crate::script::row::{at_once, bare};
use crate::script::{Answer, Failure, Script, poll_once, registered};

/// Half of eight failures open it.
fn of_eight() -> Dependency {
    let breaker = Breaker::failure_rate(0.5).min_attempts(8);
    bare(Dependency::named("dep")).breaker(breaker)
}

fn refused(outcome: &Answer) -> bool {
    matches!(
        outcome,
        Err(Failure::Rejected(Rejection::BreakerOpen { .. }))
    )
}

/// One of several that call the same dependency.
struct Receiver;

#[resilient(dependency = "dep", retry(max = 1))]
impl Receiver {
    #[resilient]
    async fn call(&self, script: &Script) -> Answer {
        script.attempt().await
    }

    #[resilient]
    async fn another(&self, script: &Script) -> Answer {
        script.attempt().await
    }

    #[resilient(dependency = "other")]
    async fn elsewhere(&self, script: &Script) -> Answer {
        script.attempt().await
    }
}

// case CF-01
// case CF-02: state belongs to the name that is written: functions share it by naming it, and only so
// case CF-04: as CF-02
#[tokio::test(start_paused = true)]
async fn state_belongs_to_the_name() {
    let (registry, _) = registered(of_eight(), "dep");
    registry.register(Dependency::named("other")).unwrap();
    scope(&registry, async {
        let script = Script::new(&[F; 8]);
        for receiver in [Receiver, Receiver, Receiver, Receiver] {
            assert!(!refused(&receiver.call(&script).await));
            assert!(!refused(&receiver.another(&script).await));
        }
        assert_eq!(script.starts().len(), 8);
        assert!(refused(&Receiver.call(&script).await));
        assert!(refused(&Receiver.another(&script).await));
        assert_eq!(Receiver.elsewhere(&script).await, Ok(200));
    })
    .await;

    let fenced = bare(Dependency::named("dep")).bulkhead(Bulkhead::max_concurrent(8));
    let (registry, _) = registered(fenced, "dep");
    registry.register(Dependency::named("other")).unwrap();
    scope(&registry, async {
        let script = Script::new(&[Hang; 9]);
        let receivers = [Receiver, Receiver];
        let mut running: Vec<_> = (0..8)
            .map(|call| Box::pin(receivers[call % 2].call(&script)))
            .collect();
        for call in &mut running {
            assert!(poll_once(call.as_mut()).is_pending());
        }
        let full = Receiver.another(&script).await;
        assert!(
            matches!(full, Err(Failure::Rejected(Rejection::BulkheadFull { .. }))),
            "{full:?}"
        );
        let mut elsewhere = Box::pin(Receiver.elsewhere(&script));
        assert!(poll_once(elsewhere.as_mut()).is_pending());
    })
    .await;
}

trait Fetch {
    fn fetch(&self, script: &Script) -> impl Future<Output = Answer>;
}

/// Annotated.
struct Guarded;

impl Fetch for Guarded {
    #[resilient(dependency = "dep", retry(max = 1))]
    async fn fetch(&self, script: &Script) -> Answer {
        script.attempt().await
    }
}

/// Not annotated.
struct Plain;

impl Fetch for Plain {
    async fn fetch(&self, script: &Script) -> Answer {
        script.attempt().await
    }
}

// case CF-05
#[tokio::test(start_paused = true)]
async fn an_implementation_without_the_attribute_has_no_policies() {
    let (registry, _) = registered(of_eight(), "dep");
    scope(&registry, async {
        let script = Script::new(&[F; 200]);
        for _ in 0..100 {
            assert!(!refused(&Plain.fetch(&script).await));
        }
        for _ in 0..8 {
            assert!(!refused(&Guarded.fetch(&script).await));
        }
        assert!(refused(&Guarded.fetch(&script).await));
    })
    .await;
}

struct Leveled;

#[resilient(dependency = "dep", retry(max = 5), idempotent)]
impl Leveled {
    #[resilient(retry(max = 6))]
    async fn with_its_own(script: &Script) -> Answer {
        script.attempt().await
    }
}

// case CF-06: numbers have one order, function before block before dependency; attempts are counted, not retries
// case CF-07: as CF-06
#[tokio::test(start_paused = true)]
async fn the_function_goes_before_the_block_before_the_dependency() {
    for registered_max in [7, 2] {
        let dependency = bare(Dependency::named("dep")).retry(at_once(registered_max));
        let (registry, _) = registered(dependency, "dep");
        let script = Script::new(&[F; 9]);
        let _ = scope(&registry, Leveled::with_its_own(&script)).await;
        assert_eq!(script.starts().len(), 6);
    }
}

// case CF-09
#[tokio::test(start_paused = true)]
async fn registered_numbers_can_be_changed_from_outside() {
    let open_for = |time| {
        let breaker = Breaker::failure_rate(0.75).min_attempts(4);
        bare(Dependency::named("dep")).breaker(breaker.open_for(time).close_after(1))
    };
    for (changed, attempts) in [(true, 9), (false, 4)] {
        let (registry, policy) = registered(open_for("1s"), "dep");
        if changed {
            registry.update(open_for("200ms")).unwrap();
        }
        let script = Script::new(&[F, F, F, F, S, F, F, F, F]);
        for _ in 0..5 {
            let _ = policy.call(|| script.attempt()).await;
        }
        tokio::time::sleep(Duration::from_millis(500)).await;
        for _ in 0..6 {
            let _ = policy.call(|| script.attempt()).await;
        }
        assert_eq!(script.starts().len(), attempts, "changed: {changed}");
    }
}

#[resilient(dependency = "dep", retry(max = 1))]
async fn reads() -> io::Result<()> {
    Err(io::ErrorKind::ConnectionReset.into())
}

// case CF-10
#[tokio::test(start_paused = true)]
async fn what_errors_mean_can_be_registered() {
    let brittle = || bare(Dependency::named("dep")).breaker(Breaker::consecutive(2));
    let answers = IoKinds::new().permanent([io::ErrorKind::ConnectionReset]);
    for (dependency, opens) in [(brittle(), true), (brittle().io_kinds(answers), false)] {
        let (registry, _) = registered(dependency, "dep");
        scope(&registry, async {
            let _ = (reads().await, reads().await);
            let third = reads().await.unwrap_err();
            let refused = third.get_ref().is_some_and(|inner| {
                matches!(inner.downcast_ref(), Some(Rejection::BreakerOpen { .. }))
            });
            assert_eq!(refused, opens, "{third}");
        })
        .await;
    }
}

#[resilient(dependency = "dep", retry(max = 2), idempotent)]
async fn retries_anyway(script: &Script) -> Answer {
    script.attempt().await
}

#[resilient(dependency = "dep")]
async fn as_registered(script: &Script) -> Answer {
    script.attempt().await
}

// case CF-11: there is no switch for all policies: each is turned off where it is registered, and on where it is written
#[tokio::test(start_paused = true)]
async fn retries_off_for_a_dependency_and_on_for_one_function() {
    let (registry, _) = registered(bare(Dependency::named("dep")).retry(Retry::never()), "dep");
    scope(&registry, async {
        let script = Script::new(&[F; 9]);
        let _ = retries_anyway(&script).await;
        assert_eq!(script.starts().len(), 2);
        let script = Script::new(&[F; 9]);
        let _ = as_registered(&script).await;
        assert_eq!(script.starts().len(), 1);
    })
    .await;
}

#[resilient(dependency = "dep", timeout = "50ms")]
async fn cut(script: &Script) -> Answer {
    script.attempt().await
}

#[resilient(dependency = "dep", breaker = "on", bulkhead = "on")]
async fn guarded_by_another(script: &Script) -> Answer {
    script.attempt().await
}

// case CF-12: as CF-11
#[tokio::test(start_paused = true)]
async fn each_policy_off_for_a_dependency_and_on_for_one_function() {
    let (registry, _) = registered(bare(Dependency::named("dep")), "dep");
    let on = Dependency::named("on")
        .breaker(Breaker::consecutive(1))
        .bulkhead(Bulkhead::max_concurrent(2));
    registry.register(on).unwrap();
    scope(&registry, async {
        let script = Script::new(&[SlowS(100), SlowS(100)]);
        assert_eq!(as_registered(&script).await, Ok(200));
        assert!(matches!(
            cut(&script).await,
            Err(Failure::Rejected(Rejection::TimedOut { .. }))
        ));

        let script = Script::new(&[Hang, Hang, F]);
        let mut running = [(); 2].map(|()| Box::pin(guarded_by_another(&script)));
        for call in &mut running {
            assert!(poll_once(call.as_mut()).is_pending());
        }
        assert!(matches!(
            guarded_by_another(&script).await,
            Err(Failure::Rejected(Rejection::BulkheadFull { .. }))
        ));
        drop(running);
        assert_eq!(guarded_by_another(&script).await, Err(Failure::Transient));
        assert!(refused(&guarded_by_another(&script).await));
        assert_eq!(as_registered(&script).await, Ok(200));
    })
    .await;
}

#[resilient(dependency = "nowhere")]
async fn to_nowhere(script: &Script) -> Answer {
    script.attempt().await
}

// case CF-15: an unknown name is refused in every call: default numbers under a misspelt name protect nobody
#[tokio::test(start_paused = true)]
async fn an_unknown_name_is_refused() {
    let registry = Registry::new();
    registry.register(Dependency::named("no-where")).unwrap();
    assert!(registry.policy("nowhere").is_err());
    let script = Script::new(&[]);
    let outcome = scope(&registry, to_nowhere(&script)).await;
    let Err(Failure::Rejected(Rejection::NotRegistered(missing))) = outcome else {
        panic!("{outcome:?}");
    };
    assert_eq!(missing.near, ["no-where"]);
    assert!(script.starts().is_empty());
}

// case CF-17
#[test]
fn policies_act_without_anyone_who_listens() {
    let _silent = tracing::subscriber::set_default(tracing::subscriber::NoSubscriber::new());
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build()
        .unwrap();
    runtime.block_on(async {
        let dependency = bare(Dependency::named("dep"))
            .retry(at_once(3))
            .timeout("50ms")
            .breaker(Breaker::consecutive(2))
            .bulkhead(Bulkhead::max_concurrent(1));
        let policy = registered(dependency, "dep").1;
        let script = Script::new(&[Hang, F, S]);
        let outcome = policy.call(|| script.attempt()).await;
        assert_eq!(outcome, Err(Failure::Transient));
        assert_eq!(script.starts(), [0, 50]);
        assert!(refused(&policy.call(|| script.attempt()).await));
    });
}
