//! R1 to R7.

use resilient::breaker::Breaker;
use resilient::budget::Budget;
use resilient::retry::{Jitter, Retry};
use resilient::{Class, Dependency, Registry, Rejection, resilient, scope};

use crate::script::Step::{F, Fault, Hang, Ignored, Permanent, S, SlowF, Throttled, Unsent};
use crate::script::{Answer, Failure, Row, Script, Step, registered, run};

/// 100, 200, 400 .. ms, without chance.
fn steady(max: u32) -> Retry {
    Retry::max(max).base("100ms").cap("1h").jitter(Jitter::None)
}

fn transient(outcome: &Answer) -> bool {
    *outcome == Err(Failure::Transient)
}

fn ok(outcome: &Answer) -> bool {
    outcome.is_ok()
}

fn timed_out(outcome: &Answer) -> bool {
    matches!(outcome, Err(Failure::Rejected(Rejection::TimedOut { .. })))
}

fn deadline(outcome: &Answer) -> bool {
    matches!(
        outcome,
        Err(Failure::Rejected(Rejection::DeadlineExceeded { .. }))
    )
}

const ROWS: &[Row] = &[
    Row {
        id: "R1 max counts attempts, and nothing sleeps after the last",
        dependency: |d| d.retry(steady(4)),
        steps: &[F, F, F, F],
        outcome: transient,
        starts: &[0, 100, 300, 700],
        ends: 700,
    },
    Row {
        id: "R1 max = 1 is one attempt",
        dependency: |d| d.retry(steady(1)),
        steps: &[F, S],
        outcome: transient,
        starts: &[0],
        ends: 0,
    },
    Row {
        id: "R1 a success ends the attempts",
        dependency: |d| d.retry(steady(4)),
        steps: &[F, S],
        outcome: ok,
        starts: &[0, 100],
        ends: 100,
    },
    Row {
        id: "R1 an empty budget returns the last outcome",
        dependency: |d| d.retry(steady(4)).budget(Budget::tokens(1)),
        steps: &[F, F, S],
        outcome: transient,
        starts: &[0, 100],
        ends: 100,
    },
    Row {
        id: "R1 a breaker that opens under the call returns the last outcome",
        dependency: |d| d.retry(steady(4)).breaker(Breaker::consecutive(2)),
        steps: &[F, F, S],
        outcome: transient,
        starts: &[0, 100],
        ends: 100,
    },
    Row {
        id: "R1 the last attempt cut by its timeout is a rejection",
        dependency: |d| d.retry(steady(2)).timeout("50ms"),
        steps: &[F, Hang],
        outcome: timed_out,
        starts: &[0, 100],
        ends: 150,
    },
    Row {
        id: "R1 a finished attempt before one cut by the deadline is the outcome",
        dependency: |d| d.retry(steady(2)).timeout("400ms").deadline("400ms"),
        steps: &[F, Hang],
        outcome: transient,
        starts: &[0, 100],
        ends: 400,
    },
    Row {
        id: "R1 no finished attempt before the deadline is a rejection",
        dependency: |d| d.retry(steady(3)).no_timeout().deadline("350ms"),
        steps: &[Hang, S],
        outcome: deadline,
        starts: &[0],
        ends: 350,
    },
    Row {
        id: "R1 J06 the deadline is told from the timeout before it",
        dependency: |d| {
            d.retry(Retry::max(3).base("0s"))
                .timeout("100ms")
                .deadline("150ms")
        },
        steps: &[Hang, Hang, S],
        outcome: deadline,
        starts: &[0, 100],
        ends: 150,
    },
    Row {
        id: "R2 no delay exceeds the cap",
        dependency: |d| d.retry(steady(4).cap("150ms")),
        steps: &[F, F, F, F],
        outcome: transient,
        starts: &[0, 100, 250, 400],
        ends: 400,
    },
    Row {
        id: "R2 a zero delay does not sleep a tick",
        dependency: |d| d.retry(Retry::max(3).base("0s")),
        steps: &[F, F, S],
        outcome: ok,
        starts: &[0, 0, 0],
        ends: 0,
    },
    Row {
        id: "R3 a hint above what is left of the deadline ends the call at once",
        dependency: |d| d.retry(steady(4)),
        steps: &[Throttled(17_000), S],
        outcome: |outcome| matches!(outcome, Err(Failure::Throttled(_))),
        starts: &[0],
        ends: 0,
    },
    Row {
        id: "R3 a hint above retry_after_cap ends the call at once",
        dependency: |d| d.retry(steady(4).retry_after_cap("1s")),
        steps: &[Throttled(1_001), S],
        outcome: |outcome| matches!(outcome, Err(Failure::Throttled(_))),
        starts: &[0],
        ends: 0,
    },
    Row {
        id: "R4 a delay past the deadline is not slept",
        dependency: |d| {
            d.retry(Retry::max(4).base("10s").cap("10s").jitter(Jitter::None))
                .deadline("5s")
        },
        steps: &[SlowF(100), S],
        outcome: transient,
        starts: &[0],
        ends: 100,
    },
    Row {
        id: "R4 an attempt cut by its timeout is the last outcome",
        dependency: |d| d.retry(steady(3)).timeout("100ms").deadline("350ms"),
        steps: &[Hang, Hang, S],
        outcome: timed_out,
        starts: &[0, 200],
        ends: 300,
    },
    Row {
        id: "R4 attempts count towards the deadline, and the running one is cut",
        dependency: |d| {
            d.retry(Retry::max(9).base("0s"))
                .no_timeout()
                .deadline("10s")
        },
        steps: &[SlowF(4_000), SlowF(4_000), SlowF(4_000)],
        outcome: transient,
        starts: &[0, 4_000, 8_000],
        ends: 10_000,
    },
    Row {
        id: "R5 a permanent failure ends the attempts",
        dependency: |d| d.retry(steady(4)),
        steps: &[Permanent, S],
        outcome: |outcome| *outcome == Err(Failure::Permanent),
        starts: &[0],
        ends: 0,
    },
    Row {
        id: "R5 a fault ends the attempts",
        dependency: |d| d.retry(steady(4)),
        steps: &[Fault, S],
        outcome: |outcome| *outcome == Err(Failure::Fault),
        starts: &[0],
        ends: 0,
    },
    Row {
        id: "R5 an ignored failure ends the attempts",
        dependency: |d| d.retry(steady(4)),
        steps: &[F, Ignored, S],
        outcome: |outcome| *outcome == Err(Failure::Ignored),
        starts: &[0, 100],
        ends: 100,
    },
];

