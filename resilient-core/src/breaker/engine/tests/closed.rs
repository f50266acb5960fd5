//! When a closed breaker opens.

use super::*;

#[test]
fn b1_the_rate_is_judged_on_every_outcome_and_reached_by_at_least() {
    let breaker = Breaker::failure_rate(0.5).min_attempts(4);
    let trips = (Closed, Open, Rule::FailureRate);
    play(
        &breaker,
        vec![
            (0, Ok, Closed),
            (0, Fail, Closed),
            (0, Fail, Closed),
            (0, Ok, Open),
            (0, Refused(5_000), Open),
        ],
        &[trips],
    );
    play(
        &breaker,
        vec![
            (0, Ok, Closed),
            (0, Ok, Closed),
            (0, Ok, Closed),
            (0, Fail, Closed),
            (0, Fail, Closed),
            (0, Fail, Open),
        ],
        &[trips],
    );
}

#[test]
fn b1_a_threshold_is_met_exactly() {
    let breaker = Breaker::failure_rate(0.7).min_attempts(20);
    play(
        &breaker,
        script([
            repeat(6, || (0, Ok, Closed)),
            repeat(13, || (0, Fail, Closed)),
            vec![(0, Fail, Open)],
        ]),
        &[(Closed, Open, Rule::FailureRate)],
    );
    play(
        &breaker,
        script([
            repeat(7, || (0, Ok, Closed)),
            repeat(13, || (0, Fail, Closed)),
        ]),
        &[],
    );
}

#[test]
fn b1_a_success_trips_once_older_successes_have_left_the_window() {
    play(
        &Breaker::failure_rate(0.5).min_attempts(3).window("10s"),
        vec![
            (0, Ok, Closed),
            (0, Ok, Closed),
            (0, Ok, Closed),
            (5_000, Fail, Closed),
            (5_000, Fail, Closed),
            (11_000, Ok, Open),
        ],
        &[(Closed, Open, Rule::FailureRate)],
    );
}

#[test]
fn b1_the_last_so_many_attempts_slide_one_by_one() {
    let breaker = Breaker::failure_rate(0.5).count_window(4).min_attempts(4);
    let trips = (Closed, Open, Rule::FailureRate);
    // Days between them change nothing.
    play(
        &breaker,
        vec![
            (0, Fail, Closed),
            (86_400_000, Ok, Closed),
            (86_400_000, Ok, Closed),
            (86_400_000, Ok, Closed),
            (86_400_000, Ok, Closed),
            (86_400_000, Fail, Closed),
            (172_800_000, Ok, Closed),
            (172_800_000, Ok, Closed),
            (172_800_000, Tally(1), Closed),
            (172_800_000, Fail, Closed),
            (172_800_000, Ok, Closed),
            (172_800_000, Fail, Open),
        ],
        &[trips],
    );
    // A success completes the minimum.
    play(
        &breaker,
        vec![
            (0, Ok, Closed),
            (0, Fail, Closed),
            (0, Fail, Closed),
            (0, Ok, Open),
        ],
        &[trips],
    );
    // Fewer than the window holds are judged by their own number.
    play(
        &Breaker::failure_rate(0.5)
            .count_window(100)
            .min_attempts(10),
        script([
            repeat(6, || (0, Ok, Closed)),
            repeat(5, || (0, Fail, Closed)),
            vec![(0, Fail, Open)],
        ]),
        &[trips],
    );
}

#[test]
fn b02_the_event_that_begins_a_tenth_is_judged() {
    play(
        &Breaker::failure_rate(0.1).min_attempts(3).window("10s"),
        vec![(200, Ok, Closed), (500, Ok, Closed), (1_250, Fail, Open)],
        &[(Closed, Open, Rule::FailureRate)],
    );
}

#[test]
fn b04_the_window_slides_and_is_not_wiped() {
    play(
        &Breaker::failure_rate(0.5).min_attempts(10).window("10s"),
        script([
            repeat(18, || (9_500, Ok, Closed)),
            repeat(10, || (10_500, Fail, Closed)),
        ]),
        &[],
    );
}

#[test]
fn b05_old_failures_do_not_stay_because_new_ones_come() {
    let breaker = Breaker::consecutive(3).within("5s");
    play(
        &breaker,
        vec![
            (0, Fail, Closed),
            (4_900, Fail, Closed),
            (6_000, Fail, Closed),
            (9_899, Fail, Open),
        ],
        &[TRIPS],
    );
    play(
        &breaker,
        vec![
            (0, Fail, Closed),
            (1_000, Fail, Closed),
            (5_000, Fail, Closed),
        ],
        &[],
    );
}

#[test]
fn b06_a_success_does_not_clear_the_rate() {
    play(
        &Breaker::failure_rate(0.5).min_attempts(5),
        vec![
            (0, Fail, Closed),
            (0, Fail, Closed),
            (0, Fail, Closed),
            (0, Ok, Closed),
            (0, Fail, Open),
        ],
        &[(Closed, Open, Rule::FailureRate)],
    );
}

#[test]
fn b1_a_success_ends_the_run() {
    play(
        &Breaker::consecutive(3),
        vec![
            (0, Fail, Closed),
            (0, Fail, Closed),
            (0, Ok, Closed),
            (0, Fail, Closed),
            (0, Fail, Closed),
            (0, Fail, Open),
        ],
        &[TRIPS],
    );
}

