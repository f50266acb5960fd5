//! S1 and the rows of the table, on the engine and on the handle.

use std::time::Duration;

use super::engine::share;
use super::{Throttle, ThrottleHandle, ThrottleSettings};
use crate::class::Class;
use crate::name::Name;
use crate::seam::clock::Moment;
use crate::seam::random::Random;

fn settings(throttle: &Throttle) -> ThrottleSettings {
    throttle.settings().expect("the numbers are good")
}

#[test]
fn s1_the_share_is_that_of_the_formula() {
    // AD-01 and AD-05 divide by the share of successes that is asked for: the multiplier's inverse.
    let ad01 = || Throttle::accepts(1.0 / 0.9).max_rejection(0.8);
    let ad04 = || Throttle::accepts(2.0).max_rejection(1.0);
    let ad05 = || Throttle::accepts(1.0 / 0.95).max_rejection(0.8);
    let rows = [
        ("AD-01", ad01(), 100, 95, 0.0..=0.0),
        ("AD-01", ad01(), 120, 90, 0.1652..=0.1653),
        ("AD-01", ad01(), 200, 50, 0.7..=0.8),
        ("AD-01", ad01(), 1000, 10, 0.8..=0.8),
        ("AD-01", ad01(), 0, 0, 0.0..=0.0),
        ("AD-01", ad01(), 100, 0, 0.8..=0.8),
        ("AD-02", Throttle::accepts(2.0), 1, 0, 0.5..=0.5),
        ("AD-02", ad04().max_rejection(0.5), 20, 0, 0.5..=0.5),
        ("AD-04", ad04(), 100, 40, 0.198..=0.1981),
        ("AD-04", ad04(), 100, 50, 0.0..=0.0),
        ("AD-04", ad04(), 100, 0, 0.990..=0.9901),
        ("AD-05", ad05(), 100, 80, 0.1563..=0.1564),
    ];
    for (id, throttle, requests, accepts, expected) in rows {
        let share = share(requests, accepts, &settings(&throttle));
        assert!(
            expected.contains(&share),
            "{id}: {share} for {accepts} of {requests}"
        );
    }
}

fn handle(throttle: Option<&Throttle>) -> ThrottleHandle {
    let name = Name::new("payment").expect("the name is good");
    ThrottleHandle::new(name, throttle.map(settings))
}

fn after(start: Moment, seconds: u64) -> Moment {
    start.plus(Duration::from_secs(seconds))
}

#[tokio::test(start_paused = true)]
async fn s1_only_answers_and_failures_of_the_dependency_count() {
    let rows = [
        (Class::Success, 0.0),
        (Class::Permanent, 0.0),
        (Class::Ignored, 0.0),
        (Class::transient(), 0.5),
        (Class::unsent(), 0.5),
        (Class::Fault, 0.5),
        (Class::throttled(Duration::ZERO), 0.5),
    ];
    for (class, expected) in rows {
        let handle = handle(Some(&Throttle::accepts(2.0)));
        handle.heard(class);
        let share = handle.share(crate::seam::clock::now());
        assert_eq!(share, Some(expected), "{class:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn s1_what_was_accepted_pays_for_failures_until_the_window_ends() {
    let handle = handle(Some(&Throttle::accepts(2.0).window("10s")));
    let start = crate::seam::clock::now();
    handle.tick(start);
    for _ in 0..10 {
        handle.heard(Class::Success);
    }
    handle.tick(after(start, 1));
    for _ in 0..10 {
        handle.missed(after(start, 6));
    }
    assert_eq!(
        handle.share(after(start, 6)),
        Some(0.0),
        "20 asked, 10 accepted"
    );
    handle.missed(after(start, 6));
    assert_eq!(handle.share(after(start, 6)), Some(1.0 / 22.0));
    assert_eq!(
        handle.share(after(start, 13)),
        Some(0.9),
        "the accepted ones are forgotten, the failures are not"
    );
    assert_eq!(handle.share(after(start, 30)), Some(0.0), "all are");
}

#[tokio::test(start_paused = true)]
async fn s1_a_window_that_forgets_is_noticed_without_another_failure() {
    let handle = handle(Some(&Throttle::accepts(2.0).window("10s")));
    let start = crate::seam::clock::now();
    handle.tick(start);
    handle.heard(Class::Success);
    handle.tick(after(start, 1));
    handle.missed(after(start, 6));
    tokio::time::advance(Duration::from_secs(13)).await;
    let random = Random::seeded(1);
    let sheds = || (0..100).any(|_| handle.admit(&random).is_err());
    assert!(
        !sheds(),
        "one of two was accepted, when somebody last looked"
    );
    handle.tick(after(start, 13));
    assert!(sheds());
}

#[tokio::test(start_paused = true)]
async fn s1_numbers_change_under_the_counts_and_off_is_off() {
    let handle = handle(None);
    let now = crate::seam::clock::now();
    let admits = || (0..100).all(|_| handle.admit(&Random::default()).is_ok());
    for _ in 0..100 {
        handle.missed(now);
        handle.heard(Class::Fault);
    }
    assert!(admits() && !handle.is_on());
    handle.reconfigure(Some(settings(&Throttle::accepts(2.0))));
    assert!(admits() && handle.is_on(), "nothing was counted before");
    for _ in 0..100 {
        handle.missed(now);
    }
    assert_eq!(handle.share(now), Some(0.9));
    handle.reconfigure(Some(settings(&Throttle::accepts(2.0).max_rejection(0.2))));
    assert_eq!(handle.share(now), Some(0.2), "the counts stayed");
    assert!(!admits());
    handle.reconfigure(None);
    assert!(admits() && handle.share(now).is_none());
}

#[tokio::test(start_paused = true)]
async fn s1_what_is_shed_is_counted_as_asked() {
    let handle = handle(Some(&Throttle::accepts(2.0).max_rejection(1.0)));
    let now = crate::seam::clock::now();
    handle.missed(now);
    let random = Random::seeded(3);
    let shed: Vec<_> = (0..50)
        .filter_map(|_| handle.admit(&random).err())
        .map(|shed| shed.percent)
        .collect();
    assert_eq!(shed.first(), Some(&50));
    assert!(
        shed.is_sorted(),
        "each one makes the next more likely: {shed:?}"
    );
    let requests = u32::try_from(1 + shed.len()).expect("a few");
    let share = f64::from(requests) / f64::from(requests + 1);
    assert_eq!(handle.share(now), Some(share));
}
