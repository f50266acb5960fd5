//! How long an open breaker stays open.

use super::*;

#[test]
fn a08_late_failures_do_not_prolong_it() {
    let late = |at, name| (at, End(name, F), Open);
    play(
        &Breaker::consecutive(2).open_for("2s"),
        vec![
            (0, Start("a"), Closed),
            (0, Start("b"), Closed),
            (0, Start("c"), Closed),
            (0, Start("d"), Closed),
            (0, Start("e"), Closed),
            (250, End("a", F), Closed),
            (500, End("b", F), Open),
            late(1_500, "c"),
            (2_499, Refused(1), Open),
            late(2_500, "d"),
            (2_500, Start("probe"), HalfOpen),
            (2_501, End("e", F), HalfOpen),
            (2_502, End("probe", S), HalfOpen),
        ],
        &[TRIPS, PROBES],
    );
}

#[test]
fn b07_one_opening_is_told_once() {
    play(
        &Breaker::consecutive(1),
        script([
            vec![(0, Start("a"), Closed), (0, Start("b"), Closed)],
            vec![(1, End("a", F), Open), (1, End("b", F), Open)],
        ]),
        &[TRIPS],
    );
}

#[test]
fn b4_late_results_change_no_later_state() {
    play(
        &brittle(),
        vec![
            (0, Start("success"), Closed),
            (0, Start("failure"), Closed),
            (0, Fail, Open),
            (1_000, Start("probe"), HalfOpen),
            (1_001, End("success", S), HalfOpen),
            (1_001, End("failure", F), HalfOpen),
            (1_002, End("probe", S), Closed),
            (1_003, End("failure", F), Closed),
            (1_003, End("probe", F), Closed),
        ],
        &[TRIPS, PROBES, CLOSES],
    );
}

#[test]
fn b5_growth_is_forgotten_after_a_whole_window_closed() {
    let breaker = brittle().within("10s").growth(2.0, "5s");
    play(
        &breaker,
        vec![
            (0, Fail, Open),
            (0, Refused(1_000), Open),
            (1_000, Fail, Open),
            (1_000, Refused(2_000), Open),
            (3_000, Fail, Open),
            (3_000, Refused(4_000), Open),
            (7_000, Ok, Closed),
            (16_999, Fail, Open),
            (16_999, Refused(5_000), Open),
            (21_999, Ok, Closed),
            (31_999, Fail, Open),
            (31_999, Refused(1_000), Open),
        ],
        &[
            TRIPS, PROBES, REOPENS, PROBES, REOPENS, PROBES, CLOSES, TRIPS, PROBES, CLOSES, TRIPS,
        ],
    );
}

/// Opens when three of three fail, twice as long each time, and again after `closed_for`.
fn growth_in_a_window_of_attempts(closed_for: Vec<Step>, then: u64) {
    let breaker = Breaker::failure_rate(1.0)
        .count_window(3)
        .open_for("1s")
        .growth(2.0, "1min")
        .probes(1)
        .close_after(1);
    let trips = (Closed, Open, Rule::FailureRate);
    let fails = || repeat(2, || (4_000, Fail, Closed));
    play(
        &breaker,
        script([
            repeat(2, || (0, Fail, Closed)),
            vec![(0, Fail, Open), (1_000, Fail, Open), (3_000, Ok, Closed)],
            closed_for,
            fails(),
            vec![(4_000, Fail, Open), (4_000, Refused(then), Open)],
        ]),
        &[trips, PROBES, REOPENS, PROBES, CLOSES, trips],
    );
}

#[test]
fn b5_growth_is_forgotten_after_a_full_window_of_attempts_did_not_open_it() {
    growth_in_a_window_of_attempts(Vec::new(), 4_000);
    growth_in_a_window_of_attempts(vec![(3_000, Ok, Closed)], 1_000);
    growth_in_a_window_of_attempts(vec![(3_000, Tally(50), Closed)], 1_000);
}

#[test]
fn b5_growth_is_forgotten_though_an_operator_opened_it_meanwhile() {
    let breaker = brittle().within("10s").growth(2.0, "1min");
    for (closed_until, then) in [(10_999, 2_000), (11_000, 1_000)] {
        play(
            &breaker,
            vec![
                (0, Fail, Open),
                (1_000, Ok, Closed),
                (closed_until, Force(ForcedKind::Open, None), ForcedOpen),
                (20_000, Lift, HalfOpen),
                (20_000, Fail, Open),
                (20_000, Refused(then), Open),
            ],
            &[
                TRIPS,
                PROBES,
                CLOSES,
                (Closed, ForcedOpen, Rule::Forced),
                (ForcedOpen, HalfOpen, Rule::Lifted),
                REOPENS,
            ],
        );
    }
}

#[test]
fn b5_open_times_scatter_by_a_fifth() {
    for (unit, millis) in [(0.0, 800), (0.25, 900), (0.75, 1_100)] {
        let settings = brittle().settings().expect("valid settings");
        let now = Moment::at_millis(0);
        let mut engine = Engine::new(settings, now);
        let ticket = engine.admit(now, None).expect("closed");
        engine.record(ticket, F, now, || unit);
        let lasts = Some(Duration::from_millis(millis));
        assert_eq!(engine.next_change().and_then(|c| c.lasts), lasts);
    }
}
