//! What passes between the word, the tally and the lock, under every schedule:
//! `RUSTFLAGS="--cfg loom"`.

use std::sync::Arc;
use std::sync::Mutex as StdMutex;

use loom::thread;

use super::engine::FIRST_GENERATION;
use super::{Breaker, BreakerHandle, BreakerState, Rule, Transition, Verdict};
use crate::name::Name;
use crate::seam::clock::now;
use crate::seam::random::Random;
use crate::window::Tally;

/// Not one of loom's: nothing in a model waits for it.
type Heard = Arc<StdMutex<Vec<Rule>>>;

fn breaker(config: &Breaker) -> (Arc<BreakerHandle>, Heard) {
    let heard = Heard::default();
    let ear = heard.clone();
    let told = loom::sync::atomic::AtomicUsize::new(0);
    let announcer = Arc::new(move |transition: &Transition| {
        // Gives the others a chance between taking a change and telling it.
        told.fetch_add(1, loom::sync::atomic::Ordering::Relaxed);
        ear.lock().expect("no panic").push(transition.rule);
    });
    let handle = BreakerHandle::with_tally(
        Name::new("payment").expect("the name is good"),
        config.settings().expect("the numbers are good"),
        Random::default(),
        announcer,
        Tally::with_shards(FIRST_GENERATION, 2),
    );
    (handle, heard)
}

fn call(handle: &BreakerHandle, verdict: Verdict) {
    let ticket = handle.admit(None).expect("closed");
    handle.record(ticket, verdict);
}

fn rules(heard: &Heard) -> Vec<Rule> {
    heard.lock().expect("no panic").clone()
}

/// A success that is only tallied and a failure that takes the lock complete the minimum together: one of
/// them sees both, and the breaker opens, once.
#[test]
fn b1_whoever_completes_the_minimum_is_judged() {
    let rate = || Breaker::failure_rate(0.5).min_attempts(2);
    completes_the_minimum(rate());
    completes_the_minimum(rate().count_window(2));
}

fn completes_the_minimum(config: Breaker) {
    loom::model(move || {
        let (handle, heard) = breaker(&config);
        let (good, bad) = (handle.admit(None), handle.admit(None));
        let (good, bad) = (good.expect("closed"), bad.expect("closed"));
        let other = thread::spawn({
            let handle = handle.clone();
            move || handle.record(good, Verdict::Success)
        });
        handle.record(bad, Verdict::Failure);
        other.join().expect("no panic");
        assert_eq!(handle.state(), BreakerState::Open);
        assert_eq!(rules(&heard), [Rule::FailureRate]);
    });
}

/// However successes are tallied and drained, each is in the window once.
#[test]
fn b11_nothing_is_lost_between_tally_and_window() {
    let rate = || Breaker::failure_rate(1.0).min_attempts(100);
    all_three_are_counted(rate().window("1h"));
    all_three_are_counted(rate().count_window(100));
}

fn all_three_are_counted(config: Breaker) {
    loom::model(move || {
        let (handle, _) = breaker(&config);
        let other = thread::spawn({
            let handle = handle.clone();
            move || {
                call(&handle, Verdict::Success);
                call(&handle, Verdict::Success);
            }
        });
        call(&handle, Verdict::Failure);
        other.join().expect("no panic");
        let snapshot = handle.snapshot(now());
        assert_eq!((snapshot.failures, snapshot.attempts), (1, 3));
    });
}

/// Failures that merely count and a success that is only tallied are all counted once.
#[test]
fn b11_failures_that_merely_count_are_counted_beside_a_success() {
    loom::model(|| {
        let (handle, heard) = breaker(&Breaker::failure_rate(0.9).min_attempts(100));
        // From now on it is known that many more change nothing.
        call(&handle, Verdict::Failure);
        let other = thread::spawn({
            let handle = handle.clone();
            move || {
                call(&handle, Verdict::Success);
                call(&handle, Verdict::Failure);
            }
        });
        call(&handle, Verdict::Failure);
        other.join().expect("no panic");
        let counted = handle.snapshot(now());
        assert_eq!((counted.failures, counted.attempts), (3, 4));
        assert!(rules(&heard).is_empty());
    });
}

