//! Section 1: how often a call is tried.

use resilient::classify::retry_after;
use resilient::retry::Retry;
use resilient::{Classify, Dependency, Rejection, resilient, scope};

use crate::script::Step::{
    BlockS, Busy, F, Fault, Ignored, Permanent, S, SlowF, SlowS, Throttled, Unsent,
};
use crate::script::row::End::{Deadline, Done, Failed, Left, Value};
use crate::script::row::{ROW, Row, at_once, bare, every, exponential, run, steady};
use crate::script::{Answer, Failure, Script, Step, registered};

const ROWS: &[Row] = &[
    Row {
        id: "RT-01",
        dependency: |d| bare(d).retry(at_once(6)),
        steps: &[F; 6],
        starts: &[0; 6],
        ends: &[(Failed(F), 0)],
        ..ROW
    },
    Row {
        id: "RT-02",
        why: "three attempts by default: more of them help little and cost the dependency much",
        dependency: |d| bare(d).retry(Retry::default().base("0s")),
        steps: &[F; 9],
        starts: &[0; 3],
        ends: &[(Failed(F), 0)],
        ..ROW
    },
    Row {
        id: "RT-06",
        dependency: |d| bare(d).retry(at_once(4)),
        steps: &[Unsent; 4],
        starts: &[0; 4],
        ends: &[(Failed(Unsent), 0)],
        ..ROW
    },
    Row {
        id: "RT-07",
        dependency: |d| bare(d).retry(at_once(4)),
        steps: &[Permanent],
        starts: &[0],
        ends: &[(Failed(Permanent), 0)],
        ..ROW
    },
    Row {
        id: "RT-10",
        dependency: |d| bare(d).retry(at_once(3)),
        steps: &[SlowF(1), SlowF(1), SlowF(1)],
        starts: &[0, 1, 2],
        ends: &[(Failed(F), 3)],
        ..ROW
    },
    Row {
        id: "RT-11",
        dependency: |d| bare(d).retry(at_once(9)),
        steps: &[SlowF(1), SlowF(1), SlowS(1)],
        starts: &[0, 1, 2],
        ends: &[(Done, 3)],
        ..ROW
    },
    Row {
        id: "RT-14",
        dependency: |d| bare(d).retry(at_once(91)).deadline("1s"),
        steps: &[SlowF(100); 91],
        starts: &every::<10>(100),
        ends: &[(Failed(F), 1_000)],
        ..ROW
    },
    Row {
        id: "RT-15",
        why: "attempts are never unbounded: the largest number stands for that",
        dependency: |d| bare(d).retry(at_once(u32::MAX)).deadline("1s"),
        steps: &[SlowF(100); 99],
        starts: &every::<10>(100),
        ends: &[(Failed(F), 1_000)],
        told: &["retry.stopped attempt=10 reason=deadline"],
        ..ROW
    },
    Row {
        id: "RT-16",
        why: "the deadline is the whole call's: it cuts the attempt instead of waiting for it",
        dependency: |d| bare(d).retry(at_once(9)).deadline("1s"),
        steps: &[SlowF(1_500), S],
        starts: &[0],
        ends: &[(Deadline, 1_000)],
        told: &[
            "retry.stopped attempt=1 reason=deadline",
            "call.rejected reason=deadline",
        ],
        ..ROW
    },
    Row {
        id: "RT-17",
        why: "where one attempt is all there is, nothing stops the retries, so nothing is told",
        dependency: |d| bare(d).retry(at_once(1)),
        steps: &[F, S],
        starts: &[0],
        ends: &[(Failed(F), 0)],
        told: &["no retry.stopped", "no retry.attempt"],
        ..ROW
    },
    Row {
        id: "RT-19",
        dependency: |d| bare(d).retry(at_once(6)),
        steps: &[F, F, F, Permanent, S],
        starts: &[0; 4],
        ends: &[(Failed(Permanent), 0)],
        told: &[
            "retry.attempt attempt=1 kind=network",
            "retry.attempt attempt=2 kind=network",
            "retry.attempt attempt=3 kind=network",
        ],
        ..ROW
    },
    Row {
        id: "RT-20",
        dependency: |d| bare(d).retry(at_once(6)),
        steps: &[F; 12],
        calls: &[0, 10],
        starts: &[0, 0, 0, 0, 0, 0, 10, 10, 10, 10, 10, 10],
        ends: &[(Failed(F), 0), (Failed(F), 10)],
        told: &[
            "retry.stopped attempt=6 reason=attempts",
            "retry.stopped attempt=6 reason=attempts",
        ],
        ..ROW
    },
    Row {
        id: "RT-24",
        dependency: |d| bare(d).retry(steady(3, 500)),
        steps: &[F; 3],
        starts: &[0, 500, 1_000],
        ends: &[(Failed(F), 1_000)],
        ..ROW
    },
    Row {
        id: "RT-25",
        dependency: |d| bare(d).retry(steady(1, 500)),
        steps: &[F],
        starts: &[0],
        ends: &[(Failed(F), 0)],
        ..ROW
    },
    Row {
        id: "RT-26",
        dependency: |d| bare(d).retry(steady(3, 500)),
        steps: &[Ignored],
        starts: &[0],
        ends: &[(Failed(Ignored), 0)],
        ..ROW
    },
    Row {
        id: "RT-27",
        dependency: |d| bare(d).retry(at_once(2)),
        steps: &[Step::Value(500), Step::Value(503), S],
        starts: &[0, 0],
        ends: &[(Value(503), 0)],
        ..ROW
    },
    Row {
        id: "RT-29",
        dependency: |d| bare(d).retry(at_once(3)),
        steps: &[Throttled(100), Throttled(200), S],
        starts: &[0, 100, 300],
        ends: &[(Done, 300)],
        ..ROW
    },
    Row {
        id: "RT-30 twelve retries",
        dependency: |d| bare(d).retry(at_once(13)),
        steps: &[F; 13],
        starts: &[0; 13],
        ends: &[(Failed(F), 0)],
        told: &["retry.attempt"; 12],
        ..ROW
    },
    Row {
        id: "RT-30 their numbers",
        why: "attempts count from 1, as in `max` and `context()`; the event names the one that failed",
        dependency: |d| bare(d).retry(at_once(4)),
        steps: &[F; 4],
        starts: &[0; 4],
        ends: &[(Failed(F), 0)],
        told: &[
            "retry.attempt attempt=1",
            "retry.attempt attempt=2",
            "retry.attempt attempt=3",
        ],
        ..ROW
    },
    Row {
        id: "RT-31",
        dependency: |d| bare(d).retry(at_once(3)),
        steps: &[S],
        leaves: &[(0, 0)],
        ends: &[(Left, 0)],
        ..ROW
    },
    Row {
        id: "RT-32",
        dependency: |d| bare(d).retry(at_once(3)),
        steps: &[SlowF(100), S],
        leaves: &[(0, 50)],
        starts: &[0],
        ends: &[(Left, 50)],
        ..ROW
    },
    Row {
        id: "RT-35 a delay from the outcome",
        why: "a hint is lengthened by chance, up to the base: all who were told it would return at once",
        dependency: |d| bare(d).retry(steady(2, 5_000)),
        steps: &[Throttled(123), S],
        starts: &[0, 123],
        ends: &[(Done, 123)],
        late: 5_000,
        ..ROW
    },
    Row {
        id: "RT-35 no usable delay",
        dependency: |d| bare(d).retry(steady(2, 5_000)),
        steps: &[Busy, S],
        starts: &[0, 5_000],
        ends: &[(Done, 5_000)],
        ..ROW
    },
    Row {
        id: "RT-36",
        dependency: |d| bare(d).retry(at_once(3)),
        steps: &[Step::Value(500), Step::Value(500), Step::Value(0)],
        starts: &[0, 0, 0],
        ends: &[(Value(0), 0)],
        ..ROW
    },
    Row {
        id: "RT-37",
        why: "the second attempt is cut by the deadline, and the last outcome comes back itself (R1)",
        dependency: |d| bare(d).retry(at_once(3)).deadline("100ms"),
        steps: &[F, SlowF(120), S],
        starts: &[0, 0],
        ends: &[(Failed(F), 100)],
        ..ROW
    },
    Row {
        id: "RT-39",
        why: "attempts are never unbounded: the largest number stands for that",
        dependency: |d| bare(d).retry(at_once(u32::MAX)),
        steps: &[F, F, F, F, F, S],
        starts: &[0; 6],
        ends: &[(Done, 0)],
        ..ROW
    },
    Row {
        id: "RT-41 what cannot be cut",
        dependency: |d| bare(d).retry(at_once(3)).deadline("10ms"),
        steps: &[BlockS(100)],
        starts: &[0],
        ends: &[(Done, 100)],
        ..ROW
    },
    Row {
        id: "RT-41 what can be cut",
        why: "a success that comes after the deadline is not waited for",
        dependency: |d| bare(d).retry(at_once(3)).deadline("10ms"),
        steps: &[SlowS(100)],
        starts: &[0],
        ends: &[(Deadline, 10)],
        ..ROW
    },
    Row {
        id: "RT-42",
        why: "the attempt is cut by the deadline instead of being waited for, so there is no error to carry",
        dependency: |d| bare(d).retry(at_once(3)).deadline("10ms"),
        steps: &[SlowF(100), S],
        starts: &[0],
        ends: &[(Deadline, 10)],
        ..ROW
    },
    Row {
        id: "RT-44 in the second attempt",
        dependency: |d| bare(d).retry(at_once(9)).deadline("10ms"),
        steps: &[F, SlowF(100), S],
        starts: &[0, 0],
        ends: &[(Failed(F), 10)],
        ..ROW
    },
    Row {
        id: "RT-44 in the third attempt",
        dependency: |d| bare(d).retry(at_once(9)).deadline("10ms"),
        steps: &[F, F, SlowF(100), S],
        starts: &[0, 0, 0],
        ends: &[(Failed(F), 10)],
        ..ROW
    },
    Row {
        id: "RT-47 the hint is kept",
        dependency: |d| bare(d).retry(exponential(2, 10)),
        steps: &[Throttled(1_000), S],
        starts: &[0, 1_000],
        ends: &[(Done, 1_000)],
        late: 10,
        ..ROW
    },
    Row {
        id: "RT-47 the schedule after it",
        why: "the attempt's number decides: a dependency that asked for time is not asked faster",
        dependency: |d| bare(d).retry(exponential(4, 10)),
        steps: &[Throttled(0), F, F, S],
        starts: &[0, 0, 20, 60],
        ends: &[(Done, 60)],
        late: 10,
        ..ROW
    },
    Row {
        id: "RT-50",
        dependency: |d| bare(d).retry(at_once(2)),
        steps: &[Throttled(100), Throttled(100), S],
        starts: &[0, 100],
        ends: &[(Failed(Throttled(100)), 100)],
        ..ROW
    },
];

