//! H1: copies of slow attempts.

use std::cell::{Cell, RefCell};
use std::collections::HashSet;
use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::rc::Rc;
use std::task::Poll;
use std::time::Duration;

use resilient::breaker::Breaker;
use resilient::budget::Budget;
use resilient::bulkhead::Bulkhead;
use resilient::hedge::Hedge;
use resilient::retry::Retry;
use resilient::{Dependency, Registry, Rejection, context, resilient, scope, testing};

use crate::script::Step::{F, Fault, Hang, S, SlowF, SlowPermanent, SlowS};
use crate::script::{Answer, Failure, Script, Step, poll_once, registered};

const COPIES: u32 = 3;

#[resilient(dependency = "dep", hedge, idempotent)]
async fn hedged(script: &Script) -> Answer {
    script.attempt().await
}

#[resilient(hedge(after = "10ms"), idempotent, timeout = "1s")]
async fn alone(script: &Script) -> Answer {
    script.attempt().await
}

/// Two attempts of up to three copies, 10 ms apart.
fn dependency() -> Dependency {
    Dependency::named("dep")
        .hedge(Hedge::after("10ms").max(3))
        .retry(Retry::max(2).base("0s"))
        .breaker(Breaker::consecutive(3).open_for("1s"))
        .bulkhead(Bulkhead::max_concurrent(3))
        .budget(Budget::tokens(10).refill_every("1h"))
        .timeout("100ms")
        .deadline("1s")
}

struct Row {
    id: &'static str,
    dependency: fn(Dependency) -> Dependency,
    steps: &'static [Step],
    outcome: fn(&Answer) -> bool,
    /// When copies start, in milliseconds.
    starts: &'static [u64],
    ends: u64,
}

const SUCCESS: fn(&Answer) -> bool = |answer| *answer == Ok(200);
const AS_IS: fn(Dependency) -> Dependency = |dependency| dependency;
const ONE_ATTEMPT: fn(Dependency) -> Dependency = |dependency| dependency.retry(Retry::never());

