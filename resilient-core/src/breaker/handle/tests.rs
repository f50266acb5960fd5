use std::sync::Barrier;
use std::sync::atomic::{AtomicUsize, Ordering as StdOrdering};

use super::*;
use crate::breaker::{Breaker, Rule, Transition};

type Heard = Arc<Lock<Vec<Transition>>>;

fn breaker(config: &Breaker) -> (Arc<BreakerHandle>, Heard) {
    let heard = Heard::default();
    let ear = heard.clone();
    let handle = BreakerHandle::new(
        Name::new("payment").expect("a valid name"),
        config.settings().expect("valid settings"),
        Random::seeded(1),
        Arc::new(move |transition: &Transition| ear.lock().push(transition.clone())),
    );
    (handle, heard)
}

fn rules(heard: &Heard) -> Vec<Rule> {
    heard
        .lock()
        .iter()
        .map(|transition| transition.rule)
        .collect()
}

fn call(handle: &BreakerHandle, verdict: Verdict) {
    let ticket = handle.admit(None).expect("admitted");
    handle.record(ticket, verdict);
}

async fn advance(millis: u64) {
    tokio::time::advance(Duration::from_millis(millis)).await;
}

/// For tests on the real clock, whose open times, and so leases, are next to nothing.
const AN_HOUR: Option<Duration> = Some(Duration::from_secs(3_600));

/// Opens on the first failure for about a second.
fn brittle() -> Breaker {
    Breaker::consecutive(1).open_for("1s")
}

#[tokio::test(start_paused = true)]
async fn it_opens_refuses_probes_and_closes() {
    let (handle, heard) = breaker(&brittle().probes(1));
    call(&handle, Verdict::Failure);
    let refusal = handle.admit(None).expect_err("open");
    assert_eq!(refusal.state, BreakerState::Open);
    let retry_in = refusal.retry_in;
    assert!(retry_in >= Duration::from_millis(800) && retry_in <= Duration::from_millis(1_200));
    tokio::time::advance(retry_in.saturating_sub(Duration::from_nanos(1))).await;
    assert_eq!(
        handle.admit(None).map_err(|r| r.retry_in),
        Err(Duration::from_nanos(1))
    );
    tokio::time::advance(Duration::from_nanos(1)).await;
    let probe = handle.admit(None).expect("a probe");
    assert!(probe.is_probe());
    let refusal = handle.admit(None).expect_err("one probe at a time");
    assert_eq!(refusal.state, BreakerState::HalfOpen);
    handle.record(probe, Verdict::Success);
    call(&handle, Verdict::Success);
    assert_eq!(handle.state(), BreakerState::Closed);
    assert_eq!(
        rules(&heard),
        [Rule::Consecutive, Rule::OpenElapsed, Rule::ProbesSucceeded]
    );
    let first = heard.lock()[0].clone();
    assert_eq!(
        (&*first.dependency, first.failures, first.attempts),
        ("payment", 1, 1)
    );
    assert_eq!(first.lasts, Some(retry_in));
}

#[tokio::test(start_paused = true)]
async fn a04_threads_get_exactly_the_probes() {
    for probes in [1, 3] {
        let (handle, _) = breaker(&brittle().probes(probes).close_after(100));
        call(&handle, Verdict::Failure);
        advance(1_200).await;
        // The paused clock belongs to this thread, so it half-opens the breaker and hands the
        // slots back; the others only compete for them.
        let first = handle.admit(None).expect("a probe");
        handle.record(first, Verdict::Neutral);
        let until = now();
        let barrier = Barrier::new(8);
        let admitted = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    barrier.wait();
                    for _ in 0..50 {
                        let result = handle.locked(until, |engine| engine.admit(until, None));
                        if result.is_ok() {
                            admitted.fetch_add(1, StdOrdering::Relaxed);
                        }
                    }
                });
            }
        });
        assert_eq!(admitted.into_inner(), probes as usize);
    }
}

#[test]
fn a04_threads_on_a_real_clock_get_exactly_the_probes() {
    let (handle, _) = breaker(&Breaker::consecutive(1).open_for("1ns").probes(4));
    call(&handle, Verdict::Failure);
    let barrier = Barrier::new(8);
    let admitted = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                barrier.wait();
                for _ in 0..50 {
                    if handle.admit(AN_HOUR).is_ok() {
                        admitted.fetch_add(1, StdOrdering::Relaxed);
                    }
                }
            });
        }
    });
    assert_eq!(admitted.into_inner(), 4);
}

