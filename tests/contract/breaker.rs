//! B1 to B6 on whole calls; the state machine itself is tested beside it.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::task::Poll;
use std::time::Duration;

use resilient::breaker::BreakerState::{Closed, HalfOpen, Open};
use resilient::breaker::{Breaker, BreakerControl, BreakerState, Per};
use resilient::budget::Budget;
use resilient::bulkhead::Bulkhead;
use resilient::retry::{Jitter, Retry};
use resilient::{Class, Dependency, Policy, Registry, Rejection, resilient, scope, with_deadline};
use tokio::task::JoinSet;
use tokio::time::advance;

use crate::script::Step::{
    BlockS, Busy, F, Fault, Hang, Ignored, Panic, Permanent, S, SlowF, SlowPermanent, SlowS,
    Throttled,
};
use crate::script::{Answer, Failure, Script, Step, poll_once, registered};

fn single(breaker: Breaker) -> Dependency {
    Dependency::named("dep")
        .retry(Retry::never())
        .breaker(breaker)
}

async fn call(policy: &Policy, step: Step) -> Result<u32, Failure> {
    let script = Script::new(&[step]);
    policy.call(|| script.attempt()).await
}

fn refused(outcome: &Result<u32, Failure>) -> bool {
    matches!(
        outcome,
        Err(Failure::Rejected(Rejection::BreakerOpen { .. }))
    )
}