#[test]
fn b1_a_run_must_span_its_time() {
    let breaker = Breaker::consecutive(3).within("60s").spanning("3s");
    play(
        &breaker,
        script([
            repeat(50, || (0, Fail, Closed)),
            vec![(2_999, Fail, Closed), (3_000, Fail, Open)],
        ]),
        &[TRIPS],
    );
    // The run goes on, but of what lies within a minute the span is too short again.
    play(
        &breaker,
        vec![
            (0, Fail, Closed),
            (60_000, Fail, Closed),
            (60_100, Fail, Closed),
            (60_200, Fail, Closed),
            (63_000, Fail, Open),
        ],
        &[TRIPS],
    );
    // The run is older than a minute, and what lies within spans enough.
    play(
        &breaker,
        vec![
            (0, Fail, Closed),
            (30_000, Fail, Closed),
            (60_100, Fail, Closed),
            (60_200, Fail, Open),
        ],
        &[TRIPS],
    );
}

#[test]
fn b1_a_run_counts_only_while_the_rate_cannot_judge() {
    let breaker = Breaker::failure_rate(0.7)
        .min_attempts(20)
        .or_consecutive(5);
    play(
        &breaker,
        script([
            repeat(20, || (0, Ok, Closed)),
            repeat(46, || (0, Fail, Closed)),
            vec![(0, Fail, Open)],
        ]),
        &[(Closed, Open, Rule::FailureRate)],
    );
    play(
        &breaker,
        script([
            repeat(14, || (0, Ok, Closed)),
            repeat(4, || (0, Fail, Closed)),
            vec![(0, Fail, Open)],
        ]),
        &[TRIPS],
    );
}

#[test]
fn b1_the_defaults_forgive_a_bad_moment_and_see_a_slow_outage() {
    let breaker = Breaker::default();
    play(
        &breaker,
        script([
            repeat(13, || (0, Fail, Closed)),
            repeat(7, || (500, Ok, Closed)),
        ]),
        &[],
    );
    play(
        &breaker,
        vec![
            (0, Fail, Closed),
            (9_000, Fail, Closed),
            (18_000, Fail, Closed),
            (27_000, Fail, Closed),
            (36_000, Fail, Closed),
            (45_000, Fail, Closed),
            (54_000, Fail, Open),
        ],
        &[TRIPS],
    );
}

#[test]
fn b2_neutral_outcomes_and_panics_count_nowhere() {
    play(
        &Breaker::failure_rate(0.5).min_attempts(2).or_consecutive(3),
        script([
            repeat(100, || (0, Neutral, Closed)),
            repeat(100, || (0, Panic, Closed)),
            vec![(0, Fail, Closed), (0, Neutral, Closed), (0, Fail, Open)],
        ]),
        &[(Closed, Open, Rule::FailureRate)],
    );
}

#[test]
fn undated_successes_are_judged_where_they_belong() {
    // 9 in 10 of the successes lie before the window, so a quarter of it are failures.
    play(
        &Breaker::failure_rate(0.25).min_attempts(10).window("10s"),
        script([
            vec![(100_000, Tally(300), Closed)],
            repeat(8, || (100_000, Fail, Closed)),
            vec![(100_000, Fail, Open)],
        ]),
        &[(Closed, Open, Rule::FailureRate)],
    );
    play(
        &Breaker::failure_rate(0.25).min_attempts(10).window("10s"),
        script([
            vec![(1_000, Tally(300), Closed)],
            repeat(99, || (1_000, Fail, Closed)),
            vec![(1_000, Fail, Open)],
        ]),
        &[(Closed, Open, Rule::FailureRate)],
    );
}

#[test]
fn undated_successes_are_as_old_as_the_last_dating_at_most() {
    play(
        &Breaker::failure_rate(0.25).min_attempts(10).window("10s"),
        script([
            vec![(100_000, Tally(0), Closed), (101_000, Tally(300), Closed)],
            repeat(99, || (101_000, Fail, Closed)),
            vec![(101_000, Fail, Open)],
        ]),
        &[(Closed, Open, Rule::FailureRate)],
    );
}

#[test]
fn l02_a_clock_read_out_of_order_counts_once() {
    play(
        &Breaker::consecutive(3).within("5s").open_for("1s"),
        vec![
            (5_000, Fail, Closed),
            (4_999, Fail, Closed),
            (4_998, Fail, Open),
            (5_999, Refused(1), Open),
            (6_000, Start("probe"), HalfOpen),
        ],
        &[TRIPS, PROBES],
    );
}

#[test]
fn d06_extreme_times_overflow_nowhere() {
    let forever = Breaker::failure_rate(1.0)
        .min_attempts(1)
        .window(Duration::MAX)
        .or_consecutive(1)
        .within(Duration::MAX)
        .open_for(Duration::MAX)
        .growth(f64::MAX, Duration::MAX);
    let mut engine = play(
        &forever,
        vec![(0, Fail, Open), (u64::from(u32::MAX), Wait, Open)],
        &[(Closed, Open, Rule::FailureRate)],
    );
    let refusal = engine.admit(Moment::at_millis(1), None);
    assert_eq!(refusal.map_err(|refusal| refusal.state), Err(Open));
}