/// A success of before a reset is not in the counts of after it, though it is tallied without the lock.
#[test]
fn b4_a_stale_success_is_in_no_later_count() {
    loom::model(|| {
        let config = Breaker::failure_rate(1.0).min_attempts(100).window("1h");
        let (handle, _) = breaker(&config);
        let stale = handle.admit(None).expect("closed");
        let other = thread::spawn({
            let handle = handle.clone();
            move || handle.record(stale, Verdict::Success)
        });
        handle.reset(None);
        call(&handle, Verdict::Success);
        other.join().expect("no panic");
        assert_eq!(handle.snapshot(now()).attempts, 1);
    });
}

/// Two callers that find the open time over get one slot between them, and make one change of state.
#[test]
fn a04_one_probe_is_admitted() {
    loom::model(|| {
        let config = Breaker::consecutive(1).open_for("1ns").probes(1);
        let (handle, heard) = breaker(&config);
        call(&handle, Verdict::Failure);
        let lease = Some(std::time::Duration::from_secs(3_600));
        let other = thread::spawn({
            let handle = handle.clone();
            move || handle.admit(lease).is_ok()
        });
        let here = handle.admit(lease).is_ok();
        let there = other.join().expect("no panic");
        assert!(here != there, "here {here}, there {there}");
        assert_eq!(rules(&heard), [Rule::Consecutive, Rule::OpenElapsed]);
    });
}

/// Whoever says first that time has passed ends the open time an observer would have had, and nobody
/// can undo that.
#[test]
fn b3_a_probe_that_lost_its_slot_counts_and_gives_no_other_away() {
    loom::model(|| {
        let config = Breaker::consecutive(1)
            .open_for("1ns")
            .probes(1)
            .close_after(2);
        let (handle, heard) = breaker(&config);
        call(&handle, Verdict::Failure);
        let late = handle.admit(None).expect("a probe, for no time at all");
        let lease = Some(std::time::Duration::from_secs(3_600));
        let next = handle.admit(lease).expect("the next one has its slot");
        let other = thread::spawn({
            let handle = handle.clone();
            move || handle.record(late, Verdict::Success)
        });
        assert!(handle.admit(lease).is_err(), "the slot is taken");
        handle.record(next, Verdict::Success);
        other.join().expect("no panic");
        let closed = [Rule::Consecutive, Rule::OpenElapsed, Rule::ProbesSucceeded];
        assert_eq!(rules(&heard), closed);
    });
}

#[test]
fn b6_an_observers_open_time_ends_however_many_ask() {
    loom::model(|| {
        let config = Breaker::consecutive(1).open_for("1ns").observing();
        let (handle, _) = breaker(&config);
        call(&handle, Verdict::Failure);
        let other = thread::spawn({
            let handle = handle.clone();
            move || call(&handle, Verdict::Neutral)
        });
        call(&handle, Verdict::Neutral);
        other.join().expect("no panic");
        call(&handle, Verdict::Neutral);
        // One can come while the other is about to say that time has passed.
        assert!(handle.snapshot(now()).would_have_refused <= 1);
    });
}

/// Two failures and a reset make two changes: told once each, in order, whoever tells them.
#[test]
fn b07_changes_are_told_once_and_in_order() {
    loom::model(|| {
        let (handle, heard) = breaker(&Breaker::consecutive(1).open_for("1h"));
        let (first, second) = (handle.admit(None), handle.admit(None));
        let (first, second) = (first.expect("closed"), second.expect("closed"));
        let other = thread::spawn({
            let handle = handle.clone();
            move || handle.record(first, Verdict::Failure)
        });
        handle.record(second, Verdict::Failure);
        handle.reset(None);
        other.join().expect("no panic");
        let heard = rules(&heard);
        let told = heard.as_slice();
        assert!(told == [Rule::Consecutive, Rule::Reset], "{told:?}");
    });
}

/// Two calls that are the first with a key share one breaker.
#[test]
fn b7_a_key_has_one_breaker_whoever_comes_first() {
    loom::model(|| {
        let (handle, _) = breaker(&Breaker::consecutive(1).open_for("1h"));
        let other = thread::spawn({
            let handle = handle.clone();
            move || call(&handle.of_key("a"), Verdict::Failure)
        });
        let here = handle.of_key("a");
        other.join().expect("no panic");
        assert_eq!(here.state(), BreakerState::Open);
    });
}