#[tokio::test(start_paused = true)]
async fn r_rows() {
    run(ROWS).await;
}

#[tokio::test(start_paused = true)]
async fn r1_an_unwanted_ok_is_returned_itself() {
    fn by_status(outcome: &Result<u16, Failure>) -> Class {
        match outcome {
            Ok(503) => Class::transient(),
            _ => Class::Success,
        }
    }
    let (_registry, policy) = registered(
        Dependency::named("dep")
            .retry(steady(3))
            .budget(Budget::unlimited()),
        "dep",
    );
    let mut attempts = 0;
    let outcome = policy
        .call_classified(by_status, || {
            attempts += 1;
            async { Ok(503) }
        })
        .await;
    assert_eq!((outcome, attempts), (Ok(503), 3));
}

#[tokio::test(start_paused = true)]
async fn r3_throttled_callers_do_not_come_back_together() {
    let (_registry, policy) = registered(
        Dependency::named("dep")
            .retry(Retry::max(2).base("200ms").cap("5s"))
            .budget(Budget::unlimited())
            .bulkhead(resilient::bulkhead::Bulkhead::unlimited()),
        "dep",
    );
    let scripts: Vec<_> = (0..100)
        .map(|_| Script::new(&[Throttled(2_000), S]))
        .collect();
    let calls = scripts
        .iter()
        .map(|script| policy.call(|| script.attempt()));
    let outcomes = futures_join_all(calls).await;
    assert!(outcomes.iter().all(Result::is_ok));
    let mut returns: Vec<_> = scripts.iter().map(|script| script.starts()[1]).collect();
    assert!(
        returns.iter().all(|at| (2_000..=2_201).contains(at)),
        "{returns:?}"
    );
    returns.sort_unstable();
    returns.dedup();
    assert!(
        returns.len() > 30,
        "the callers came back at {} different times",
        returns.len()
    );
}

/// Polls all calls in one task, as they would run in many.
async fn futures_join_all<F: Future>(calls: impl Iterator<Item = F>) -> Vec<F::Output> {
    let mut calls: Vec<_> = calls
        .map(|call| Box::pin(tokio::task::unconstrained(call)))
        .collect();
    let mut outcomes: Vec<Option<F::Output>> = calls.iter().map(|_| None).collect();
    std::future::poll_fn(|cx| {
        for (call, outcome) in calls.iter_mut().zip(&mut outcomes) {
            if outcome.is_none()
                && let std::task::Poll::Ready(output) = call.as_mut().poll(cx)
            {
                *outcome = Some(output);
            }
        }
        if outcomes.iter().all(Option::is_some) {
            std::task::Poll::Ready(())
        } else {
            std::task::Poll::Pending
        }
    })
    .await;
    outcomes.into_iter().flatten().collect()
}

#[resilient(retry(max = 3, base = "100ms", jitter = "none"), idempotent = false)]
async fn careful(script: &Script) -> Answer {
    script.attempt().await
}

#[tokio::test(start_paused = true)]
async fn r7_without_idempotency_only_the_unsent_is_retried() {
    let rows: [(&[Step], usize); 4] = [
        (&[F, S], 1),
        (&[Unsent, Unsent, S], 3),
        (&[Unsent, F, S], 2),
        (&[Throttled(10), S], 1),
    ];
    for (steps, attempts) in rows {
        let script = Script::new(steps);
        let registry = Registry::seeded(1);
        let _ = scope(&registry, careful(&script)).await;
        assert_eq!(script.starts().len(), attempts, "{steps:?}");
    }
}
