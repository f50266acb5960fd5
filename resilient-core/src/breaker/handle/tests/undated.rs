//! Successes that nobody has dated yet, when it comes to judging.

use super::*;

#[tokio::test(start_paused = true)]
async fn undated_successes_are_in_the_rate() {
    let config = Breaker::failure_rate(0.5).min_attempts(10).window("10s");
    let (handle, _) = breaker(&config);
    (0..20).for_each(|_| call(&handle, Verdict::Success));
    (0..19).for_each(|_| call(&handle, Verdict::Failure));
    assert_eq!(handle.state(), BreakerState::Closed);
    call(&handle, Verdict::Failure);
    assert_eq!(handle.state(), BreakerState::Open);
    handle.reset(None);
    (0..20).for_each(|_| call(&handle, Verdict::Success));
    (0..19).for_each(|_| call(&handle, Verdict::Failure));
    assert_eq!(handle.state(), BreakerState::Closed);
}

/// Successes are tallied without order until a failure comes; in a window of attempts they stand
/// where they were all the same.
#[tokio::test(start_paused = true)]
async fn b1_tallied_successes_keep_their_place_in_a_window_of_attempts() {
    let config = Breaker::failure_rate(0.5).min_attempts(2).count_window(4);
    let (handle, _) = breaker(&config);
    let counts = |handle: &BreakerHandle| {
        let snapshot = handle.snapshot(now());
        (snapshot.failures, snapshot.attempts)
    };
    (0..3).for_each(|_| call(&handle, Verdict::Success));
    assert!(handle.published.word().counts_success() && !handle.published.word().heeds_success());
    call(&handle, Verdict::Failure);
    assert_eq!(counts(&handle), (1, 4));
    (0..3).for_each(|_| call(&handle, Verdict::Success));
    call(&handle, Verdict::Failure);
    assert_eq!(counts(&handle), (1, 4), "the older one is pushed out");
    (0..2).for_each(|_| call(&handle, Verdict::Success));
    assert_eq!(handle.state(), BreakerState::Closed);
    call(&handle, Verdict::Failure);
    assert_eq!(handle.state(), BreakerState::Open, "F S S F");
}

#[tokio::test(start_paused = true)]
async fn old_undated_successes_do_not_hide_an_outage() {
    let config = Breaker::failure_rate(0.5).min_attempts(10).window("10s");
    let (handle, _) = breaker(&config);
    (0..3_000).for_each(|_| call(&handle, Verdict::Success));
    advance(300_000).await;
    // A tenth of a second's worth a second: ninety in the window.
    (0..89).for_each(|_| call(&handle, Verdict::Failure));
    assert_eq!(handle.state(), BreakerState::Closed);
    call(&handle, Verdict::Failure);
    assert_eq!(handle.state(), BreakerState::Open);
}

#[tokio::test(start_paused = true)]
async fn ticking_dates_successes_as_they_come() {
    let config = Breaker::failure_rate(0.5).min_attempts(10).window("10s");
    let (handle, _) = breaker(&config);
    handle.tick(now());
    (0..1_000).for_each(|_| call(&handle, Verdict::Success));
    handle.tick(now());
    for _ in 0..30 {
        advance(1_000).await;
        handle.tick(now());
    }
    assert_eq!(
        handle.snapshot(now()).attempts,
        0,
        "all of them are long gone"
    );
}

#[tokio::test(start_paused = true)]
async fn a_success_that_completes_the_minimum_opens() {
    let (handle, _) = breaker(&Breaker::failure_rate(0.5).min_attempts(4));
    call(&handle, Verdict::Success);
    call(&handle, Verdict::Failure);
    call(&handle, Verdict::Failure);
    assert_eq!(handle.state(), BreakerState::Closed);
    call(&handle, Verdict::Success);
    assert_eq!(handle.state(), BreakerState::Open);
}
