//! What calls read without the lock must ask for the engine exactly when it matters.

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
        // With the successes there are, two more make it so.
        (
            script([
                repeat(3, || (0, Ok, Closed)),
                repeat(5, || (0, Fail, Closed)),
            ]),
            true,
        ),
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
        engine.force(kind, None, None, Moment::at_millis(0));
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