#[tokio::test(start_paused = true)]
async fn a11_reading_the_state_takes_no_probe() {
    let (handle, _) = breaker(&brittle().probes(1).close_after(1));
    call(&handle, Verdict::Failure);
    advance(1_200).await;
    for _ in 0..100 {
        assert_eq!(handle.state(), BreakerState::Open);
        assert_eq!(handle.snapshot(now()).state, BreakerState::Open);
    }
    call(&handle, Verdict::Success);
    assert_eq!(handle.state(), BreakerState::Closed);
}

#[test]
fn b11_every_failure_is_counted() {
    let config = Breaker::failure_rate(1.0)
        .min_attempts(u32::MAX)
        .window("1h");
    let (handle, _) = breaker(&config);
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| (0..10_000).for_each(|_| call(&handle, Verdict::Failure)));
        }
    });
    let snapshot = handle.snapshot(now());
    assert_eq!((snapshot.failures, snapshot.attempts), (80_000, 80_000));
}

#[test]
fn b11_every_success_is_counted_beside_failures() {
    let config = Breaker::failure_rate(1.0).min_attempts(1_000).window("1h");
    let (handle, _) = breaker(&config);
    call(&handle, Verdict::Success);
    std::thread::scope(|scope| {
        for thread in 0..8 {
            let handle = &handle;
            scope.spawn(move || {
                for number in 0..10_000 {
                    let failed = (number + thread) % 10 == 0;
                    call(
                        handle,
                        if failed {
                            Verdict::Failure
                        } else {
                            Verdict::Success
                        },
                    );
                }
            });
        }
    });
    let snapshot = handle.snapshot(now());
    assert_eq!((snapshot.failures, snapshot.attempts), (8_000, 80_001));
}

#[test]
fn b08_it_is_closed_in_the_end_whatever_the_threads_did() {
    for _ in 0..50 {
        let config = Breaker::failure_rate(0.5)
            .min_attempts(10)
            .or_consecutive(3)
            .open_for("1us");
        let (handle, heard) = breaker(&config);
        let broken = AtomicBool::new(true);
        std::thread::scope(|scope| {
            for thread in 0..4 {
                let (handle, broken) = (&handle, &broken);
                scope.spawn(move || {
                    for number in 0..400 {
                        if thread == 0 && number == 200 {
                            broken.store(false, Ordering::SeqCst);
                        }
                        if let Ok(ticket) = handle.admit(AN_HOUR) {
                            let failed = broken.load(Ordering::SeqCst);
                            let verdict = if failed {
                                Verdict::Failure
                            } else {
                                Verdict::Success
                            };
                            handle.record(ticket, verdict);
                        }
                    }
                });
            }
        });
        // Whoever was refused last comes back once more.
        while handle.state() != BreakerState::Closed {
            if let Ok(ticket) = handle.admit(AN_HOUR) {
                handle.record(ticket, Verdict::Success);
            }
        }
        let heard = heard.lock();
        let unbroken = heard.windows(2).all(|pair| pair[0].to == pair[1].from);
        assert!(unbroken, "{heard:?}");
        assert!(heard.is_sorted_by(|a, b| a.generation < b.generation));
        assert!(
            heard
                .last()
                .is_none_or(|last| last.to == BreakerState::Closed)
        );
    }
}

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

#[tokio::test(start_paused = true)]
async fn b4_stale_results_and_attempts() {
    let (handle, heard) = breaker(&brittle().probes(1).close_after(1));
    let old = handle.admit(None).expect("closed");
    assert!(handle.may_continue(Some(old)));
    call(&handle, Verdict::Failure);
    assert!(!handle.may_continue(Some(old)), "open");
    advance(1_200).await;
    let probe = handle.admit(None).expect("a probe");
    assert!(!handle.may_continue(Some(old)), "half-open");
    assert!(!handle.may_continue(Some(probe)), "a probe is one attempt");
    for verdict in [Verdict::Success, Verdict::Failure, Verdict::Panicked] {
        handle.record(old, verdict);
    }
    assert_eq!(handle.state(), BreakerState::HalfOpen);
    handle.record(probe, Verdict::Success);
    assert!(handle.may_continue(Some(old)), "closed again");
    assert!(!handle.may_continue(Some(probe)), "still one attempt");
    handle.record(old, Verdict::Failure);
    handle.record(probe, Verdict::Failure);
    assert_eq!(handle.state(), BreakerState::Closed);
    assert_eq!(heard.lock().len(), 3);
}

#[tokio::test(start_paused = true)]
async fn panics_are_counted_apart() {
    let (handle, _) = breaker(&brittle());
    call(&handle, Verdict::Panicked);
    assert_eq!(handle.snapshot(now()).panics, 1);
    assert_eq!(handle.state(), BreakerState::Closed);
    call(&handle, Verdict::Failure);
    advance(1_200).await;
    call(&handle, Verdict::Panicked);
    assert_eq!(handle.state(), BreakerState::Open);
    assert_eq!(handle.snapshot(now()).panics, 2);
}

