//! A1 on the limit itself: the rows of the table, and how windows are joined.

mod gradient;

use std::time::Duration;

use super::limit::Limit;
use super::samples::{Samples, Seen};
use super::{Adaptive, AdaptiveSettings, Meter};
use crate::seam::clock::Moment;

fn settings(adaptive: &Adaptive) -> AdaptiveSettings {
    adaptive.settings().expect("the numbers are good")
}

/// Answered in so many milliseconds, with so many in flight.
fn ok(millis: f64, inflight: f64) -> Seen {
    Seen {
        latency: Some(millis * 1e6),
        inflight,
        dropped: false,
    }
}

fn drop(inflight: f64) -> Seen {
    Seen {
        latency: None,
        inflight,
        dropped: true,
    }
}

#[test]
fn a1_the_limit_is_that_of_the_formula() {
    let aimd = || Adaptive::aimd(1..=200);
    let vegas = || Adaptive::vegas(1..=20).initial(10);
    let halving = || Adaptive::vegas(1..=200).initial(100).backoff(0.5);
    let huge = Adaptive::vegas(1..=20_000).initial(10_000);
    let slow = || [ok(10.0, 100.0), ok(20.0, 100.0), ok(20.0, 100.0)];
    let rows: Vec<(&str, Adaptive, Vec<Seen>, Vec<u32>)> = vec![
        (
            "AD-06 ok",
            aimd().initial(20),
            vec![ok(1.0, 10.0)],
            vec![21],
        ),
        ("AD-06 drop", aimd().initial(30), vec![drop(1.0)], vec![27]),
        (
            "AD-06 top",
            Adaptive::aimd(1..=21).initial(21),
            vec![ok(1.0, 20.0)],
            vec![21],
        ),
        ("AD-07", aimd().initial(20), vec![ok(1.0, 9.0)], vec![20]),
        (
            "one less at least",
            aimd().initial(3).backoff(0.99),
            vec![drop(1.0); 4],
            vec![2, 1, 1, 1],
        ),
        (
            "AD-09",
            vegas(),
            vec![ok(10.0, 10.0), ok(14.0, 14.0)],
            vec![10, 10],
        ),
        (
            "AD-10 smoothed",
            halving().smoothing(0.5),
            slow().to_vec(),
            vec![100, 75, 56],
        ),
        ("AD-10", halving(), slow().to_vec(), vec![100, 50, 25]),
        (
            "AD-19",
            huge,
            vec![ok(10_000.0, 5_000.0), ok(10_000.0, 6_000.0)],
            vec![10_000, 10_024],
        ),
        (
            "a short queue, a long one, a drop, an unused limit",
            vegas(),
            vec![
                ok(10.0, 10.0),
                ok(12.4, 10.0),
                ok(40.0, 10.0),
                drop(1.0),
                ok(10.0, 2.0),
            ],
            vec![10, 11, 10, 9, 9],
        ),
        (
            "half of a limit between two numbers is half of the lower one",
            Adaptive::vegas(1..=200).initial(18).backoff(0.9),
            vec![ok(10.0, 18.0), drop(18.0), ok(10.0, 8.0)],
            vec![18, 16, 22],
        ),
        (
            "the least latency is compared with, not the first",
            vegas(),
            vec![ok(40.0, 10.0), ok(10.0, 10.0), ok(40.0, 10.0)],
            vec![10, 10, 9],
        ),
    ];
    for (id, adaptive, seen, expected) in rows {
        let now = Moment::at_millis(0);
        let mut limit = Limit::new(settings(&adaptive), now);
        let limits: Vec<_> = seen
            .iter()
            .map(|seen| {
                limit.follow(seen, now);
                limit.get()
            })
            .collect();
        assert_eq!(limits, expected, "{id}");
    }
}

