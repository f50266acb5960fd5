mod forced;
mod threads;
mod undated;

use super::*;
use crate::breaker::{Breaker, Rule, Transition};

type Heard = Arc<Lock<Vec<Transition>>>;

fn breaker(config: &Breaker) -> (Arc<BreakerHandle>, Heard) {
    let heard = Heard::default();
    let ear = heard.clone();
    let handle = BreakerHandle::new(
        Name::new("payment").expect("a valid name"),
        config.settings().expect("valid settings"),
        Random::seeded(1),
        Arc::new(move |transition: &Transition| ear.lock().push(transition.clone())),
    );
    (handle, heard)
}

fn rules(heard: &Heard) -> Vec<Rule> {
    heard
        .lock()
        .iter()
        .map(|transition| transition.rule)
        .collect()
}

fn call(handle: &BreakerHandle, verdict: Verdict) {
    let ticket = handle.admit(None).expect("admitted");
    handle.record(ticket, verdict);
}

async fn advance(millis: u64) {
    tokio::time::advance(Duration::from_millis(millis)).await;
}

/// For tests on the real clock, whose open times, and so leases, are next to nothing.
const AN_HOUR: Option<Duration> = Some(Duration::from_secs(3_600));

/// Opens on the first failure for about a second.
fn brittle() -> Breaker {
    Breaker::consecutive(1).open_for("1s")
}

#[tokio::test(start_paused = true)]
async fn it_opens_refuses_probes_and_closes() {
    let (handle, heard) = breaker(&brittle().probes(1));
    call(&handle, Verdict::Failure);
    let refusal = handle.admit(None).expect_err("open");
    assert_eq!(refusal.state, BreakerState::Open);
    let retry_in = Duration::from_nanos(refusal.retry_in);
    assert!(retry_in >= Duration::from_millis(800) && retry_in <= Duration::from_millis(1_200));
    tokio::time::advance(retry_in.saturating_sub(Duration::from_nanos(1))).await;
    assert_eq!(handle.admit(None).map_err(|r| r.retry_in), Err(1));
    tokio::time::advance(Duration::from_nanos(1)).await;
    let probe = handle.admit(None).expect("a probe");
    assert!(probe.is_probe());
    let refusal = handle.admit(None).expect_err("one probe at a time");
    assert_eq!(refusal.state, BreakerState::HalfOpen);
    handle.record(probe, Verdict::Success);
    call(&handle, Verdict::Success);
    assert_eq!(handle.state(), BreakerState::Closed);
    assert_eq!(
        rules(&heard),
        [Rule::Consecutive, Rule::OpenElapsed, Rule::ProbesSucceeded]
    );
    let first = heard.lock()[0].clone();
    assert_eq!(
        (&*first.dependency, first.failures, first.attempts),
        ("payment", 1, 1)
    );
    assert_eq!(first.lasts, Some(retry_in));
}

#[tokio::test(start_paused = true)]
async fn a11_reading_the_state_takes_no_probe() {
    let (handle, _) = breaker(&brittle().probes(1).close_after(1));
    call(&handle, Verdict::Failure);
    advance(1_200).await;
    for _ in 0..100 {
        assert_eq!(handle.state(), BreakerState::Open);
        assert_eq!(handle.snapshot(now()).state, BreakerState::Open);
    }
    call(&handle, Verdict::Success);
    assert_eq!(handle.state(), BreakerState::Closed);
}

#[tokio::test(start_paused = true)]
async fn b4_stale_results_and_attempts() {
    let (handle, heard) = breaker(&brittle().probes(1).close_after(1));
    let old = handle.admit(None).expect("closed");
    assert!(handle.may_continue(Some(old)));
    call(&handle, Verdict::Failure);
    assert!(!handle.may_continue(Some(old)), "open");
    advance(1_200).await;
    let probe = handle.admit(None).expect("a probe");
    assert!(!handle.may_continue(Some(old)), "half-open");
    assert!(!handle.may_continue(Some(probe)), "a probe is one attempt");
    for verdict in [Verdict::Success, Verdict::Failure, Verdict::Panicked] {
        handle.record(old, verdict);
    }
    assert_eq!(handle.state(), BreakerState::HalfOpen);
    handle.record(probe, Verdict::Success);
    assert!(handle.may_continue(Some(old)), "closed again");
    assert!(!handle.may_continue(Some(probe)), "still one attempt");
    handle.record(old, Verdict::Failure);
    handle.record(probe, Verdict::Failure);
    assert_eq!(handle.state(), BreakerState::Closed);
    assert_eq!(heard.lock().len(), 3);
}

