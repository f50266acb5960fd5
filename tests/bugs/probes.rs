//! Group A: what a half-open breaker admits.

use std::time::Duration;

use resilient::Dependency;
use resilient::breaker::{Breaker, BreakerState};

use crate::script::Step::{F, Hang, Ignored, Permanent, S, SlowS, Throttled};
use crate::script::row::End::{BreakerOpen, Done, Failed, Left, Panicked, TimedOut};
use crate::script::row::{ROW, Row, bare, run};
use crate::script::{Script, Step, registered};

/// One failure opens it for about a second.
fn brittle(probes: u32) -> Breaker {
    Breaker::consecutive(1)
        .open_for("1s")
        .probes(probes)
        .close_after(probes)
}

const ROWS: &[Row] = &[
    Row {
        id: "A05",
        dependency: |d| {
            bare(d).breaker(
                Breaker::failure_rate(0.5)
                    .min_attempts(5)
                    .open_for("1s")
                    .probes(1),
            )
        },
        steps: &[F, F, F, F, F, F, S],
        calls: &[0, 0, 0, 0, 0, 30_000, 30_010, 31_300],
        starts: &[0, 0, 0, 0, 0, 30_000, 31_300],
        ends: &[
            (Failed(F), 0),
            (Failed(F), 0),
            (Failed(F), 0),
            (Failed(F), 0),
            (Failed(F), 0),
            (Failed(F), 30_000),
            (BreakerOpen, 30_010),
            (Done, 31_300),
        ],
        ..ROW
    },
    Row {
        id: "A06 one after the other",
        dependency: |d| bare(d).breaker(brittle(3)),
        steps: &[F, S, S, S],
        calls: &[0, 1_300, 1_310, 1_320],
        starts: &[0, 1_300, 1_310, 1_320],
        ends: &[(Failed(F), 0), (Done, 1_300), (Done, 1_310), (Done, 1_320)],
        breaker: Some(BreakerState::Closed),
        ..ROW
    },
    Row {
        id: "A06 two are not enough",
        dependency: |d| bare(d).breaker(brittle(3)),
        steps: &[F, S, S],
        calls: &[0, 1_300, 1_310],
        starts: &[0, 1_300, 1_310],
        ends: &[(Failed(F), 0), (Done, 1_300), (Done, 1_310)],
        breaker: Some(BreakerState::HalfOpen),
        ..ROW
    },
    Row {
        id: "A06 at once",
        dependency: |d| bare(d).breaker(brittle(3)),
        steps: &[F, SlowS(100), SlowS(100), SlowS(100)],
        calls: &[0, 1_300, 1_300, 1_300, 1_300],
        starts: &[0, 1_300, 1_300, 1_300],
        ends: &[
            (Failed(F), 0),
            (Done, 1_400),
            (Done, 1_400),
            (Done, 1_400),
            (BreakerOpen, 1_300),
        ],
        breaker: Some(BreakerState::Closed),
        ..ROW
    },
    Row {
        id: "A07",
        dependency: |d| bare(d).breaker(brittle(3)),
        steps: &[F, F, S],
        calls: &[0, 1_300, 1_310, 1_320, 2_600],
        starts: &[0, 1_300, 2_600],
        ends: &[
            (Failed(F), 0),
            (Failed(F), 1_300),
            (BreakerOpen, 1_310),
            (BreakerOpen, 1_320),
            (Done, 2_600),
        ],
        breaker: Some(BreakerState::HalfOpen),
        ..ROW
    },
    Row {
        id: "A09",
        dependency: |d| bare(d).breaker(brittle(1)),
        steps: &[F, SlowS(7_200_000), S],
        calls: &[0, 1_300, 3_601_300],
        starts: &[0, 1_300, 3_601_300],
        ends: &[(Failed(F), 0), (Done, 7_201_300), (Done, 3_601_300)],
        breaker: Some(BreakerState::Closed),
        ..ROW
    },
    Row {
        id: "A10 our own mistake",
        dependency: |d| bare(d).breaker(brittle(1)),
        steps: &[F, Ignored, S],
        calls: &[0, 1_300, 1_310],
        starts: &[0, 1_300, 1_310],
        ends: &[(Failed(F), 0), (Failed(Ignored), 1_300), (Done, 1_310)],
        breaker: Some(BreakerState::Closed),
        ..ROW
    },
    Row {
        id: "A10 throttled",
        dependency: |d| bare(d).breaker(brittle(1)),
        steps: &[F, Throttled(5), S],
        calls: &[0, 1_300, 1_310],
        starts: &[0, 1_300, 1_310],
        ends: &[(Failed(F), 0), (Failed(Throttled(5)), 1_300), (Done, 1_310)],
        breaker: Some(BreakerState::Closed),
        ..ROW
    },
    Row {
        id: "A10 A02 an answer",
        dependency: |d| bare(d).breaker(brittle(1)),
        steps: &[F, Permanent],
        calls: &[0, 1_300],
        starts: &[0, 1_300],
        ends: &[(Failed(F), 0), (Failed(Permanent), 1_300)],
        breaker: Some(BreakerState::Closed),
        ..ROW
    },
    Row {
        id: "A12 dropped",
        dependency: |d| bare(d).breaker(brittle(1)),
        steps: &[F, Hang, S],
        calls: &[0, 1_300, 1_310, 1_400],
        leaves: &[(1, 1_350)],
        starts: &[0, 1_300, 1_400],
        ends: &[
            (Failed(F), 0),
            (Left, 1_350),
            (BreakerOpen, 1_310),
            (Done, 1_400),
        ],
        breaker: Some(BreakerState::Closed),
        ..ROW
    },
    Row {
        id: "A12 cut",
        dependency: |d| bare(d).timeout("50ms").breaker(brittle(1)),
        steps: &[F, Hang, S],
        calls: &[0, 1_300, 1_310, 1_360, 2_600],
        starts: &[0, 1_300, 2_600],
        ends: &[
            (Failed(F), 0),
            (TimedOut, 1_350),
            (BreakerOpen, 1_310),
            (BreakerOpen, 1_360),
            (Done, 2_600),
        ],
        breaker: Some(BreakerState::Closed),
        ..ROW
    },
    Row {
        id: "A12 K03 a panic",
        dependency: |d| bare(d).breaker(brittle(1)),
        steps: &[F, Step::Panic, S],
        calls: &[0, 1_300, 1_310, 2_600],
        starts: &[0, 1_300, 2_600],
        ends: &[
            (Failed(F), 0),
            (Panicked, 1_300),
            (BreakerOpen, 1_310),
            (Done, 2_600),
        ],
        breaker: Some(BreakerState::Closed),
        ..ROW
    },
];

#[tokio::test(start_paused = true)]
async fn rows() {
    run(ROWS).await;
}

// case A11
#[tokio::test(start_paused = true)]
async fn looking_takes_no_permit() {
    let (registry, policy) = registered(bare(Dependency::named("dep")).breaker(brittle(1)), "dep");
    let breaker = registry.breaker("dep").unwrap();
    let script = Script::new(&[F, S]);
    let _ = policy.call(|| script.attempt()).await;
    tokio::time::sleep(Duration::from_millis(1_300)).await;
    for _ in 0..100 {
        // It is the next call that makes it half-open.
        assert_eq!(breaker.state(), BreakerState::Open);
        assert_eq!(breaker.snapshot().state, BreakerState::Open);
    }
    assert_eq!(policy.call(|| script.attempt()).await, Ok(200));
    assert_eq!(breaker.state(), BreakerState::Closed);
}
