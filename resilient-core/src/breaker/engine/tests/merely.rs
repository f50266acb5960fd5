//! Failures that change nothing but counts: most of them must be told to be.

use super::*;

/// How many failures in a row merely count, after a first one.
fn merely_counted(config: &Breaker) -> usize {
    let now = Moment::at_millis(0);
    let settings = config.settings().expect("the numbers are good");
    let mut engine = Engine::new(settings, now);
    let failure = Ticket::new(FIRST_GENERATION);
    engine.record(failure, Verdict::Failure, now, || 0.5);
    std::iter::from_fn(|| {
        engine
            .merely_counts(failure, Verdict::Failure, now)
            .then_some(())
    })
    .take(1_000)
    .count()
}

#[test]
fn b1_failures_that_cannot_open_it_merely_count() {
    let rate = || Breaker::failure_rate(0.5).min_attempts(100);
    let rows = [
        // 50 of 100 would open it: one was recorded, one is kept for what is rounded, and one more
        // so that the next is looked at.
        (rate(), 47),
        (rate().count_window(100), 47),
        // The fifth opens it, the first began the run.
        (Breaker::consecutive(5), 3),
        (Breaker::consecutive(1).spanning("1s"), 0),
    ];
    for (config, expected) in rows {
        assert_eq!(merely_counted(&config), expected, "{config:?}");
    }
}

#[test]
fn b1_what_may_do_more_than_count_does_not_merely_count() {
    let now = Moment::at_millis(0);
    let config = Breaker::failure_rate(0.5).min_attempts(100);
    let settings = config.settings().expect("the numbers are good");
    let mut engine = Engine::new(settings, now);
    let failure = Ticket::new(FIRST_GENERATION);
    assert!(
        !engine.merely_counts(failure, Verdict::Failure, now),
        "nothing is known yet"
    );
    engine.record(failure, Verdict::Failure, now, || 0.5);
    for verdict in [
        Verdict::Success,
        Verdict::SlowFailure,
        Verdict::Neutral,
        Verdict::Panicked,
    ] {
        assert!(!engine.merely_counts(failure, verdict, now), "{verdict:?}");
    }
    let stale = Ticket::new(FIRST_GENERATION + 1);
    assert!(!engine.merely_counts(stale, Verdict::Failure, now));
    assert_eq!(engine.counts(now).failures, 1);
}
