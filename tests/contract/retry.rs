//! R1 to R7.

use std::sync::Arc;
use std::time::Duration;

use resilient::breaker::Breaker;
use resilient::budget::Budget;
use resilient::retry::{Jitter, Retry};
use resilient::{Class, Dependency, Registry, Rejection, resilient, scope};

use crate::script::Step::{
    BlockF, BlockS, Busy, F, Fault, Hang, Ignored, Permanent, S, SlowF, SlowPermanent, SlowS,
    Throttled, Unsent,
};
use crate::script::row::End::{Deadline, Done, Failed, TimedOut};
use crate::script::row::{ROW, Row, doubling, every, run};
use crate::script::{Answer, Failure, Script, Step, registered};

/// 100, 200, 400 .. ms, without chance.
fn steady(max: u32) -> Retry {
    Retry::max(max).base("100ms").cap("1h").jitter(Jitter::None)
}

/// Nothing but retries ends the attempts.
fn only(retry: Retry) -> Dependency {
    Dependency::named("dep")
        .retry(retry)
        .budget(Budget::unlimited())
        .breaker(Breaker::disabled())
        .no_timeout()
        .no_deadline()
}

const HOUR: u64 = 3_600_000;

fn timed_out(outcome: &Answer) -> bool {
    matches!(outcome, Err(Failure::Rejected(Rejection::TimedOut { .. })))
}

