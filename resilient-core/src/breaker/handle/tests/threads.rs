//! Many threads at one breaker.

use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use super::*;

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
                            admitted.fetch_add(1, Ordering::Relaxed);
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
                        admitted.fetch_add(1, Ordering::Relaxed);
                    }
                }
            });
        }
    });
    assert_eq!(admitted.into_inner(), 4);
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
