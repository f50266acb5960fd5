//! N2: calls inside calls.

use std::pin::Pin;
use std::time::Duration;

use resilient::breaker::Breaker;
use resilient::budget::Budget;
use resilient::bulkhead::Bulkhead;
use resilient::retry::Retry;
use resilient::throttle::Throttle;
use resilient::{Dependency, Registry, Rejection, propagate, resilient, scope};
use tokio::task::JoinHandle;

use crate::script::Step::{F, Fault, Hang, Ignored, S, Throttled};
use crate::script::{Answer, Failure, Script, Step};

fn registry(dependency: Dependency) -> Registry {
    let registry = Registry::seeded(1);
    registry.register(dependency).unwrap();
    registry
}

#[resilient(dependency = "dep", idempotent)]
async fn outer(script: &Script) -> Answer {
    inner(script).await
}

#[resilient(dependency = "dep", idempotent)]
async fn inner(script: &Script) -> Answer {
    script.attempt().await
}

#[resilient(dependency = "dep", idempotent)]
async fn around_single(script: &Script) -> Answer {
    single(script).await
}

#[resilient(dependency = "dep", retry(nested = "suppress"), idempotent)]
async fn single(script: &Script) -> Answer {
    script.attempt().await
}

fn steady() -> Dependency {
    Dependency::named("dep")
        .retry(Retry::max(3).base("0s"))
        .budget(Budget::unlimited())
}

// case C11
#[tokio::test(start_paused = true)]
async fn n2_c11_a_call_into_a_bulkhead_it_holds_passes_through() {
    let registry = registry(steady().bulkhead(Bulkhead::max_concurrent(1)));
    let script = Script::new(&[]);
    assert_eq!(scope(&registry, outer(&script)).await, Ok(200));
}

#[tokio::test(start_paused = true)]
async fn n2_the_breaker_hears_a_nested_call_once() {
    let registry = registry(
        steady()
            .retry(Retry::never())
            .breaker(Breaker::consecutive(2)),
    );
    let script = Script::new(&[F]);
    let outcome = scope(&registry, outer(&script)).await;
    assert_eq!(outcome, Err(Failure::Transient));
    let breaker = registry.breaker("dep").unwrap();
    assert!(
        breaker.state().admits_all(),
        "one failure, not two: {:?}",
        breaker.state()
    );
}

// case F04
#[tokio::test(start_paused = true)]
async fn n2_b3_a_call_inside_a_probe_is_one_attempt() {
    let registry = registry(steady().breaker(Breaker::consecutive(1).open_for("1s")));
    let script = Script::new(&[Fault]);
    assert!(scope(&registry, outer(&script)).await.is_err());
    tokio::time::sleep(Duration::from_secs(2)).await;
    let script = Script::new(&[F, F]);
    let outcome = scope(&registry, outer(&script)).await;
    assert_eq!(outcome, Err(Failure::Transient));
    assert_eq!(script.starts(), [0]);
}

#[tokio::test(start_paused = true)]
async fn n2_f04_nested_retries_multiply_unless_suppressed() {
    let registry = registry(steady().breaker(Breaker::disabled()));
    let script = Script::new(&[F; 9]);
    let _ = scope(&registry, outer(&script)).await;
    assert_eq!(script.starts().len(), 9);
    // One budget bounds the retries of both together.
    let bounded = self::registry(
        steady()
            .breaker(Breaker::disabled())
            .budget(Budget::tokens(3)),
    );
    let script = Script::new(&[F; 9]);
    let _ = scope(&bounded, outer(&script)).await;
    assert_eq!(script.starts().len(), 1 + 3);
    let script = Script::new(&[F; 9]);
    let _ = scope(&registry, around_single(&script)).await;
    assert_eq!(script.starts().len(), 3);
    let script = Script::new(&[F; 9]);
    let _ = scope(&registry, single(&script)).await;
    assert_eq!(script.starts().len(), 3, "on its own it retries");
}

#[resilient(bulkhead = "dep")]
async fn fenced(script: &Script) -> Answer {
    script.attempt().await
}

#[tokio::test(start_paused = true)]
async fn n2_a_task_that_outlives_its_call_holds_nothing() {
    #[resilient(bulkhead = "dep")]
    async fn leaves_a_task(script: Script) -> Result<JoinHandle<usize>, Failure> {
        let task = propagate(async move {
            assert_eq!(fenced(&script).await, Ok(200), "its call still runs");
            tokio::time::sleep(Duration::from_millis(20)).await;
            let calls = (0..5).map(|_| Box::pin(fenced(&script)));
            for mut call in calls.collect::<Vec<_>>() {
                let _ = tokio::time::timeout(Duration::from_millis(1), &mut call).await;
            }
            script.starts().len()
        });
        let task = tokio::spawn(task);
        tokio::time::sleep(Duration::from_millis(10)).await;
        Ok(task)
    }
    let registry = registry(steady().bulkhead(Bulkhead::max_concurrent(1)));
    let script = Script::new(&[S, Hang, Hang]);
    let task = scope(&registry, leaves_a_task(script.clone())).await;
    let elsewhere = tokio::spawn(scope(&registry, async move { fenced(&script).await }));
    assert_eq!(
        task.unwrap().await.unwrap(),
        2,
        "one passed through, one held the only permit elsewhere"
    );
    elsewhere.abort();
}

