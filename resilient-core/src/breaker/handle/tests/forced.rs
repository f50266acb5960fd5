//! States that an operator forces, as calls meet them.

use super::*;
use crate::breaker::Reason;

#[tokio::test(start_paused = true)]
async fn b6_a_forced_state_ends_by_itself() {
    let second = Some(Duration::from_secs(1));
    let (handle, heard) = breaker(&brittle().probes(1).close_after(1));
    handle.force_open(second, None);
    assert_eq!(
        handle.admit(None),
        Err(Refusal {
            state: BreakerState::ForcedOpen,
            retry_in: 1_000_000_000,
        })
    );
    advance(1_000).await;
    call(&handle, Verdict::Success);
    assert_eq!(handle.state(), BreakerState::Closed);

    handle.force_closed(second, None);
    call(&handle, Verdict::Failure);
    assert_eq!(handle.state(), BreakerState::ForcedClosed);
    advance(1_000).await;
    assert_eq!(handle.state(), BreakerState::Closed);

    handle.disable(second, None);
    let late = handle.admit(None).expect("disabled");
    handle.record(late, Verdict::Failure);
    advance(1_000).await;
    handle.record(late, Verdict::Failure);
    call(&handle, Verdict::Failure);
    assert_eq!(handle.state(), BreakerState::Open);

    handle.observe(second, None);
    call(&handle, Verdict::Failure);
    assert_eq!(handle.state(), BreakerState::Observing);
    advance(1_000).await;
    handle.tick(now());
    assert_eq!(
        rules(&heard)[7..],
        [
            Rule::Consecutive,
            Rule::Forced,
            Rule::Consecutive,
            Rule::Expired
        ]
    );
    assert_eq!(handle.state(), BreakerState::Closed);
}

#[tokio::test(start_paused = true)]
async fn b6_an_observer_counts_again_once_it_would_be_closed() {
    let (handle, heard) = breaker(&Breaker::failure_rate(0.5).min_attempts(10).open_for("1s"));
    handle.observe(None, None);
    (0..10).for_each(|_| call(&handle, Verdict::Failure));
    assert_eq!(rules(&heard), [Rule::Forced, Rule::FailureRate]);
    (0..10).for_each(|_| call(&handle, Verdict::Success));
    assert_eq!(handle.snapshot(now()).attempts, 0);
    advance(1_200).await;
    handle.tick(now());
    // Two probes close it.
    (0..13).for_each(|_| call(&handle, Verdict::Success));
    (0..10).for_each(|_| call(&handle, Verdict::Failure));
    assert_eq!(handle.snapshot(now()).attempts, 21);
    assert_eq!(heard.lock().len(), 2);
}

#[tokio::test(start_paused = true)]
async fn b6_an_observer_counts_what_it_would_have_refused() {
    let config = brittle().growth(2.0, "1min").probes(1).close_after(1);
    let (handle, heard) = breaker(&config.observing());
    let would_have_refused = |handle: &BreakerHandle| handle.snapshot(now()).would_have_refused;
    call(&handle, Verdict::Success);
    let late = handle.admit(None).expect("observing");
    call(&handle, Verdict::Failure);
    assert_eq!(would_have_refused(&handle), 0);
    (0..10).for_each(|_| call(&handle, Verdict::Failure));
    handle.record(late, Verdict::Failure);
    assert_eq!(would_have_refused(&handle), 10);
    // The call that finds the open time over is a probe, with nobody else to tell the time.
    advance(1_200).await;
    let refused = handle.admit(None).expect("observing");
    assert!(!refused.is_probe(), "it may be retried");
    handle.record(late, Verdict::Success);
    handle.record(refused, Verdict::Panicked);
    call(&handle, Verdict::Failure);
    assert_eq!(would_have_refused(&handle), 11);
    advance(2_400).await;
    call(&handle, Verdict::Success);
    assert_eq!(would_have_refused(&handle), 11);
    call(&handle, Verdict::Failure);
    assert_eq!(
        rules(&heard),
        [Rule::Consecutive, Rule::ProbeFailed, Rule::Consecutive]
    );
    assert_eq!(handle.state(), BreakerState::Observing);
}

#[tokio::test(start_paused = true)]
async fn b6_a_reason_is_told_while_it_holds() {
    let (handle, heard) = breaker(&brittle());
    let reason = |text: &str| Reason::new(text);
    let second = Some(Duration::from_secs(1));
    handle.force_open(None, reason("first"));
    handle.force_open(second, reason("second"));
    assert_eq!(handle.reason(), reason("second"));
    let snapshot = handle.snapshot(now());
    assert_eq!(
        (snapshot.reason, snapshot.forced_for),
        (reason("second"), second)
    );
    advance(1_000).await;
    handle.tick(now());
    assert_eq!(handle.reason(), None);
    handle.disable(None, reason(""));
    handle.lift(reason("works").as_ref());
    handle.force_closed(None, reason("third"));
    handle.reset(None);
    let told: Vec<_> = heard
        .lock()
        .iter()
        .map(|told| (told.rule, told.reason.clone()))
        .collect();
    assert_eq!(
        told,
        [
            (Rule::Forced, reason("first")),
            (Rule::Expired, reason("second")),
            (Rule::Forced, None),
            (Rule::Lifted, reason("works")),
            (Rule::Forced, reason("third")),
            (Rule::Reset, None),
        ]
    );
}

#[tokio::test(start_paused = true)]
async fn b6_a_state_forced_for_good() {
    let (handle, _) = breaker(&brittle());
    handle.force_open(None, None);
    advance(1_000_000).await;
    let refusal = handle.admit(None).expect_err("forced open");
    assert_eq!(refusal.retry_in, u64::MAX);
    handle.lift(None);
    assert_eq!(handle.state(), BreakerState::HalfOpen);
    handle.reset(None);
    assert_eq!(handle.state(), BreakerState::Closed);
}
