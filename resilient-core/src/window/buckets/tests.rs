use super::*;

enum Step {
    Good(u64),
    Bad(u64),
    /// Successes dated between this time and the step's own.
    Spread(u64, u64),
    /// Nothing: only the totals are read.
    Read,
}
use Step::{Bad, Good, Read, Spread};

/// Each row: at (ms), what is counted, and the (good, bad) remembered then.
type Row = (u64, Step, (u64, u64));

fn run(name: &str, window_millis: u64, rows: &[Row]) {
    let mut buckets = Buckets::new(Duration::from_millis(window_millis));
    for (number, (at, step, expected)) in rows.iter().enumerate() {
        let now = Moment::at_millis(*at);
        match step {
            Good(count) => buckets.record(now, *count, 0),
            Bad(count) => buckets.record(now, 0, *count),
            Spread(from, count) => buckets.spread(Moment::at_millis(*from), now, *count),
            Read => {}
        }
        assert_eq!(buckets.totals(now), *expected, "{name}, row {number}");
        assert_eq!(
            buckets.outlooks().next(),
            Some(*expected),
            "{name}, row {number}"
        );
    }
}

#[test]
fn counts_slide() {
    run(
        "an old tenth leaves, the others stay",
        10_000,
        &[
            (0, Bad(1), (0, 1)),
            (100, Good(1), (1, 1)),
            (1_200, Good(1), (2, 1)),
            (9_999, Read, (2, 1)),
            (10_000, Read, (1, 0)),
            (10_999, Read, (1, 0)),
            (11_000, Read, (0, 0)),
        ],
    );
    run(
        "one a second: nine are remembered",
        10_000,
        &[
            (0, Good(5), (5, 0)),
            (4_500, Good(3), (8, 0)),
            (10_500, Read, (3, 0)),
            (13_900, Read, (3, 0)),
            (14_000, Read, (0, 0)),
        ],
    );
    run(
        "b02: the first event of a new tenth is in the sum",
        10_000,
        &[
            (200, Good(1), (1, 0)),
            (500, Good(1), (2, 0)),
            (1_250, Bad(1), (2, 1)),
        ],
    );
    run(
        "a long silence empties it",
        10_000,
        &[(0, Bad(7), (0, 7)), (3_600_000, Good(1), (1, 0))],
    );
    run(
        "l02: time that runs backwards counts once",
        10_000,
        &[
            (5_000, Good(1), (1, 0)),
            (4_999, Bad(1), (1, 1)),
            (0, Bad(1), (1, 2)),
        ],
    );
}

#[test]
fn undated_successes_are_spread() {
    run(
        "within a tenth: now",
        10_000,
        &[(0, Bad(1), (0, 1)), (900, Spread(0, 10), (10, 1))],
    );
    run(
        "over half the window: nothing is lost",
        10_000,
        &[
            (0, Bad(1), (0, 1)),
            (5_000, Spread(0, 1_001), (1_001, 1)),
            (10_000, Read, (801, 0)),
            (13_999, Read, (201, 0)),
            (14_000, Read, (0, 0)),
        ],
    );
    run(
        "over five minutes: only the window's share is left",
        10_000,
        &[
            (0, Read, (0, 0)),
            (300_000, Spread(0, 30_000), (900, 0)),
            (300_000, Bad(1), (900, 1)),
            (305_000, Read, (400, 1)),
        ],
    );
    run(
        "backwards: now",
        10_000,
        &[(5_000, Good(1), (1, 0)), (4_000, Spread(4_500, 3), (4, 0))],
    );
}

#[test]
fn outlooks_tell_what_turning_will_leave() {
    let mut buckets = Buckets::new(Duration::from_secs(10));
    buckets.record(Moment::at_millis(0), 4, 0);
    buckets.record(Moment::at_millis(5_000), 2, 1);
    buckets.record(Moment::at_millis(9_500), 0, 3);
    let outlooks: Vec<_> = buckets.outlooks().collect();
    assert_eq!(outlooks.len(), 10);
    assert_eq!(outlooks[0], (6, 4));
    assert_eq!(outlooks[1], (2, 4));
    assert_eq!(outlooks[9], (0, 3));
    for (turns, outlook) in outlooks.iter().enumerate() {
        let then = Moment::at_millis(9_500 + turns as u64 * 1_000);
        assert_eq!(
            buckets.clone().totals(then),
            *outlook,
            "after {turns} turns"
        );
    }
}

#[test]
fn another_window_keeps_what_fits() {
    let mut buckets = Buckets::new(Duration::from_secs(10));
    buckets.record(Moment::at_millis(0), 4, 0);
    buckets.record(Moment::at_millis(5_000), 2, 1);
    buckets.record(Moment::at_millis(9_500), 0, 3);
    let now = Moment::at_millis(9_500);
    assert_eq!(
        buckets.with_window(Duration::from_secs(60)).totals(now),
        (6, 4)
    );
    assert_eq!(
        buckets.with_window(Duration::from_secs(5)).totals(now),
        (2, 4)
    );
    assert_eq!(
        buckets.with_window(Duration::from_secs(1)).totals(now),
        (0, 3)
    );
}

#[test]
fn extreme_windows_do_not_overflow() {
    for window in [Duration::ZERO, Duration::from_nanos(1), Duration::MAX] {
        let mut buckets = Buckets::new(window);
        for now in [Moment::at_millis(0), Moment::at_millis(1), Moment::NEVER] {
            buckets.record(now, 1, 1);
            buckets.spread(Moment::at_millis(0), now, u64::from(u32::MAX));
            assert!(buckets.totals(now).0 > 0, "{window:?} at {now:?}");
        }
        buckets.clear();
        assert_eq!(buckets.totals(Moment::NEVER), (0, 0));
    }
}
