//! Section 7: how many attempts run at once.

use resilient::bulkhead::Bulkhead;
use resilient::{Dependency, resilient, scope};

use crate::script::Step::{F, Hang, S, SlowF, SlowS};
use crate::script::row::End::{BulkheadFull, Done, Failed, Left};
use crate::script::row::{ROW, Row, at_once, bare, run, steady};
use crate::script::{Answer, Script, poll_once, registered};

fn of(limit: usize, queue: usize) -> Bulkhead {
    Bulkhead::max_concurrent(limit).max_queue(queue)
}

const ROWS: &[Row] = &[
    Row {
        id: "BH-01 three",
        dependency: |d| bare(d).bulkhead(of(3, 0)),
        steps: &[SlowS(100), SlowS(200), SlowS(200), S],
        calls: &[0, 0, 0, 50, 150],
        starts: &[0, 0, 0, 150],
        ends: &[
            (Done, 100),
            (Done, 200),
            (Done, 200),
            (BulkheadFull, 50),
            (Done, 150),
        ],
        ..ROW
    },
    Row {
        id: "BH-01 ten",
        dependency: |d| bare(d).bulkhead(of(10, 0)),
        steps: &[SlowS(100); 10],
        calls: &[0; 11],
        starts: &[0; 10],
        ends: &[
            (Done, 100),
            (Done, 100),
            (Done, 100),
            (Done, 100),
            (Done, 100),
            (Done, 100),
            (Done, 100),
            (Done, 100),
            (Done, 100),
            (Done, 100),
            (BulkheadFull, 0),
        ],
        ..ROW
    },
    Row {
        id: "BH-04",
        dependency: |d| bare(d).bulkhead(of(2, 2)),
        steps: &[SlowS(100), SlowS(200), S, S],
        calls: &[0; 5],
        starts: &[0, 0, 100, 100],
        callers: &[0, 1, 2, 3],
        ends: &[
            (Done, 100),
            (Done, 200),
            (Done, 100),
            (Done, 100),
            (BulkheadFull, 0),
        ],
        ..ROW
    },
    Row {
        id: "BH-05",
        dependency: |d| bare(d).bulkhead(of(1, 1)),
        steps: &[SlowS(100), SlowS(100), SlowS(100)],
        calls: &[0, 0, 60, 150],
        leaves: &[(1, 50)],
        starts: &[0, 100, 200],
        callers: &[0, 2, 3],
        ends: &[(Done, 100), (Left, 50), (Done, 200), (Done, 300)],
        ..ROW
    },
    Row {
        id: "BH-06",
        dependency: |d| bare(d).bulkhead(of(1, 0)),
        steps: &[Hang, S],
        calls: &[0, 60],
        leaves: &[(0, 50)],
        starts: &[0, 60],
        ends: &[(Left, 50), (Done, 60)],
        ..ROW
    },
    Row {
        id: "BH-07",
        why: "a future that is cancelled is dropped: nothing of it runs on, so its permit is free",
        dependency: |d| bare(d).bulkhead(of(1, 1)),
        steps: &[Hang, SlowS(100), S],
        calls: &[0, 60, 70],
        leaves: &[(0, 50)],
        starts: &[0, 60, 160],
        ends: &[(Left, 50), (Done, 160), (Done, 160)],
        ..ROW
    },
    Row {
        id: "BH-09",
        why: "the last outcome comes back itself, the full bulkhead is an event (R1)",
        dependency: |d| bare(d).bulkhead(of(1, 1)).retry(steady(2, 1_000)),
        steps: &[F, SlowS(2_000), SlowS(2_000)],
        calls: &[0, 10, 20],
        starts: &[0, 10, 2_010],
        callers: &[0, 1, 2],
        ends: &[(Failed(F), 1_000), (Done, 2_010), (Done, 4_010)],
        told: &["retry.stopped attempt=1 reason=bulkhead"],
        ..ROW
    },
    Row {
        id: "BH-10",
        dependency: |d| bare(d).bulkhead(of(1, 5)).retry(at_once(2)),
        steps: &[SlowF(100), SlowS(10), SlowS(10), SlowS(10)],
        calls: &[0, 0, 0],
        starts: &[0, 100, 110, 120],
        callers: &[0, 1, 2, 0],
        ends: &[(Done, 130), (Done, 110), (Done, 120)],
        ..ROW
    },
    Row {
        id: "BH-11",
        why: "the last outcome comes back itself, the full bulkhead is an event (R1)",
        dependency: |d| bare(d).bulkhead(of(1, 0)).retry(steady(2, 1_000)),
        steps: &[F, SlowS(2_000)],
        calls: &[0, 10],
        starts: &[0, 10],
        ends: &[(Failed(F), 1_000), (Done, 2_010)],
        ..ROW
    },
    Row {
        id: "BH-12 retried",
        why: "what the bulkhead refuses is not retried: a queue with `max_wait` is the way to wait (R6)",
        dependency: |d| bare(d).bulkhead(of(1, 1)).retry(steady(30, 100)),
        steps: &[SlowS(150), SlowS(150)],
        calls: &[0, 0, 0],
        starts: &[0, 150],
        ends: &[(Done, 150), (Done, 300), (BulkheadFull, 0)],
        ..ROW
    },
    Row {
        id: "BH-12 waited for",
        dependency: |d| bare(d).bulkhead(of(3, 6).max_wait("3s")),
        steps: &[SlowS(150); 9],
        calls: &[0; 9],
        starts: &[0, 0, 0, 150, 150, 150, 300, 300, 300],
        ends: &[
            (Done, 150),
            (Done, 150),
            (Done, 150),
            (Done, 300),
            (Done, 300),
            (Done, 300),
            (Done, 450),
            (Done, 450),
            (Done, 450),
        ],
        ..ROW
    },
    Row {
        id: "BH-14",
        dependency: |d| bare(d).bulkhead(of(2, 0)),
        steps: &[SlowS(100), SlowS(100)],
        calls: &[0; 3],
        starts: &[0, 0],
        ends: &[(Done, 100), (Done, 100), (BulkheadFull, 0)],
        told: &["call.rejected reason=bulkhead_full"],
        ..ROW
    },
    Row {
        id: "BH-15",
        dependency: |d| bare(d).bulkhead(of(2, 2)),
        steps: &[SlowS(100); 4],
        calls: &[0; 5],
        starts: &[0, 0, 100, 100],
        ends: &[
            (Done, 100),
            (Done, 100),
            (Done, 200),
            (Done, 200),
            (BulkheadFull, 0),
        ],
        told: &["call.rejected reason=bulkhead_full"],
        ..ROW
    },
    Row {
        id: "BH-17",
        dependency: |d| bare(d).bulkhead(of(2, 0)),
        steps: &[SlowS(100), SlowS(100)],
        calls: &[0; 3],
        starts: &[0, 0],
        ends: &[(Done, 100), (Done, 100), (BulkheadFull, 0)],
        ..ROW
    },
    Row {
        id: "BH-22",
        dependency: |d| bare(d).bulkhead(of(1, 1).max_wait("1s")),
        steps: &[SlowS(200), S],
        calls: &[0, 0],
        starts: &[0, 200],
        ends: &[(Done, 200), (Done, 200)],
        ..ROW
    },
    Row {
        id: "BH-24",
        dependency: |d| bare(d).bulkhead(of(1, 1).max_wait("1s")),
        steps: &[SlowS(200), S],
        calls: &[0, 0, 300],
        leaves: &[(1, 100)],
        starts: &[0, 300],
        callers: &[0, 2],
        ends: &[(Done, 200), (Left, 100), (Done, 300)],
        ..ROW
    },
    Row {
        id: "BH-25",
        dependency: |d| d.bulkhead(of(2, 0)),
        steps: &[SlowS(100), SlowS(100)],
        calls: &[0, 10, 20],
        starts: &[0, 10],
        ends: &[(Done, 100), (Done, 110), (BulkheadFull, 20)],
        ..ROW
    },
    Row {
        id: "BH-27 no limit",
        why: "no number stands for that: it is called `unlimited`",
        dependency: |d| bare(d).bulkhead(Bulkhead::unlimited()),
        steps: &[SlowS(100); 5],
        calls: &[0; 5],
        starts: &[0; 5],
        ends: &[
            (Done, 100),
            (Done, 100),
            (Done, 100),
            (Done, 100),
            (Done, 100),
        ],
        ..ROW
    },
];

