//! Section 9: policies together.

use resilient::breaker::{Breaker, BreakerState, Per};
use resilient::bulkhead::Bulkhead;

use crate::script::Step::{F, S, SlowS};
use crate::script::row::End::{BreakerOpen, BulkheadFull, Done, Failed, TimedOut};
use crate::script::row::{ROW, Row, at_once, bare, run, steady};

/// Three of four failures open it, for long.
fn three_of_four() -> Breaker {
    Breaker::failure_rate(0.75).min_attempts(4).open_for("50s")
}

/// Five of five failures open it.
fn five_of_five() -> Breaker {
    Breaker::failure_rate(1.0).min_attempts(5)
}

const LAST_OUTCOME: &str = "the last outcome comes back itself, the open breaker is an event (R1)";

const ROWS: &[Row] = &[
    Row {
        id: "CO-01 CO-06",
        why: LAST_OUTCOME,
        dependency: |d| bare(d).retry(at_once(8)).breaker(three_of_four()),
        steps: &[F; 9],
        starts: &[0; 4],
        ends: &[(Failed(F), 0)],
        breaker: Some(BreakerState::Open),
        told: &["retry.stopped attempt=4 reason=breaker"],
        ..ROW
    },
    Row {
        id: "CO-02 CO-06",
        dependency: |d| bare(d).retry(at_once(3)).breaker(three_of_four()),
        steps: &[F; 9],
        starts: &[0; 3],
        ends: &[(Failed(F), 0)],
        breaker: Some(BreakerState::Closed),
        ..ROW
    },
    Row {
        id: "CO-04 CO-06",
        why: "a breaker that is open is not waited for: the rejection says when to come back (R6)",
        dependency: |d| {
            bare(d)
                .retry(steady(21, 100))
                .breaker(Breaker::consecutive(1).open_for("1s"))
        },
        steps: &[F, S],
        calls: &[0, 10, 1_300],
        starts: &[0, 1_300],
        ends: &[(Failed(F), 0), (BreakerOpen, 10), (Done, 1_300)],
        ..ROW
    },
    Row {
        id: "CO-05 CO-06",
        dependency: |d| {
            bare(d)
                .retry(steady(21, 100))
                .breaker(Breaker::consecutive(1))
        },
        steps: &[F, S],
        calls: &[0, 10],
        starts: &[0],
        ends: &[(Failed(F), 0), (BreakerOpen, 10)],
        ..ROW
    },
    Row {
        id: "CO-07",
        why: "a full bulkhead says nothing about the dependency (R6)",
        dependency: |d| {
            bare(d)
                .bulkhead(Bulkhead::max_concurrent(1).max_queue(1))
                .breaker(Breaker::failure_rate(1.0).min_attempts(3))
        },
        steps: &[SlowS(100), SlowS(100)],
        calls: &[0, 0, 10, 20, 30, 40],
        starts: &[0, 100],
        ends: &[
            (Done, 100),
            (Done, 200),
            (BulkheadFull, 10),
            (BulkheadFull, 20),
            (BulkheadFull, 30),
            (BulkheadFull, 40),
        ],
        breaker: Some(BreakerState::Closed),
        counted: Some((0, 2)),
        ..ROW
    },
    Row {
        id: "CO-09",
        dependency: |d| {
            bare(d)
                .bulkhead(Bulkhead::max_concurrent(1))
                .breaker(Breaker::consecutive(1))
        },
        steps: &[SlowS(100)],
        calls: &[0, 10, 20, 30],
        starts: &[0],
        ends: &[
            (Done, 100),
            (BulkheadFull, 10),
            (BulkheadFull, 20),
            (BulkheadFull, 30),
        ],
        breaker: Some(BreakerState::Closed),
        ..ROW
    },
    Row {
        id: "CO-10",
        dependency: |d| bare(d).retry(at_once(11)).breaker(five_of_five()),
        steps: &[F, F, S],
        starts: &[0; 3],
        ends: &[(Done, 0)],
        counted: Some((2, 3)),
        ..ROW
    },
    Row {
        id: "CO-11",
        why: "a call that was admitted before the breaker opened makes no probe: it ends (B4)",
        dependency: |d| {
            bare(d)
                .retry(steady(11, 2))
                .breaker(five_of_five().open_for("1ms"))
        },
        steps: &[F, F, F, F, F, S],
        starts: &[0, 2, 4, 6, 8],
        ends: &[(Failed(F), 8)],
        ..ROW
    },
    Row {
        id: "CO-12",
        why: LAST_OUTCOME,
        dependency: |d| {
            bare(d)
                .retry(at_once(11))
                .breaker(five_of_five().open_for("100ms"))
        },
        steps: &[F, F, F, F, F, S],
        starts: &[0; 5],
        ends: &[(Failed(F), 0)],
        breaker: Some(BreakerState::Open),
        ..ROW
    },
    Row {
        id: "CO-14",
        dependency: |d| {
            bare(d)
                .retry(at_once(u32::MAX))
                .breaker(Breaker::failure_rate(1.0).or_consecutive(3))
        },
        steps: &[F, F, S],
        starts: &[0; 3],
        ends: &[(Done, 0)],
        breaker: Some(BreakerState::Closed),
        counted: Some((2, 3)),
        ..ROW
    },
    Row {
        id: "CO-15",
        dependency: |d| {
            bare(d)
                .retry(at_once(3))
                .breaker(Breaker::failure_rate(1.0).or_consecutive(3).per(Per::Call))
        },
        steps: &[F, F, F],
        starts: &[0; 3],
        ends: &[(Failed(F), 0)],
        breaker: Some(BreakerState::Closed),
        counted: Some((1, 1)),
        ..ROW
    },
    Row {
        id: "CO-19",
        dependency: |d| bare(d).timeout("50ms").breaker(Breaker::consecutive(1)),
        steps: &[SlowS(100)],
        starts: &[0],
        ends: &[(TimedOut, 50)],
        breaker: Some(BreakerState::Open),
        ..ROW
    },
    Row {
        id: "CO-21",
        why: "what the bulkhead refuses is not retried (R6)",
        dependency: |d| {
            bare(d)
                .retry(steady(7, 10))
                .bulkhead(Bulkhead::max_concurrent(2))
        },
        steps: &[SlowS(500), SlowS(500)],
        calls: &[0, 0, 10],
        starts: &[0, 0],
        ends: &[(Done, 500), (Done, 500), (BulkheadFull, 10)],
        told: &["call.rejected reason=bulkhead_full"],
        ..ROW
    },
];

#[tokio::test(start_paused = true)]
async fn rows() {
    run(ROWS).await;
}
