//! What a half-open breaker admits, and how it decides.

use super::*;

#[test]
fn a04_no_more_than_the_probes_are_admitted() {
    play(
        &brittle().probes(2),
        vec![
            (0, Fail, Open),
            (999, Refused(1), Open),
            (1_000, Start("a"), HalfOpen),
            (1_000, Start("b"), HalfOpen),
            (1_000, Refused(1_000), HalfOpen),
            (1_500, Refused(500), HalfOpen),
        ],
        &[TRIPS, PROBES],
    );
}

#[test]
fn a05_the_minimum_does_not_apply_to_probes() {
    play(
        &Breaker::failure_rate(0.5)
            .min_attempts(5)
            .window("10s")
            .open_for("1s")
            .probes(1),
        script([
            repeat(4, || (0, Fail, Closed)),
            vec![
                (0, Fail, Open),
                (30_000, Fail, Open),
                (30_000, Refused(1_000), Open),
                (31_000, Start("probe"), HalfOpen),
            ],
        ]),
        &[(Closed, Open, Rule::FailureRate), PROBES, REOPENS, PROBES],
    );
}

#[test]
fn a06_the_call_that_half_opens_is_a_probe() {
    play(
        &brittle().probes(3).close_after(3),
        vec![
            (0, Fail, Open),
            (1_000, Ok, HalfOpen),
            (1_000, Ok, HalfOpen),
            (1_000, Ok, Closed),
        ],
        &[TRIPS, PROBES, CLOSES],
    );
    play(
        &brittle().probes(3).close_after(3),
        vec![
            (0, Fail, Open),
            (1_000, Start("a"), HalfOpen),
            (1_000, Start("b"), HalfOpen),
            (1_000, Start("c"), HalfOpen),
            (1_000, Refused(1_000), HalfOpen),
            (1_001, End("a", S), HalfOpen),
            (1_001, End("b", S), HalfOpen),
            (1_001, End("c", S), Closed),
        ],
        &[TRIPS, PROBES, CLOSES],
    );
}

#[test]
fn a07_one_failed_probe_reopens_whatever_succeeded() {
    play(
        &brittle().probes(3).close_after(3),
        vec![
            (0, Fail, Open),
            (1_000, Start("a"), HalfOpen),
            (1_000, Start("b"), HalfOpen),
            (1_000, Ok, HalfOpen),
            (1_500, End("a", F), Open),
            (1_501, End("b", S), Open),
            (1_600, Refused(900), Open),
        ],
        &[TRIPS, PROBES, REOPENS],
    );
}

#[test]
fn a09_a_probe_that_never_ends_loses_its_slot() {
    play(
        &brittle(),
        vec![
            (0, Fail, Open),
            (1_000, Start("hung"), HalfOpen),
            (1_999, Refused(1), HalfOpen),
            (2_000, Start("next"), HalfOpen),
            (2_002, Refused(998), HalfOpen),
            (2_003, End("next", S), Closed),
        ],
        &[TRIPS, PROBES, CLOSES],
    );
}

#[test]
fn b3_a_probe_that_lost_its_slot_still_says_how_it_ended() {
    let late = |ends: Vec<Step>| {
        let lost = vec![
            (0, Fail, Open),
            (1_000, Start("late"), HalfOpen),
            (2_000, Start("next"), HalfOpen),
        ];
        script([lost, ends])
    };
    let rows: [(Vec<Step>, &[Told]); 6] = [
        // A success counts once, and the slot stays with whoever has it.
        (
            vec![
                (2_001, End("late", S), HalfOpen),
                (2_001, End("late", S), HalfOpen),
                (2_002, Refused(998), HalfOpen),
                (2_003, End("next", S), Closed),
            ],
            &[CLOSES],
        ),
        (
            vec![
                (2_001, End("late", S), HalfOpen),
                (3_000, Ok, Closed),
                (3_001, End("next", F), Closed),
            ],
            &[CLOSES],
        ),
        (
            vec![
                (2_001, End("late", F), Open),
                (2_002, End("next", S), Open),
                (2_003, End("next", F), Open),
                (3_000, Refused(1), Open),
            ],
            &[REOPENS],
        ),
        (
            vec![(2_001, End("late", Verdict::Panicked), Open)],
            &[REOPENS],
        ),
        (
            vec![
                (2_001, End("late", Verdict::Neutral), HalfOpen),
                (2_002, Refused(998), HalfOpen),
                (2_003, End("late", S), HalfOpen),
                (2_003, End("next", S), HalfOpen),
                (2_003, Ok, Closed),
            ],
            &[CLOSES],
        ),
        // Of an older half-open time, it is nobody's.
        (
            vec![
                (2_001, End("next", F), Open),
                (3_001, Ok, HalfOpen),
                (3_002, End("late", S), HalfOpen),
                (3_002, End("late", F), HalfOpen),
            ],
            &[REOPENS, PROBES],
        ),
    ];
    for (ends, then) in rows {
        let told = [&[TRIPS, PROBES], then].concat();
        play(&brittle().close_after(2), late(ends), &told);
    }
}

