//! Section 3: how long an attempt and a call may take.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use resilient::breaker::{Breaker, BreakerState};
use resilient::bulkhead::Bulkhead;
use resilient::{Classify, Dependency, Rejection, resilient, scope};

use crate::script::Step::{BlockS, F, Hang, S, SlowF, SlowS};
use crate::script::row::End::{BreakerOpen, BulkheadFull, Deadline, Done, Failed, Left, TimedOut};
use crate::script::row::{ROW, Row, at_once, bare, run, steady};
use crate::script::{Answer, Failure, Script, registered};

/// Half of two attempts open it.
fn brittle() -> Breaker {
    Breaker::failure_rate(0.5).min_attempts(2)
}

const ROWS: &[Row] = &[
    Row {
        id: "TO-01 too slow",
        dependency: |d| bare(d).timeout("1s"),
        steps: &[SlowS(20_000)],
        starts: &[0],
        ends: &[(TimedOut, 1_000)],
        ..ROW
    },
    Row {
        id: "TO-01 an error of its own",
        dependency: |d| bare(d).timeout("1s"),
        steps: &[SlowF(10)],
        starts: &[0],
        ends: &[(Failed(F), 10)],
        ..ROW
    },
    Row {
        id: "TO-01 by default",
        why: "five seconds by default: one is too short for many dependencies that are well",
        dependency: |d| d.retry(at_once(1)),
        steps: &[SlowS(20_000)],
        starts: &[0],
        ends: &[(TimedOut, 5_000)],
        ..ROW
    },
    Row {
        id: "TO-02 too slow",
        dependency: |d| bare(d).timeout("2s"),
        steps: &[SlowS(2_500)],
        starts: &[0],
        ends: &[(TimedOut, 2_000)],
        ..ROW
    },
    Row {
        id: "TO-02 in time",
        dependency: |d| bare(d).timeout("2s"),
        steps: &[SlowS(1_500)],
        starts: &[0],
        ends: &[(Done, 1_500)],
        ..ROW
    },
    Row {
        id: "TO-05",
        dependency: |d| bare(d).retry(at_once(2)).timeout("500ms"),
        steps: &[SlowS(1_000), SlowS(1_000), S],
        starts: &[0, 500],
        ends: &[(TimedOut, 1_000)],
        ..ROW
    },
    Row {
        id: "TO-06",
        dependency: |d| bare(d).retry(at_once(2)).timeout("500ms"),
        steps: &[F, F, S],
        starts: &[0, 0],
        ends: &[(Failed(F), 0)],
        ..ROW
    },
    Row {
        id: "TO-09",
        why: "the body is polled before the timer: what has come by then is not thrown away",
        dependency: |d| bare(d).timeout("500ms"),
        steps: &[BlockS(1_000)],
        starts: &[0],
        ends: &[(Done, 1_000)],
        ..ROW
    },
    Row {
        id: "TO-11",
        why: "a future is dropped when it is cut, so its permit is free at once",
        dependency: |d| {
            bare(d)
                .bulkhead(Bulkhead::max_concurrent(1).max_queue(1))
                .timeout("500ms")
        },
        steps: &[Hang; 3],
        calls: &[0, 510, 600, 700],
        starts: &[0, 510, 1_010],
        callers: &[0, 1, 2],
        ends: &[
            (TimedOut, 500),
            (TimedOut, 1_010),
            (TimedOut, 1_510),
            (BulkheadFull, 700),
        ],
        ..ROW
    },
    Row {
        id: "TO-12 the timeout",
        why: "the timeout is the attempt's, which begins with its permit",
        dependency: |d| {
            bare(d)
                .bulkhead(Bulkhead::max_concurrent(1).max_queue(1))
                .timeout("500ms")
        },
        steps: &[SlowS(400), Hang],
        calls: &[0, 100],
        starts: &[0, 400],
        ends: &[(Done, 400), (TimedOut, 900)],
        ..ROW
    },
    Row {
        id: "TO-12 the deadline",
        dependency: |d| {
            bare(d)
                .bulkhead(Bulkhead::max_concurrent(1).max_queue(1))
                .deadline("500ms")
        },
        steps: &[SlowS(400), Hang],
        calls: &[0, 100],
        starts: &[0, 400],
        ends: &[(Done, 400), (Deadline, 600)],
        ..ROW
    },
    Row {
        id: "TO-15 left out",
        dependency: bare,
        steps: &[SlowS(86_400_000)],
        starts: &[0],
        ends: &[(Done, 86_400_000)],
        ..ROW
    },
    Row {
        id: "TO-15 the longest time there is",
        dependency: |d| bare(d).timeout(Duration::MAX).deadline(Duration::MAX),
        steps: &[SlowS(86_400_000)],
        starts: &[0],
        ends: &[(Done, 86_400_000)],
        ..ROW
    },
    Row {
        id: "TO-16",
        dependency: |d| bare(d).timeout("10s"),
        steps: &[Hang, S],
        calls: &[0, 20_000],
        leaves: &[(0, 5_000)],
        starts: &[0, 20_000],
        ends: &[(Left, 5_000), (Done, 20_000)],
        told: &[
            "call.abandoned attempt=1 verdict=Neutral",
            "no call.rejected",
        ],
        ..ROW
    },
    Row {
        id: "TO-17",
        dependency: |d| bare(d).retry(at_once(3)).timeout("50ms"),
        steps: &[SlowS(100), SlowS(100), S],
        starts: &[0, 50, 100],
        ends: &[(Done, 100)],
        told: &[
            "retry.attempt attempt=1 kind=timeout",
            "retry.attempt attempt=2 kind=timeout",
        ],
        ..ROW
    },
    Row {
        id: "TO-19",
        why: "the last outcome comes back itself, the deadline is an event (R1)",
        dependency: |d| bare(d).retry(at_once(9)).deadline("150ms"),
        steps: &[SlowF(60); 9],
        starts: &[0, 60, 120],
        ends: &[(Failed(F), 150)],
        told: &["retry.stopped attempt=3 reason=deadline"],
        ..ROW
    },
    Row {
        id: "TO-20",
        why: "a sleep past the deadline is not begun (R4)",
        dependency: |d| bare(d).retry(steady(9, 1_000)).deadline("100ms"),
        steps: &[F, S],
        starts: &[0],
        ends: &[(Failed(F), 0)],
        told: &["retry.stopped attempt=1 reason=deadline"],
        ..ROW
    },
    Row {
        id: "TO-24",
        dependency: |d| bare(d).timeout("50ms").breaker(brittle()),
        steps: &[SlowS(100), SlowS(100), S],
        calls: &[0, 100, 200],
        starts: &[0, 100],
        ends: &[(TimedOut, 50), (TimedOut, 150), (BreakerOpen, 200)],
        breaker: Some(BreakerState::Open),
        ..ROW
    },
    Row {
        id: "TO-25",
        why: "a dependency that does not answer in time is failing, whatever else counts (B2)",
        dependency: |d| bare(d).timeout("50ms").breaker(brittle()),
        steps: &[SlowS(100), SlowS(100), S],
        calls: &[0, 100, 200],
        starts: &[0, 100],
        ends: &[(TimedOut, 50), (TimedOut, 150), (BreakerOpen, 200)],
        ..ROW
    },
    Row {
        id: "TO-26",
        dependency: |d| bare(d).timeout("50ms"),
        steps: &[SlowS(10), SlowS(100)],
        calls: &[0, 20],
        starts: &[0, 20],
        ends: &[(Done, 10), (TimedOut, 70)],
        told: &["call.rejected reason=timeout"],
        ..ROW
    },
];