#[tokio::test(start_paused = true)]
async fn panics_are_counted_apart() {
    let (handle, _) = breaker(&brittle());
    call(&handle, Verdict::Panicked);
    assert_eq!(handle.snapshot(now()).panics, 1);
    assert_eq!(handle.state(), BreakerState::Closed);
    call(&handle, Verdict::Failure);
    advance(1_200).await;
    call(&handle, Verdict::Panicked);
    assert_eq!(handle.state(), BreakerState::Open);
    assert_eq!(handle.snapshot(now()).panics, 2);
}

#[tokio::test(start_paused = true)]
async fn k02_a_listener_may_use_the_breaker() {
    let own: Arc<std::sync::OnceLock<Arc<BreakerHandle>>> = Arc::default();
    let order: Arc<Lock<Vec<BreakerState>>> = Arc::default();
    let (listener_own, listener_order) = (own.clone(), order.clone());
    let config = brittle().on_transition(move |transition| {
        let handle = listener_own.get().expect("set before the first call");
        listener_order.lock().push(transition.to);
        handle.state();
        handle.snapshot(now());
        if transition.to == BreakerState::Open {
            assert!(handle.admit(None).is_err());
            handle.reset(None);
            call(handle, Verdict::Success);
        }
        // The change this listener has made is told after this one.
        listener_order.lock().push(transition.to);
    });
    let (handle, heard) = breaker(&config);
    own.set(handle.clone()).expect("once");
    call(&handle, Verdict::Failure);
    assert_eq!(rules(&heard), [Rule::Consecutive, Rule::Reset]);
    let [first, second] = [BreakerState::Open, BreakerState::Closed];
    assert_eq!(*order.lock(), [first, first, second, second]);
}

#[test]
fn c04_a_panicking_listener_breaks_nothing() {
    let config = Breaker::consecutive(1)
        .open_for("1ns")
        .close_after(1)
        .on_transition(|_| panic!("a listener's own trouble"));
    let (handle, heard) = breaker(&config);
    for _ in 0..3 {
        call(&handle, Verdict::Failure);
        assert_eq!(handle.state(), BreakerState::Open);
        while handle.state() != BreakerState::Closed {
            if let Ok(ticket) = handle.admit(AN_HOUR) {
                handle.record(ticket, Verdict::Success);
            }
        }
    }
    assert_eq!(heard.lock().len(), 9);
}

#[tokio::test(start_paused = true)]
async fn numbers_change_while_it_runs() {
    let config = Breaker::failure_rate(0.5).min_attempts(4);
    let (handle, _) = breaker(&config);
    assert_eq!(
        (handle.drop_counts_after(), handle.per()),
        (None, Per::Attempt)
    );
    (0..4).for_each(|_| call(&handle, Verdict::Success));
    (0..3).for_each(|_| call(&handle, Verdict::Failure));
    let lower = Breaker::failure_rate(0.4)
        .min_attempts(4)
        .count_throttled(true)
        .drop_counts_after("3s")
        .per(Per::Call);
    handle.reconfigure(lower.settings().expect("valid settings"));
    assert!(handle.count_throttled());
    assert_eq!(handle.drop_counts_after(), Some(Duration::from_secs(3)));
    assert_eq!(handle.per(), Per::Call);
    assert_eq!(handle.snapshot(now()).failures, 3, "the counts stay");
    assert_eq!(handle.state(), BreakerState::Closed);
    call(&handle, Verdict::Neutral);
    assert_eq!(
        handle.state(),
        BreakerState::Closed,
        "nothing has been recorded"
    );
    call(&handle, Verdict::Failure);
    assert_eq!(handle.state(), BreakerState::Open);
}

#[test]
fn no_two_breakers_share_an_id() {
    let ids: Vec<_> = (0..3).map(|_| breaker(&brittle()).0.id()).collect();
    assert!(ids[0] != ids[1] && ids[1] != ids[2] && ids[0] != ids[2]);
}