#[tokio::test(start_paused = true)]
#[allow(clippy::too_many_lines, reason = "one table")]
async fn h1_one_call() {
    let rows = [
        Row {
            id: "HD-02: a fast attempt has no copy",
            dependency: AS_IS,
            steps: &[SlowS(9)],
            outcome: SUCCESS,
            starts: &[0],
            ends: 9,
        },
        Row {
            id: "an attempt that is ready when its copy is due has none",
            dependency: AS_IS,
            steps: &[SlowS(10)],
            outcome: SUCCESS,
            starts: &[0],
            ends: 10,
        },
        Row {
            id: "HD-01, O03: the first success wins, and `max` counts every copy",
            dependency: AS_IS,
            steps: &[SlowS(90), SlowS(90), SlowS(5)],
            outcome: SUCCESS,
            starts: &[0, 10, 20],
            ends: 25,
        },
        Row {
            id: "no more than `max`",
            dependency: AS_IS,
            steps: &[SlowS(60), Hang, Hang],
            outcome: SUCCESS,
            starts: &[0, 10, 20],
            ends: 60,
        },
        Row {
            id: "zero: all at once",
            dependency: |dependency| dependency.hedge(Hedge::after("0s").max(3)),
            steps: &[Hang, Hang, SlowS(5)],
            outcome: SUCCESS,
            starts: &[0, 0, 0],
            ends: 5,
        },
        Row {
            id: "CO-26, HD-04: a fast failure does not wait for a copy",
            dependency: AS_IS,
            steps: &[SlowF(5), SlowS(3)],
            outcome: SUCCESS,
            starts: &[0, 5],
            ends: 8,
        },
        Row {
            id: "a first copy that fails leaves the attempt to the others",
            dependency: ONE_ATTEMPT,
            steps: &[SlowF(15), SlowS(10)],
            outcome: SUCCESS,
            starts: &[0, 10],
            ends: 20,
        },
        Row {
            id: "a copy that fails leaves the attempt to the first, and makes room for another",
            dependency: ONE_ATTEMPT,
            steps: &[SlowS(40), F, SlowF(5)],
            outcome: SUCCESS,
            starts: &[0, 10, 20],
            ends: 40,
        },
        Row {
            id: "O05: all have failed: the error of the first",
            dependency: ONE_ATTEMPT,
            steps: &[SlowPermanent(50), SlowF(1), Fault],
            outcome: |answer| *answer == Err(Failure::Permanent),
            starts: &[0, 10, 20],
            ends: 50,
        },
        Row {
            id: "all have failed, the first one first",
            dependency: ONE_ATTEMPT,
            steps: &[SlowPermanent(12), SlowF(20), F],
            outcome: |answer| *answer == Err(Failure::Permanent),
            starts: &[0, 10, 20],
            ends: 30,
        },
        Row {
            id: "O04: copies are no attempts: a group that fails is retried as one",
            dependency: |dependency| dependency.bulkhead(Bulkhead::max_concurrent(9)),
            steps: &[SlowF(30), SlowF(20), SlowF(10), SlowS(15), Hang],
            outcome: SUCCESS,
            starts: &[0, 10, 20, 30, 40],
            ends: 45,
        },
        Row {
            id: "CO-22: retries around hedges that all fail",
            dependency: |dependency| {
                dependency
                    .retry(Retry::max(3).base("0s"))
                    .hedge(Hedge::after("10ms"))
            },
            steps: &[SlowF(20); 6],
            outcome: |answer| *answer == Err(Failure::Transient),
            starts: &[0, 10, 30, 40, 60, 70],
            ends: 90,
        },
        Row {
            id: "each copy has the attempt's timeout for itself",
            dependency: ONE_ATTEMPT,
            steps: &[Hang, SlowS(95)],
            outcome: SUCCESS,
            starts: &[0, 10, 20],
            ends: 20,
        },
        Row {
            id: "all cut: the first one's timeout",
            dependency: ONE_ATTEMPT,
            steps: &[Hang, SlowF(1), Hang],
            outcome: |answer| {
                *answer
                    == Err(Failure::Rejected(Rejection::TimedOut {
                        after: Duration::from_millis(100),
                    }))
            },
            starts: &[0, 10, 20],
            ends: 120,
        },
        Row {
            id: "the deadline ends them all",
            dependency: |dependency| dependency.no_timeout().deadline("50ms"),
            steps: &[Hang, Hang, Hang],
            outcome: |answer| {
                *answer
                    == Err(Failure::Rejected(Rejection::DeadlineExceeded {
                        after: Duration::from_millis(50),
                    }))
            },
            starts: &[0, 10, 20],
            ends: 50,
        },
        Row {
            id: "R1: what the first copy failed with stands when the deadline ends the others",
            dependency: |dependency| dependency.no_timeout().deadline("50ms"),
            steps: &[SlowF(15), Hang, Hang],
            outcome: |answer| *answer == Err(Failure::Transient),
            starts: &[0, 10, 20],
            ends: 50,
        },
        Row {
            id: "BG-19: without a token there is no copy, and that is no error",
            dependency: |dependency| dependency.budget(Budget::tokens(1).refill_every("1h")),
            steps: &[SlowS(60), Hang],
            outcome: SUCCESS,
            starts: &[0, 10],
            ends: 60,
        },
        Row {
            id: "copies that are due at once and get no token are left out, too",
            dependency: |dependency| {
                dependency
                    .hedge(Hedge::after("0s").max(u32::MAX))
                    .budget(Budget::tokens(1).refill_every("1h"))
            },
            steps: &[SlowS(60), Hang],
            outcome: SUCCESS,
            starts: &[0, 0],
            ends: 60,
        },
        Row {
            id: "K1: a copy takes a permit of its own and does not queue for it",
            dependency: |dependency| {
                dependency.bulkhead(Bulkhead::max_concurrent(2).max_queue(5).max_wait("1s"))
            },
            steps: &[SlowS(60), Hang],
            outcome: SUCCESS,
            starts: &[0, 10],
            ends: 60,
        },
    ];
    let mut wrong = Vec::new();
    for row in rows {
        let registry = Registry::seeded(1);
        registry.register((row.dependency)(dependency())).unwrap();
        let script = Script::new(row.steps);
        let answer = scope(&registry, hedged(&script)).await;
        let found = (script.starts(), script.elapsed(), script.running());
        if !(row.outcome)(&answer) || found != (row.starts.to_vec(), row.ends, 0) {
            wrong.push(format!("{}: {answer:?}, {found:?}", row.id));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[tokio::test(start_paused = true)]
async fn h1_a_site_without_retries_and_without_a_dependency() {
    let script = Script::new(&[Hang, SlowS(5)]);
    assert_eq!(alone(&script).await, Ok(200));
    assert_eq!((script.starts(), script.running()), (vec![0, 10], 0));
}

#[tokio::test(start_paused = true)]
async fn h1_one_verdict_for_all_copies() {
    let (registry, _) = registered(dependency().retry(Retry::never()), "dep");
    let counts = || {
        let snapshot = registry.breaker("dep").unwrap().snapshot();
        (snapshot.failures, snapshot.attempts)
    };
    let lost = Script::new(&[SlowF(12), SlowF(20), Fault]);
    assert!(scope(&registry, hedged(&lost)).await.is_err());
    assert_eq!(counts(), (1, 1));
    let won = Script::new(&[SlowF(12), SlowS(20)]);
    assert!(scope(&registry, hedged(&won)).await.is_ok());
    assert_eq!(counts(), (0, 0), "a success ends the failures in a row");
}

#[tokio::test(start_paused = true)]
async fn h1_b3_a_probe_has_no_copies() {
    let (registry, _) = registered(dependency(), "dep");
    let failing = Script::new(&[Fault, Fault, Fault]);
    for _ in 0..3 {
        let _ = scope(&registry, hedged(&failing)).await;
    }
    tokio::time::sleep(Duration::from_secs(2)).await;
    let slow = Script::new(&[SlowS(50), SlowS(50), SlowS(50), S]);
    assert!(scope(&registry, hedged(&slow)).await.is_ok());
    assert_eq!(slow.starts(), [0], "half-open");
    assert!(scope(&registry, hedged(&slow)).await.is_ok());
    assert!(scope(&registry, hedged(&slow)).await.is_ok());
    assert_eq!(slow.starts().len(), 4, "closed again");
}

#[tokio::test(start_paused = true)]
async fn h1_no_copies_once_the_breaker_has_opened() {
    let (registry, _) = registered(dependency(), "dep");
    let script = Script::new(&[SlowS(50)]);
    let mut call = pin!(scope(&registry, hedged(&script)));
    assert!(poll_once(call.as_mut()).is_pending());
    registry.breaker("dep").unwrap().force_open();
    assert_eq!(call.await, Ok(200));
    assert_eq!(script.starts(), [0]);
}

/// The call around it holds one permit, and was admitted once.
#[tokio::test(start_paused = true)]
async fn h1_n2_copies_of_a_nested_call_ask_for_all_they_need() {
    #[resilient(dependency = "dep", retry(max = 1), idempotent)]
    async fn around(script: &Script) -> Answer {
        hedged(script).await
    }
    let (registry, _) = registered(dependency().bulkhead(Bulkhead::max_concurrent(2)), "dep");
    let slow = Script::new(&[SlowS(50), Hang, Hang]);
    assert_eq!(scope(&registry, around(&slow)).await, Ok(200));
    assert_eq!(slow.starts(), [0, 10], "K1: two permits");

    let failing = Script::new(&[Fault, Fault, Fault]);
    for _ in 0..3 {
        let _ = scope(&registry, hedged(&failing)).await;
    }
    tokio::time::sleep(Duration::from_secs(2)).await;
    let probe = Script::new(&[SlowS(50), Hang, Hang]);
    assert_eq!(scope(&registry, around(&probe)).await, Ok(200));
    assert_eq!(probe.starts(), [0], "B3: half-open");
}

#[tokio::test(start_paused = true)]
async fn h1_after_a_standstill_copies_do_not_come_all_at_once() {
    let (registry, _) = registered(dependency(), "dep");
    let script = Script::new(&[SlowS(90), Hang, Hang]);
    let mut call = pin!(scope(&registry, hedged(&script)));
    assert!(poll_once(call.as_mut()).is_pending());
    tokio::time::advance(Duration::from_millis(45)).await;
    assert_eq!(call.await, Ok(200));
    assert_eq!(script.starts(), [0, 45, 55]);
}

#[tokio::test(start_paused = true)]
async fn h1_after_a_standstill_past_the_deadline_no_copy_starts() {
    let (registry, _) = registered(dependency().no_timeout().deadline("50ms"), "dep");
    let script = Script::new(&[Hang, S]);
    let mut call = pin!(scope(&registry, hedged(&script)));
    assert!(poll_once(call.as_mut()).is_pending());
    tokio::time::advance(Duration::from_millis(60)).await;
    assert!(call.await.is_err());
    assert_eq!(script.starts(), [0]);
}

#[tokio::test(start_paused = true)]
async fn h1_k1_every_permit_comes_back() {
    let (registry, policy) = registered(dependency().retry(Retry::never()), "dep");
    let ends: [&[Step]; 5] = [
        &[SlowS(30), Hang, Hang],
        &[Hang, Hang, SlowS(1)],
        &[SlowF(30), F, Fault],
        &[Hang, Hang, Hang],
        &[SlowF(12), Hang, Hang],
    ];
    for steps in ends {
        let script = Script::new(steps);
        let _ = scope(&registry, hedged(&script)).await;
        assert_eq!(script.starts().len(), 3, "{steps:?}");
        permits_are_back(&policy, steps);
        registry.breaker("dep").unwrap().reset();
    }
}

/// Its permit is free as soon as a copy has ended, while others run.
#[tokio::test(start_paused = true)]
async fn h1_k1_a_copy_that_ends_gives_its_permit_back_at_once() {
    let rows: [(&[Step], [usize; 3]); 3] = [
        (&[SlowS(90), SlowF(10), SlowS(90)], [1, 2, 2]),
        (&[SlowF(15), SlowS(90), SlowS(90)], [1, 1, 2]),
        (&[SlowS(90), SlowS(90), SlowF(1)], [1, 2, 2]),
    ];
    for (steps, expected) in rows {
        let (registry, _) = registered(dependency().retry(Retry::never()), "dep");
        let script = Script::new(steps);
        let mut call = pin!(scope(&registry, hedged(&script)));
        let mut in_use = Vec::new();
        for until in [5, 17, 25] {
            let time = Duration::from_millis(until - script.elapsed());
            assert!(tokio::time::timeout(time, call.as_mut()).await.is_err());
            in_use.push(registry.snapshot().dependencies[0].bulkhead.in_use);
        }
        assert_eq!(in_use, expected, "{steps:?}");
    }
}

fn permits_are_back(policy: &resilient::Policy, steps: &[Step]) {
    let script = Script::new(&[Hang; 5]);
    let mut calls: Vec<Pin<Box<_>>> = (0..5)
        .map(|_| Box::pin(policy.call(|| script.attempt())))
        .collect();
    for call in &mut calls {
        let _ = poll_once(call.as_mut());
    }
    assert_eq!(script.running(), 3, "{steps:?}");
}

#[tokio::test(start_paused = true)]
async fn h1_x1_dropped_at_every_moment() {
    for moment in 0..40 {
        let (registry, policy) = registered(dependency(), "dep");
        let script = Script::new(&[SlowF(25), SlowF(15), SlowF(35), SlowS(5)]);
        let call = scope(&registry, hedged(&script));
        let _ = tokio::time::timeout(Duration::from_millis(moment), call).await;
        assert_eq!(script.running(), 0, "{moment}");
        permits_are_back(&policy, &[]);
    }
}

#[tokio::test(start_paused = true)]
async fn h1_i1_all_copies_have_one_key_and_one_number() {
    #[resilient(dependency = "dep", hedge(max = { COPIES }), idempotency_key)]
    async fn keyed(seen: &RefCell<Vec<(u32, String)>>) -> Answer {
        let context = context();
        let key = context.idempotency_key().unwrap().to_string();
        seen.borrow_mut().push((context.attempt(), key));
        std::future::pending().await
    }
    let (registry, _) = registered(dependency(), "dep");
    let seen = RefCell::default();
    assert!(scope(&registry, keyed(&seen)).await.is_err());
    let seen = seen.into_inner();
    let numbers: Vec<u32> = seen.iter().map(|(attempt, _)| *attempt).collect();
    assert_eq!(numbers, [1, 1, 1, 2, 2, 2]);
    let keys: HashSet<_> = seen.into_iter().map(|(_, key)| key).collect();
    assert_eq!(keys.len(), 1);
}

#[tokio::test(start_paused = true)]
async fn h1_each_copy_sees_its_own_remaining_time() {
    #[resilient(dependency = "dep", hedge, idempotent)]
    async fn timed(left: &RefCell<Vec<Duration>>) -> Answer {
        tokio::task::yield_now().await;
        left.borrow_mut().push(context().remaining().unwrap());
        std::future::pending().await
    }
    let (registry, _) = registered(dependency().retry(Retry::never()).deadline("115ms"), "dep");
    let left = RefCell::default();
    assert!(scope(&registry, timed(&left)).await.is_err());
    let left: Vec<_> = left.into_inner().iter().map(Duration::as_millis).collect();
    assert_eq!(left, [100, 100, 95], "the deadline is everybody's");
}

#[tokio::test(start_paused = true)]
async fn h1_arguments_are_shared_or_cloned_and_whole_in_every_copy() {
    #[resilient(
        hedge(after = "1ms", max = 3),
        idempotent,
        clone(owned, count),
        retry(max = 2)
    )]
    async fn collect(
        seen: &RefCell<Vec<(String, u32, usize)>>,
        owned: String,
        mut count: u32,
        shared: Vec<u8>,
    ) -> std::io::Result<()> {
        count += 1;
        seen.borrow_mut().push((owned.clone(), count, shared.len()));
        drop(owned);
        tokio::time::sleep(Duration::from_millis(5)).await;
        Err(std::io::ErrorKind::ConnectionReset.into())
    }
    let seen = RefCell::default();
    assert!(collect(&seen, "a".into(), 1, vec![1, 2]).await.is_err());
    // G1: two copies and a retry are what the budget's floor allows.
    assert_eq!(seen.into_inner(), vec![("a".to_owned(), 2, 2); 4]);
}

#[tokio::test(start_paused = true)]
async fn h1_by_a_quantile_of_the_first_copies() {
    #[resilient(hedge(after = "p90", floor = "20ms"), idempotent, timeout = "1s")]
    async fn learning(script: &Script) -> Answer {
        script.attempt().await
    }
    // Nothing is known before the twentieth success, and failures teach nothing.
    for latency in 1..=19 {
        let script = Script::new(&[SlowS(latency * 10)]);
        assert_eq!(learning(&script).await, Ok(200));
        let _ = learning(&Script::new(&[SlowF(900)])).await;
        assert_eq!(script.starts().len(), 1);
    }
    let still_unknown = Script::new(&[SlowS(200), S]);
    let _ = learning(&still_unknown).await;
    assert_eq!(still_unknown.starts(), [0]);
    // 10, 20, .., 200: the 18th of 20.
    let slow = Script::new(&[Hang, SlowS(5)]);
    assert_eq!(learning(&slow).await, Ok(200));
    assert_eq!(slow.starts(), [0, 180]);
    // The one that lost counts with the 185 ms it had run: the 19th of 21. One that failed teaches
    // nothing, though another won.
    let failed = Script::new(&[SlowF(190), SlowS(20)]);
    assert_eq!(learning(&failed).await, Ok(200));
    assert_eq!(failed.starts(), [0, 185]);
    let slow = Script::new(&[Hang, SlowS(5)]);
    assert_eq!(learning(&slow).await, Ok(200));
    assert_eq!(slow.starts(), [0, 185]);
    for _ in 0..128 {
        assert_eq!(learning(&Script::new(&[S])).await, Ok(200));
    }
    let slow = Script::new(&[Hang, SlowS(5)]);
    assert_eq!(learning(&slow).await, Ok(200));
    assert_eq!(slow.starts(), [0, 20], "the floor");
}

#[tokio::test(start_paused = true)]
async fn h1_numbers_change_while_running() {
    let (registry, _) = registered(dependency(), "dep");
    registry
        .update(dependency().hedge(Hedge::after("30ms")))
        .unwrap();
    let script = Script::new(&[Hang, SlowS(5)]);
    assert_eq!(scope(&registry, hedged(&script)).await, Ok(200));
    assert_eq!(script.starts(), [0, 30]);
}

#[tokio::test(start_paused = true)]
async fn h1_x2_bare_and_unknown() {
    let script = Script::new(&[SlowS(50)]);
    let bare = testing::passthrough();
    assert_eq!(scope(&bare, hedged(&script)).await, Ok(200));
    assert_eq!(script.starts(), [0]);
    let unknown = scope(&Registry::new(), hedged(&script)).await;
    assert!(matches!(
        unknown,
        Err(Failure::Rejected(Rejection::NotRegistered(_)))
    ));
    assert_eq!(script.starts(), [0]);
}

#[tokio::test(start_paused = true)]
#[should_panic(expected = "as scripted")]
async fn h1_a_panic_of_a_copy_is_the_caller_s() {
    let (registry, _) = registered(dependency(), "dep");
    let script = Script::new(&[Hang, Step::Panic]);
    let _ = scope(&registry, hedged(&script)).await;
}

// case O01
#[tokio::test(start_paused = true)]
async fn h1_g1_a_copy_that_was_paid_for_is_sent() {
    #[resilient(dependency = "dep", hedge, idempotent)]
    async fn counted(begun: &Cell<u32>) -> Answer {
        begun.set(begun.get() + 1);
        // Pending when the copy becomes due, and ready when it is polled again.
        tokio::time::sleep(Duration::from_millis(10)).await;
        tokio::task::yield_now().await;
        Ok(200)
    }
    let (registry, _) = registered(dependency(), "dep");
    let begun = Cell::new(0);
    let answer = scope(&registry, counted(&begun)).await;
    assert_eq!((answer, begun.get()), (Ok(200), 2));
}

#[tokio::test(start_paused = true)]
async fn h1_losers_are_dropped_before_the_call_returns() {
    #[resilient(hedge(after = "10ms"), idempotent, timeout = "1s")]
    async fn counted(alive: &Rc<()>) -> Answer {
        let _held = alive.clone();
        if Rc::strong_count(alive) == 2 {
            std::future::pending::<()>().await;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
        Ok(200)
    }
    let alive = Rc::new(());
    let mut call = pin!(counted(&alive));
    let counted = poll_fn(|cx| match call.as_mut().poll(cx) {
        Poll::Ready(answer) => Poll::Ready((answer, Rc::strong_count(&alive))),
        Poll::Pending => Poll::Pending,
    });
    assert_eq!(counted.await, (Ok(200), 1));
}