#[tokio::test(start_paused = true)]
async fn rows() {
    run(ROWS).await;
}

#[resilient(timeout = "500ms")]
async fn waits_for_a_task(done: &Arc<AtomicBool>) -> Answer {
    let done = done.clone();
    let task = tokio::spawn(async move {
        tokio::time::sleep(Duration::from_secs(1)).await;
        done.store(true, Ordering::SeqCst);
    });
    task.await.map_err(|_| Failure::Ignored)?;
    Ok(200)
}

// case TO-10
#[tokio::test(start_paused = true)]
async fn what_cannot_be_dropped_goes_on_without_its_caller() {
    let done = Arc::new(AtomicBool::new(false));
    let begun = tokio::time::Instant::now();
    let outcome = waits_for_a_task(&done).await;
    let after = Duration::from_millis(500);
    let cut = Failure::Rejected(Rejection::TimedOut { after });
    assert_eq!((outcome, begun.elapsed()), (Err(cut), after));
    assert!(!done.load(Ordering::SeqCst));
    tokio::time::sleep(Duration::from_millis(501)).await;
    assert!(done.load(Ordering::SeqCst), "the task is not cut");
}

/// Only what the predicate names is retried, and a timeout is not among it.
#[resilient(dependency = "dep", retry(max = 2, when = is_transient), idempotent)]
async fn only_failures(script: &Script) -> Answer {
    script.attempt().await
}