#[tokio::test(start_paused = true)]
async fn rows() {
    run(ROWS).await;
}

struct Client;

#[resilient(bulkhead = "shared")]
impl Client {
    #[resilient]
    async fn first(&self, script: &Script) -> Answer {
        script.attempt().await
    }

    #[resilient]
    async fn second(&self, script: &Script) -> Answer {
        script.attempt().await
    }

    #[resilient(bulkhead = "own")]
    async fn apart(&self, script: &Script) -> Answer {
        script.attempt().await
    }
}

// case BH-26
#[tokio::test(start_paused = true)]
async fn a_name_is_what_functions_share() {
    let shared = Dependency::named("shared").bulkhead(of(2, 0));
    let (registry, _) = registered(shared, "shared");
    let own = Dependency::named("own").bulkhead(of(1, 0));
    registry.register(own).unwrap();
    scope(&registry, async {
        let script = Script::new(&[Hang; 9]);
        let mut first = Box::pin(Client.first(&script));
        let mut second = Box::pin(Client.second(&script));
        assert!(poll_once(first.as_mut()).is_pending());
        assert!(poll_once(second.as_mut()).is_pending());
        assert!(
            Client.first(&script).await.is_err(),
            "the two have both places"
        );
        let mut apart = Box::pin(Client.apart(&script));
        assert!(poll_once(apart.as_mut()).is_pending());
        assert!(Client.apart(&script).await.is_err());
        assert_eq!(script.running(), 3);
    })
    .await;
}

// case BH-20
// case BH-21
#[tokio::test(start_paused = true)]
async fn the_limit_changes_under_running_calls() {
    let limited = |limit| bare(Dependency::named("dep")).bulkhead(of(limit, 0));
    let (registry, policy) = registered(limited(1), "dep");
    let script = Script::new(&[Hang; 9]);
    let mut calls = Vec::new();
    let mut call = || {
        let mut call = Box::pin(policy.call(|| script.attempt()));
        let runs = poll_once(call.as_mut()).is_pending();
        if runs {
            calls.push(call);
        }
        (runs, calls.len())
    };
    assert_eq!([call(), call()], [(true, 1), (false, 1)]);
    registry.update(limited(2)).unwrap();
    assert_eq!([call(), call()], [(true, 2), (false, 2)]);
    registry.update(limited(1)).unwrap();
    calls.pop();
    let mut more = Box::pin(policy.call(|| script.attempt()));
    assert!(poll_once(more.as_mut()).is_ready(), "one still runs");
    calls.pop();
    let mut more = Box::pin(policy.call(|| script.attempt()));
    assert!(poll_once(more.as_mut()).is_pending(), "its place is free");
}