#[tokio::test(start_paused = true)]
async fn k02_a_listener_may_use_the_breaker() {
    let own: Arc<std::sync::OnceLock<Arc<BreakerHandle>>> = Arc::default();
    let order: Arc<Lock<Vec<BreakerState>>> = Arc::default();
    let (listener_own, listener_order) = (own.clone(), order.clone());
    let config = brittle().on_transition(move |transition| {
        let handle = listener_own.get().expect("set before the first call");
        listener_order.lock().push(transition.to);
        handle.state();
        handle.snapshot(now());
        if transition.to == BreakerState::Open {
            assert!(handle.admit(None).is_err());
            handle.reset(None);
            call(handle, Verdict::Success);
        }
        // The change this listener has made is told after this one.
        listener_order.lock().push(transition.to);
    });
    let (handle, heard) = breaker(&config);
    own.set(handle.clone()).expect("once");
    call(&handle, Verdict::Failure);
    assert_eq!(rules(&heard), [Rule::Consecutive, Rule::Reset]);
    let [first, second] = [BreakerState::Open, BreakerState::Closed];
    assert_eq!(*order.lock(), [first, first, second, second]);
}

#[test]
fn c04_a_panicking_listener_breaks_nothing() {
    let config = Breaker::consecutive(1)
        .open_for("1ns")
        .close_after(1)
        .on_transition(|_| panic!("a listener's own trouble"));
    let (handle, heard) = breaker(&config);
    for _ in 0..3 {
        call(&handle, Verdict::Failure);
        assert_eq!(handle.state(), BreakerState::Open);
        while handle.state() != BreakerState::Closed {
            if let Ok(ticket) = handle.admit(AN_HOUR) {
                handle.record(ticket, Verdict::Success);
            }
        }
    }
    assert_eq!(heard.lock().len(), 9);
}

#[test]
fn b07_an_opening_is_told_once_however_many_threads_fail() {
    for _ in 0..100 {
        let (handle, heard) = breaker(&Breaker::consecutive(5).open_for("1h"));
        let barrier = Barrier::new(4);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    let tickets: Vec<_> = (0..5).filter_map(|_| handle.admit(None).ok()).collect();
                    barrier.wait();
                    for ticket in tickets {
                        handle.record(ticket, Verdict::Failure);
                    }
                });
            }
        });
        assert_eq!(rules(&heard), [Rule::Consecutive]);
    }
}

#[tokio::test(start_paused = true)]
async fn b6_a_forced_state_ends_by_itself() {
    let second = Some(Duration::from_secs(1));
    let (handle, heard) = breaker(&brittle().probes(1).close_after(1));
    handle.force_open(second, None);
    assert_eq!(
        handle.admit(None),
        Err(Refusal {
            state: BreakerState::ForcedOpen,
            retry_in: Duration::from_secs(1),
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
    assert_eq!(refusal.retry_in, Duration::MAX);
    handle.lift(None);
    assert_eq!(handle.state(), BreakerState::HalfOpen);
    handle.reset(None);
    assert_eq!(handle.state(), BreakerState::Closed);
}

#[tokio::test(start_paused = true)]
async fn numbers_change_while_it_runs() {
    let config = Breaker::failure_rate(0.5).min_attempts(4);
    let (handle, _) = breaker(&config);
    assert_eq!(
        (handle.drop_counts_after(), handle.per()),
        (None, Per::Attempt)
    );
    (0..4).for_each(|_| call(&handle, Verdict::Success));
    (0..3).for_each(|_| call(&handle, Verdict::Failure));
    let lower = Breaker::failure_rate(0.4)
        .min_attempts(4)
        .count_throttled(true)
        .drop_counts_after("3s")
        .per(Per::Call);
    handle.reconfigure(lower.settings().expect("valid settings"));
    assert!(handle.count_throttled());
    assert_eq!(handle.drop_counts_after(), Some(Duration::from_secs(3)));
    assert_eq!(handle.per(), Per::Call);
    assert_eq!(handle.snapshot(now()).failures, 3, "the counts stay");
    assert_eq!(handle.state(), BreakerState::Closed);
    call(&handle, Verdict::Neutral);
    assert_eq!(
        handle.state(),
        BreakerState::Closed,
        "nothing has been recorded"
    );
    call(&handle, Verdict::Failure);
    assert_eq!(handle.state(), BreakerState::Open);
}

#[test]
fn no_two_breakers_share_an_id() {
    let ids: Vec<_> = (0..3).map(|_| breaker(&brittle()).0.id()).collect();
    assert!(ids[0] != ids[1] && ids[1] != ids[2] && ids[0] != ids[2]);
}
