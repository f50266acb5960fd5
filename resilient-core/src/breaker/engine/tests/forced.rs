//! States that an operator forces.

use super::*;
use ForcedKind as K;

const OBSERVE: ForcedKind = K::Observing(Shadow::Closed {
    since: Moment::at_millis(0),
});

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

const WOULD_OPEN: Told = (Observing, Observing, Rule::FailureRate);
const WOULD_REOPEN: Told = (Observing, Observing, Rule::ProbeFailed);

#[test]
fn b6_an_observer_tells_each_opening_once_and_lets_pass() {
    play(
        &Breaker::failure_rate(0.5).min_attempts(5).open_for("10s"),
        script([
            vec![(0, Force(OBSERVE, None), Observing)],
            repeat(3, || (0, Fail, Observing)),
            repeat(2, || (0, Ok, Observing)),
            // It would be open for ten seconds: nothing to tell.
            repeat(100, || (9_999, Fail, Observing)),
            // A probe.
            vec![(10_000, Fail, Observing)],
            repeat(100, || (19_999, Fail, Observing)),
            // Two probes close it, and it counts from nothing.
            repeat(2, || (20_000, Ok, Observing)),
            repeat(4, || (20_000, Fail, Observing)),
            vec![(20_000, Lift, Closed), (20_000, Fail, Open)],
        ]),
        &[
            (Closed, Observing, Rule::Forced),
            WOULD_OPEN,
            WOULD_REOPEN,
            (Observing, Closed, Rule::Lifted),
            (Closed, Open, Rule::FailureRate),
        ],
    );
}

#[test]
fn b6_an_observer_ignores_what_was_admitted_while_it_would_refuse() {
    play(
        &brittle().observing(),
        vec![
            (0, Start("before"), Observing),
            (0, Fail, Observing),
            (500, Start("refused"), Observing),
            (600, End("before", F), Observing),
            (1_000, Wait, Observing),
            (1_000, End("refused", F), Observing),
            (1_000, End("before", F), Observing),
            (1_000, Start("probe"), Observing),
            (1_000, Ok, Observing),
            (1_000, End("probe", F), Observing),
            (1_900, Fail, Observing),
            // Nobody can lift what the settings say.
            (2_100, Lift, Observing),
            (2_100, Fail, Observing),
        ],
        &[
            (Observing, Observing, Rule::Consecutive),
            (Observing, Observing, Rule::Consecutive),
        ],
    );
}

#[test]
fn b4_an_observer_told_to_observe_again_ignores_what_it_admitted_as_half_open() {
    let registered = brittle().observing();
    let end = |lasts| {
        vec![
            (0, Force(OBSERVE, lasts), Observing),
            (0, Fail, Observing),
            (1_000, Wait, Observing),
            (1_000, Start("a probe"), Observing),
        ]
    };
    for (breaker, lasts, restart) in [
        (&registered, None, Force(OBSERVE, None)),
        (&registered, None, Lift),
        (&registered, Some(1_500), Wait),
    ] {
        let at = if lasts.is_some() { 1_500 } else { 1_000 };
        let mut engine = play(
            breaker,
            script([
                end(lasts),
                vec![(at, restart, Observing), (at, End("a probe", F), Observing)],
            ]),
            &[(Observing, Observing, Rule::Consecutive)],
        );
        assert_eq!(engine.counts(Moment::at_millis(at)).failures, 0);
    }
}

#[test]
fn b6_openings_that_were_none_do_not_make_the_next_one_longer() {
    let breaker = brittle().growth(2.0, "1min");
    for (begin, end) in [
        (Force(OBSERVE, None), Lift),
        (
            Reconfigure(breaker.clone().observing().into()),
            Reconfigure(breaker.clone().into()),
        ),
    ] {
        let by_settings = matches!(begin, Reconfigure(_));
        let rule = |forced| {
            if by_settings {
                Rule::Reconfigured
            } else {
                forced
            }
        };
        play(
            &breaker,
            vec![
                (0, begin, Observing),
                (0, Fail, Observing),
                (1_000, Fail, Observing),
                (1_000, end, Closed),
                (1_000, Fail, Open),
                (1_000, Refused(1_000), Open),
            ],
            &[
                (Closed, Observing, rule(Rule::Forced)),
                (Observing, Observing, Rule::Consecutive),
                (Observing, Observing, Rule::ProbeFailed),
                (Observing, Closed, rule(Rule::Lifted)),
                TRIPS,
            ],
        );
    }
}

#[test]
fn b6_what_the_settings_say_is_what_is_left_when_a_force_ends() {
    for (breaker, rest) in [
        (brittle().observing(), Observing),
        (Breaker::disabled(), Disabled),
    ] {
        play(
            &breaker,
            vec![
                (0, Lift, rest),
                (0, Force(K::Open, Some(1_000)), ForcedOpen),
                (1_000, Wait, rest),
                (1_000, Force(K::Closed, None), ForcedClosed),
                (1_000, Lift, rest),
                (1_000, Force(K::Closed, None), ForcedClosed),
                (1_000, Reset, rest),
                (1_000, Reconfigure(brittle().into()), Closed),
                (1_000, Reconfigure(breaker.clone().into()), rest),
                (1_000, Force(K::Closed, None), ForcedClosed),
                (1_000, Reconfigure(brittle().into()), ForcedClosed),
                (1_000, Lift, Closed),
            ],
            &[
                (rest, ForcedOpen, Rule::Forced),
                (ForcedOpen, rest, Rule::Expired),
                (rest, ForcedClosed, Rule::Forced),
                (ForcedClosed, rest, Rule::Lifted),
                (rest, ForcedClosed, Rule::Forced),
                (ForcedClosed, rest, Rule::Reset),
                (rest, Closed, Rule::Reconfigured),
                (Closed, rest, Rule::Reconfigured),
                (rest, ForcedClosed, Rule::Forced),
                (ForcedClosed, Closed, Rule::Lifted),
            ],
        );
    }
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
