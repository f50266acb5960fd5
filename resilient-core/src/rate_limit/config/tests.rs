//! What can be wrong with the numbers, row by row.

use std::time::Duration;

use super::*;

fn with(limit: Limit) -> RateLimit {
    RateLimit::named("api").limit(limit)
}

/// Cases R14 and S04: a period that is no whole number of milliseconds, `0/0s` and `10/0s`.
#[test]
fn r14_s04_what_cannot_work_is_said_all_at_once() {
    let fixed = |quota, window: &str| with(Limit::fixed("burst", quota, window));
    let nine = (0..9).fold(RateLimit::named("api"), |limit, index| {
        limit.limit(Limit::fixed(format!("l{index}"), 1, "1s"))
    });
    let rows: Vec<(RateLimit, &[&str])> = vec![
        (fixed(1, "1ms"), &[]),
        (fixed(u32::MAX, "3650 days"), &[]),
        (fixed(5, "250ms"), &[]),
        (fixed(5, "1.5s"), &[]),
        (fixed(5, "90 days"), &[]),
        (with(Limit::gcra("g", 1, "1s").burst(1000)), &[]),
        (with(Limit::gcra("g", 1_000_000, "1s")), &[]),
        (with(Limit::token_bucket("t", u32::MAX, "1ms")), &[]),
        (with(Limit::sliding_log("l", 100_000, "1s")), &[]),
        (RateLimit::named("api"), &["limit"]),
        (nine, &["limit"]),
        (fixed(0, "0s"), &["quota", "window"]),
        (fixed(10, "0s"), &["window"]),
        (fixed(0, "1s"), &["quota"]),
        (fixed(5, "1"), &["window"]),
        (fixed(5, "1.5ms"), &["window"]),
        (fixed(5, "3651 days"), &["window"]),
        (with(Limit::fixed("burst", 5, "1s").burst(3)), &["burst"]),
        (
            with(Limit::sliding_counter("s", 5, "1s").burst(3)),
            &["burst"],
        ),
        (with(Limit::gcra("g", 5, "1s").burst(0)), &["burst"]),
        (with(Limit::gcra("g", 1_000_001, "1s")), &["quota"]),
        (with(Limit::gcra("g", 1, "3650 days").burst(11)), &["burst"]),
        (
            with(Limit::token_bucket("t", 1, "86400s").burst(200_000_000)),
            &["burst"],
        ),
        (with(Limit::sliding_log("l", 100_001, "1s")), &["quota"]),
        (
            fixed(1, "1s").limit(Limit::fixed("burst", 2, "1h")),
            &["limit"],
        ),
        (
            RateLimit::named("a p i").limit(Limit::fixed("", 0, "soon")),
            &["name", "limit", "quota", "window"],
        ),
        (
            fixed(1, "1s").max_wait("5").max_waiting(0).max_keys(0),
            &["max_wait", "max_waiting", "max_keys"],
        ),
    ];
    for (limit, expected) in rows {
        let problems = limit.settings().err().unwrap_or_default();
        let found: Vec<_> = problems.iter().map(|problem| problem.setting).collect();
        assert_eq!(found, expected, "{limit:?}");
        assert!(
            problems
                .iter()
                .all(|problem| problem.policy == "rate_limit")
        );
        assert!(problems.iter().all(|problem| !problem.reason.is_empty()));
    }
}

#[test]
fn r07_a_burst_and_its_refill_time_are_what_the_limit_promises() {
    let rows = [
        (Limit::fixed("l", 5, "60s"), 5, 60_000),
        (Limit::gcra("l", 30, "60s"), 30, 60_000),
        (Limit::gcra("l", 30, "60s").burst(16), 16, 32_000),
        (Limit::token_bucket("l", 10, "1s").burst(1), 1, 100),
    ];
    for (limit, capacity, refill) in rows {
        let settings = with(limit).settings().expect("the numbers are good");
        assert_eq!(settings.limits[0].capacity(), capacity);
        assert_eq!(
            settings.limits[0].refill_time(),
            Duration::from_millis(refill)
        );
    }
}

/// Cases S02 and S03: a number without a unit, and times that no counter can hold, each with what is
/// wrong about it.
#[test]
fn s02_s03_a_window_has_a_unit_and_an_end() {
    for (window, reason) in [
        ("600", "has no unit"),
        ("0", "has no unit"),
        ("584554530873y", "too large"),
        ("18446744073709551615s 1s", "too large"),
        ("18446744073709551615s 18446744073709551615s", "too large"),
        ("3650d 1ms", "ten years"),
    ] {
        let problems = with(Limit::fixed("burst", 5, window)).settings();
        let problems = problems.expect_err(window);
        assert_eq!(problems.len(), 1, "{window}: {problems:?}");
        let told = problems[0].to_string();
        assert!(told.contains("window") && told.contains(reason), "{told}");
    }
}
