use super::*;
use crate::breaker::{ConsecutiveRule, Growth, RateRule, SlowRule, Window};
use std::time::Duration;

const fn secs(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

fn valid(breaker: &Breaker) -> BreakerSettings {
    breaker.settings().expect("valid settings")
}

#[test]
fn the_defaults_are_both_rules() {
    let settings = valid(&Breaker::default());
    let expected = BreakerSettings {
        mode: Mode::Enabled,
        failure_rate: Some(RateRule {
            threshold: 0.7,
            min_attempts: 20,
            window: Window::Time(secs(10)),
        }),
        slow_calls: None,
        consecutive: Some(ConsecutiveRule {
            failures: 7,
            within: secs(60),
            spanning: secs(3),
        }),
        open_for: secs(5),
        growth: None,
        probes: 2,
        close_after: 2,
        count_throttled: false,
        drop_counts_after: None,
        per: Per::Attempt,
        on_transition: None,
        keys: 1_000,
    };
    assert_eq!(settings, expected);
    let other_times = valid(&Breaker::default().open_for("30s"));
    assert_eq!(other_times.consecutive, expected.consecutive);
    assert_eq!(other_times.failure_rate, expected.failure_rate);
}

#[test]
fn naming_a_rule_drops_the_other() {
    let run = valid(&Breaker::consecutive(3));
    assert_eq!(run.failure_rate, None);
    let plain = ConsecutiveRule {
        failures: 3,
        within: secs(60),
        spanning: Duration::ZERO,
    };
    assert_eq!(run.consecutive, Some(plain));
    let rate = valid(&Breaker::failure_rate(0.5));
    assert_eq!(rate.consecutive, None);
    assert_eq!(
        rate.failure_rate.map(|rule| rule.window),
        Some(Window::Time(secs(10)))
    );
    for both in [
        Breaker::failure_rate(0.5).or_consecutive(3),
        Breaker::consecutive(3).or_failure_rate(0.5),
        Breaker::default().within("30s"),
        Breaker::default().min_attempts(7),
    ] {
        let settings = valid(&both);
        assert!(settings.failure_rate.is_some() && settings.consecutive.is_some());
    }
}

#[test]
fn slow_calls_stand_alone_or_beside_the_others() {
    for (breaker, rate, run) in [
        (Breaker::slow_calls(0.5, "2s"), false, false),
        (
            Breaker::slow_calls(0.5, "2s").or_failure_rate(0.7),
            true,
            false,
        ),
        (
            Breaker::slow_calls(0.5, "2s").or_consecutive(5),
            false,
            true,
        ),
        (Breaker::default().or_slow_calls(0.5, "2s"), true, true),
        (
            Breaker::failure_rate(0.7).or_slow_calls(0.5, "2s"),
            true,
            false,
        ),
        (
            Breaker::consecutive(5).or_slow_calls(0.5, "2s"),
            false,
            true,
        ),
    ] {
        let settings = valid(&breaker.clone().min_attempts(7).window("1min"));
        let slow = settings.slow_calls.expect("in every row");
        assert_eq!(
            (slow.threshold, slow.longer_than, slow.min_attempts),
            (0.5, secs(2), 7)
        );
        assert_eq!(slow.window, Window::Time(secs(60)));
        let found = (
            settings.failure_rate.is_some(),
            settings.consecutive.is_some(),
        );
        assert_eq!(found, (rate, run), "{breaker:?}");
    }
}

#[test]
fn a_window_of_attempts_has_a_minimum_that_fits() {
    let base = || Breaker::failure_rate(0.5);
    for (breaker, window, min_attempts) in [
        (base().count_window(100), 100, 20),
        (base().count_window(20), 20, 20),
        (base().count_window(4), 4, 4),
        (base().count_window(100).min_attempts(100), 100, 100),
        (base().count_window(1), 1, 1),
        (base().count_window(1_000_000), 1_000_000, 20),
    ] {
        let rule = valid(&breaker).failure_rate.expect("it was asked for");
        assert_eq!(rule.window, Window::Count(window));
        assert_eq!(rule.min_attempts, min_attempts, "{breaker:?}");
    }
}

#[test]
fn a_number_of_the_other_rule_is_refused() {
    for (breaker, setting) in [
        (Breaker::failure_rate(0.5).within("10s"), "within"),
        (Breaker::failure_rate(0.5).spanning("1s"), "spanning"),
        (Breaker::consecutive(5).window("10s"), "window"),
        (Breaker::consecutive(5).min_attempts(9), "min_attempts"),
        (Breaker::consecutive(5).count_window(9), "count_window"),
        (Breaker::slow_calls(0.5, "1s").within("10s"), "within"),
    ] {
        let wrong = breaker.settings().expect_err("the rule is not there");
        assert_eq!(wrong.len(), 1, "{wrong:?}");
        assert_eq!(wrong[0].setting, setting);
    }
}

#[test]
fn a_default_span_gives_way_to_a_shorter_time() {
    let settings = valid(&Breaker::default().within("2s"));
    assert_eq!(
        settings.consecutive.map(|rule| rule.spanning),
        Some(secs(1))
    );
}

#[test]
fn every_setter_is_heard() {
    let breaker = Breaker::failure_rate(1.0)
        .min_attempts(7)
        .window("1m 30s")
        .or_slow_calls(0.5, "2s")
        .or_consecutive(4)
        .within(secs(20))
        .spanning("200ms")
        .open_for("30s")
        .growth(1.5, "5min")
        .probes(3)
        .close_after(9)
        .count_throttled(true)
        .drop_counts_after("0s")
        .per(Per::Call)
        .on_transition(|_| {})
        .keys(64)
        .observing();
    let settings = valid(&breaker);
    assert_eq!(
        settings,
        BreakerSettings {
            mode: Mode::Observing,
            failure_rate: Some(RateRule {
                threshold: 1.0,
                min_attempts: 7,
                window: Window::Time(secs(90)),
            }),
            slow_calls: Some(SlowRule {
                threshold: 0.5,
                longer_than: secs(2),
                min_attempts: 7,
                window: Window::Time(secs(90)),
            }),
            consecutive: Some(ConsecutiveRule {
                failures: 4,
                within: secs(20),
                spanning: Duration::from_millis(200),
            }),
            open_for: secs(30),
            growth: Some(Growth {
                factor: 1.5,
                max: secs(300),
            }),
            probes: 3,
            close_after: 9,
            count_throttled: true,
            drop_counts_after: Some(Duration::ZERO),
            per: Per::Call,
            on_transition: settings.on_transition.clone(),
            keys: 64,
        }
    );
    assert!(settings.on_transition.is_some());
}

/// Each breaker has one thing wrong with it: the setting, and part of what is said.
fn each_is_said(rows: &[(Breaker, &str, &str)]) {
    for (breaker, setting, says) in rows {
        let errors = breaker.settings().expect_err(setting);
        assert_eq!(errors.len(), 1, "{errors:?}");
        assert_eq!((errors[0].policy, errors[0].setting), ("breaker", *setting));
        assert!(errors[0].reason.contains(says), "{}", errors[0]);
    }
}

#[test]
fn what_cannot_work_is_said() {
    let base = || Breaker::consecutive(5);
    each_is_said(&[
        (Breaker::failure_rate(0.0), "failure_rate", "0.7 for 70 %"),
        (Breaker::failure_rate(-0.5), "failure_rate", "above 0"),
        (Breaker::failure_rate(70.0), "failure_rate", "0.7 for 70 %"),
        (Breaker::failure_rate(f64::NAN), "failure_rate", "above 0"),
        (
            Breaker::failure_rate(f64::INFINITY),
            "failure_rate",
            "at most 1",
        ),
        (
            Breaker::failure_rate(0.5).min_attempts(0),
            "min_attempts",
            "at least 1",
        ),
        (
            Breaker::failure_rate(0.5).window("0s"),
            "window",
            "longer than zero",
        ),
        (Breaker::failure_rate(0.5).window("ten"), "window", ""),
        (Breaker::consecutive(0), "consecutive", "at least 1"),
        (base().within("0s"), "within", "longer than zero"),
        (base().within("5s").spanning("5s"), "spanning", "shorter"),
        (base().spanning("61s"), "spanning", "shorter"),
        (base().within("5"), "within", "unit"),
        (base().spanning("5"), "spanning", "unit"),
        (base().open_for("0s"), "open_for", "longer than zero"),
        (base().open_for("30"), "open_for", "unit"),
        (base().probes(0), "probes", "at least 1"),
        (base().close_after(0), "close_after", "at least 1"),
        (base().growth(0.5, "1min"), "growth", "at least 1"),
        (base().growth(f64::NAN, "1min"), "growth", "finite"),
        (base().growth(f64::INFINITY, "1min"), "growth", "finite"),
        (base().growth(2.0, "1s"), "growth", "open_for"),
        (base().growth(2.0, "soon"), "growth", ""),
        (base().drop_counts_after("-1s"), "drop_counts_after", ""),
        (base().keys(0), "keys", "at least 1"),
        (base().keys(100_001), "keys", "at most 100000"),
    ]);
}

#[test]
fn what_cannot_work_about_windows_and_slow_calls_is_said() {
    each_is_said(&[
        (
            Breaker::failure_rate(0.5).count_window(0),
            "count_window",
            "at least 1",
        ),
        (
            Breaker::failure_rate(0.5).count_window(1_000_001),
            "count_window",
            "at most 1000000",
        ),
        (
            Breaker::failure_rate(0.5).window("10s").count_window(100),
            "count_window",
            "`window` of 10s",
        ),
        (
            Breaker::failure_rate(0.5).count_window(9).min_attempts(10),
            "min_attempts",
            "at most 9",
        ),
        (
            Breaker::failure_rate(0.5).count_window(9).min_attempts(0),
            "min_attempts",
            "at least 1",
        ),
        (Breaker::slow_calls(0.0, "2s"), "slow_calls", "above 0"),
        (
            Breaker::slow_calls(50.0, "2s"),
            "slow_calls",
            "0.7 for 70 %",
        ),
        (
            Breaker::slow_calls(0.5, "0s"),
            "slow_calls",
            "longer than zero",
        ),
        (Breaker::slow_calls(0.5, "2"), "slow_calls", "unit"),
    ]);
}

#[test]
fn everything_wrong_is_said_at_once() {
    let breaker = Breaker::failure_rate(2.0)
        .min_attempts(0)
        .window("1")
        .or_consecutive(0)
        .within("0s")
        .open_for("")
        .probes(0)
        .close_after(0);
    let errors = breaker.settings().expect_err("eight mistakes");
    assert_eq!(errors.len(), 8, "{errors:?}");
}
