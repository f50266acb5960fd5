//! Group G: the time for the whole call.

use resilient::{Dependency, RegisterError, Registry};

use crate::script::Step::{F, Hang, S, SlowF};
use crate::script::row::End::{Deadline, Failed, TimedOut};
use crate::script::row::{ROW, Row, at_once, bare, exponential, run, steady};

const ROWS: &[Row] = &[
    Row {
        id: "G01 G07",
        dependency: |d| bare(d).retry(steady(9, 10_000)).deadline("5s"),
        steps: &[SlowF(100), S],
        starts: &[0],
        ends: &[(Failed(F), 100)],
        told: &["retry.stopped attempt=1 reason=deadline"],
        ..ROW
    },
    Row {
        id: "G02",
        dependency: |d| {
            bare(d)
                .retry(exponential(99, 1_000).cap("5s"))
                .deadline("15s")
        },
        steps: &[F; 99],
        starts: &[0, 1_000, 3_000, 7_000, 12_000],
        ends: &[(Failed(F), 12_000)],
        ..ROW
    },
    Row {
        id: "G02 a wait to the very end",
        dependency: |d| bare(d).retry(steady(99, 5_000)).deadline("15s"),
        steps: &[F; 99],
        starts: &[0, 5_000, 10_000],
        ends: &[(Failed(F), 10_000)],
        ..ROW
    },
    Row {
        id: "G04",
        dependency: |d| bare(d).retry(at_once(9)).deadline("10s"),
        steps: &[SlowF(4_000); 9],
        starts: &[0, 4_000, 8_000],
        ends: &[(Failed(F), 10_000)],
        ..ROW
    },
    Row {
        id: "G07 J06 the timeout",
        dependency: |d| bare(d).retry(at_once(3)).timeout("100ms").deadline("1s"),
        steps: &[Hang; 3],
        starts: &[0, 100, 200],
        ends: &[(TimedOut, 300)],
        told: &[
            "retry.stopped attempt=3 reason=attempts",
            "call.rejected reason=timeout",
        ],
        ..ROW
    },
    Row {
        id: "G07 J06 the deadline",
        dependency: |d| bare(d).retry(at_once(3)).timeout("100ms").deadline("150ms"),
        steps: &[Hang; 3],
        starts: &[0, 100],
        ends: &[(Deadline, 150)],
        told: &[
            "retry.stopped attempt=2 reason=deadline",
            "call.rejected reason=deadline",
        ],
        ..ROW
    },
];

#[tokio::test(start_paused = true)]
async fn rows() {
    run(ROWS).await;
}

// case G08
#[test]
fn no_time_at_all_is_refused_and_says_what_to_write() {
    let refused = Registry::new().register(Dependency::named("dep").timeout("0s").deadline("0s"));
    let Err(RegisterError::Invalid { problems, .. }) = refused else {
        panic!("{refused:?}");
    };
    let told: Vec<_> = problems.iter().map(ToString::to_string).collect();
    for (told, instead) in std::iter::zip(&told, ["no_timeout", "no_deadline"]) {
        assert!(told.contains(instead), "{told}");
    }
    assert_eq!(told.len(), 2);
}
