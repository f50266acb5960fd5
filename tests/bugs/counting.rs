//! Group B: what a closed breaker counts.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::task::Poll;

use resilient::Dependency;
use resilient::breaker::{Breaker, BreakerState};

use crate::script::Step::{F, Hang, S, SlowF};
use crate::script::row::End::{BreakerOpen, Done, Failed, Left};
use crate::script::row::{ROW, Row, bare, run};
use crate::script::{Failure, Script, poll_once, registered};

const ROWS: &[Row] = &[
    Row {
        id: "B02",
        dependency: |d| bare(d).breaker(Breaker::failure_rate(0.1).min_attempts(3).window("10s")),
        steps: &[S, S, F],
        calls: &[200, 500, 1_050, 1_060],
        starts: &[200, 500, 1_050],
        ends: &[
            (Done, 200),
            (Done, 500),
            (Failed(F), 1_050),
            (BreakerOpen, 1_060),
        ],
        ..ROW
    },
    Row {
        id: "B04",
        dependency: |d| bare(d).breaker(Breaker::failure_rate(0.5).min_attempts(10).window("10s")),
        steps: &[
            S, S, S, S, S, S, S, S, S, S, S, S, S, S, S, S, S, S, F, F, F, F, F, F, F, F, F, F,
        ],
        calls: &[
            9_000, 9_050, 9_100, 9_150, 9_200, 9_250, 9_300, 9_350, 9_400, 9_450, 9_500, 9_550,
            9_600, 9_650, 9_700, 9_750, 9_800, 9_850, 10_100, 10_200, 10_300, 10_400, 10_500,
            10_600, 10_700, 10_800, 10_900, 11_000,
        ],
        starts: &[
            9_000, 9_050, 9_100, 9_150, 9_200, 9_250, 9_300, 9_350, 9_400, 9_450, 9_500, 9_550,
            9_600, 9_650, 9_700, 9_750, 9_800, 9_850, 10_100, 10_200, 10_300, 10_400, 10_500,
            10_600, 10_700, 10_800, 10_900, 11_000,
        ],
        ends: &[
            (Done, 9_000),
            (Done, 9_050),
            (Done, 9_100),
            (Done, 9_150),
            (Done, 9_200),
            (Done, 9_250),
            (Done, 9_300),
            (Done, 9_350),
            (Done, 9_400),
            (Done, 9_450),
            (Done, 9_500),
            (Done, 9_550),
            (Done, 9_600),
            (Done, 9_650),
            (Done, 9_700),
            (Done, 9_750),
            (Done, 9_800),
            (Done, 9_850),
            (Failed(F), 10_100),
            (Failed(F), 10_200),
            (Failed(F), 10_300),
            (Failed(F), 10_400),
            (Failed(F), 10_500),
            (Failed(F), 10_600),
            (Failed(F), 10_700),
            (Failed(F), 10_800),
            (Failed(F), 10_900),
            (Failed(F), 11_000),
        ],
        breaker: Some(BreakerState::Closed),
        ..ROW
    },
    Row {
        id: "B05",
        dependency: |d| bare(d).breaker(Breaker::consecutive(3).within("5s")),
        steps: &[F, F, F],
        calls: &[0, 4_900, 6_000],
        starts: &[0, 4_900, 6_000],
        ends: &[(Failed(F), 0), (Failed(F), 4_900), (Failed(F), 6_000)],
        breaker: Some(BreakerState::Closed),
        ..ROW
    },
    Row {
        id: "B06",
        dependency: |d| bare(d).breaker(Breaker::failure_rate(0.5).min_attempts(5)),
        steps: &[F, F, F, S, F],
        calls: &[0, 10, 20, 30, 40],
        starts: &[0, 10, 20, 30, 40],
        ends: &[
            (Failed(F), 0),
            (Failed(F), 10),
            (Failed(F), 20),
            (Done, 30),
            (Failed(F), 40),
        ],
        breaker: Some(BreakerState::Open),
        ..ROW
    },
    Row {
        id: "B07",
        dependency: |d| bare(d).breaker(Breaker::consecutive(2)),
        steps: &[
            SlowF(100),
            SlowF(100),
            SlowF(101),
            SlowF(102),
            SlowF(103),
            SlowF(104),
        ],
        calls: &[0; 6],
        starts: &[0; 6],
        ends: &[
            (Failed(F), 100),
            (Failed(F), 100),
            (Failed(F), 101),
            (Failed(F), 102),
            (Failed(F), 103),
            (Failed(F), 104),
        ],
        breaker: Some(BreakerState::Open),
        told: &["breaker.state dependency=dep from=closed to=open"],
        ..ROW
    },
    Row {
        id: "B09",
        dependency: |d| bare(d).breaker(Breaker::consecutive(5)),
        steps: &[Hang; 10],
        calls: &[0; 10],
        leaves: &[
            (0, 10),
            (1, 10),
            (2, 10),
            (3, 10),
            (4, 10),
            (5, 10),
            (6, 10),
            (7, 10),
            (8, 10),
            (9, 10),
        ],
        starts: &[0; 10],
        ends: &[(Left, 10); 10],
        breaker: Some(BreakerState::Closed),
        counted: Some((0, 0)),
        told: &["call.abandoned attempt=1 verdict=Neutral"; 10],
        ..ROW
    },
];

