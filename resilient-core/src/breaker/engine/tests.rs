use std::collections::HashMap;

use super::*;
use crate::breaker::{Breaker, BreakerState};

use BreakerState::{Closed, Disabled, ForcedClosed, ForcedOpen, HalfOpen, Observing, Open};
use Do::{
    Drop, End, Fail, Force, Lift, Neutral, Ok, Panic, Reconfigure, Refused, RefusedForGood, Reset,
    Start, StartWithin, Tally, Wait,
};

/// One thing that happens to a breaker.
enum Do {
    /// A call that is admitted and succeeds at once; `Fail` and so on likewise.
    Ok,
    Fail,
    Neutral,
    Panic,
    /// A call that is admitted and goes on.
    Start(&'static str),
    /// The same with an attempt timeout in milliseconds.
    StartWithin(&'static str, u64),
    /// The end of a call that was started.
    End(&'static str, Verdict),
    /// A call that was started is never heard of again.
    Drop(&'static str),
    /// A call that is refused and told to come back in so many milliseconds.
    Refused(u64),
    /// A call that is refused and not told when to come back.
    RefusedForGood,
    /// Successes nobody dated.
    Tally(u64),
    /// Only the time is told.
    Wait,
    /// For milliseconds, or until lifted.
    Force(ForcedKind, Option<u64>),
    Lift,
    Reset,
    Reconfigure(Box<Breaker>),
}

/// At (ms), what happens, and the state after it.
type Step = (u64, Do, BreakerState);
/// From, to, why.
type Told = (BreakerState, BreakerState, Rule);

/// Plays a script; jitter draws the middle, so that open times are exact.
fn play(breaker: &Breaker, steps: Vec<Step>, told: &[Told]) -> Engine {
    let settings = breaker.settings().expect("valid settings");
    let mut engine = Engine::new(settings, Moment::at_millis(0));
    let mut started = HashMap::new();
    let middle = || 0.5;
    for (number, (at, step, state)) in steps.into_iter().enumerate() {
        let now = Moment::at_millis(at);
        let call = |engine: &mut Engine, verdict| {
            let ticket = engine.admit(now, None);
            let ticket = ticket.unwrap_or_else(|refusal| panic!("step {number}: {refusal:?}"));
            engine.record(ticket, verdict, now, middle);
        };
        let mut start = |engine: &mut Engine, name, timeout: Option<u64>| {
            let ticket = engine.admit(now, timeout.map(Duration::from_millis));
            let ticket = ticket.unwrap_or_else(|refusal| panic!("step {number}: {refusal:?}"));
            started.insert(name, ticket);
        };
        match step {
            Ok => call(&mut engine, Verdict::Success),
            Fail => call(&mut engine, Verdict::Failure),
            Neutral => call(&mut engine, Verdict::Neutral),
            Panic => call(&mut engine, Verdict::Panicked),
            Start(name) => start(&mut engine, name, None),
            StartWithin(name, timeout) => start(&mut engine, name, Some(timeout)),
            End(name, verdict) => engine.record(started[name], verdict, now, middle),
            Drop(name) => drop(started.remove(name)),
            Refused(millis) => {
                let retry_in = Duration::from_millis(millis);
                let refusal = Refusal { state, retry_in };
                assert_eq!(engine.admit(now, None), Err(refusal), "step {number}");
            }
            RefusedForGood => {
                let retry_in = Duration::MAX;
                let refusal = Refusal { state, retry_in };
                assert_eq!(engine.admit(now, None), Err(refusal), "step {number}");
            }
            Tally(successes) => engine.date(successes, now),
            Wait => drop(engine.tick(now)),
            Force(kind, lasts) => engine.force(kind, lasts.map(Duration::from_millis), now),
            Lift => engine.lift(now),
            Reset => engine.reset(now),
            Reconfigure(breaker) => {
                engine.reconfigure(breaker.settings().expect("valid settings"), now);
            }
        }
        assert_eq!(engine.state(), state, "step {number}");
    }
    let changes: Vec<_> = std::iter::from_fn(|| engine.next_change()).collect();
    let heard: Vec<Told> = changes.iter().map(|c| (c.from, c.to, c.rule)).collect();
    assert_eq!(heard, told);
    assert!(changes.is_sorted_by(|a, b| a.generation < b.generation));
    engine
}

fn repeat(times: usize, step: impl Fn() -> Step) -> Vec<Step> {
    std::iter::repeat_with(step).take(times).collect()
}

fn script(parts: impl IntoIterator<Item = Vec<Step>>) -> Vec<Step> {
    parts.into_iter().flatten().collect()
}

const S: Verdict = Verdict::Success;
const F: Verdict = Verdict::Failure;

/// Opens on the first failure, for a second, with one probe.
fn brittle() -> Breaker {
    Breaker::consecutive(1)
        .open_for("1s")
        .probes(1)
        .close_after(1)
}

const TRIPS: Told = (Closed, Open, Rule::Consecutive);
const PROBES: Told = (Open, HalfOpen, Rule::OpenElapsed);
const REOPENS: Told = (HalfOpen, Open, Rule::ProbeFailed);
const CLOSES: Told = (HalfOpen, Closed, Rule::ProbesSucceeded);

mod closed {
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
                (12_000, Fail, Closed),
                (24_000, Fail, Closed),
                (36_000, Fail, Closed),
                (48_000, Fail, Open),
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
}

mod half_open {
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
                (2_001, End("hung", F), HalfOpen),
                (2_001, End("hung", S), HalfOpen),
                (2_002, Refused(998), HalfOpen),
                (2_003, End("next", S), Closed),
            ],
            &[TRIPS, PROBES, CLOSES],
        );
    }

    #[test]
    fn b3_a_lease_is_the_attempts_timeout_and_a_second() {
        play(
            &brittle(),
            vec![
                (0, Fail, Open),
                (1_000, StartWithin("hung", 5_000), HalfOpen),
                (6_999, Refused(1), HalfOpen),
                // Its slot is lost even if nobody else has taken it.
                (7_000, End("hung", F), HalfOpen),
                (7_000, Ok, Closed),
            ],
            &[TRIPS, PROBES, CLOSES],
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
}

mod open {
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
                TRIPS, PROBES, REOPENS, PROBES, REOPENS, PROBES, CLOSES, TRIPS, PROBES, CLOSES,
                TRIPS,
            ],
        );
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
}

mod forced {
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
}

mod reconfigured {
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
}

/// What calls read without the lock must ask for the engine exactly when it matters.
mod view {
    use super::*;