#[tokio::test(start_paused = true)]
async fn rows() {
    run(ROWS).await;
}

/// A hierarchy as errors have it in Rust: one holds another, and each variant says what it means.
#[derive(Debug, thiserror::Error, Classify)]
enum Parent {
    #[error("something else")]
    #[transient]
    Itself,
    #[error(transparent)]
    #[classify(source)]
    Child(#[from] Child),
    #[error("told apart from other children")]
    #[permanent]
    Aborts(#[source] Child),
    #[error(transparent)]
    #[classify(source)]
    Rejected(#[from] Rejection),
}

#[derive(Debug, thiserror::Error, Classify)]
enum Child {
    #[error("may pass")]
    #[transient]
    Passes,
    #[error("does not pass")]
    #[permanent]
    Stays,
    #[error("a bug on this side")]
    #[ignored]
    Bug,
}

// case RT-04
// case RT-05
// case RT-09: there is no list to fall through: every variant says what it means, or does not compile
#[tokio::test(start_paused = true)]
async fn what_is_inside_an_error_decides_and_the_nearest_mark_wins() {
    type Failing = fn() -> Parent;
    let rows: [(&str, Failing, usize); 6] = [
        ("RT-04 retried as what it holds", || Child::Passes.into(), 4),
        ("RT-05 aborts", || Parent::Aborts(Child::Passes), 1),
        ("RT-09 retried", || Parent::Itself, 4),
        ("RT-09 its child is not", || Child::Stays.into(), 1),
        ("RT-09 another child", || Child::Bug.into(), 1),
        ("RT-09 nor", || Parent::Aborts(Child::Stays), 1),
    ];
    for (id, failure, attempts) in rows {
        let policy = registered(bare(Dependency::named("dep")).retry(at_once(4)), "dep").1;
        let mut made = 0;
        let outcome = policy.call(|| {
            made += 1;
            async { Err::<(), _>(failure()) }
        });
        assert!(outcome.await.is_err(), "{id}");
        assert_eq!(made, attempts, "{id}");
    }
}

// case RT-12
#[tokio::test(start_paused = true)]
async fn a_future_that_is_returned_is_a_value() {
    let policy = registered(bare(Dependency::named("dep")).retry(at_once(4)), "dep").1;
    let mut made = 0;
    let outcome = policy.call(|| {
        made += 1;
        async { Ok::<_, Failure>(std::future::ready(Err::<u32, _>(Failure::Transient))) }
    });
    let future = outcome.await.unwrap();
    assert_eq!((future.await, made), (Err(Failure::Transient), 1));
}

/// Attempts of the block's methods, and of one with limits of its own.
struct Levels;

#[resilient(dependency = "dep", retry(max = 3), idempotent)]
impl Levels {
    #[resilient]
    async fn plain(script: &Script) -> Answer {
        script.attempt().await
    }

    #[resilient(retry(max = 91), deadline = "1s")]
    async fn own(script: &Script) -> Answer {
        script.attempt().await
    }
}

#[resilient(dependency = "dep", retry(max = 6), idempotent)]
async fn annotated(script: &Script) -> Answer {
    script.attempt().await
}

// case RT-21
// case RT-45
#[tokio::test(start_paused = true)]
async fn what_stands_nearest_to_the_function_holds() {
    let (registry, _) = registered(bare(Dependency::named("dep")).retry(at_once(9)), "dep");
    scope(&registry, async {
        let script = Script::new(&[SlowF(100); 99]);
        let _ = Levels::plain(&script).await;
        assert_eq!(script.starts(), [0, 100, 200]);

        let script = Script::new(&[SlowF(100); 99]);
        let _ = Levels::own(&script).await;
        assert_eq!((script.starts().len(), script.elapsed()), (10, 1_000));

        let script = Script::new(&[F; 99]);
        let _ = annotated(&script).await;
        assert_eq!(script.starts().len(), 6);
    })
    .await;
}

// case RT-46: a value that says nothing is as good as none (RFC 9110 knows no "do not retry")
#[tokio::test(start_paused = true)]
async fn a_push_back_that_cannot_be_read_is_none() {
    let now = std::time::SystemTime::now();
    for value in ["-1", "xxx", "100, 100"] {
        assert_eq!(retry_after(value, None, now), None, "{value}");
    }
    // Which is a failure that is throttled without a hint.
    let policy = registered(bare(Dependency::named("dep")).retry(steady(2, 70)), "dep").1;
    let script = Script::new(&[Busy, S]);
    assert_eq!(policy.call(|| script.attempt()).await, Ok(200));
    assert_eq!(script.starts(), [0, 70]);
}

/// Retries, once per attempt of the call around it.
#[resilient(retry(max = 2, base = "0s"), idempotent)]
async fn inner_of_two(script: &Script) -> Answer {
    script.attempt().await
}

#[resilient(retry(max = 11, base = "0s"), budget = "dep", idempotent)]
async fn outer_of_eleven(script: &Script) -> Answer {
    inner_of_two(script).await
}

#[resilient(retry(max = 3, base = "0s"), budget = "dep", idempotent)]
async fn inner_of_three(script: &Script) -> Answer {
    script.attempt().await
}

#[resilient(
    retry(max = 3, base = "0s", nested = "suppress"),
    budget = "dep",
    idempotent
)]
async fn single_inside(script: &Script) -> Answer {
    script.attempt().await
}

#[resilient(retry(max = 3, base = "0s"), budget = "dep", idempotent)]
async fn outer_of_three(script: &Script, suppressed: bool) -> Answer {
    if suppressed {
        single_inside(script).await
    } else {
        inner_of_three(script).await
    }
}

// case RT-40: nested calls know nothing of each other's attempts: they multiply, with a warning, or the inner one is told not to
// case RT-49: as RT-40
#[tokio::test(start_paused = true)]
async fn nested_retries_multiply_unless_suppressed() {
    let (registry, _) = registered(bare(Dependency::named("dep")), "dep");
    scope(&registry, async {
        let script = Script::new(&[F, F, F, F, F, S]);
        assert_eq!(outer_of_eleven(&script).await, Ok(200));
        assert_eq!(script.starts().len(), 6, "two for each of three");

        for (suppressed, attempts) in [(false, 9), (true, 3)] {
            let script = Script::new(&[F; 99]);
            let outcome = outer_of_three(&script, suppressed).await;
            assert_eq!(outcome, Err(Failure::Transient));
            assert_eq!(script.starts().len(), attempts, "suppressed: {suppressed}");
        }
    })
    .await;
}

/// What may be said of a failure at one place only.
#[resilient(dependency = "dep", retry(max = 4, when = not_broken), idempotent)]
async fn picky(script: &Script) -> Answer {
    script.attempt().await
}

fn not_broken(failure: &Failure) -> bool {
    matches!(failure, Failure::Transient | Failure::Fault)
}

// case RT-06
#[tokio::test(start_paused = true)]
async fn a_site_can_choose_what_it_retries() {
    let (registry, _) = registered(bare(Dependency::named("dep")).retry(at_once(9)), "dep");
    let rows: [(Step, usize); 4] = [(F, 4), (Fault, 4), (Unsent, 1), (Permanent, 1)];
    for (step, attempts) in rows {
        let script = Script::new(&[step; 9]);
        let _ = scope(&registry, picky(&script)).await;
        assert_eq!(script.starts().len(), attempts, "{step:?}");
    }
}