fn is_transient(failure: &Failure) -> bool {
    matches!(failure, Failure::Transient)
}

/// A timeout that its site takes for final.
#[derive(Debug, PartialEq, thiserror::Error, Classify)]
enum Final {
    #[error("it took too long, and that is that")]
    #[permanent]
    TooLong,
}

fn too_long(_: Rejection) -> Final {
    Final::TooLong
}

#[resilient(dependency = "dep", retry(max = 2), idempotent, reject = too_long)]
async fn gives_up(script: &Script) -> Result<u32, Final> {
    script.attempt().await.map_err(|_| Final::TooLong)
}

// case TO-07: a timeout is this library's own outcome: it is transient whatever a site says of its errors; one attempt is `max = 1`
#[tokio::test(start_paused = true)]
async fn a_timeout_is_retried_whatever_the_errors_of_the_site_mean() {
    let dependency = bare(Dependency::named("dep")).retry(at_once(2));
    let (registry, _) = registered(dependency.timeout("500ms"), "dep");
    scope(&registry, async {
        let script = Script::new(&[SlowS(1_000), SlowS(1_000)]);
        assert!(only_failures(&script).await.is_err());
        assert_eq!(script.starts(), [0, 500]);

        let script = Script::new(&[SlowS(1_000), SlowS(1_000)]);
        assert_eq!(gives_up(&script).await, Err(Final::TooLong));
        assert_eq!(script.starts(), [0, 500]);
    })
    .await;
}

#[resilient(dependency = "dep", fallback = stale(script))]
async fn with_a_fallback(script: &Script) -> Answer {
    script.attempt().await
}

#[allow(
    clippy::unused_async,
    reason = "a fallback is async, whether it waits or not"
)]
async fn stale(_failure: Failure, script: &Script) -> Answer {
    Ok(u32::try_from(script.elapsed()).unwrap())
}

// case TO-14
// case TO-21: a fallback is outermost, outside the deadline: it runs for what the deadline cuts
// case TO-22
#[tokio::test(start_paused = true)]
async fn a_fallback_stands_outside_both_limits() {
    type Limited = fn(Dependency) -> Dependency;
    let rows: [(&str, Limited); 2] = [
        ("TO-14 TO-22", |d| d.timeout("500ms")),
        ("TO-21", |d| d.deadline("500ms")),
    ];
    for (id, limited) in rows {
        let (registry, _) = registered(limited(bare(Dependency::named("dep"))), "dep");
        let script = Script::new(&[Hang]);
        let outcome = scope(&registry, with_a_fallback(&script)).await;
        assert_eq!((outcome, script.elapsed()), (Ok(500), 500), "{id}");
    }
}
