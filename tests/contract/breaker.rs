//! B1 to B6 on whole calls; the state machine itself is tested beside it.

use std::time::Duration;

use resilient::breaker::{Breaker, BreakerState, Per};
use resilient::budget::Budget;
use resilient::retry::Retry;
use resilient::{Dependency, Policy, Rejection};
use tokio::time::advance;

use crate::script::Step::{F, Fault, Hang, Ignored, Panic, Permanent, S, SlowS, Throttled};
use crate::script::{Failure, Script, Step, registered};

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

#[tokio::test(start_paused = true)]
async fn b3_a12_every_way_out_frees_the_probe_slot() {
    for ending in [Permanent, Throttled(1), Ignored, Hang, SlowS(10_000)] {
        let (_registry, policy) = registered(
            single(
                Breaker::consecutive(1)
                    .open_for("1s")
                    .probes(1)
                    .close_after(2),
            )
            .timeout("50ms"),
            "dep",
        );
        let _ = call(&policy, F).await;
        advance(Duration::from_millis(1_201)).await;
        let lost = tokio::time::timeout(Duration::from_millis(10), call(&policy, ending)).await;
        let failed = matches!(lost, Ok(Err(Failure::Transient)));
        assert!(!failed);
        assert_eq!(
            call(&policy, S).await,
            Ok(200),
            "after {ending:?} the slot is free"
        );
    }
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
    })) = call(&policy, S).await
    else {
        panic!("the breaker is open");
    };
    assert_eq!((&*dependency, state), ("dep", BreakerState::Open));
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
