//! A1 on the limit that compares latencies with those of a longer time.

use super::*;

/// A limit that is at the far end of its formula after one window.
fn at_once(initial: u32) -> Adaptive {
    Adaptive::gradient(1..=200)
        .initial(initial)
        .queue(4)
        .smoothing(1.0)
}

/// The limit after each of these windows, `warm` windows of 10 ms without load before them.
fn limits(adaptive: &Adaptive, warm: usize, seen: impl IntoIterator<Item = Seen>) -> Vec<u32> {
    let now = Moment::at_millis(0);
    let mut limit = Limit::new(settings(adaptive), now);
    for _ in 0..warm {
        limit.follow(&ok(10.0, 1.0), now);
    }
    let mut follow = |seen| {
        limit.follow(&seen, now);
        limit.get()
    };
    seen.into_iter().map(&mut follow).collect()
}

/// The same window so many times.
fn times(windows: usize, seen: Seen) -> impl Iterator<Item = Seen> {
    std::iter::repeat_n(seen, windows)
}

#[test]
fn a1_the_gradient_moves_the_limit_as_its_formula_says() {
    let smoothed = || Adaptive::gradient(1..=200).initial(100);
    let rows: Vec<(&str, Adaptive, Vec<Seen>, Vec<u32>)> = vec![
        (
            "steady: it may be tried with more",
            at_once(100),
            vec![ok(10.0, 100.0); 3],
            vec![104, 108, 112],
        ),
        (
            "by the square root, and a fifth of the way",
            smoothed(),
            vec![ok(10.0, 100.0); 3],
            vec![102, 104, 106],
        ),
        (
            "unused",
            at_once(100),
            vec![ok(10.0, 49.0), ok(90.0, 49.0), ok(10.0, 50.0)],
            vec![100, 100, 104],
        ),
        (
            "as slow as is tolerated",
            at_once(100),
            vec![ok(15.0, 100.0)],
            vec![104],
        ),
        (
            "less is tolerated: 10.02 of 15, of a hundred",
            at_once(100).tolerance(1.0),
            vec![ok(15.0, 100.0)],
            vec![70],
        ),
        (
            "three times as slow: 1.5 * 10.07 of 30",
            at_once(100),
            vec![ok(30.0, 100.0)],
            vec![54],
        ),
        (
            "no more than half at once, and no less than twice the queue",
            at_once(100),
            vec![ok(500.0, 100.0); 6],
            vec![54, 31, 19, 13, 10, 9],
        ),
        (
            "a fifth of the way: 100 * 0.5 + 10",
            smoothed(),
            vec![ok(500.0, 100.0)],
            vec![92],
        ),
        (
            "a drop is not smoothed, used or not",
            smoothed(),
            vec![drop(1.0), drop(100.0), ok(10.0, 100.0)],
            vec![90, 81, 82],
        ),
        (
            "a drop among answers, by another backoff",
            at_once(100).backoff(0.5),
            vec![Seen {
                dropped: true,
                ..ok(10.0, 100.0)
            }],
            vec![50],
        ),
        (
            "within the bounds",
            Adaptive::gradient(90..=105).initial(100).queue(50),
            vec![ok(10.0, 105.0), ok(10.0, 105.0), drop(1.0), drop(1.0)],
            vec![105, 105, 94, 90],
        ),
    ];
    for (id, adaptive, seen, expected) in rows {
        assert_eq!(limits(&adaptive, 10, seen), expected, "{id}");
    }
}

#[test]
fn a1_the_first_windows_are_a_plain_mean() {
    // The mean of 10 and nine times 100 is 91; had the first latency weighed more, 110 would be slow.
    let windows = times(9, ok(100.0, 1.0)).chain([ok(110.0, 100.0)]);
    let seen = [ok(10.0, 1.0)].into_iter().chain(windows);
    assert_eq!(limits(&at_once(100), 0, seen).pop(), Some(104));
}

#[test]
fn a1_it_falls_when_latencies_rise_and_comes_back_when_they_fall() {
    let adaptive = Adaptive::gradient(1..=60).initial(20);
    let fast = || times(80, ok(10.0, 60.0));
    let seen = fast().chain(times(80, ok(100.0, 60.0))).chain(fast());
    let limits = limits(&adaptive, 10, seen);
    assert_eq!(limits[79], 60);
    assert!(limits[79..160].is_sorted_by(|a, b| a >= b));
    assert_eq!(limits[159], 4, "twice its square root");
    assert!(limits[159..].is_sorted());
    assert_eq!(limits[239], 60);
}

#[test]
fn a1_what_stays_slow_for_long_is_how_it_is() {
    let slow = limits(&at_once(100), 10, times(600, ok(30.0, 200.0)));
    assert!(slow[50] < 20, "{slow:?}");
    assert_eq!(slow[599], 200);
}

#[test]
fn a1_a_bad_time_that_is_over_is_forgotten_sooner_than_it_was_learned() {
    for (good, notices) in [(2, false), (20, true)] {
        let bad = times(1_000, ok(30.0, 1.0));
        let good = times(good, ok(10.0, 1.0));
        let seen = bad.chain(good).chain([ok(32.0, 100.0)]);
        let limit = limits(&at_once(100), 10, seen).pop().expect("a limit");
        assert_eq!(limit < 100, notices, "{limit}");
    }
}

#[test]
fn a1_no_number_takes_it_out_of_its_bounds() {
    let latencies = [0.0, 1e-6, 1.0, 1e13];
    let adaptives = [
        Adaptive::gradient(1..=u32::MAX).initial(u32::MAX),
        Adaptive::gradient(1..=u32::MAX).queue(u32::MAX),
        Adaptive::gradient(1..=9).tolerance(f64::MAX),
        Adaptive::gradient(1..=9).smoothing(f64::MIN_POSITIVE),
        Adaptive::gradient(1..=9).backoff(f64::MIN_POSITIVE),
        Adaptive::gradient(3..=3).smoothing(1.0),
    ];
    for adaptive in adaptives {
        let bounds = settings(&adaptive);
        let now = Moment::at_millis(0);
        let mut limit = Limit::new(bounds, now);
        for before in latencies {
            for after in latencies {
                for seen in [ok(before, 1e18), drop(0.0), ok(after, 1e18), ok(after, 0.0)] {
                    limit.follow(&seen, now);
                    let limit = limit.get();
                    assert!((bounds.min..=bounds.max).contains(&limit), "{adaptive:?}");
                }
            }
        }
    }
    // What takes no time at all is not slow.
    assert_eq!(limits(&at_once(1), 0, times(2, ok(0.0, 9.0))), [5, 9]);
}
