//! Group C, and what groups K and M say of permits: bulkheads and their queues.

use resilient::bulkhead::Bulkhead;

use crate::script::Step::{Hang, S, SlowS};
use crate::script::row::End::{BulkheadFull, Done, Left};
use crate::script::row::{ROW, Row, bare, run, steady};

const ROWS: &[Row] = &[
    Row {
        id: "C02",
        dependency: |d| bare(d).bulkhead(Bulkhead::max_concurrent(1).max_queue(2)),
        steps: &[SlowS(100), SlowS(10)],
        calls: &[0, 0, 0],
        leaves: &[(1, 99)],
        starts: &[0, 100],
        callers: &[0, 2],
        ends: &[(Done, 100), (Left, 99), (Done, 110)],
        ..ROW
    },
    Row {
        id: "C07",
        dependency: |d| bare(d).bulkhead(Bulkhead::max_concurrent(1).max_queue(10)),
        steps: &[SlowS(10); 12],
        calls: &[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 200],
        starts: &[0, 10, 20, 30, 40, 50, 60, 70, 80, 90, 200],
        callers: &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
        ends: &[
            (Done, 10),
            (Done, 20),
            (Done, 30),
            (Done, 40),
            (Done, 50),
            (Done, 60),
            (Done, 70),
            (Done, 80),
            (Done, 90),
            (Done, 100),
            (Done, 210),
        ],
        ..ROW
    },
    Row {
        id: "C10",
        dependency: |d| bare(d).bulkhead(Bulkhead::max_concurrent(1).max_queue(99)),
        steps: &[SlowS(10); 12],
        calls: &[0, 1, 2, 3, 4, 5, 10, 20, 30, 40],
        starts: &[0, 10, 20, 30, 40, 50, 60, 70, 80, 90],
        callers: &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9],
        ends: &[
            (Done, 10),
            (Done, 20),
            (Done, 30),
            (Done, 40),
            (Done, 50),
            (Done, 60),
            (Done, 70),
            (Done, 80),
            (Done, 90),
            (Done, 100),
        ],
        ..ROW
    },
    Row {
        id: "C12",
        dependency: |d| bare(d).bulkhead(Bulkhead::max_concurrent(1).max_queue(2)),
        steps: &[SlowS(10); 3],
        calls: &[0; 4],
        starts: &[0, 10, 20],
        callers: &[0, 1, 2],
        ends: &[(Done, 10), (Done, 20), (Done, 30), (BulkheadFull, 0)],
        ..ROW
    },
    Row {
        id: "C13",
        dependency: |d| {
            bare(d)
                .bulkhead(Bulkhead::max_concurrent(1))
                .retry(steady(10, 1))
        },
        steps: &[SlowS(1_000)],
        calls: &[0, 0],
        starts: &[0],
        ends: &[(Done, 1_000), (BulkheadFull, 0)],
        ..ROW
    },
    Row {
        id: "M01 queued and dropped",
        dependency: |d| bare(d).bulkhead(Bulkhead::max_concurrent(1).max_queue(1)),
        steps: &[SlowS(100), S],
        calls: &[0, 10, 20, 30, 40],
        leaves: &[(1, 15), (2, 25), (3, 35)],
        starts: &[0, 100],
        callers: &[0, 4],
        ends: &[(Done, 100), (Left, 15), (Left, 25), (Left, 35), (Done, 100)],
        ..ROW
    },
    Row {
        id: "M06",
        dependency: |d| bare(d).bulkhead(Bulkhead::max_concurrent(1).max_queue(1)),
        steps: &[SlowS(10_000), S, Hang],
        calls: &[0, 0, 1, 2_500, 5_000, 7_500, 9_999],
        starts: &[0, 10_000],
        callers: &[0, 1],
        ends: &[
            (Done, 10_000),
            (Done, 10_000),
            (BulkheadFull, 1),
            (BulkheadFull, 2_500),
            (BulkheadFull, 5_000),
            (BulkheadFull, 7_500),
            (BulkheadFull, 9_999),
        ],
        ..ROW
    },
];

#[tokio::test(start_paused = true)]
async fn rows() {
    run(ROWS).await;
}