/// How many of a hundred the throttle of `dep` sheds: of all requests but one per accepted one.
async fn shed_of_a_hundred(registry: &Registry) -> u8 {
    let policy = registry.policy("dep").unwrap().idempotent();
    for _ in 0..100 {
        // Counts nowhere, unless it is shed.
        let outcome: Answer = policy.call(async || Err(Failure::Ignored)).await;
        if let Err(Failure::Rejected(Rejection::Shed { percent, .. })) = outcome {
            return percent;
        }
    }
    0
}

#[resilient(breaker = "dep", bulkhead = "dep")]
async fn around_parts(script: &Script) -> Answer {
    inner(script).await
}

#[resilient(dependency = "other", idempotent)]
async fn around_another(script: &Script) -> Answer {
    inner(script).await
}

#[resilient(dependency = "dep", idempotent)]
async fn in_a_task(script: &Script) -> Answer {
    let script = script.clone();
    let task = propagate(async move { inner(&script).await });
    tokio::spawn(task).await.unwrap()
}

#[tokio::test(start_paused = true)]
async fn n2_the_throttle_counts_a_nested_call_once() {
    type Nested = for<'a> fn(&'a Script) -> Pin<Box<dyn Future<Output = Answer> + 'a>>;
    let once: [(&str, Nested); 6] = [
        ("alone", |script| Box::pin(inner(script))),
        ("nested", |script| Box::pin(outer(script))),
        ("in a task", |script| Box::pin(in_a_task(script))),
        ("in another throttle", |script| {
            Box::pin(around_another(script))
        }),
        ("in no throttle", |script| Box::pin(around_parts(script))),
        ("three deep", |script| Box::pin(outermost(script))),
    ];
    // Steps of as many calls, and what is shed after them: (requests - accepts) / (requests + 1).
    let rows: [(&[Step], u8); 7] = [
        (&[F], 50),
        (&[Throttled(60_000)], 50),
        (&[Hang], 50),
        (&[S, F], 34),
        (&[S, S, F], 25),
        (&[F, F], 67),
        (&[Ignored], 0),
    ];
    for (how, call) in once {
        for (steps, percent) in rows {
            // Nothing is shed before: the draws of this seed are high.
            let registry = registry(throttled());
            registry
                .register(Dependency::named("other").retry(Retry::never()))
                .unwrap();
            let script = Script::new(steps);
            for _ in steps {
                let _ = scope(&registry, call(&script)).await;
            }
            assert_eq!(script.starts().len(), steps.len(), "{how}, {steps:?}");
            let shed = shed_of_a_hundred(&registry).await;
            assert_eq!(shed, percent, "{how}, {steps:?}");
        }
    }
}

#[resilient(dependency = "dep", idempotent)]
async fn outermost(script: &Script) -> Answer {
    outer(script).await
}

fn throttled() -> Dependency {
    steady()
        .retry(Retry::never())
        .breaker(Breaker::disabled())
        .timeout("1s")
        .throttle(Throttle::accepts(1.0).max_rejection(1.0))
}

#[resilient(dependency = "dep", idempotent)]
async fn logged(log: &Script, script: &Script) -> Answer {
    log.attempt().await?;
    inner(script).await
}

#[tokio::test(start_paused = true)]
async fn n2_a_call_that_the_throttle_let_through_is_not_shed_inside() {
    let registry = registry(throttled());
    let (log, script) = (Script::new(&[]), Script::new(&[F; 40]));
    for _ in 0..40 {
        let _ = scope(&registry, logged(&log, &script)).await;
    }
    let let_through = log.starts().len();
    assert!((2..40).contains(&let_through), "{let_through} of 40");
    assert_eq!(script.starts().len(), let_through);
}

#[tokio::test(start_paused = true)]
async fn n2_an_abandoned_call_inside_another_counts_once_for_the_throttle() {
    for around in [false, true] {
        let registry = registry(throttled());
        let script = Script::new(&[Hang]);
        let call = async {
            if around {
                outer(&script).await
            } else {
                inner(&script).await
            }
        };
        let patience = Duration::from_millis(600);
        let outcome = tokio::time::timeout(patience, scope(&registry, call)).await;
        assert!(
            outcome.is_err(),
            "given up after more than half the timeout"
        );
        assert_eq!(shed_of_a_hundred(&registry).await, 50, "around: {around}");
    }
}

#[tokio::test(start_paused = true)]
async fn n2_a_task_that_outlives_its_call_is_counted_by_the_throttle() {
    #[resilient(dependency = "dep", idempotent, clone(script))]
    async fn leaves_a_task(script: Script) -> Result<JoinHandle<Answer>, Failure> {
        let task = propagate(async move {
            tokio::time::sleep(Duration::from_millis(20)).await;
            inner(&script).await
        });
        Ok(tokio::spawn(task))
    }
    /// The inner call then holds the throttle alone.
    #[resilient(breaker = "dep", bulkhead = "dep")]
    async fn leaves_a_task_inside(script: Script) -> Result<JoinHandle<Answer>, Failure> {
        leaves_a_task(script).await
    }
    for inside in [false, true] {
        let registry = registry(throttled());
        let script = Script::new(&[F]);
        let task = scope(&registry, async {
            if inside {
                leaves_a_task_inside(script).await
            } else {
                leaves_a_task(script).await
            }
        });
        let outcome = task.await.unwrap().await.unwrap();
        assert_eq!(outcome, Err(Failure::Transient));
        // One accepted, one failed.
        let shed = shed_of_a_hundred(&registry).await;
        assert_eq!(shed, 34, "inside: {inside}");
    }
}