const ROWS: &[Row] = &[
    Row {
        id: "R1 max counts attempts, and nothing sleeps after the last",
        dependency: |d| d.retry(steady(4)),
        steps: &[F, F, F, F],
        starts: &[0, 100, 300, 700],
        ends: &[(Failed(F), 700)],
        ..ROW
    },
    Row {
        id: "R1 max = 1 is one attempt",
        dependency: |d| d.retry(steady(1)),
        steps: &[F, S],
        starts: &[0],
        ends: &[(Failed(F), 0)],
        ..ROW
    },
    Row {
        id: "R1 a success ends the attempts",
        dependency: |d| d.retry(steady(4)),
        steps: &[F, S],
        starts: &[0, 100],
        ends: &[(Done, 100)],
        ..ROW
    },
    Row {
        id: "R1 an empty budget returns the last outcome",
        dependency: |d| d.retry(steady(4)).budget(Budget::tokens(1)),
        steps: &[F, F, S],
        starts: &[0, 100],
        ends: &[(Failed(F), 100)],
        ..ROW
    },
    Row {
        id: "R1 a breaker that opens under the call returns the last outcome",
        dependency: |d| d.retry(steady(4)).breaker(Breaker::consecutive(2)),
        steps: &[F, F, S],
        starts: &[0, 100],
        ends: &[(Failed(F), 100)],
        ..ROW
    },
    Row {
        id: "R1 the last attempt cut by its timeout is a rejection",
        dependency: |d| d.retry(steady(2)).timeout("50ms"),
        steps: &[F, Hang],
        starts: &[0, 100],
        ends: &[(TimedOut, 150)],
        ..ROW
    },
    Row {
        id: "R1 a finished attempt before one cut by the deadline is the outcome",
        dependency: |d| d.retry(steady(2)).timeout("400ms").deadline("400ms"),
        steps: &[F, Hang],
        starts: &[0, 100],
        ends: &[(Failed(F), 400)],
        ..ROW
    },
    Row {
        id: "R1 no finished attempt before the deadline is a rejection",
        dependency: |d| d.retry(steady(3)).no_timeout().deadline("350ms"),
        steps: &[Hang, S],
        starts: &[0],
        ends: &[(Deadline, 350)],
        ..ROW
    },
    Row {
        id: "R1 J06 the deadline is told from the timeout before it",
        dependency: |d| {
            d.retry(Retry::max(3).base("0s"))
                .timeout("100ms")
                .deadline("150ms")
        },
        steps: &[Hang, Hang, S],
        starts: &[0, 100],
        ends: &[(Deadline, 150)],
        ..ROW
    },
    Row {
        // D01 asks for a base of 1 s under a cap of 10 ms, which is refused at registration here.
        id: "R2 D01 two hundred attempts: nothing overflows, and no delay shrinks to nothing",
        dependency: |_| {
            only(
                Retry::max(200)
                    .base("10ms")
                    .cap("10ms")
                    .jitter(Jitter::None),
            )
        },
        steps: &[F; 200],
        starts: &every::<200>(10),
        ends: &[(Failed(F), 1_990)],
        ..ROW
    },
    Row {
        id: "R2 D05 ten years of doubling: no timer takes a long delay for a short one",
        dependency: |_| {
            only(
                Retry::max(60)
                    .base("1h")
                    .cap(Duration::MAX)
                    .jitter(Jitter::None),
            )
            .deadline(Duration::from_secs(315_360_000))
        },
        steps: &[F; 60],
        starts: &doubling::<17>(HOUR),
        ends: &[(Failed(F), 65_535 * HOUR)],
        ..ROW
    },
    Row {
        id: "R2 no delay exceeds the cap",
        dependency: |d| d.retry(steady(4).cap("150ms")),
        steps: &[F, F, F, F],
        starts: &[0, 100, 250, 400],
        ends: &[(Failed(F), 400)],
        ..ROW
    },
    Row {
        id: "R2 a zero delay does not sleep a tick",
        dependency: |d| d.retry(Retry::max(3).base("0s")),
        steps: &[F, F, S],
        starts: &[0, 0, 0],
        ends: &[(Done, 0)],
        ..ROW
    },
    Row {
        id: "R3 a hint above what is left of the deadline ends the call at once",
        dependency: |d| d.retry(steady(4)),
        steps: &[Throttled(19_000), S],
        starts: &[0],
        ends: &[(Failed(Throttled(19_000)), 0)],
        ..ROW
    },
    Row {
        id: "R3 a hint above retry_after_cap ends the call at once",
        dependency: |d| d.retry(steady(4).retry_after_cap("1s")),
        steps: &[Throttled(1_001), S],
        starts: &[0],
        ends: &[(Failed(Throttled(1_001)), 0)],
        ..ROW
    },
    Row {
        id: "R3 without a deadline a hint of a minute is the longest that is waited for",
        dependency: |_| only(Retry::max(9).base("0s")),
        steps: &[Throttled(60_000), Throttled(60_001), S],
        starts: &[0, 60_000],
        ends: &[(Failed(Throttled(60_001)), 60_000)],
        ..ROW
    },
    Row {
        // gRPC begins its schedule anew after a hint; here the attempt's number decides.
        id: "R3 RT-29 RT-47 each hint is for one attempt, and the schedule goes on",
        dependency: |_| only(Retry::max(4).base("0s")),
        steps: &[Throttled(100), Throttled(200), F, S],
        starts: &[0, 100, 300, 300],
        ends: &[(Done, 300)],
        ..ROW
    },
    Row {
        id: "R3 RT-50 a hint adds no attempt",
        dependency: |_| only(Retry::max(2).base("0s")),
        steps: &[Throttled(100), Throttled(100), S],
        starts: &[0, 100],
        ends: &[(Failed(Throttled(100)), 100)],
        ..ROW
    },
    Row {
        id: "R3 H03 throttled without a usable hint backs off as usual",
        dependency: |_| only(steady(3)),
        steps: &[Busy, Busy, S],
        starts: &[0, 100, 300],
        ends: &[(Done, 300)],
        ..ROW
    },
    Row {
        // Peers cut the sleep and report a timeout; here the last failure comes back at once.
        id: "R4 TO-20 a delay past the deadline is not slept",
        dependency: |d| {
            d.retry(Retry::max(4).base("10s").cap("10s").jitter(Jitter::None))
                .deadline("5s")
        },
        steps: &[SlowF(100), S],
        starts: &[0],
        ends: &[(Failed(F), 100)],
        ..ROW
    },
    Row {
        id: "R4 an attempt cut by its timeout is the last outcome",
        dependency: |d| d.retry(steady(3)).timeout("100ms").deadline("350ms"),
        steps: &[Hang, Hang, S],
        starts: &[0, 200],
        ends: &[(TimedOut, 300)],
        ..ROW
    },
    Row {
        id: "R4 attempts count towards the deadline, and the running one is cut",
        dependency: |d| {
            d.retry(Retry::max(9).base("0s"))
                .no_timeout()
                .deadline("10s")
        },
        steps: &[SlowF(4_000), SlowF(4_000), SlowF(4_000)],
        starts: &[0, 4_000, 8_000],
        ends: &[(Failed(F), 10_000)],
        ..ROW
    },
    Row {
        id: "R4 G02 no attempt starts at or after the deadline",
        dependency: |_| {
            only(Retry::max(99).base("1s").cap("5s").jitter(Jitter::None)).deadline("17s")
        },
        steps: &[F; 99],
        starts: &[0, 1_000, 3_000, 7_000, 12_000],
        ends: &[(Failed(F), 12_000)],
        ..ROW
    },
    Row {
        id: "R4 G05 a delay drawn shortly before the deadline ends the call",
        dependency: |_| only(Retry::max(9).base("5s").jitter(Jitter::None)).deadline("10s"),
        steps: &[SlowF(9_900), S],
        starts: &[0],
        ends: &[(Failed(F), 9_900)],
        ..ROW
    },
    Row {
        id: "R4 RT-14 attempts go on while there is time",
        dependency: |_| only(Retry::max(91).base("0s")).deadline("1s"),
        steps: &[SlowF(100); 91],
        starts: &every::<10>(100),
        ends: &[(Failed(F), 1_000)],
        ..ROW
    },
    Row {
        id: "T1 TO-17 the timeout is one attempt's",
        dependency: |_| only(Retry::max(3).base("0s")).timeout("50ms"),
        steps: &[SlowF(51), SlowS(51), SlowS(50)],
        starts: &[0, 50, 100],
        ends: &[(Done, 150)],
        ..ROW
    },
    Row {
        id: "T1 J06 a timeout is told from the deadline behind it",
        dependency: |_| {
            only(Retry::max(3).base("0s"))
                .timeout("100ms")
                .deadline("1s")
        },
        steps: &[SlowS(200), SlowS(200), SlowS(200)],
        starts: &[0, 100, 200],
        ends: &[(TimedOut, 300)],
        ..ROW
    },
    Row {
        id: "T1 J05 an error that is ready with the timer is the outcome",
        dependency: |_| only(steady(3)).timeout("100ms"),
        steps: &[SlowPermanent(100), S],
        starts: &[0],
        ends: &[(Failed(Permanent), 100)],
        ..ROW
    },
    Row {
        id: "T1 J04 RT-41 what does not yield cannot be cut, and its outcome counts",
        dependency: |_| only(steady(3)).timeout("50ms").deadline("100ms"),
        steps: &[BlockS(200)],
        starts: &[0],
        ends: &[(Done, 200)],
        ..ROW
    },
    Row {
        // Spring ends the call here: it measures from the start, which costs a clock reading.
        id: "T1 RT-42 what has passed before the first failure is not the deadline's",
        dependency: |_| only(steady(3)).timeout("50ms").deadline("150ms"),
        steps: &[BlockF(200), S],
        starts: &[0, 300],
        ends: &[(Done, 300)],
        ..ROW
    },
    Row {
        id: "R5 a permanent failure ends the attempts",
        dependency: |d| d.retry(steady(4)),
        steps: &[Permanent, S],
        starts: &[0],
        ends: &[(Failed(Permanent), 0)],
        ..ROW
    },
    Row {
        id: "R5 a fault ends the attempts",
        dependency: |d| d.retry(steady(4)),
        steps: &[Fault, S],
        starts: &[0],
        ends: &[(Failed(Fault), 0)],
        ..ROW
    },
    Row {
        id: "R5 an ignored failure ends the attempts",
        dependency: |d| d.retry(steady(4)),
        steps: &[F, Ignored, S],
        starts: &[0, 100],
        ends: &[(Failed(Ignored), 100)],
        ..ROW
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

// case E03
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

// case RT-34
#[tokio::test(start_paused = true)]
async fn r1_rt34_of_unwanted_answers_one_is_kept() {
    /// An answer that owns something: a connection, a lease.
    struct Owning(#[allow(dead_code)] Arc<()>);
    fn unwanted(_: &Result<Owning, Failure>) -> Class {
        Class::transient()
    }
    let policy = registered(only(steady(6)), "dep").1;
    let owned = Arc::new(());
    let mut alive = Vec::new();
    let outcome = policy
        .call_classified(unwanted, || {
            alive.push(Arc::strong_count(&owned) - 1);
            let answer = Owning(owned.clone());
            async { Ok(answer) }
        })
        .await;
    // The future of an attempt is made before the attempt, so the one before is still there.
    assert_eq!(alive, [0, 1, 1, 1, 1, 1]);
    assert_eq!(Arc::strong_count(&owned), 2, "the last one is the caller's");
    assert!(outcome.is_ok());
}

// case O08
// case CO-24: the timeout is inside the bulkhead, and the deadline around all but the fallback
/// O08: the order of writing means nothing; the order of nesting is fixed.
#[tokio::test(start_paused = true)]
async fn o08_co24_options_nest_the_same_in_any_order() {
    macro_rules! written {
        ($($name:ident: [$($order:tt)*]),*) => {[$({
            #[resilient($($order)*)]
            async fn $name(script: &Script) -> Answer {
                script.attempt().await
            }
            let registry = Registry::seeded(1);
            registry
                .register(Dependency::named("dep").breaker(Breaker::consecutive(9)))
                .unwrap();
            let script = Script::new(&[Hang; 9]);
            let outcome = scope(&registry, $name(&script)).await;
            let counted = registry.breaker("dep").unwrap().snapshot().failures;
            (timed_out(&outcome), script.starts(), script.elapsed(), counted)
        }),*]};
    }
    let outcomes = written! {
        first: [breaker = "dep", retry(max = 3, base = "10ms", jitter = "none"), timeout = "50ms", idempotent],
        second: [timeout = "50ms", idempotent, retry(max = 3, base = "10ms", jitter = "none"), breaker = "dep"],
        third: [retry(jitter = "none", base = "10ms", max = 3), breaker = "dep", timeout = "50ms", idempotent]
    };
    for outcome in outcomes {
        assert_eq!(outcome, (true, vec![0, 60, 130], 180, 3));
    }
}