/// An order to all keys holds for a breaker that is being made meanwhile.
#[test]
fn b7_an_order_reaches_a_breaker_that_is_being_made() {
    loom::model(|| {
        let (handle, _) = breaker(&Breaker::consecutive(1).open_for("1h"));
        let other = thread::spawn({
            let handle = handle.clone();
            move || handle.of_key("a")
        });
        handle.force_open(None, None);
        let made = other.join().expect("no panic");
        assert_eq!(made.state(), BreakerState::ForcedOpen);
    });
}

/// Of two orders at once, one is the last for every key.
#[test]
fn b7_two_operators_leave_all_in_one_state() {
    loom::model(|| {
        let (handle, _) = breaker(&Breaker::consecutive(1).open_for("1h"));
        let one = handle.of_key("a");
        let other = thread::spawn({
            let handle = handle.clone();
            move || handle.force_closed(None, None)
        });
        handle.reset(None);
        other.join().expect("no panic");
        assert_eq!(one.state(), handle.state());
    });
}

/// A breaker that is being made while settings change has the new ones.
#[test]
fn b7_new_settings_reach_a_breaker_that_is_being_made() {
    loom::model(|| {
        let (handle, _) = breaker(&Breaker::consecutive(1).open_for("1h"));
        let other = thread::spawn({
            let handle = handle.clone();
            move || handle.of_key("a")
        });
        let throttled = Breaker::consecutive(1).count_throttled(true);
        handle.reconfigure(throttled.settings().expect("the numbers are good"));
        let made = other.join().expect("no panic");
        assert!(made.count_throttled());
    });
}

/// A slot that a probe gives back is one slot: whoever asks meanwhile gets it or does not, but two
/// never hold it, and it is never lost.
#[test]
fn b3_a_slot_given_back_is_one_slot() {
    loom::model(|| {
        let config = Breaker::consecutive(1).open_for("1ns").probes(1);
        let (handle, _) = breaker(&config);
        call(&handle, Verdict::Failure);
        let lease = Some(std::time::Duration::from_secs(3_600));
        let probe = handle.admit(lease).expect("half-open");
        let other = thread::spawn({
            let handle = handle.clone();
            move || handle.record(probe, Verdict::Neutral)
        });
        let here = handle.admit(lease).is_ok();
        other.join().expect("no panic");
        assert_eq!(handle.admit(lease).is_ok(), !here);
        assert!(handle.admit(lease).is_err());
    });
}

/// A probe that fails while an operator resets the breaker fails before, and is forgotten, or after,
/// and is of an older generation: the breaker is closed in the end.
#[test]
fn b4_a_probe_of_before_a_reset_opens_nothing_after_it() {
    loom::model(|| {
        let config = Breaker::consecutive(1).open_for("1h").probes(1);
        let (handle, _) = breaker(&config);
        handle.force_open(None, None);
        handle.lift(None);
        let probe = handle.admit(None).expect("half-open");
        let other = thread::spawn({
            let handle = handle.clone();
            move || handle.record(probe, Verdict::Failure)
        });
        handle.reset(None);
        other.join().expect("no panic");
        assert_eq!(handle.state(), BreakerState::Closed);
        assert!(handle.admit(None).is_ok());
    });
}

/// An operator's state stays, whatever is recorded while it is chosen; the change before it, if there
/// is one, is told before it.
#[test]
fn b6_a_forced_state_is_not_lost_to_a_failure() {
    loom::model(|| {
        let (handle, heard) = breaker(&Breaker::consecutive(1).open_for("1h"));
        let failing = handle.admit(None).expect("closed");
        let other = thread::spawn({
            let handle = handle.clone();
            move || handle.record(failing, Verdict::Failure)
        });
        handle.force_closed(None, None);
        other.join().expect("no panic");
        assert_eq!(handle.state(), BreakerState::ForcedClosed);
        assert!(handle.admit(None).is_ok());
        let heard = rules(&heard);
        let told = heard.as_slice();
        let orders: [&[Rule]; 2] = [&[Rule::Forced], &[Rule::Consecutive, Rule::Forced]];
        assert!(orders.contains(&told), "{told:?}");
    });
}