#[test]
fn b3_probes_that_all_take_longer_than_the_open_time_close() {
    play(
        &brittle().probes(2).close_after(2),
        vec![
            (0, Fail, Open),
            (1_000, Start("a"), HalfOpen),
            (1_000, Start("b"), HalfOpen),
            (2_500, Start("c"), HalfOpen),
            (2_500, Start("d"), HalfOpen),
            (4_000, End("a", S), HalfOpen),
            (4_000, End("b", S), Closed),
            (5_500, End("c", F), Closed),
        ],
        &[TRIPS, PROBES, CLOSES],
    );
}

#[test]
fn b3_a_lease_is_the_attempts_timeout_and_a_second() {
    play(
        &brittle().close_after(2),
        vec![
            (0, Fail, Open),
            (1_000, StartWithin("hung", 5_000), HalfOpen),
            (6_999, Refused(1), HalfOpen),
            // Its outcome counts whether or not somebody else has taken the slot.
            (7_000, End("hung", S), HalfOpen),
            (7_000, Start("next"), HalfOpen),
            (7_001, End("next", S), Closed),
        ],
        &[TRIPS, PROBES, CLOSES],
    );
}

#[test]
fn b3_a_probe_that_queued_has_its_time_when_it_runs() {
    play(
        &brittle(),
        vec![
            (0, Fail, Open),
            (1_000, StartWithin("queued", 4_000), HalfOpen),
            (5_999, Renew("queued", 4_000, true), HalfOpen),
            (6_000, Refused(4_999), HalfOpen),
            (10_998, End("queued", S), Closed),
        ],
        &[TRIPS, PROBES, CLOSES],
    );
}

#[test]
fn b3_a_probe_that_queued_for_too_long_does_not_run() {
    play(
        &brittle(),
        vec![
            (0, Fail, Open),
            (1_000, StartWithin("queued", 4_000), HalfOpen),
            (6_000, Renew("queued", 4_000, false), HalfOpen),
            (6_000, Start("next"), HalfOpen),
            (6_000, Renew("queued", 4_000, false), HalfOpen),
            (6_000, End("queued", Verdict::Neutral), HalfOpen),
            (6_000, Refused(1_000), HalfOpen),
            (6_500, End("next", S), Closed),
            (6_500, Renew("next", 4_000, false), Closed),
            (6_500, Fail, Open),
            (7_500, Start("later"), HalfOpen),
            (7_500, Renew("queued", 4_000, false), HalfOpen),
            (7_500, Renew("later", 4_000, true), HalfOpen),
        ],
        &[TRIPS, PROBES, CLOSES, TRIPS, PROBES],
    );
}

#[test]
fn a10_a_neutral_probe_gives_its_slot_back_and_decides_nothing() {
    play(
        &brittle(),
        script([
            vec![(0, Fail, Open)],
            repeat(10, || (1_000, Neutral, HalfOpen)),
            vec![(1_000, Ok, Closed)],
        ]),
        &[TRIPS, PROBES, CLOSES],
    );
}

#[test]
fn a12_a_slot_is_given_back_once() {
    play(
        &brittle().close_after(3),
        vec![
            (0, Fail, Open),
            (1_000, Start("a"), HalfOpen),
            (1_000, End("a", S), HalfOpen),
            (1_000, End("a", S), HalfOpen),
            (1_000, End("a", S), HalfOpen),
            (1_000, Start("b"), HalfOpen),
            (1_000, End("a", Verdict::Neutral), HalfOpen),
            (1_000, Refused(1_000), HalfOpen),
        ],
        &[TRIPS, PROBES],
    );
}

#[test]
fn k03_a_panicking_probe_reopens() {
    play(
        &brittle(),
        vec![(0, Fail, Open), (1_000, Panic, Open), (2_000, Ok, Closed)],
        &[TRIPS, PROBES, REOPENS, PROBES, CLOSES],
    );
}

#[test]
fn b4_the_new_window_starts_empty() {
    play(
        &Breaker::failure_rate(0.75)
            .min_attempts(4)
            .open_for("1s")
            .probes(2)
            .close_after(1),
        vec![
            (0, Fail, Closed),
            (0, Fail, Closed),
            (0, Fail, Closed),
            (0, Ok, Open),
            (1_000, Start("late"), HalfOpen),
            (1_000, Ok, Closed),
            (1_000, Fail, Closed),
            (1_000, Fail, Closed),
            (1_000, End("late", F), Closed),
            (1_000, Fail, Closed),
            (1_000, Fail, Open),
        ],
        &[
            (Closed, Open, Rule::FailureRate),
            PROBES,
            CLOSES,
            (Closed, Open, Rule::FailureRate),
        ],
    );
}

#[test]
fn b3_fewer_probes_from_now_on() {
    play(
        &brittle().probes(2),
        vec![
            (0, Fail, Open),
            (1_000, Start("a"), HalfOpen),
            (1_000, Start("b"), HalfOpen),
            (1_000, Reconfigure(brittle().probes(1).into()), HalfOpen),
            (1_000, End("a", Verdict::Neutral), HalfOpen),
            (1_000, Refused(1_000), HalfOpen),
            (1_000, End("b", Verdict::Neutral), HalfOpen),
            (1_000, Ok, Closed),
        ],
        &[TRIPS, PROBES, CLOSES],
    );
}