#[tokio::test(start_paused = true)]
async fn b2_what_counts_as_a_failure() {
    let rows: [(Step, bool); 8] = [
        (F, true),
        (Fault, true),
        (Hang, true),
        (S, false),
        (Permanent, false),
        (Throttled(1), false),
        (Ignored, false),
        (Step::Rejected, false),
    ];
    for (step, counts) in rows {
        let (registry, policy) = registered(single(Breaker::consecutive(1)).timeout("50ms"), "dep");
        let _ = call(&policy, step).await;
        let opened = registry.breaker("dep").unwrap().state() == BreakerState::Open;
        assert_eq!(opened, counts, "{step:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn b2_throttling_counts_if_asked_to() {
    let (_registry, policy) =
        registered(single(Breaker::consecutive(1).count_throttled(true)), "dep");
    let _ = call(&policy, Throttled(1)).await;
    assert!(refused(&call(&policy, S).await));
}

#[tokio::test(start_paused = true)]
async fn b2_the_own_deadline_counts_and_an_inherited_one_does_not() {
    for (own, counts) in [(true, true), (false, false)] {
        let dependency = single(Breaker::consecutive(1)).no_timeout();
        let dependency = if own {
            dependency.deadline("50ms")
        } else {
            dependency.no_deadline()
        };
        let (registry, policy) = registered(dependency, "dep");
        let cut = call(&policy, Hang);
        if own {
            let _ = cut.await;
        } else {
            let _ = resilient::with_deadline(Duration::from_millis(50), cut).await;
        }
        let opened = registry.breaker("dep").unwrap().state() == BreakerState::Open;
        assert_eq!(opened, counts, "own: {own}");
    }
}

// case B09
#[tokio::test(start_paused = true)]
async fn b2_b09_a_drop_counts_only_after_half_the_timeout() {
    for (after, counts) in [(10, false), (500, false), (501, true)] {
        let (registry, policy) = registered(single(Breaker::consecutive(1)).timeout("1s"), "dep");
        let lost = tokio::time::timeout(Duration::from_millis(after), call(&policy, Hang)).await;
        assert!(lost.is_err());
        let opened = registry.breaker("dep").unwrap().state() == BreakerState::Open;
        assert_eq!(opened, counts, "dropped after {after} ms");
    }
}

#[tokio::test(start_paused = true)]
async fn b2_a_late_timer_says_nothing() {
    let (registry, policy) = registered(single(Breaker::consecutive(1)).timeout("1s"), "dep");
    let cut = tokio::spawn(async move { call(&policy, Hang).await });
    tokio::task::yield_now().await;
    advance(Duration::from_secs(60)).await;
    assert!(matches!(
        cut.await.unwrap(),
        Err(Failure::Rejected(Rejection::TimedOut { .. }))
    ));
    assert_eq!(
        registry.breaker("dep").unwrap().state(),
        BreakerState::Closed
    );
}

// case K03
#[tokio::test(start_paused = true)]
async fn b2_k03_a_panic_is_neutral_while_closed_and_a_failure_of_a_probe() {
    let (registry, policy) = registered(
        single(Breaker::consecutive(1).open_for("1s").probes(1)),
        "dep",
    );
    let breaker = registry.breaker("dep").unwrap();
    let panicking = policy.clone();
    let panicked = tokio::spawn(async move { call(&panicking, Panic).await }).await;
    assert!(panicked.unwrap_err().is_panic());
    assert_eq!(breaker.state(), BreakerState::Closed);

    let _ = call(&policy, F).await;
    advance(Duration::from_millis(1_201)).await;
    let panicking = policy.clone();
    let _ = tokio::spawn(async move { call(&panicking, Panic).await }).await;
    assert_eq!(breaker.state(), BreakerState::Open);
}

#[tokio::test(start_paused = true)]
async fn b3_a_probe_is_one_attempt() {
    let (registry, policy) = registered(
        Dependency::named("dep")
            .retry(Retry::max(3).base("0s"))
            .breaker(Breaker::consecutive(1).open_for("1s").probes(1)),
        "dep",
    );
    let _ = call(&policy, F).await;
    advance(Duration::from_millis(1_201)).await;
    let script = Script::new(&[F, S]);
    assert_eq!(
        policy.call(|| script.attempt()).await,
        Err(Failure::Transient)
    );
    assert_eq!(script.starts().len(), 1);
    assert_eq!(registry.breaker("dep").unwrap().state(), BreakerState::Open);
}

/// How the only probe ends, after how long its caller gives up, and the states after it and after
/// one more success: two successes close, so the second tells whether the probe was the first.
type Ending = (&'static str, Step, u64, BreakerState, BreakerState);

const ENDINGS: [Ending; 14] = [
    ("A07 a success", S, 99, HalfOpen, Closed),
    (
        "A02 an answer is a success",
        Permanent,
        99,
        HalfOpen,
        Closed,
    ),
    ("A10 throttled", Throttled(1), 99, HalfOpen, HalfOpen),
    ("A10 throttled without a hint", Busy, 99, HalfOpen, HalfOpen),
    ("A10 our own mistake", Ignored, 99, HalfOpen, HalfOpen),
    (
        "A10 a rejection from within",
        Step::Rejected,
        99,
        HalfOpen,
        HalfOpen,
    ),
    ("A12 dropped early", Hang, 10, HalfOpen, HalfOpen),
    ("A12 dropped while slow", SlowS(20), 10, HalfOpen, HalfOpen),
    ("A12 dropped after half its timeout", Hang, 40, Open, Open),
    ("A12 cut by its timeout", Hang, 99, Open, Open),
    ("A07 a failure", F, 99, Open, Open),
    ("A07 a fault", Fault, 99, Open, Open),
    ("A07 a slow failure", SlowF(30), 99, Open, Open),
    ("K03 a panic", Panic, 99, Open, Open),
];

/// A breaker of one probe that has been open for long enough.
async fn to_be_probed(dependency: Dependency) -> (Registry, Policy) {
    let (registry, policy) = registered(
        dependency.breaker(
            Breaker::consecutive(1)
                .open_for("1s")
                .probes(1)
                .close_after(2),
        ),
        "dep",
    );
    let _ = call(&policy, F).await;
    advance(Duration::from_millis(1_201)).await;
    (registry, policy)
}

// case A02, A07, A10, A12, K03
#[tokio::test(start_paused = true)]
async fn b3_a12_every_way_out_ends_the_probe_once() {
    for (id, ending, patience, after, then) in ENDINGS {
        let dependency = Dependency::named("dep")
            .retry(Retry::never())
            .timeout("50ms");
        let (registry, policy) = to_be_probed(dependency).await;
        let breaker = registry.breaker("dep").unwrap();
        let probe = policy.clone();
        let probe = async move { call(&probe, ending).await };
        let probe = tokio::time::timeout(Duration::from_millis(patience), probe);
        let _ = tokio::spawn(probe).await;
        assert_eq!(breaker.state(), after, "{id}");
        let next = call(&policy, S).await;
        assert_eq!(refused(&next), after == Open, "{id}: {next:?}");
        assert_eq!(breaker.state(), then, "{id}, and a success");
    }
}

// case A02
#[tokio::test(start_paused = true)]
async fn b3_a02_leaving_early_by_a_question_mark_ends_the_probe() {
    #[resilient(dependency = "dep", retry(max = 1), idempotent, reject = rejected)]
    async fn parses(script: &Script, text: &str) -> Result<u32, Unread> {
        let number: u32 = text.parse()?;
        script.attempt().await.map_err(|_| Unread::Dependency)?;
        Ok(number)
    }
    #[derive(Debug, thiserror::Error, resilient::Classify)]
    enum Unread {
        #[error("not a number")]
        #[ignored]
        Text(#[from] std::num::ParseIntError),
        #[error("no answer")]
        #[transient]
        Dependency,
    }
    fn rejected(_: Rejection) -> Unread {
        Unread::Dependency
    }
    let (registry, _policy) = to_be_probed(Dependency::named("dep")).await;
    let breaker = registry.breaker("dep").unwrap();
    let script = Script::new(&[]);
    scope(&registry, async {
        for _ in 0..3 {
            assert!(matches!(parses(&script, "x").await, Err(Unread::Text(_))));
            assert_eq!(breaker.state(), HalfOpen);
        }
        for _ in 0..2 {
            assert_eq!(parses(&script, "7").await.unwrap(), 7);
        }
    })
    .await;
    assert_eq!(breaker.state(), Closed);
}

// case A02
#[tokio::test(start_paused = true)]
async fn b3_a02_a_classification_that_panics_ends_the_probe() {
    let (registry, policy) = to_be_probed(Dependency::named("dep")).await;
    let probe = policy.clone();
    let panicked = tokio::spawn(async move {
        probe
            .call_classified(
                |_: &Answer| panic!("a mistake in the classification"),
                || async { Ok(1) },
            )
            .await
    });
    assert!(panicked.await.unwrap_err().is_panic());
    assert_eq!(registry.breaker("dep").unwrap().state(), HalfOpen);
    assert_eq!(call(&policy, S).await, Ok(200));
}

#[tokio::test(start_paused = true)]
async fn b3_r6_a_probe_that_finds_the_bulkhead_full_gives_its_slot_back() {
    let dependency = Dependency::named("dep").bulkhead(Bulkhead::max_concurrent(1));
    let (registry, policy) = registered(
        dependency.breaker(Breaker::consecutive(1).open_for("1s").probes(1)),
        "dep",
    );
    let holder = Script::new(&[Hang]);
    let mut holder = Box::pin(policy.call(|| holder.attempt()));
    assert!(poll_once(holder.as_mut()).is_pending());
    let breaker = registry.breaker("dep").unwrap();
    breaker.force_open_for(Duration::from_secs(1));
    advance(Duration::from_secs(1)).await;
    for _ in 0..3 {
        let full = call(&policy, S).await;
        assert!(
            matches!(
                &full,
                Err(Failure::Rejected(Rejection::BulkheadFull { .. }))
            ),
            "{full:?}"
        );
        assert_eq!(breaker.state(), HalfOpen);
    }
    drop(holder);
    assert_eq!(call(&policy, S).await, Ok(200));
}

// case A04
#[tokio::test(start_paused = true)]
async fn b3_a04_of_fifty_callers_one_is_the_probe() {
    let (_registry, policy) = to_be_probed(Dependency::named("dep").retry(Retry::never())).await;
    let script = Script::new(&[SlowS(1_000); 50]);
    let mut calls = JoinSet::new();
    for _ in 0..50 {
        let (policy, script) = (policy.clone(), script.clone());
        calls.spawn(async move {
            let outcome = policy.call(|| script.attempt()).await;
            (refused(&outcome), script.elapsed())
        });
    }
    let mut ends = calls.join_all().await;
    ends.sort_unstable();
    assert_eq!(ends[0], (false, 1_000));
    assert!(ends[1..].iter().all(|end| *end == (true, 0)), "{ends:?}");
    assert_eq!(script.starts(), [0]);
}

// case A09
#[tokio::test(start_paused = true)]
async fn b3_a09_a_probe_that_hangs_without_a_timeout_loses_its_slot() {
    let dependency = Dependency::named("dep")
        .retry(Retry::never())
        .no_timeout()
        .no_deadline();
    let (registry, policy) = to_be_probed(dependency).await;
    let breaker = registry.breaker("dep").unwrap();
    let late = Script::new(&[SlowF(7_200_000)]);
    let mut late = Box::pin(policy.call(|| late.attempt()));
    assert!(poll_once(late.as_mut()).is_pending());
    assert!(refused(&call(&policy, S).await));
    advance(Duration::from_secs(3_600)).await;
    for _ in 0..2 {
        assert_eq!(call(&policy, S).await, Ok(200));
    }
    assert_eq!(breaker.state(), Closed);
    assert_eq!(late.await, Err(Failure::Transient));
    assert_eq!(
        breaker.state(),
        Closed,
        "its outcome is that of an older time"
    );
}

#[tokio::test(start_paused = true)]
async fn b3_calls_that_take_longer_than_the_open_time_decide_all_the_same() {
    for (step, state) in [(SlowS(3_000), Closed), (SlowF(3_000), Open)] {
        let dependency = Dependency::named("dep")
            .retry(Retry::never())
            .no_timeout()
            .no_deadline();
        let (registry, policy) = to_be_probed(dependency).await;
        // The second takes the slot of the first, and neither ends before it has lost it.
        let mut calls = JoinSet::new();
        for _ in 0..2 {
            let policy = policy.clone();
            calls.spawn(async move { call(&policy, step).await });
            tokio::task::yield_now().await;
            advance(Duration::from_millis(1_500)).await;
        }
        assert_eq!(registry.breaker("dep").unwrap().state(), HalfOpen);
        let outcomes = calls.join_all().await;
        assert!(
            outcomes
                .iter()
                .all(|outcome| outcome.is_ok() == (state == Closed))
        );
        assert_eq!(registry.breaker("dep").unwrap().state(), state);
    }
}

// case A08, B07
#[tokio::test(start_paused = true)]
async fn b4_a08_b07_late_failures_neither_prolong_nor_repeat_an_opening() {
    let opened = Arc::new(AtomicUsize::new(0));
    let openings = opened.clone();
    let (registry, policy) = registered(
        single(
            Breaker::consecutive(4)
                .open_for("2s")
                .on_transition(move |transition| {
                    openings.fetch_add(usize::from(transition.to == Open), Ordering::SeqCst);
                }),
        ),
        "dep",
    );
    let breaker = registry.breaker("dep").unwrap();
    let mut calls = JoinSet::new();
    for number in 1..=20 {
        let policy = policy.clone();
        calls.spawn(async move { call(&policy, SlowF(250 * number)).await });
    }
    tokio::time::sleep(Duration::from_millis(999)).await;
    assert_eq!(breaker.state(), Closed);
    tokio::time::sleep(Duration::from_millis(2)).await;
    assert_eq!(breaker.state(), Open, "the fourth failed");
    let Err(Failure::Rejected(Rejection::BreakerOpen { retry_in, .. })) = call(&policy, S).await
    else {
        panic!("the breaker is open");
    };
    tokio::time::sleep(retry_in).await;
    assert_eq!(call(&policy, S).await, Ok(200), "twelve fail after that");
    assert_eq!(calls.join_all().await.len(), 20);
    assert_eq!(
        (breaker.state(), opened.load(Ordering::SeqCst)),
        (HalfOpen, 1)
    );
}

#[tokio::test(start_paused = true)]
async fn b4_a_late_failure_changes_nothing() {
    let (registry, policy) = registered(
        single(Breaker::consecutive(1).open_for("1s").close_after(1))
            .no_timeout()
            .no_deadline(),
        "dep",
    );
    let late = policy.clone();
    let late = tokio::spawn(async move { call(&late, Step::SlowF(5_000)).await });
    tokio::task::yield_now().await;
    let _ = call(&policy, F).await;
    tokio::time::sleep(Duration::from_millis(1_201)).await;
    assert_eq!(call(&policy, S).await, Ok(200));
    assert_eq!(late.await.unwrap(), Err(Failure::Transient));
    assert_eq!(
        registry.breaker("dep").unwrap().state(),
        BreakerState::Closed
    );
}

#[tokio::test(start_paused = true)]
async fn b5_the_rejection_says_name_state_and_when() {
    let (_registry, policy) = registered(single(Breaker::consecutive(1).open_for("10s")), "dep");
    let _ = call(&policy, F).await;
    let Err(Failure::Rejected(Rejection::BreakerOpen {
        dependency,
        state,
        retry_in,
        reason,
        ..
    })) = call(&policy, S).await
    else {
        panic!("the breaker is open");
    };
    assert_eq!((&*dependency, state), ("dep", BreakerState::Open));
    assert_eq!(reason, None, "nobody forced it");
    assert!(
        (Duration::from_secs(8)..=Duration::from_secs(12)).contains(&retry_in),
        "{retry_in:?}"
    );
    advance(retry_in).await;
    assert_eq!(
        call(&policy, S).await,
        Ok(200),
        "it may be tried when it said so"
    );
}

#[tokio::test(start_paused = true)]
async fn b6_the_rejection_says_why_an_operator_opened_it() {
    let (registry, policy) = registered(single(Breaker::default()), "dep");
    let breaker = registry.breaker("dep").unwrap();
    for (reason, told) in [
        (
            "new database",
            "breaker `dep` is forced open (new database): try again in 5s",
        ),
        ("", "breaker `dep` is forced open: try again in 5s"),
    ] {
        breaker
            .because(reason)
            .force_open_for(Duration::from_secs(5));
        let Err(Failure::Rejected(rejection)) = call(&policy, S).await else {
            panic!("the breaker is forced open");
        };
        assert_eq!(rejection.to_string(), told);
    }
}

/// What one call that ends like this leaves in the window: slow ones, failures, all.
type Slowness = (&'static str, Step, fn(Dependency) -> Dependency, [u64; 3]);

const ENDS_AFTER_A_SECOND: fn(Dependency) -> Dependency = |d| d.timeout("1s").no_deadline();

const SLOWNESS: [Slowness; 14] = [
    ("ready", S, ENDS_AFTER_A_SECOND, [0, 0, 1]),
    (
        "T1 before the first pending no time is counted",
        BlockS(900),
        ENDS_AFTER_A_SECOND,
        [0, 0, 1],
    ),
    (
        "as long as allowed",
        SlowS(100),
        ENDS_AFTER_A_SECOND,
        [0, 0, 1],
    ),
    ("longer", SlowS(101), ENDS_AFTER_A_SECOND, [1, 0, 1]),
    ("a slow failure", SlowF(101), ENDS_AFTER_A_SECOND, [1, 1, 1]),
    (
        "a slow answer",
        SlowPermanent(101),
        ENDS_AFTER_A_SECOND,
        [1, 0, 1],
    ),
    ("throttled", Throttled(101), ENDS_AFTER_A_SECOND, [0, 0, 0]),
    ("our own mistake", Ignored, ENDS_AFTER_A_SECOND, [0, 0, 0]),
    ("cut by the timeout", Hang, ENDS_AFTER_A_SECOND, [1, 1, 1]),
    (
        "cut by the timeout as soon as slow",
        Hang,
        |d| d.timeout("100ms").no_deadline(),
        [0, 1, 1],
    ),
    (
        "cut by the deadline",
        Hang,
        |d| d.no_timeout().deadline("1s"),
        [1, 1, 1],
    ),
    (
        "dropped early",
        Hang,
        |d| d.timeout("6s").no_deadline(),
        [0, 0, 0],
    ),
    (
        "dropped late",
        Hang,
        |d| d.timeout("5s").no_deadline(),
        [1, 1, 1],
    ),
    (
        "a bulkhead's queue is no time of the attempt",
        SlowS(60),
        |d| ENDS_AFTER_A_SECOND(d).bulkhead(Bulkhead::max_concurrent(1).max_queue(1)),
        [0, 0, 2],
    ),
];

#[tokio::test(start_paused = true)]
async fn b1_what_is_slow() {
    for (id, step, limits, [slow, failures, attempts]) in SLOWNESS {
        let breaker = Breaker::slow_calls(1.0, "100ms")
            .or_failure_rate(1.0)
            .min_attempts(9);
        let (registry, policy) = registered(limits(single(breaker)), "dep");
        let patience = Duration::from_millis(2_501);
        let one = tokio::time::timeout(patience, call(&policy, step));
        if id.contains("queue") {
            let _ = tokio::join!(one, call(&policy, step));
        } else {
            let _ = one.await;
        }
        let snapshot = registry.breaker("dep").unwrap().snapshot();
        let counted = [snapshot.slow, snapshot.failures, snapshot.attempts];
        assert_eq!(counted, [slow, failures, attempts], "{id}");
    }
}

#[tokio::test(start_paused = true)]
async fn b1_per_call_the_last_attempt_is_slow_or_not() {
    for (steps, slow) in [
        ([SlowF(101), S], 0),
        ([F, SlowS(101)], 1),
        ([SlowF(60), SlowS(60)], 0),
    ] {
        let (registry, policy) = registered(
            Dependency::named("dep")
                .retry(Retry::max(2).base("0s"))
                .breaker(
                    Breaker::slow_calls(1.0, "100ms")
                        .min_attempts(9)
                        .per(Per::Call),
                ),
            "dep",
        );
        let script = Script::new(&steps);
        assert_eq!(policy.call(|| script.attempt()).await, Ok(200));
        let snapshot = registry.breaker("dep").unwrap().snapshot();
        assert_eq!((snapshot.slow, snapshot.attempts), (slow, 1), "{steps:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn b6_operators_can_force_and_lift() {
    let (registry, policy) = registered(single(Breaker::consecutive(1)), "dep");
    let breaker = registry.breaker("dep").unwrap();
    breaker.force_open();
    advance(Duration::from_secs(3_600)).await;
    assert!(refused(&call(&policy, S).await), "a forced state stays");
    breaker.force_closed();
    let _ = call(&policy, F).await;
    assert_eq!(call(&policy, S).await, Ok(200));
    breaker.force_open_for(Duration::from_secs(5));
    assert!(refused(&call(&policy, S).await));
    advance(Duration::from_secs(6)).await;
    assert_eq!(call(&policy, S).await, Ok(200), "until its expiry");
    breaker.disable();
    let _ = call(&policy, F).await;
    breaker.reset();
    assert_eq!(breaker.state(), BreakerState::Closed);
}

#[tokio::test(start_paused = true)]
async fn per_call_the_breaker_hears_one_verdict() {
    let steady = Retry::max(4).base("0s");
    for (per, opened) in [(Per::Attempt, true), (Per::Call, false)] {
        let (registry, policy) = registered(
            Dependency::named("dep")
                .retry(steady.clone())
                .budget(Budget::unlimited())
                .breaker(Breaker::consecutive(2).per(per)),
            "dep",
        );
        let script = Script::new(&[F, F, F, F]);
        let _ = policy.call(|| script.attempt()).await;
        let state = registry.breaker("dep").unwrap().state();
        assert_eq!(state == BreakerState::Open, opened, "{per:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn per_call_the_breaker_is_asked_again_before_each_retry() {
    let (registry, policy) = registered(
        Dependency::named("dep")
            .retry(
                Retry::max(4)
                    .base("100ms")
                    .jitter(resilient::retry::Jitter::None),
            )
            .breaker(Breaker::consecutive(5).per(Per::Call)),
        "dep",
    );
    let script = Script::new(&[F, F, F, F]);
    let breaker = registry.breaker("dep").unwrap();
    let retried = {
        let script = script.clone();
        tokio::spawn(async move { policy.call(|| script.attempt()).await })
    };
    tokio::time::sleep(Duration::from_millis(50)).await;
    breaker.force_open();
    assert_eq!(
        retried.await.unwrap(),
        Err(Failure::Transient),
        "the last outcome itself"
    );
    assert_eq!(script.starts(), [0]);
}

// case O10
#[tokio::test(start_paused = true)]
async fn r6_o10_own_rejections_are_no_failures() {
    let (registry, policy) = registered(
        single(Breaker::consecutive(3)).bulkhead(resilient::bulkhead::Bulkhead::max_concurrent(1)),
        "dep",
    );
    let holder = policy.clone();
    let holder = tokio::spawn(async move { call(&holder, Hang).await });
    tokio::task::yield_now().await;
    for _ in 0..100 {
        let outcome = call(&policy, S).await;
        assert!(matches!(
            outcome,
            Err(Failure::Rejected(Rejection::BulkheadFull { .. }))
        ));
    }
    assert_eq!(
        registry.breaker("dep").unwrap().state(),
        BreakerState::Closed
    );
    holder.abort();
}

/// What a breaker that never opens has counted after one call: failures and attempts.
struct Count {
    id: &'static str,
    per: Per,
    steps: &'static [Step],
    limits: fn(Dependency) -> Dependency,
    counted: (u64, u64),
}

const fn count(
    id: &'static str,
    per: Per,
    steps: &'static [Step],
    limits: fn(Dependency) -> Dependency,
    counted: (u64, u64),
) -> Count {
    Count {
        id,
        per,
        steps,
        limits,
        counted,
    }
}

fn unlimited(dependency: Dependency) -> Dependency {
    dependency.no_timeout().no_deadline()
}

fn by_timeout(dependency: Dependency) -> Dependency {
    dependency.timeout("100ms").deadline("1s")
}

fn by_deadline(dependency: Dependency) -> Dependency {
    dependency.timeout("100ms").deadline("150ms")
}

const COUNTS: [Count; 16] = [
    count(
        "B2 CO-10 each attempt",
        Per::Attempt,
        &[F, F, S],
        unlimited,
        (2, 3),
    ),
    count(
        "B2 J06 each timeout",
        Per::Attempt,
        &[Hang; 4],
        by_timeout,
        (4, 4),
    ),
    count(
        "B2 J06 a timeout, and the deadline",
        Per::Attempt,
        &[Hang; 4],
        by_deadline,
        (2, 2),
    ),
    count(
        "B2 J05 ready with the timer",
        Per::Attempt,
        &[SlowPermanent(100)],
        by_timeout,
        (0, 1),
    ),
    count(
        "B2 J04 blocking is no timeout",
        Per::Attempt,
        &[BlockS(300)],
        by_timeout,
        (0, 1),
    ),
    count(
        "B2 neutral between failures",
        Per::Attempt,
        &[F, Throttled(1), F, Ignored],
        unlimited,
        (2, 2),
    ),
    count(
        "per call CO-15 one failure",
        Per::Call,
        &[F, F, F, F],
        unlimited,
        (1, 1),
    ),
    count(
        "per call a retry that helped",
        Per::Call,
        &[F, F, S],
        unlimited,
        (0, 1),
    ),
    count(
        "per call an answer in the end",
        Per::Call,
        &[F, Permanent],
        unlimited,
        (0, 1),
    ),
    count(
        "per call our own mistake in the end",
        Per::Call,
        &[F, Ignored],
        unlimited,
        (0, 0),
    ),
    count(
        "per call throttled in the end",
        Per::Call,
        &[F, Throttled(90_000)],
        unlimited,
        (0, 0),
    ),
    count(
        "per call throttled at first",
        Per::Call,
        &[Throttled(1), F, F, F],
        unlimited,
        (1, 1),
    ),
    count(
        "per call timeouts only",
        Per::Call,
        &[Hang; 4],
        by_timeout,
        (1, 1),
    ),
    count(
        "per call cut by the deadline",
        Per::Call,
        &[F, Hang, Hang],
        by_deadline,
        (1, 1),
    ),
    count(
        "per call a success after a timeout",
        Per::Call,
        &[Hang, S],
        by_timeout,
        (0, 1),
    ),
    count(
        "per call a timeout before the end",
        Per::Call,
        &[SlowF(60), SlowF(60), Hang],
        by_deadline,
        (1, 1),
    ),
];

// case J04, J05, J06, CO-10, CO-15
#[tokio::test(start_paused = true)]
async fn b2_what_a_call_adds_to_the_counts() {
    for row in COUNTS {
        let dependency = Dependency::named("dep")
            .retry(Retry::max(4).base("0s"))
            .budget(Budget::unlimited())
            .breaker(Breaker::failure_rate(1.0).min_attempts(99).per(row.per));
        let (registry, policy) = registered((row.limits)(dependency), "dep");
        let script = Script::new(row.steps);
        let _ = policy.call(|| script.attempt()).await;
        let snapshot = registry.breaker("dep").unwrap().snapshot();
        assert_eq!(
            (snapshot.failures, snapshot.attempts),
            row.counted,
            "{}",
            row.id
        );
    }
}

#[tokio::test(start_paused = true)]
async fn per_call_what_is_not_admitted_takes_no_verdict_back() {
    let (registry, policy) = registered(
        Dependency::named("dep")
            .retry(Retry::max(2).base("100ms").jitter(Jitter::None))
            .bulkhead(Bulkhead::max_concurrent(1))
            .breaker(Breaker::failure_rate(1.0).min_attempts(9).per(Per::Call)),
        "dep",
    );
    let script = Script::new(&[F]);
    let mut retried = Box::pin(policy.call(|| script.attempt()));
    assert!(poll_once(retried.as_mut()).is_pending(), "it backs off");
    let holder = Script::new(&[Hang]);
    let mut holder = Box::pin(policy.call(|| holder.attempt()));
    assert!(
        poll_once(holder.as_mut()).is_pending(),
        "it holds the permit"
    );
    assert_eq!(retried.await, Err(Failure::Transient));
    let snapshot = registry.breaker("dep").unwrap().snapshot();
    assert_eq!((snapshot.failures, snapshot.attempts), (1, 1));
}

#[tokio::test(start_paused = true)]
async fn per_call_an_inherited_limit_takes_no_verdict_back() {
    let (registry, policy) = registered(
        unlimited(Dependency::named("dep"))
            .retry(Retry::max(2).base("0s"))
            .breaker(Breaker::failure_rate(1.0).min_attempts(9).per(Per::Call)),
        "dep",
    );
    let script = Script::new(&[F, Hang]);
    let outcome = with_deadline(Duration::from_millis(50), policy.call(|| script.attempt()));
    assert_eq!(outcome.await, Err(Failure::Transient));
    let snapshot = registry.breaker("dep").unwrap().snapshot();
    assert_eq!((snapshot.failures, snapshot.attempts), (1, 1));
}

// case B10
#[tokio::test(start_paused = true)]
async fn b2_b10_a_success_can_be_a_failure() {
    fn by_status(outcome: &Result<u16, Failure>) -> Class {
        match outcome {
            Ok(500..) => Class::Fault,
            Ok(400..) => Class::Permanent,
            _ => Class::Success,
        }
    }
    for (status, opens) in [(404, false), (500, true)] {
        let (registry, policy) = registered(single(Breaker::consecutive(10)), "dep");
        for _ in 0..10 {
            let answer = policy.call_classified(by_status, || async { Ok(status) });
            assert_eq!(answer.await, Ok(status), "the answer itself");
        }
        let opened = registry.breaker("dep").unwrap().state() == Open;
        assert_eq!(opened, opens, "{status}");
    }
}

#[tokio::test(start_paused = true)]
async fn b4_a_call_of_an_older_generation_goes_on_only_if_the_breaker_is_closed() {
    type Act = fn(&BreakerControl);
    let rows: [(&str, Act, usize); 7] = [
        ("nothing happens", |_| {}, 2),
        ("forced open", BreakerControl::force_open, 1),
        (
            "forced open and lifted",
            |b| (b.force_open(), b.lift()).0,
            1,
        ),
        (
            "forced open and reset",
            |b| (b.force_open(), b.reset()).0,
            2,
        ),
        ("forced closed", BreakerControl::force_closed, 2),
        ("disabled", BreakerControl::disable, 2),
        ("observing", BreakerControl::observe, 2),
    ];
    for (id, act, attempts) in rows {
        for per in [Per::Attempt, Per::Call] {
            let (registry, policy) = registered(
                Dependency::named("dep")
                    .retry(Retry::max(2).base("100ms").jitter(Jitter::None))
                    .breaker(Breaker::consecutive(9).per(per)),
                "dep",
            );
            let script = Script::new(&[F, S]);
            let mut retried = Box::pin(policy.call(|| script.attempt()));
            assert!(poll_once(retried.as_mut()).is_pending());
            act(&registry.breaker("dep").unwrap());
            let outcome = retried.await;
            assert_eq!(outcome.is_ok(), attempts == 2, "{id} {per:?}: {outcome:?}");
            assert_eq!(script.starts().len(), attempts, "{id} {per:?}");
        }
    }
}

// case O10, CO-05
#[tokio::test(start_paused = true)]
async fn r6_co05_a_breaker_that_is_open_is_not_asked_again() {
    let (_registry, policy) = registered(
        Dependency::named("dep")
            .retry(Retry::max(9).base("100ms"))
            .breaker(Breaker::consecutive(1)),
        "dep",
    );
    let script = Script::new(&[F, S]);
    assert_eq!(
        policy.call(|| script.attempt()).await,
        Err(Failure::Transient)
    );
    assert!(refused(&policy.call(|| script.attempt()).await));
    assert_eq!((script.starts(), script.elapsed()), (vec![0], 0));
}

// case K02
#[tokio::test(start_paused = true)]
async fn k02_a_listener_may_register_look_and_call() {
    let registry = Registry::seeded(1);
    let inside = registry.clone();
    let heard = Arc::new(Mutex::new(Vec::new()));
    let listener = heard.clone();
    registry
        .register(single(Breaker::consecutive(1).on_transition(
            move |transition| {
                let breaker = inside.breaker("dep").unwrap();
                let other = inside.register(Dependency::named("other")).is_ok();
                let policy = inside.policy("dep").unwrap();
                let again = poll_once(Box::pin(call(&policy, S)).as_mut());
                let refused = matches!(&again, Poll::Ready(outcome) if refused(outcome));
                let told = (transition.to, breaker.state(), other, refused);
                listener.lock().unwrap().push(told);
            },
        )))
        .unwrap();
    let policy = registry.policy("dep").unwrap().idempotent();
    let _ = call(&policy, F).await;
    assert_eq!(*heard.lock().unwrap(), [(Open, Open, true, true)]);
}

#[tokio::test(start_paused = true)]
async fn b3_a_probe_is_not_late_because_it_stood_in_a_queue() {
    let (registry, policy) = registered(
        single(
            Breaker::consecutive(1)
                .open_for("1s")
                .probes(1)
                .close_after(1),
        )
        .bulkhead(resilient::bulkhead::Bulkhead::max_concurrent(1).max_queue(1))
        .timeout("5s")
        .no_deadline(),
        "dep",
    );
    let holder = policy.clone();
    let holder = tokio::spawn(async move { call(&holder, SlowS(7_000)).await });
    tokio::task::yield_now().await;
    registry.breaker("dep").unwrap().force_open();
    registry.breaker("dep").unwrap().lift();
    assert_eq!(
        call(&policy, SlowS(4_000)).await,
        Ok(200),
        "5 s queued, 4 s of 5 run"
    );
    assert_eq!(
        registry.breaker("dep").unwrap().state(),
        BreakerState::Closed
    );
    assert!(holder.await.unwrap().is_err(), "cut by its timeout");
}
