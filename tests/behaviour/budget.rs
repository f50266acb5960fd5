//! Section 10: how many retries a dependency bears. The scripts of the budgets themselves are
//! beside them.

use resilient::budget::Budget;
use resilient::{Dependency, resilient, scope};

use crate::script::Step::{F, Hang, S};
use crate::script::row::End::{Done, Failed};
use crate::script::row::{ROW, Row, at_once, bare, exponential, retries_left, run};
use crate::script::{Answer, Script, registered};

/// A bucket that time does not fill.
fn tokens(max: u32, refill: f64) -> Budget {
    Budget::tokens(max)
        .refill_per_success(refill)
        .refill_every("365days")
}

const ROWS: &[Row] = &[
    Row {
        id: "BG-01",
        why: "a token pays for a retry down to the last one: half a bucket is not kept back",
        dependency: |d| bare(d).retry(at_once(4)).budget(tokens(10, 0.5)),
        steps: &[S, F, F, S, F, F, S, F, F, F, S, S, S, S, S, F, S, F, S],
        calls: &[0, 10, 20, 30, 40, 50, 60, 70, 80, 90],
        starts: &[
            0, 10, 10, 10, 20, 20, 20, 30, 30, 30, 30, 40, 50, 60, 70, 80, 80, 90, 90,
        ],
        ends: &[
            (Done, 0),
            (Done, 10),
            (Done, 20),
            (Done, 30),
            (Done, 40),
            (Done, 50),
            (Done, 60),
            (Done, 70),
            (Done, 80),
            (Done, 90),
        ],
        left: Some(5),
        ..ROW
    },
    Row {
        id: "BG-20",
        dependency: |d| {
            bare(d)
                .retry(at_once(3))
                .budget(Budget::ratio(0.5).floor(1))
        },
        steps: &[F, S],
        starts: &[0, 0],
        ends: &[(Done, 0)],
        ..ROW
    },
    Row {
        id: "BG-22",
        why: "a retry costs one token, whatever failed: the numbers are a fifth of theirs",
        dependency: |d| {
            bare(d)
                .retry(exponential(5, 1_000))
                .budget(tokens(100, 0.0))
        },
        steps: &[F; 6],
        starts: &[0, 1_000, 3_000, 7_000, 15_000],
        ends: &[(Failed(F), 15_000)],
        left: Some(96),
        ..ROW
    },
    Row {
        id: "BG-24",
        dependency: |d| bare(d).retry(at_once(3)).budget(tokens(1, 0.0)),
        steps: &[F, F, S],
        starts: &[0, 0],
        ends: &[(Failed(F), 0)],
        left: Some(0),
        told: &["retry.stopped attempt=2 reason=budget"],
        ..ROW
    },
    Row {
        id: "BG-25",
        why: "a retry costs one token, whatever failed, and every success gives back the same",
        dependency: |d| {
            bare(d)
                .retry(at_once(3))
                .timeout("10ms")
                .budget(tokens(10, 1.0))
        },
        steps: &[Hang, Hang, S],
        starts: &[0, 10, 20],
        ends: &[(Done, 20)],
        left: Some(9),
        ..ROW
    },
    Row {
        id: "BG-27",
        dependency: |d| bare(d).retry(at_once(3)).budget(tokens(10, 1.0)),
        steps: &[F, F, F],
        starts: &[0, 0, 0],
        ends: &[(Failed(F), 0)],
        left: Some(8),
        ..ROW
    },
    Row {
        id: "BG-29",
        dependency: |d| bare(d).retry(at_once(3)).budget(tokens(500, 1.0)),
        steps: &[F; 9],
        starts: &[0, 0, 0],
        ends: &[(Failed(F), 0)],
        ..ROW
    },
];

#[tokio::test(start_paused = true)]
async fn rows() {
    run(ROWS).await;
}

#[resilient(budget = "dep", retry(max = 3, base = "0s"), idempotent)]
async fn reads(script: &Script) -> Answer {
    script.attempt().await
}

#[resilient(budget = "dep", retry(max = 2, base = "0s"), idempotent)]
async fn writes(script: &Script) -> Answer {
    script.attempt().await
}

// case BG-05
#[tokio::test(start_paused = true)]
async fn all_functions_of_a_dependency_spend_its_one_budget() {
    let dependency = bare(Dependency::named("dep")).retry(at_once(2));
    let (registry, policy) = registered(dependency.budget(tokens(10, 0.0)), "dep");
    scope(&registry, async {
        let script = Script::new(&[F; 9]);
        let _ = reads(&script).await;
        let _ = writes(&script).await;
        assert_eq!(script.starts().len(), 3 + 2);
    })
    .await;
    assert_eq!(retries_left(&policy).await, 10 - 3);
}
