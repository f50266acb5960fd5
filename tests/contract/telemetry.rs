//! What is told: events with their documented fields, transitions, and nothing secret.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use resilient::breaker::BreakerState::{Closed, HalfOpen, Open};
use resilient::breaker::{Breaker, BreakerState, Rule, Transition};
use resilient::budget::Budget;
use resilient::bulkhead::{Adaptive, Bulkhead};
use resilient::retry::{Jitter, Retry};
use resilient::throttle::Throttle;
use resilient::{Dependency, Registry, resilient, scope};

use crate::script::Step::{F, Hang, Permanent, S, SlowS, Throttled};
use crate::script::told::{listen, take, take_records};
use crate::script::{Answer, Failure, Script, Step, poll_once, registered};

fn dependency() -> Dependency {
    Dependency::named("dep")
        .retry(Retry::max(2).base("100ms").jitter(Jitter::None))
        .breaker(Breaker::consecutive(2).open_for("10s"))
}

#[tokio::test(start_paused = true)]
async fn events_carry_the_documented_fields_inside_the_span_of_the_call() {
    listen();
    let (_registry, policy) = registered(dependency(), "dep");
    let script = Script::new(&[F, F]);
    let _ = policy.call(|| script.attempt()).await;
    let _ = policy.call(|| script.attempt()).await;
    let lines = take();
    let expected = [
        r#"resilient.call retry.attempt attempt=1 kind="network" delay_ms=100.0"#,
        r#"resilient.call breaker.state dependency="dep" from="closed" to="open" rule="consecutive" failures=2 attempts=2"#,
        r#"resilient.call retry.stopped attempt=2 reason="attempts""#,
        r#"resilient.call call.rejected reason="breaker_open""#,
    ];
    assert_eq!(lines.len(), expected.len(), "{lines:#?}");
    for (line, expected) in lines.iter().zip(expected) {
        assert!(
            line.replace(" message=", " ").starts_with(expected),
            "{line}\n{expected}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn b7_the_key_of_a_breaker_is_told() {
    listen();
    let (_registry, policy) = registered(
        dependency()
            .retry(Retry::never())
            .breaker(Breaker::consecutive(1)),
        "dep",
    );
    let policy = policy.breaker_key("shard\n7");
    let script = Script::new(&[F]);
    let _ = policy.call(|| script.attempt()).await;
    let _ = policy.call(|| script.attempt()).await;
    let lines = take();
    let [opened, refused] = lines.as_slice() else {
        panic!("{lines:#?}");
    };
    assert!(opened.contains(r#" key="shard\n7""#), "{opened}");
    assert!(
        refused.contains(r"breaker `dep` for `shard\n7` is open"),
        "{refused}"
    );
}

#[tokio::test(start_paused = true)]
async fn b6_what_an_operator_says_is_told() {
    listen();
    let (registry, policy) = registered(
        dependency()
            .retry(Retry::never())
            .breaker(Breaker::consecutive(1)),
        "dep",
    );
    let breaker = registry.breaker("dep").unwrap();
    breaker.because("new database").force_open();
    breaker.because("it is there").lift();
    breaker.because("to be sure").observe();
    let script = Script::new(&[F, F]);
    for _ in 0..2 {
        let _ = policy.call(|| script.attempt()).await;
    }
    let lines = take();
    let expected = [
        r#"from="closed" to="forced open" rule="forced" failures=0 attempts=0 reason="new database""#,
        r#"from="forced open" to="half-open" rule="lifted" failures=0 attempts=0 reason="it is there""#,
        r#"from="half-open" to="observing" rule="forced" failures=0 attempts=0 reason="to be sure""#,
        r#"from="observing" to="observing" rule="consecutive" failures=1 attempts=1"#,
    ];
    let told: Vec<_> = lines
        .iter()
        .filter_map(|line| line.split_once("dependency=\"dep\" "))
        .collect();
    assert_eq!(told.len(), expected.len(), "{lines:#?}");
    for ((_, line), expected) in told.into_iter().zip(expected) {
        assert_eq!(line.trim_end(), expected, "{lines:#?}");
    }
}

#[tokio::test(start_paused = true)]
async fn what_follows_the_load_tells_its_moves() {
    listen();
    let adaptive = Adaptive::aimd(1..=9).initial(1).window("1ms");
    let dependency = dependency()
        .breaker(Breaker::disabled())
        .retry(Retry::never())
        .bulkhead(Bulkhead::adaptive(adaptive))
        .throttle(Throttle::accepts(1.0).max_rejection(1.0));
    let (_registry, policy) = registered(dependency, "dep");
    let script = Script::new(&[SlowS(1), SlowS(1), SlowS(1)]);
    for _ in 0..3 {
        let _ = policy.call(|| script.attempt()).await;
    }
    let moved = take();
    let failing = Script::new(&[F; 100]);
    while failing.starts().len() < 3 {
        let _ = policy.call(|| failing.attempt()).await;
    }
    take();
    while !take_records().iter().any(|end| end.contains("shed")) {
        take();
        let _ = policy.call(|| failing.attempt()).await;
    }
    let shed = take();
    let rows = [
        (
            &moved[0],
            r#"resilient.call bulkhead.limit dependency="dep" from=1 to=2"#,
        ),
        (
            &shed[0],
            r#"resilient.call throttle.shed dependency="dep" percent="#,
        ),
        (&shed[1], r#"resilient.call call.rejected reason="shed""#),
    ];
    for (line, expected) in rows {
        let line = line.replace(" message=", " ");
        assert!(line.starts_with(expected), "{line}\n{expected}");
    }
    assert_eq!((moved.len(), shed.len()), (1, 2), "{moved:#?} {shed:#?}");
}

type Limited = fn(Dependency) -> Dependency;

/// Peers answer each of these with an error of their own. Here the caller gets the last failure
/// itself (R1), and the reason is an event.
const STOPS: [(&str, Limited, &[Step]); 8] = [
    ("attempts", |d| d, &[F, F, F]),
    (
        "deadline",
        |d| d.timeout("50ms").deadline("250ms"),
        &[F, F, S],
    ),
    ("budget", |d| d.budget(Budget::tokens(1)), &[F, F, S]),
    (
        "breaker",
        |d| d.breaker(Breaker::consecutive(2)),
        &[F, F, S],
    ),
    (
        "throttle",
        |d| d.throttle(Throttle::accepts(1.0)),
        &[F, F, F],
    ),
    (
        "retry_after",
        |d| d.deadline("16s"),
        &[Throttled(17_000), S],
    ),
    (
        "probe",
        |d| d.breaker(Breaker::consecutive(1).open_for("1s")),
        &[F, S],
    ),
    ("not_idempotent", |d| d, &[F, S]),
];

// case G07
#[tokio::test(start_paused = true)]
async fn g07_the_reason_to_stop_is_told() {
    for (reason, limited, steps) in STOPS {
        let dependency =
            Dependency::named("dep").retry(Retry::max(3).base("100ms").jitter(Jitter::None));
        let (_registry, mut policy) = registered(limited(dependency), "dep");
        if reason == "not_idempotent" {
            policy = policy.not_idempotent();
        }
        if reason == "probe" {
            let opening = Script::new(&[F]);
            let _ = policy.call(|| opening.attempt()).await;
            tokio::time::advance(Duration::from_millis(1_201)).await;
        }
        listen();
        let script = Script::new(steps);
        let outcome = policy.call(|| script.attempt()).await;
        assert!(
            matches!(outcome, Err(Failure::Transient | Failure::Throttled(_))),
            "{reason}: {outcome:?}"
        );
        let stops: Vec<_> = take()
            .into_iter()
            .filter(|line| line.contains("retry.stopped"))
            .collect();
        assert_eq!(stops.len(), 1, "{reason}: {stops:?}");
        assert!(
            stops[0].contains(&format!("reason={reason:?}")),
            "{stops:?}"
        );
    }
}

/// How a call ends, how many attempts it made, and the word for its outcome.
const ENDS: [(&str, Limited, &[Step], u32, &str); 11] = [
    ("a success", |d| d, &[S], 1, "success"),
    ("a retry that helped", |d| d, &[F, S], 2, "success"),
    ("F02 all attempts failed", |d| d, &[F, F, F], 3, "network"),
    ("an answer", |d| d, &[Permanent], 1, "client"),
    (
        "throttled for too long",
        |d| d,
        &[Throttled(90_000)],
        1,
        "throttled",
    ),
    (
        "timeouts",
        |d| d.retry(Retry::max(2).base("0s")).timeout("50ms"),
        &[Hang, Hang],
        2,
        "timeout",
    ),
    (
        "a timeout before too long a wait",
        |d| d.timeout("50ms").deadline("120ms"),
        &[Hang],
        1,
        "timeout",
    ),
    (
        "the deadline",
        |d| d.no_timeout().deadline("50ms"),
        &[Hang],
        1,
        "deadline",
    ),
    (
        "the deadline, after a failure",
        |d| d.no_timeout().deadline("150ms"),
        &[F, Hang],
        2,
        "network",
    ),
    (
        "the breaker, after a failure",
        |d| d.breaker(Breaker::consecutive(1)),
        &[F],
        1,
        "network",
    ),
    (
        "the breaker, at once",
        |d| d.breaker(Breaker::consecutive(1)),
        &[],
        0,
        "breaker_open",
    ),
];

// case F02
#[tokio::test(start_paused = true)]
async fn the_span_of_a_call_is_told_its_end_once() {
    for (id, limited, steps, attempts, outcome) in ENDS {
        let dependency =
            Dependency::named("dep").retry(Retry::max(3).base("100ms").jitter(Jitter::None));
        let (_registry, policy) = registered(limited(dependency), "dep");
        if steps.is_empty() {
            let opening = Script::new(&[F]);
            let _ = policy.call(|| opening.attempt()).await;
        }
        listen();
        let script = Script::new(steps);
        let _ = policy.call(|| script.attempt()).await;
        let told = take_records().concat();
        assert_eq!(
            told,
            format!(" attempts={attempts} outcome={outcome:?}"),
            "{id}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn an_attempt_that_is_not_admitted_is_not_one_of_the_attempts() {
    listen();
    let (_registry, policy) = registered(dependency().bulkhead(Bulkhead::max_concurrent(1)), "dep");
    let (script, holder) = (Script::new(&[F]), Script::new(&[Hang]));
    let mut retried = Box::pin(policy.call(|| script.attempt()));
    assert!(poll_once(retried.as_mut()).is_pending());
    let mut holder = Box::pin(policy.call(|| holder.attempt()));
    assert!(poll_once(holder.as_mut()).is_pending());
    let _ = retried.await;
    let lines = take();
    let stopped = r#"resilient.call retry.stopped attempt=1 reason="bulkhead""#;
    assert!(
        lines
            .last()
            .unwrap()
            .replace(" message=", " ")
            .contains(stopped),
        "{lines:#?}"
    );
    assert_eq!(take_records().concat(), r#" attempts=1 outcome="network""#);
}

// case M12
#[tokio::test(start_paused = true)]
async fn m12_a_drop_is_told_inside_the_span() {
    listen();
    let (_registry, policy) = registered(dependency(), "dep");
    let script = Script::new(&[F, Hang]);
    let call = policy.call(|| script.attempt());
    let _ = tokio::time::timeout(Duration::from_millis(200), call).await;
    let lines = take();
    assert!(
        lines
            .last()
            .unwrap()
            .starts_with("resilient.call call.abandoned attempt=2"),
        "{lines:#?}"
    );
}

// case M11
#[tokio::test(start_paused = true)]
async fn m11_arguments_and_keys_are_never_told() {
    struct Secret(&'static str);
    #[resilient(retry(max = 2, base = "0s"), timeout = "1s", idempotency_key = secret.0)]
    async fn pays(secret: Secret, script: &Script) -> Answer {
        let _ = &secret.0;
        script.attempt().await
    }
    listen();
    let script = Script::new(&[F, F]);
    let _ = pays(Secret("4111-1111"), &script).await;
    let told = take().join("\n");
    assert!(
        told.contains("retry.attempt") && !told.contains("4111"),
        "{told}"
    );
}

#[tokio::test(start_paused = true)]
async fn h1_copies_are_told() {
    #[resilient(dependency = "dep", hedge(after = "10ms", max = 3), idempotent)]
    async fn hedged(script: &Script) -> Answer {
        script.attempt().await
    }
    listen();
    let (registry, _) = registered(dependency().bulkhead(Bulkhead::max_concurrent(2)), "dep");
    let script = Script::new(&[Hang, Step::SlowS(15)]);
    assert!(scope(&registry, hedged(&script)).await.is_ok());
    let expected = [
        "resilient.call hedge.copy attempt=1 copy=2",
        r#"resilient.call hedge.refused attempt=1 reason="bulkhead""#,
        "resilient.call hedge.won attempt=1 copy=2",
    ];
    let lines: Vec<_> = take()
        .into_iter()
        .map(|line| line.replace(" message=", " "))
        .collect();
    assert_eq!(lines, expected);
}

#[tokio::test(start_paused = true)]
async fn n2_nested_retries_are_warned_of_once_per_site() {
    #[resilient(retry(max = 2, base = "0s"), idempotent)]
    async fn outer(script: &Script) -> Answer {
        inner(script).await
    }
    #[resilient(retry(max = 2, base = "0s"), idempotent)]
    async fn inner(script: &Script) -> Answer {
        script.attempt().await
    }
    listen();
    let registry = Registry::seeded(1);
    for _ in 0..3 {
        let script = Script::new(&[F; 4]);
        let _ = scope(&registry, outer(&script)).await;
    }
    let warnings = take()
        .iter()
        .filter(|line| line.contains("retry.nested"))
        .count();
    assert_eq!(warnings, 1);
}

#[tokio::test(start_paused = true)]
async fn transitions_reach_listeners_and_subscribers_in_order() {
    let heard: Arc<Mutex<Vec<(BreakerState, BreakerState)>>> = Arc::default();
    let listener = heard.clone();
    let (registry, policy) = registered(
        Dependency::named("dep").retry(Retry::never()).breaker(
            Breaker::consecutive(1)
                .open_for("1s")
                .close_after(1)
                .on_transition(move |transition: &Transition| {
                    listener
                        .lock()
                        .unwrap()
                        .push((transition.from, transition.to));
                }),
        ),
        "dep",
    );
    let mut transitions = registry.subscribe();
    let script = Script::new(&[F, S]);
    let _ = policy.call(|| script.attempt()).await;
    tokio::time::advance(Duration::from_millis(1_201)).await;
    let _ = policy.call(|| script.attempt()).await;

    let expected = [(Closed, Open), (Open, HalfOpen), (HalfOpen, Closed)];
    assert_eq!(*heard.lock().unwrap(), expected);
    let rules = [Rule::Consecutive, Rule::OpenElapsed, Rule::ProbesSucceeded];
    for ((from, to), rule) in expected.into_iter().zip(rules) {
        let told = transitions.recv().await.unwrap();
        assert_eq!(
            (&*told.dependency, told.from, told.to, told.rule),
            ("dep", from, to, rule)
        );
    }
    assert_eq!(transitions.missed(), 0);
}
