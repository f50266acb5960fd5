//! The rule of slow calls.

use super::*;

const SLOW: Told = (Closed, Open, Rule::SlowCallRate);

#[test]
fn b1_slow_successes_and_slow_failures_are_slow() {
    let windows: [fn(Breaker) -> Breaker; 2] = [|b| b.window("10s"), |b| b.count_window(10)];
    for window in windows {
        play(
            &window(Breaker::slow_calls(0.5, "1s").min_attempts(4)),
            vec![
                (0, SlowOk, Closed),
                (0, Ok, Closed),
                (0, Fail, Closed),
                (0, SlowFail, Open),
            ],
            &[SLOW],
        );
    }
}

#[test]
fn b1_the_slow_share_is_judged_on_a_fast_success_too() {
    play(
        &Breaker::slow_calls(0.5, "1s").min_attempts(4),
        vec![
            (0, Ok, Closed),
            (0, SlowOk, Closed),
            (0, SlowOk, Closed),
            (0, Ok, Open),
        ],
        &[SLOW],
    );
}

#[test]
fn b1_failures_alone_do_not_trip_a_rule_of_slow_calls() {
    play(
        &Breaker::slow_calls(0.5, "1s").min_attempts(4),
        repeat(100, || (0, Fail, Closed)),
        &[],
    );
}

#[test]
fn b1_slow_calls_stand_beside_the_other_rules() {
    let breaker = Breaker::failure_rate(0.5)
        .min_attempts(4)
        .or_slow_calls(0.75, "1s")
        .or_consecutive(2);
    // The slow ones are few, the failures are not.
    play(
        &breaker,
        vec![
            (0, SlowOk, Closed),
            (0, Ok, Closed),
            (0, Fail, Closed),
            (0, Fail, Open),
        ],
        &[(Closed, Open, Rule::FailureRate)],
    );
    play(
        &breaker,
        script([
            vec![(0, Ok, Closed)],
            repeat(2, || (0, SlowOk, Closed)),
            vec![(0, SlowOk, Open)],
        ]),
        &[SLOW],
    );
    // A slow success ends a run, and a slow failure is part of one.
    play(
        &breaker,
        vec![
            (0, Fail, Closed),
            (0, SlowOk, Closed),
            (0, SlowFail, Closed),
            (0, Ok, Open),
        ],
        &[(Closed, Open, Rule::FailureRate)],
    );
    play(
        &Breaker::consecutive(2)
            .or_slow_calls(1.0, "1s")
            .min_attempts(1),
        vec![(0, Fail, Closed), (0, SlowFail, Open)],
        &[TRIPS],
    );
}

#[test]
fn b3_a_slow_probe_is_a_failed_one() {
    play(
        &brittle().or_slow_calls(1.0, "1s").close_after(2),
        vec![
            (0, Fail, Open),
            (1_000, Ok, HalfOpen),
            (1_000, SlowOk, Open),
            (2_000, SlowFail, Open),
            (3_000, Ok, HalfOpen),
            (3_000, Ok, Closed),
        ],
        &[
            TRIPS,
            PROBES,
            (HalfOpen, Open, Rule::ProbeSlow),
            PROBES,
            REOPENS,
            PROBES,
            CLOSES,
        ],
    );
}

#[test]
fn b3_a_probe_that_was_slow_for_a_rule_that_is_gone_succeeded() {
    play(
        &brittle().or_slow_calls(1.0, "1s"),
        vec![
            (0, Fail, Open),
            (1_000, Start("probe"), HalfOpen),
            (1_000, Reconfigure(brittle().into()), HalfOpen),
            (1_500, End("probe", Verdict::SlowSuccess), Closed),
        ],
        &[TRIPS, PROBES, CLOSES],
    );
}

#[test]
fn b6_an_observer_tells_of_slow_calls() {
    play(
        &Breaker::slow_calls(1.0, "1s")
            .min_attempts(1)
            .open_for("1s")
            .observing(),
        vec![
            (0, SlowOk, Observing),
            (500, SlowOk, Observing),
            (1_000, SlowOk, Observing),
        ],
        &[
            (Observing, Observing, Rule::SlowCallRate),
            (Observing, Observing, Rule::ProbeSlow),
        ],
    );
}