#[tokio::test(start_paused = true)]
async fn rows() {
    run(ROWS).await;
}

/// Ready calls need no runtime.
fn ready(policy: &resilient::Policy, outcome: Result<(), Failure>) -> Result<(), Failure> {
    let mut outcome = Some(outcome);
    let call = policy.call(|| std::future::ready(outcome.take().unwrap_or(Ok(()))));
    match poll_once(Box::pin(call).as_mut()) {
        Poll::Ready(outcome) => outcome,
        Poll::Pending => panic!("nothing to wait for"),
    }
}

// case B11
#[test]
fn every_failure_is_counted() {
    let breaker = Breaker::failure_rate(1.0)
        .min_attempts(u32::MAX)
        .window("1h");
    let (registry, policy) = registered(bare(Dependency::named("dep")).breaker(breaker), "dep");
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                for _ in 0..10_000 {
                    assert!(ready(&policy, Err(Failure::Transient)).is_err());
                }
            });
        }
    });
    let counted = registry.breaker("dep").unwrap().snapshot();
    assert_eq!((counted.failures, counted.attempts), (80_000, 80_000));
}

// case B08
#[test]
fn it_is_closed_in_the_end_whatever_the_threads_did() {
    for round in 0..50 {
        let breaker = Breaker::failure_rate(0.5)
            .min_attempts(10)
            .or_consecutive(3)
            .open_for("1us");
        // Probes have their timeout, and not the open time, to be done.
        let dependency = bare(Dependency::named("dep")).timeout("1h");
        let (registry, policy) = registered(dependency.breaker(breaker), "dep");
        let (failing, made) = (AtomicBool::new(true), AtomicUsize::new(0));
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    for _ in 0..100 {
                        if made.fetch_add(1, Ordering::SeqCst) == 400 {
                            failing.store(false, Ordering::SeqCst);
                        }
                        let _ = ready(
                            &policy,
                            if failing.load(Ordering::SeqCst) {
                                Err(Failure::Transient)
                            } else {
                                Ok(())
                            },
                        );
                    }
                });
            }
        });
        // Whoever was refused last comes back, and two successes close it.
        let breaker = registry.breaker("dep").unwrap();
        let mut calls = 0;
        while breaker.state() != BreakerState::Closed {
            let _ = ready(&policy, Ok(()));
            calls += 1;
            let state = breaker.state();
            assert!(calls < 100_000, "round {round}: it stays {state}");
        }
        assert_eq!(ready(&policy, Ok(())), Ok(()), "round {round}");
    }
}

// case C04
/// A listener's trouble is its own: what the call holds is given back once all the same.
#[tokio::test(start_paused = true)]
async fn a_listener_that_panics_neither_keeps_nor_adds_a_permit() {
    let heard = Arc::new(AtomicUsize::new(0));
    let listener = heard.clone();
    let breaker = Breaker::consecutive(1)
        .open_for("1ms")
        .close_after(1)
        .on_transition(move |_| {
            listener.fetch_add(1, Ordering::SeqCst);
            panic!("a listener's own trouble");
        });
    let dependency = bare(Dependency::named("dep"))
        .breaker(breaker)
        .bulkhead(resilient::bulkhead::Bulkhead::max_concurrent(2));
    let policy = registered(dependency, "dep").1;
    for call in 0..100 {
        let script = Script::new(&[if call % 2 == 0 { F } else { S }]);
        let policy = policy.clone();
        let _ = tokio::spawn(async move { policy.call(|| script.attempt()).await }).await;
        tokio::time::sleep(std::time::Duration::from_millis(2)).await;
    }
    assert!(heard.load(Ordering::SeqCst) >= 100);
    let script = Script::new(&[Hang; 5]);
    let mut calls = [(); 5].map(|()| Box::pin(policy.call(|| script.attempt())));
    let waiting = calls
        .iter_mut()
        .filter_map(|call| poll_once(call.as_mut()).is_pending().then_some(()));
    assert_eq!((waiting.count(), script.running()), (2, 2));
}
