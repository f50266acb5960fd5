//! Section 14: where others disagree among themselves, what we chose. `why` is the reason for the
//! choice in every row.

use resilient::breaker::{Breaker, BreakerState};
use resilient::bulkhead::Bulkhead;

use crate::script::Step::{self, F, Hang, Ignored, Permanent, S, SlowF, SlowS};
use crate::script::row::End::{self, BreakerOpen, Deadline, Done, Failed, Left, TimedOut};
use crate::script::row::{ROW, Row, at_once, bare, run};

/// One failure opens it for about a second; one probe at a time.
fn brittle() -> Breaker {
    Breaker::consecutive(1).open_for("1s").probes(1)
}

const ROWS: &[Row] = &[
    Row {
        id: "DX-01 an answer",
        why: "success, as in MicroProfile and Polly: an answer proves the dependency alive",
        dependency: |d| bare(d).breaker(Breaker::failure_rate(1.0)),
        steps: &[Permanent],
        starts: &[0],
        ends: &[(Failed(Permanent), 0)],
        counted: Some((0, 1)),
        ..ROW
    },
    Row {
        id: "DX-01 our own mistake",
        why: "neither, as in resilience4j: it says nothing about the dependency",
        dependency: |d| bare(d).breaker(Breaker::failure_rate(1.0)),
        steps: &[Ignored],
        starts: &[0],
        ends: &[(Failed(Ignored), 0)],
        counted: Some((0, 0)),
        ..ROW
    },
    Row {
        id: "DX-02",
        why: "yes, as in MicroProfile: the rule is about the window, not about what completes it",
        dependency: |d| bare(d).breaker(Breaker::failure_rate(0.5).min_attempts(4)),
        steps: &[F, F, S, S, S],
        calls: &[0, 10, 20, 30, 40],
        starts: &[0, 10, 20, 30],
        ends: &[
            (Failed(F), 0),
            (Failed(F), 10),
            (Done, 20),
            (Done, 30),
            (BreakerOpen, 40),
        ],
        breaker: Some(BreakerState::Open),
        ..ROW
    },
    Row {
        id: "DX-04",
        why: "any failure, as in MicroProfile and Polly: two probes are no sample to take a rate of",
        dependency: |d| bare(d).breaker(brittle()),
        steps: &[F, S, F],
        calls: &[0, 1_300, 1_310, 1_320],
        starts: &[0, 1_300, 1_310],
        ends: &[
            (Failed(F), 0),
            (Done, 1_300),
            (Failed(F), 1_310),
            (BreakerOpen, 1_320),
        ],
        breaker: Some(BreakerState::Open),
        ..ROW
    },
    Row {
        id: "DX-05",
        why: "a time limit, always: a probe that hangs must not hold its place for ever",
        dependency: |d| bare(d).breaker(brittle()),
        steps: &[F, Hang, S],
        calls: &[0, 1_300, 1_310, 4_000],
        leaves: &[(1, 5_000)],
        starts: &[0, 1_300, 4_000],
        ends: &[
            (Failed(F), 0),
            (Left, 5_000),
            (BreakerOpen, 1_310),
            (Done, 4_000),
        ],
        ..ROW
    },
    Row {
        id: "DX-06",
        why: "ignored, as in SmallRye: it tells of a time that is already judged",
        dependency: |d| bare(d).breaker(brittle().close_after(1)),
        steps: &[SlowF(5_000), F, S],
        calls: &[0, 10, 1_300],
        starts: &[0, 10, 1_300],
        ends: &[(Failed(F), 5_000), (Failed(F), 10), (Done, 1_300)],
        breaker: Some(BreakerState::Closed),
        ..ROW
    },
    Row {
        id: "DX-07",
        why: "neutral, as in resilience4j: an impatient caller says nothing about the dependency",
        dependency: |d| bare(d).timeout("1s").breaker(brittle()),
        steps: &[Hang],
        leaves: &[(0, 400)],
        starts: &[0],
        ends: &[(Left, 400)],
        breaker: Some(BreakerState::Closed),
        counted: Some((0, 0)),
        ..ROW
    },
    Row {
        id: "DX-09",
        why: "attempts, the first included: what the dependency sees is what is counted",
        dependency: |d| bare(d).retry(at_once(3)),
        steps: &[F; 9],
        starts: &[0; 3],
        ends: &[(Failed(F), 0)],
        ..ROW
    },
    Row {
        id: "DX-10",
        why: "the last result itself, as in Polly: the caller knows best what to do with it",
        dependency: |d| bare(d).retry(at_once(2)),
        steps: &[Step::Value(500), Step::Value(503)],
        starts: &[0; 2],
        ends: &[(End::Value(503), 0)],
        ..ROW
    },
    Row {
        id: "DX-11 the timeout",
        why: "not counted: the attempt's time is the dependency's, a queue here is not its fault",
        dependency: |d| {
            bare(d)
                .bulkhead(Bulkhead::max_concurrent(1).max_queue(1))
                .timeout("100ms")
        },
        steps: &[SlowS(90), Hang],
        calls: &[0, 0],
        starts: &[0, 90],
        ends: &[(Done, 90), (TimedOut, 190)],
        ..ROW
    },
    Row {
        id: "DX-11 the deadline",
        why: "counted: the caller waits for the whole call",
        dependency: |d| {
            bare(d)
                .bulkhead(Bulkhead::max_concurrent(1).max_queue(1))
                .deadline("100ms")
        },
        steps: &[SlowS(90), Hang],
        calls: &[0, 0],
        starts: &[0, 90],
        ends: &[(Done, 90), (Deadline, 100)],
        ..ROW
    },
    Row {
        id: "DX-14 soon",
        why: "neutral while the wait was short",
        dependency: |d| bare(d).breaker(brittle().drop_counts_after("1s")),
        steps: &[Hang],
        leaves: &[(0, 900)],
        starts: &[0],
        ends: &[(Left, 900)],
        breaker: Some(BreakerState::Closed),
        ..ROW
    },
    Row {
        id: "DX-14 after a long wait",
        why: "a failure after half the timeout, or as said: else impatient callers hide a hang",
        dependency: |d| bare(d).timeout("2s").breaker(brittle()),
        steps: &[Hang],
        leaves: &[(0, 1_100)],
        starts: &[0],
        ends: &[(Left, 1_100)],
        breaker: Some(BreakerState::Open),
        ..ROW
    },
];

#[tokio::test(start_paused = true)]
async fn rows() {
    run(ROWS).await;
}
