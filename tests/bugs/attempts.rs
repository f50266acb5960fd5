//! Group F: how many attempts there are.

use resilient::budget::Budget;
use resilient::{Dependency, resilient, scope};

use crate::script::Step::{F, S};
use crate::script::row::End::{Done, Failed};
use crate::script::row::{ROW, Row, at_once, bare, run, steady};
use crate::script::{Answer, Script, registered};

const ROWS: &[Row] = &[
    Row {
        id: "F01 one",
        dependency: |d| bare(d).retry(steady(1, 1_000)),
        steps: &[F, S],
        starts: &[0],
        ends: &[(Failed(F), 0)],
        ..ROW
    },
    Row {
        id: "F02",
        dependency: |d| bare(d).retry(steady(4, 100)),
        steps: &[F; 5],
        starts: &[0, 100, 200, 300],
        ends: &[(Failed(F), 300)],
        told: &[
            "retry.attempt attempt=1",
            "retry.attempt attempt=2",
            "retry.attempt attempt=3",
            "retry.stopped attempt=4 reason=attempts",
        ],
        ..ROW
    },
    Row {
        id: "F02 the last one helps",
        dependency: |d| bare(d).retry(steady(4, 100)),
        steps: &[F, F, F, S],
        starts: &[0, 100, 200, 300],
        ends: &[(Done, 300)],
        ..ROW
    },
];

#[tokio::test(start_paused = true)]
async fn rows() {
    run(ROWS).await;
}

#[resilient(budget = "dep", retry(max = 3, base = "0s"), idempotent)]
async fn inner(script: &Script) -> Answer {
    script.attempt().await
}

#[resilient(budget = "dep", retry(max = 3, base = "0s"), idempotent)]
async fn outer(script: &Script) -> Answer {
    inner(script).await
}

// case F04
#[tokio::test(start_paused = true)]
async fn nested_retries_spend_one_budget() {
    for (budget, failing) in [(Budget::unlimited(), 9), (Budget::ratio(0.1).floor(0), 3)] {
        let dependency = bare(Dependency::named("dep")).retry(at_once(3));
        let (registry, policy) = registered(dependency.budget(budget), "dep");
        // A tenth of twenty answers is two retries, whoever makes them.
        let script = Script::new(&[]);
        for _ in 0..20 {
            assert_eq!(policy.call(|| script.attempt()).await, Ok(200));
        }
        let script = Script::new(&[F; 9]);
        let _ = scope(&registry, outer(&script)).await;
        assert_eq!(script.starts().len(), failing);
    }
}
