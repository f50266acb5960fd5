//! Numbers that change while it runs.

use super::*;

#[test]
fn counts_and_state_stay() {
    let wider = Breaker::failure_rate(0.5).min_attempts(5).window("20s");
    play(
        &Breaker::failure_rate(0.5).min_attempts(100).window("10s"),
        script([
            repeat(4, || (0, Fail, Closed)),
            vec![
                (0, Reconfigure(wider.into()), Closed),
                (15_000, Fail, Open),
                (15_000, Reconfigure(brittle().into()), Open),
                (15_000, Refused(5_000), Open),
            ],
        ]),
        &[(Closed, Open, Rule::FailureRate)],
    );
    play(
        &Breaker::consecutive(9),
        vec![
            (0, Fail, Closed),
            (0, Fail, Closed),
            (0, Fail, Closed),
            (0, Reconfigure(Breaker::consecutive(2).into()), Closed),
            (0, Fail, Open),
        ],
        &[TRIPS],
    );
}

#[test]
fn a_window_of_another_kind_starts_empty() {
    let count = |attempts| {
        Breaker::failure_rate(0.5)
            .count_window(attempts)
            .min_attempts(3)
    };
    play(
        &Breaker::failure_rate(0.5).min_attempts(3),
        vec![
            (0, Fail, Closed),
            (0, Fail, Closed),
            (0, Reconfigure(count(9).into()), Closed),
            (0, Fail, Closed),
            (0, Fail, Closed),
            (0, Reconfigure(count(99).into()), Closed),
            (0, Fail, Open),
        ],
        &[(Closed, Open, Rule::FailureRate)],
    );
}

#[test]
fn switching_off_forgets() {
    let breaker = Breaker::consecutive(3);
    play(
        &breaker.clone(),
        vec![
            (0, Fail, Closed),
            (0, Fail, Closed),
            (0, Reconfigure(Breaker::disabled().into()), Disabled),
            (0, Reconfigure(breaker.into()), Closed),
            (0, Fail, Closed),
        ],
        &[
            (Closed, Disabled, Rule::Reconfigured),
            (Disabled, Closed, Rule::Reconfigured),
        ],
    );
}

#[test]
fn a_breaker_is_switched_off_and_on() {
    play(
        &Breaker::disabled(),
        vec![
            (0, Fail, Disabled),
            (0, Reset, Disabled),
            (0, Lift, Disabled),
            (0, Reconfigure(brittle().into()), Closed),
            (0, Fail, Open),
            (0, Reconfigure(Breaker::disabled().into()), Disabled),
            (0, Fail, Disabled),
            (0, Force(ForcedKind::Open, None), ForcedOpen),
            (0, Lift, Disabled),
        ],
        &[
            (Disabled, Closed, Rule::Reconfigured),
            TRIPS,
            (Open, Disabled, Rule::Reconfigured),
            (Disabled, ForcedOpen, Rule::Forced),
            (ForcedOpen, Disabled, Rule::Lifted),
        ],
    );
}
