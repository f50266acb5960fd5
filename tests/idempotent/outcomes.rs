//! Each kind of effects with each way to end.

use std::time::Duration;

use resilient::breaker::Breaker;
use resilient::idempotency::State;
use resilient::{Dependency, resilient, scope};
use unwinding::catch;

use crate::fakes::{Work, broken};
use crate::{Answer, Failure, code, pass, receipt, records, registry};

/// Catches a panic of a future.
mod unwinding {
    use std::future::{Future, poll_fn};
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::pin::pin;
    use std::task::Poll;

    pub(super) async fn catch<F: Future>(future: F) -> Option<F::Output> {
        let mut future = pin!(future);
        poll_fn(
            |cx| match catch_unwind(AssertUnwindSafe(|| future.as_mut().poll(cx))) {
                Ok(Poll::Pending) => Poll::Pending,
                Ok(Poll::Ready(output)) => Poll::Ready(Some(output)),
                Err(_) => Poll::Ready(None),
            },
        )
        .await
    }
}

/// How a run ends.
#[derive(Clone, Copy, Debug, PartialEq)]
enum End {
    Succeeds,
    Fails,
    IsUnsent,
    SaysNotExecuted,
    TimesOut,
    Panics,
    /// The breaker admits no attempt.
    IsNotAdmitted,
}

async fn body(end: End, work: &Work) -> Answer {
    let answer = work.run();
    match end {
        End::Succeeds | End::IsNotAdmitted => answer,
        End::Fails => Err(Failure::Lost),
        End::IsUnsent => Err(Failure::Unsent),
        End::SaysNotExecuted => Err(Failure::Broken),
        End::TimesOut => std::future::pending().await,
        End::Panics => panic!("the body panics"),
    }
}

macro_rules! functions {
    ($($effects:literal $name:ident ($($more:tt)*);)*) => {
        $(
            #[resilient(
                breaker = "dep",
                timeout = "1s",
                idempotent(
                    store = "orders", key = format_args!("{:?}", std::ptr::from_ref(work)),
                    scope = shared, effects = $effects, $($more)*
                )
            )]
            async fn $name(end: End, work: &Work) -> Answer {
                body(end, work).await
            }
        )*
    };
}

functions! {
    "none" without ();
    "keyed" keyed ();
    "unkeyed" unkeyed (not_executed = broken);
}

/// What a repeat finds.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Next {
    /// The first answer.
    Replay,
    /// It runs.
    Runs,
    /// It runs once the lease has lapsed, and is refused before.
    RunsAfterTheLease,
    /// It is refused as long as nobody finds out.
    Uncertain,
    /// The same once the lease has lapsed.
    UncertainAfterTheLease,
}

use End::{Fails, IsNotAdmitted, IsUnsent, Panics, SaysNotExecuted, Succeeds, TimesOut};
use Next::{Replay, Runs, RunsAfterTheLease, Uncertain, UncertainAfterTheLease};

/// What a repeat finds, by the effects: none or keyed, or unkeyed.
const ROWS: [(End, Next, Next); 7] = [
    (Succeeds, Replay, Replay),
    (Fails, Runs, Uncertain),
    (IsUnsent, Runs, Runs),
    (SaysNotExecuted, Runs, Runs),
    (TimesOut, Runs, Uncertain),
    (Panics, RunsAfterTheLease, UncertainAfterTheLease),
    (IsNotAdmitted, Runs, Runs),
];

async fn call(effects: &str, end: End, work: &Work) -> Option<Answer> {
    match effects {
        "none" => catch(without(end, work)).await,
        "keyed" => catch(keyed(end, work)).await,
        _ => catch(unkeyed(end, work)).await,
    }
}

async fn check(effects: &'static str, end: End, next: Next) {
    let row = format!("{effects}, {end:?}");
    let (registry, ledger) = registry();
    let breaker = Breaker::consecutive(100).within("1s");
    registry
        .register(Dependency::named("dep").breaker(breaker))
        .unwrap();
    let control = registry.breaker("dep").unwrap();
    let work = Work::of([]);
    if end == IsNotAdmitted {
        control.force_open();
    }
    let first = scope(&registry, call(effects, end, &work)).await;
    assert_eq!(first.is_none(), end == Panics, "{row}");
    assert_eq!(work.runs(), u32::from(end != IsNotAdmitted), "{row}");
    control.reset();

    let repeat = || scope(&registry, call(effects, Succeeds, &work));
    let repeated = repeat().await.unwrap();
    let again = receipt(work.runs());
    match next {
        Replay => assert_eq!((repeated, work.runs()), (receipt(1), 1), "{row}"),
        Runs => assert_eq!(repeated, again, "{row}"),
        Uncertain => assert_eq!(code(&repeated), "IDEMPOTENCY_UNCERTAIN", "{row}"),
        RunsAfterTheLease => {
            assert_eq!(code(&repeated), "IDEMPOTENCY_IN_PROGRESS", "{row}");
            pass(Duration::from_secs(31)).await;
            assert_eq!(repeat().await.unwrap(), receipt(2), "{row}");
        }
        UncertainAfterTheLease => {
            assert_eq!(code(&repeated), "IDEMPOTENCY_IN_PROGRESS", "{row}");
            pass(Duration::from_secs(31)).await;
            assert_eq!(
                code(&repeat().await.unwrap()),
                "IDEMPOTENCY_UNCERTAIN",
                "{row}"
            );
        }
    }
    let uncertain = matches!(next, Uncertain | UncertainAfterTheLease);
    let state = if uncertain {
        State::Uncertain
    } else {
        State::Completed
    };
    let states: Vec<State> = records(&ledger)
        .await
        .iter()
        .map(|record| record.state)
        .collect();
    assert_eq!(states, [state], "{row}");
}

#[tokio::test(start_paused = true)]
async fn effects_decide_what_a_failure_leaves_behind() {
    for (end, repeatable, unkeyed) in ROWS {
        check("none", end, repeatable).await;
        check("keyed", end, repeatable).await;
        check("unkeyed", end, unkeyed).await;
    }
}
