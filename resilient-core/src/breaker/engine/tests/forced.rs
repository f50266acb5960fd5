//! States that an operator forces.

use super::*;
use ForcedKind as K;

#[test]
fn b6_forced_open_until_lifted_then_probes() {
    play(
        &brittle().open_for("3s"),
        vec![
            (0, Start("late"), Closed),
            (0, Force(K::Open, None), ForcedOpen),
            (0, RefusedForGood, ForcedOpen),
            (1, End("late", S), ForcedOpen),
            (86_400_000, RefusedForGood, ForcedOpen),
            (86_400_000, Lift, HalfOpen),
            (86_400_000, Ok, Closed),
        ],
        &[
            (Closed, ForcedOpen, Rule::Forced),
            (ForcedOpen, HalfOpen, Rule::Lifted),
            CLOSES,
        ],
    );
}

#[test]
fn b6_forced_open_until_its_end() {
    play(
        &brittle(),
        vec![
            (0, Force(K::Open, Some(10_000)), ForcedOpen),
            (9_999, Refused(1), ForcedOpen),
            (10_000, Fail, Open),
        ],
        &[
            (Closed, ForcedOpen, Rule::Forced),
            (ForcedOpen, HalfOpen, Rule::Expired),
            REOPENS,
        ],
    );
}

#[test]
fn b6_forced_closed_counts_but_does_not_open() {
    play(
        &Breaker::consecutive(3),
        script([
            vec![(0, Force(K::Closed, Some(1_000)), ForcedClosed)],
            repeat(10, || (0, Fail, ForcedClosed)),
            vec![(1_000, Wait, Closed), (1_000, Fail, Open)],
        ]),
        &[
            (Closed, ForcedClosed, Rule::Forced),
            (ForcedClosed, Closed, Rule::Expired),
            TRIPS,
        ],
    );
    play(
        &Breaker::consecutive(3),
        vec![
            (0, Fail, Closed),
            (0, Fail, Closed),
            (0, Force(K::Closed, None), ForcedClosed),
            (0, Lift, Closed),
            (0, Fail, Open),
        ],
        &[
            (Closed, ForcedClosed, Rule::Forced),
            (ForcedClosed, Closed, Rule::Lifted),
            TRIPS,
        ],
    );
}

#[test]
fn b6_disabled_counts_nothing() {
    play(
        &Breaker::consecutive(3),
        script([
            vec![(0, Fail, Closed), (0, Fail, Closed)],
            vec![(0, Force(K::Disabled, None), Disabled)],
            repeat(10, || (0, Fail, Disabled)),
            vec![(0, Lift, Closed), (0, Fail, Closed), (0, Fail, Closed)],
        ]),
        &[
            (Closed, Disabled, Rule::Forced),
            (Disabled, Closed, Rule::Lifted),
        ],
    );
}

#[test]
fn b6_an_observer_tells_and_lets_pass() {
    let would_open = (Observing, Observing, Rule::FailureRate);
    play(
        &Breaker::failure_rate(0.5).min_attempts(5).open_for("10s"),
        script([
            vec![(0, Force(K::Observing, None), Observing)],
            repeat(3, || (0, Fail, Observing)),
            repeat(2, || (0, Ok, Observing)),
            // It would be open for ten seconds: nothing to tell.
            repeat(100, || (9_999, Fail, Observing)),
            repeat(5, || (10_000, Fail, Observing)),
            vec![(10_000, Lift, Closed)],
        ]),
        &[
            (Closed, Observing, Rule::Forced),
            would_open,
            would_open,
            (Observing, Closed, Rule::Lifted),
        ],
    );
}

#[test]
fn b6_a_state_forced_again_lasts_longer_and_is_not_told_again() {
    play(
        &brittle(),
        vec![
            (0, Force(K::Open, Some(1_000)), ForcedOpen),
            (500, Force(K::Open, Some(1_000)), ForcedOpen),
            (1_400, Refused(100), ForcedOpen),
            (1_400, Force(K::Closed, None), ForcedClosed),
            (1_400, Fail, ForcedClosed),
        ],
        &[
            (Closed, ForcedOpen, Rule::Forced),
            (ForcedOpen, ForcedClosed, Rule::Forced),
        ],
    );
}

#[test]
fn b6_a_reset_forgets_everything() {
    play(
        &Breaker::consecutive(2).open_for("1s").growth(2.0, "10s"),
        vec![
            (0, Fail, Closed),
            (0, Start("late"), Closed),
            (0, Reset, Closed),
            (0, End("late", F), Closed),
            (0, Fail, Closed),
            (0, Fail, Open),
            (0, Reset, Closed),
            (0, Fail, Closed),
            (0, Fail, Open),
            (0, Refused(1_000), Open),
            (0, Force(K::Disabled, None), Disabled),
            (0, Reset, Closed),
        ],
        &[
            TRIPS,
            (Open, Closed, Rule::Reset),
            TRIPS,
            (Open, Disabled, Rule::Forced),
            (Disabled, Closed, Rule::Reset),
        ],
    );
}

#[test]
fn lifting_what_is_not_forced_changes_nothing() {
    play(
        &brittle(),
        vec![(0, Lift, Closed), (0, Fail, Open), (0, Lift, Open)],
        &[TRIPS],
    );
}