    fn view_after(breaker: &Breaker, steps: Vec<Step>, told: &[Told]) -> View {
        play(breaker, steps, told).view()
    }

    #[test]
    fn a_clean_breaker_heeds_no_success() {
        let by_run = view_after(&Breaker::consecutive(5), vec![(0, Ok, Closed)], &[]);
        assert!(!by_run.word.heeds_success() && !by_run.word.counts_success());
        let by_rate = view_after(&Breaker::failure_rate(0.5), vec![(0, Ok, Closed)], &[]);
        assert!(!by_rate.word.heeds_success() && by_rate.word.counts_success());
    }

    #[test]
    fn a_run_heeds_the_success_that_ends_it() {
        let breaker = Breaker::consecutive(5);
        assert!(
            view_after(&breaker, vec![(0, Fail, Closed)], &[])
                .word
                .heeds_success()
        );
        let ended = vec![(0, Fail, Closed), (0, Ok, Closed)];
        assert!(!view_after(&breaker, ended, &[]).word.heeds_success());
    }

    #[test]
    fn a_rate_heeds_successes_only_where_one_could_trip_it() {
        let breaker = Breaker::failure_rate(0.5).min_attempts(10).window("10s");
        for (steps, heeds) in [
            // Half of the ten attempts of the minimum may yet be failures.
            (repeat(4, || (0, Fail, Closed)), false),
            (repeat(5, || (0, Fail, Closed)), true),
            // Failures among many successes, all of one age.
            (
                script([
                    repeat(100, || (0, Ok, Closed)),
                    repeat(50, || (0, Fail, Closed)),
                ]),
                false,
            ),
            // When the successes are forgotten the failures will stand alone.
            (
                script([
                    repeat(100, || (0, Ok, Closed)),
                    repeat(50, || (5_000, Fail, Closed)),
                ]),
                true,
            ),
        ] {
            let number = steps.len();
            let view = view_after(&breaker, steps, &[]);
            assert_eq!(view.word.heeds_success(), heeds, "{number} steps");
        }
    }

    #[test]
    fn the_time_to_date_successes_moves_in_steps() {
        let breaker = Breaker::failure_rate(1.0).min_attempts(100).window("10s");
        let settings = breaker.settings().expect("valid settings");
        let mut engine = Engine::new(settings, Moment::at_millis(0));
        let mut dated_at = |millis| {
            engine.date(0, Moment::at_millis(millis));
            engine.view().next_tick
        };
        assert_eq!(dated_at(0), Moment::at_millis(1_000));
        assert_eq!(dated_at(999), Moment::at_millis(1_000));
        assert_eq!(dated_at(1_500), Moment::at_millis(2_500));
    }

    #[test]
    fn nothing_is_heeded_where_nothing_counts() {
        for kind in [ForcedKind::Open, ForcedKind::Disabled] {
            let mut engine = play(&brittle(), Vec::new(), &[]);
            engine.force(kind, None, Moment::at_millis(0));
            let word = engine.view().word;
            assert!(!word.heeds_success() && !word.counts_success() && !word.heeds_failure());
        }
        let open = view_after(&brittle(), vec![(0, Fail, Open)], &[TRIPS]);
        assert!(!open.word.heeds_success() && !open.word.heeds_failure());
        assert_eq!(open.until, Some(Moment::at_millis(1_000)));
    }

    #[test]
    fn a_full_half_open_breaker_refuses_until_the_first_lease_ends() {
        let steps = |also: Vec<Step>| {
            script([
                vec![(0, Fail, Open), (1_000, Start("a"), HalfOpen)],
                vec![(1_500, Start("b"), HalfOpen)],
                also,
            ])
        };
        let breaker = brittle().probes(2).close_after(2);
        let full = view_after(&breaker, steps(Vec::new()), &[TRIPS, PROBES]);
        assert_eq!(full.until, Some(Moment::at_millis(2_000)));
        assert!(full.word.heeds_success() && full.word.heeds_failure());
        let free = steps(vec![
            (1_600, End("a", S), HalfOpen),
            (1_600, Drop("b"), HalfOpen),
        ]);
        assert_eq!(view_after(&breaker, free, &[TRIPS, PROBES]).until, None);
    }
}
