//! Engines, row by row: what comes when, and what is said to it.

use super::*;
use crate::rate_limit::{Limit, RateLimit};

/// A midnight, so that windows of every usual length begin here.
const START: u64 = 1_728_000_000 * 1_000_000_000;
const MILLI: u64 = 1_000_000;

fn plan(limits: &[Limit]) -> Plan {
    let named = RateLimit::named("api");
    let all = limits.iter().cloned().fold(named, RateLimit::limit);
    Plan::new(&all.settings().expect("the numbers are good").limits)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Says {
    /// Allowed, and so much is left.
    Allows(u32),
    /// Refused, and it fits so many milliseconds later, rounded up.
    Refuses(u64),
    Never,
}

use Says::{Allows, Never, Refuses};

fn ask(plan: &Plan, state: &mut State, millis: u64, cost: u32) -> Says {
    let now = START + millis * MILLI;
    match plan.admit(state, cost, now) {
        Ok(()) => {
            let decision = plan.decision(state, Ok(()), cost, now);
            Allows(decision.tightest().expect("a limit").remaining)
        }
        Err(Refused { wait: None, .. }) => Never,
        Err(Refused {
            wait: Some(wait), ..
        }) => Refuses(wait.div_ceil(MILLI)),
    }
}

/// What the row is about, and what comes when and is said to it.
type Row = (&'static str, Limit, Vec<(u64, u32, Says)>);

fn play(rows: Vec<Row>) {
    for (row, limit, script) in rows {
        let plan = plan(&[limit]);
        let mut state = plan.fresh();
        for (millis, cost, says) in script {
            let said = ask(&plan, &mut state, millis, cost);
            assert_eq!(said, says, "{row}: {cost} at {millis} ms");
        }
    }
}

/// Cases R01, R04, R05 and R10, and R01 of the bugs.
#[test]
fn r01_r04_r05_r10_windows() {
    let mut edge: Vec<_> = vec![(0, 1, Allows(4))];
    edge.extend((0..4).rev().map(|left| (59_900, 1, Allows(left))));
    edge.extend((0..5).rev().map(|left| (60_100, 1, Allows(left))));
    edge.push((60_100, 1, Refuses(59_900)));
    play(vec![
        (
            "R01: five in a window, the sixth waits for its end",
            Limit::fixed("l", 5, "60s"),
            vec![
                (0, 1, Allows(4)),
                (0, 1, Allows(3)),
                (0, 1, Allows(2)),
                (0, 1, Allows(1)),
                (0, 1, Allows(0)),
                (0, 1, Refuses(60_000)),
                (59_999, 1, Refuses(1)),
                (60_000, 1, Allows(4)),
            ],
        ),
        (
            "R04: twice the quota around the edge of two fixed windows",
            Limit::fixed("l", 5, "60s"),
            edge,
        ),
        (
            "R05: 40 * 0.75 is 30 and not rounded",
            Limit::sliding_counter("l", 50, "60s"),
            vec![
                (30_000, 40, Allows(10)),
                (75_000, 18, Allows(2)),
                (75_000, 1, Allows(1)),
                (75_000, 1, Allows(0)),
                (75_000, 1, Refuses(1_500)),
                (76_500, 1, Allows(0)),
            ],
        ),
        (
            "R05: what is counted is not rounded either, or 2 would fit at the first",
            Limit::sliding_counter("l", 10, "1s"),
            vec![
                (0, 9, Allows(1)),
                (1_099, 2, Refuses(13)),
                (1_112, 2, Allows(0)),
            ],
        ),
        (
            "R01 of the bugs: not twice through a sliding edge",
            Limit::sliding_counter("l", 10, "1s"),
            vec![
                (950, 10, Allows(0)),
                (1_050, 1, Refuses(50)),
                (1_050, 10, Refuses(950)),
                (2_000, 10, Allows(0)),
            ],
        ),
        (
            "R01 of the bugs: exactly, with a log",
            Limit::sliding_log("l", 10, "1s"),
            vec![
                (950, 10, Allows(0)),
                (1_050, 1, Refuses(900)),
                (1_949, 1, Refuses(1)),
                (1_950, 10, Allows(0)),
            ],
        ),
        (
            "R10: each counts for one window from when it came",
            Limit::sliding_log("l", 3, "10s"),
            vec![
                (0, 1, Allows(2)),
                (4_000, 1, Allows(1)),
                (8_000, 1, Allows(0)),
                (9_000, 1, Refuses(1_000)),
                (10_010, 1, Allows(0)),
            ],
        ),
    ]);
}

/// Cases R06, R07 and R09, and R08 and R09 of the bugs.
#[test]
fn r06_r07_r08_r09_buckets() {
    play(vec![
        (
            "R06: five at once, then one each second",
            Limit::gcra("l", 1, "1s").burst(5),
            vec![
                (0, 1, Allows(4)),
                (0, 1, Allows(3)),
                (0, 1, Allows(2)),
                (0, 1, Allows(1)),
                (0, 1, Allows(0)),
                (0, 1, Refuses(1_000)),
                (999, 1, Refuses(1)),
                (1_000, 1, Allows(0)),
            ],
        ),
        (
            "R06: a token bucket says the same",
            Limit::token_bucket("l", 1, "1s").burst(5),
            vec![
                (0, 4, Allows(1)),
                (0, 1, Allows(0)),
                (0, 1, Refuses(1_000)),
                (999, 1, Refuses(1)),
                (1_000, 1, Allows(0)),
                (1_000, 5, Refuses(5_000)),
            ],
        ),
        (
            "R07: 15 extra are a burst of 16",
            Limit::gcra("l", 30, "60s").burst(16),
            vec![(0, 1, Allows(15)), (2_000, 1, Allows(15))],
        ),
        (
            "R09: what costs more than is ever allowed",
            Limit::gcra("l", 5, "1s"),
            vec![(0, 6, Never), (0, 5, Allows(0))],
        ),
        (
            "R08 of the bugs: no product overflows",
            Limit::gcra("l", 1, "86400s"),
            vec![
                (0, 200_000_000, Never),
                (0, u32::MAX, Never),
                (0, 0, Allows(1)),
                (0, 1, Allows(0)),
            ],
        ),
        (
            "R09 of the bugs: one in 1.5 s",
            Limit::gcra("l", 1, "1.5s"),
            vec![
                (0, 1, Allows(0)),
                (100, 1, Refuses(1_400)),
                (2_100, 1, Allows(0)),
            ],
        ),
    ]);
}

/// Case R07: the whole burst is there again after one interval.
#[test]
fn r07_what_headers_say_of_a_burst() {
    let plan = plan(&[Limit::gcra("l", 30, "60s").burst(16)]);
    let mut state = plan.fresh();
    assert_eq!(plan.admit(&mut state, 1, START), Ok(()));
    let decision = plan.decision(&state, Ok(()), 1, START);
    let limit = decision.tightest().expect("a limit");
    assert_eq!((limit.quota, limit.remaining), (16, 15));
    assert_eq!(limit.reset_after, Duration::from_secs(2));
}

/// Case R10: no more entries than the quota.
#[test]
fn r10_a_log_is_no_longer_than_its_quota() {
    let engine = SlidingLog::new(3, 10_000);
    let mut log = Log::default();
    for now in 0..100_000 {
        if engine.wait(&log, 1, now) == 0 {
            engine.take(&mut log, 1, now);
        }
        assert!(log.len() <= 3);
    }
}

fn both() -> Plan {
    plan(&[
        Limit::fixed("burst", 5, "1s"),
        Limit::fixed("hourly", 100, "1h"),
    ])
}

/// Case R11: what one limit refuses, the other does not count.
#[test]
fn r11_all_or_nothing() {
    let plan = both();
    let mut state = plan.fresh();
    for second in 0..20 {
        let now = START + second * 1000 * MILLI;
        assert_eq!(plan.admit(&mut state, 5, now), Ok(()));
    }
    let now = START + 30_000 * MILLI;
    let refused = plan.admit(&mut state, 1, now);
    assert_eq!(
        refused,
        Err(Refused {
            limit: 1,
            wait: Some(3_570_000 * MILLI)
        })
    );
    let decision = plan.decision(&state, refused, 1, now);
    let left: Vec<_> = decision.limits().map(|limit| limit.remaining).collect();
    assert_eq!(left, [5, 0]);
    let violated: Vec<_> = decision.violated().map(|limit| &**limit.name).collect();
    assert_eq!(violated, ["hourly"]);
    assert_eq!(decision.retry_after_secs(), Some(3_570));
    assert_eq!(&**decision.tightest().expect("a limit").name, "hourly");
}

/// Case R12: everything that headers need.
#[test]
fn r12_what_headers_say_of_two_limits() {
    let plan = both();
    let mut state = plan.fresh();
    assert_eq!(plan.admit(&mut state, 1, START), Ok(()));
    let decision = plan.decision(&state, Ok(()), 1, START);
    let said: Vec<_> = decision
        .limits()
        .map(|limit| {
            let (window, available) = (limit.window.as_secs(), limit.available_in().as_secs());
            (
                &**limit.name,
                limit.quota,
                window,
                limit.remaining,
                available,
            )
        })
        .collect();
    assert_eq!(
        said,
        [("burst", 5, 1, 4, 1), ("hourly", 100, 3600, 99, 3600)]
    );
    assert_eq!(&**decision.tightest().expect("a limit").name, "burst");
    assert_eq!(decision.retry_after(), None);
}

/// Case R13: `Retry-After` is no earlier than any violated limit says, whatever kind it is.
#[test]
fn r13_retry_after_is_never_earlier_than_what_limits_say() {
    let plan = plan(&[
        Limit::gcra("gcra", 1, "1s").burst(5),
        Limit::sliding_counter("counter", 5, "2s"),
        Limit::sliding_log("log", 5, "3s"),
        Limit::token_bucket("bucket", 1, "7s").burst(5),
        Limit::fixed("fixed", 5, "500ms"),
    ]);
    let mut state = plan.fresh();
    assert_eq!(plan.admit(&mut state, 5, START), Ok(()));
    for cost in 1..=5 {
        let refused = plan.admit(&mut state, cost, START + MILLI);
        let decision = plan.decision(&state, refused, cost, START + MILLI);
        assert_eq!(decision.violated().count(), 5);
        let retry_after = decision.retry_after().expect("it was refused");
        assert!(
            decision
                .violated()
                .all(|limit| limit.available_in() <= retry_after)
        );
        assert!(decision.violated().all(|limit| limit.remaining == 0));
        // Who waits for as long as was said, fits.
        let wait = Duration::from_secs(decision.retry_after_secs().expect("it was refused"));
        let then = START + MILLI + nanos(wait);
        assert_eq!(plan.admit(&mut state.clone(), cost, then), Ok(()));
    }
}

/// Case R37 and R10 of the bugs: a limit is lowered below what is used.
#[test]
fn r37_a_lower_limit_leaves_nothing_and_never_less() {
    let kinds: [fn(u32) -> Limit; 5] = [
        |quota| Limit::fixed("l", quota, "60s"),
        |quota| Limit::sliding_counter("l", quota, "60s"),
        |quota| Limit::sliding_log("l", quota, "60s"),
        |quota| Limit::token_bucket("l", quota, "60s"),
        |quota| Limit::gcra("l", quota, "60s"),
    ];
    for kind in kinds {
        for (before, used, after) in [(100, 50, 10), (10, 8, 3)] {
            let old = plan(&[kind(before)]);
            let mut state = old.fresh();
            assert_eq!(old.admit(&mut state, used, START), Ok(()));
            let new = plan(&[kind(after)]);
            let mut state = new.adopt(&old, &state, START);
            let refused = new.admit(&mut state, 1, START);
            assert!(refused.is_err(), "{:?}", kind(after));
            let decision = new.decision(&state, refused, 1, START);
            let limit = decision.tightest().expect("a limit");
            assert_eq!((limit.quota, limit.remaining), (after, 0));
            assert!(limit.retry_after <= Duration::from_secs(120));
        }
        // A higher one leaves what is used used.
        let old = plan(&[kind(10)]);
        let mut state = old.fresh();
        assert_eq!(old.admit(&mut state, 8, START), Ok(()));
        let new = plan(&[kind(20)]);
        let state = new.adopt(&old, &state, START);
        assert_eq!(new.fits(&state, 12, START), Ok(()));
        assert!(new.fits(&state, 13, START).is_err());
    }
}

/// Limits come and go, and change their kind; what they have in common is their name.
#[test]
fn r37_what_is_used_follows_the_name_of_a_limit() {
    let old = both();
    let mut state = old.fresh();
    assert_eq!(old.admit(&mut state, 4, START), Ok(()));
    let new = plan(&[
        Limit::fixed("daily", 1000, "1day"),
        Limit::gcra("hourly", 10, "1h"),
        Limit::sliding_log("minutely", 10, "1min"),
    ]);
    let state = new.adopt(&old, &state, START);
    let decision = new.decision(&state, Ok(()), 0, START);
    let left: Vec<_> = decision.limits().map(|limit| limit.remaining).collect();
    assert_eq!(left, [1000, 6, 10]);
}

/// What is given back is what would still be used, and no more.
#[test]
fn a_refund_counts_within_its_window_only() {
    let seconds = |seconds: u64| START + seconds * 1000 * MILLI;
    let rows: [(Limit, u64, u32); 10] = [
        (Limit::fixed("l", 5, "10s"), 9, 5),
        (Limit::fixed("l", 5, "10s"), 10, 5),
        (Limit::sliding_counter("l", 5, "10s"), 9, 5),
        // Counted in the window before: four still, in proportion.
        (Limit::sliding_counter("l", 5, "10s"), 11, 1),
        (Limit::sliding_log("l", 5, "10s"), 9, 5),
        (Limit::sliding_log("l", 5, "10s"), 10, 5),
        (Limit::gcra("l", 5, "10s"), 2, 5),
        (Limit::gcra("l", 5, "10s"), 9, 5),
        (Limit::token_bucket("l", 5, "10s"), 2, 5),
        (Limit::token_bucket("l", 5, "10s"), 9, 5),
    ];
    for (limit, later, left) in rows {
        let plan = plan(std::slice::from_ref(&limit));
        let mut state = plan.fresh();
        assert_eq!(plan.admit(&mut state, 4, seconds(0)), Ok(()));
        let decision = plan.decision(&state, Ok(()), 4, seconds(0));
        plan.refund(&mut state, &decision, seconds(later));
        let after = plan.decision(&state, Ok(()), 0, seconds(later));
        let found = after.tightest().expect("a limit").remaining;
        assert_eq!(found, left, "{limit:?} after {later} s");
    }
}

/// What came back by itself is not given back again at the expense of what was taken since.
#[test]
fn a_refund_is_no_gift() {
    for limit in [Limit::gcra("l", 5, "5s"), Limit::token_bucket("l", 5, "5s")] {
        let plan = plan(&[limit]);
        let mut state = plan.fresh();
        assert_eq!(plan.admit(&mut state, 1, START), Ok(()));
        let decision = plan.decision(&state, Ok(()), 1, START);
        let later = START + 3000 * MILLI;
        assert_eq!(plan.admit(&mut state, 5, later), Ok(()));
        plan.refund(&mut state, &decision, later);
        assert!(plan.fits(&state, 1, later).is_err());
    }
}

/// Case L02: two threads read the time and come in the other order. A window takes it for a time
/// that stands still; a bucket, which only knows when it will be full, may ask for the step back.
#[test]
fn l02_time_that_runs_backwards_does_no_harm() {
    let back = MILLI;
    for (limit, most) in [
        (Limit::fixed("l", 2, "1s"), 0),
        (Limit::sliding_counter("l", 2, "1s"), 0),
        (Limit::sliding_log("l", 2, "1s"), 0),
        (Limit::token_bucket("l", 2, "1s"), back),
        (Limit::gcra("l", 2, "1s"), back),
    ] {
        let plan = plan(&[limit]);
        let mut state = plan.fresh();
        let now = START + 5000 * MILLI;
        assert_eq!(plan.admit(&mut state, 1, now), Ok(()));
        let wait = match plan.admit(&mut state, 1, now - back) {
            Ok(()) => 0,
            Err(refused) => refused.wait.expect("it fits once"),
        };
        assert!(wait <= most);
        let long_ago = plan.admit(&mut state, 2, START);
        assert!(long_ago.is_err_and(|refused| refused.wait <= Some(7000 * MILLI)));
        assert_eq!(plan.used(&state, START + 8000 * MILLI), 0);
    }
}

/// Case R38: a million keys have a million of these.
#[test]
fn r38_the_state_of_a_key_with_one_limit_is_two_words() {
    assert_eq!(size_of::<State>(), 16);
}