#[test]
fn a1_a_latency_without_load_is_forgotten_after_ten_to_twenty_minutes() {
    let minutes = |minutes: u64| Moment::at_millis(minutes * 60_000);
    let rows = [
        // minutes to the first slow window and to the second; whether the fast one is remembered
        (5, 9, true),
        (11, 19, true),
        (11, 22, false),
        (25, 25, false),
    ];
    for (first, second, remembered) in rows {
        let adaptive = Adaptive::vegas(1..=100).initial(50);
        let mut limit = Limit::new(settings(&adaptive), minutes(0));
        limit.follow(&ok(10.0, 1.0), minutes(0));
        limit.follow(&ok(30.0, 1.0), minutes(first));
        limit.follow(&ok(30.0, 50.0), minutes(second));
        assert_eq!(limit.get() < 50, remembered, "{first}, {second}");
    }
}

#[test]
fn a1_a_window_needs_ten_attempts_or_as_many_as_the_limit() {
    let now = Moment::at_millis(0);
    for (initial, needed) in [(1, 1), (4, 4), (10, 10), (50, 10)] {
        let adaptive = Adaptive::aimd(1..=100).initial(initial);
        let mut limit = Limit::new(settings(&adaptive), now);
        let mut one = Samples::default();
        one.answered(Duration::from_millis(5));
        one.inflight = 50;
        let ended_after = (1..=20).find(|_| {
            limit.gather(one);
            limit.end_window(now)
        });
        assert_eq!(ended_after, Some(needed), "with limit {initial}");
        assert_eq!(limit.get(), initial + 1);
    }
}

#[test]
fn a1_samples_of_many_threads_move_the_limit_once_per_window() {
    let adaptive = Adaptive::aimd(1..=100).initial(50).window("1s");
    let meter = Meter::with_shards(Some(settings(&adaptive)), 4);
    let sampled = || {
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..5 {
                        meter.take(Some(Duration::from_millis(1)), 50, || 30);
                    }
                });
            }
        });
    };
    let moved = |millis| {
        let ended = meter.end_window(Moment::at_millis(millis));
        ended.map(|(limit, _moving)| limit)
    };
    let rows = [
        (0, None, "opens the first window"),
        (999, None, "which is not over"),
        (1_000, Some(51), "now it is"),
        (1_000, None, "and the next one begins"),
        (1_999, None, ""),
        (2_500, Some(52), ""),
        (3_499, None, ""),
    ];
    for (millis, expected, why) in rows {
        assert_eq!(moved(millis), expected, "at {millis}: {why}");
        sampled();
    }
}

#[test]
fn a1_a_window_without_enough_attempts_goes_on() {
    let adaptive = Adaptive::aimd(1..=100).initial(50).window("1s");
    let meter = Meter::with_shards(Some(settings(&adaptive)), 1);
    let moved: Vec<_> = (0..20)
        .filter(|second| {
            let ended = meter.end_window(Moment::at_millis(second * 1_000));
            let moved = ended.is_some();
            std::mem::drop(ended);
            meter.take(None, 50, || 1);
            moved
        })
        .collect();
    assert_eq!(moved, [10], "ten attempts, one a second");
}

#[test]
fn a1_other_numbers_keep_the_limit_within_the_new_bounds() {
    let start = Adaptive::aimd(1..=100).initial(50);
    let meter = Meter::with_shards(Some(settings(&start)), 1);
    let to = |adaptive: Option<&Adaptive>| meter.reconfigure(adaptive.map(settings)).0;
    assert_eq!(to(Some(&Adaptive::aimd(1..=200).initial(7))), Some(50));
    assert_eq!(to(Some(&Adaptive::vegas(1..=40))), Some(40));
    assert_eq!(to(Some(&Adaptive::vegas(60..=80))), Some(60));
    assert_eq!(to(None), None);
    assert!(!meter.is_on());
    assert_eq!(to(Some(&Adaptive::aimd(1..=200).initial(7))), Some(7));
    assert!(meter.is_on());
}
