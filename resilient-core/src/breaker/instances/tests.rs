use super::*;
use crate::breaker::{Breaker, Reason, Rule, Transition, Verdict};
use crate::name::Name;
use crate::seam::random::Random;
use crate::seam::sync::Lock;

type Heard = Arc<Lock<Vec<Transition>>>;

fn breaker(config: &Breaker) -> (Arc<BreakerHandle>, Heard) {
    let heard = Heard::default();
    let ear = heard.clone();
    let handle = BreakerHandle::new(
        Name::new("orders").expect("a valid name"),
        config.settings().expect("valid settings"),
        Random::seeded(1),
        Arc::new(move |transition: &Transition| ear.lock().push(transition.clone())),
    );
    (handle, heard)
}

/// Opens on the first failure for about a second, and forgets after ten.
fn brittle() -> Breaker {
    Breaker::consecutive(1).within("10s").open_for("1s")
}

fn call(handle: &BreakerHandle, verdict: Verdict) {
    let ticket = handle.admit(None).expect("admitted");
    handle.record(ticket, verdict);
}

fn keys(handle: &BreakerHandle) -> String {
    let keys = handle.keys();
    keys.iter().map(|key| &**key).collect()
}

async fn advance(millis: u64) {
    tokio::time::advance(Duration::from_millis(millis)).await;
}

#[tokio::test(start_paused = true)]
async fn b7_each_key_has_its_own() {
    let (orders, heard) = breaker(&brittle());
    let (a, b) = (orders.of_key("a"), orders.of_key("b"));
    assert!(Arc::ptr_eq(&a, &orders.of_key("a")) && a.id() != b.id());
    call(&a, Verdict::Failure);
    assert!(a.admit(None).is_err() && b.admit(None).is_ok() && orders.admit(None).is_ok());
    let heard = heard.lock();
    let [opened] = heard.as_slice() else {
        panic!("{heard:?}");
    };
    assert_eq!(opened.key.as_deref(), Some("a"));
    assert_eq!(&*opened.dependency, "orders");
}

#[tokio::test(start_paused = true)]
async fn b7_one_more_takes_the_place_of_the_one_with_the_least_to_lose() {
    let (orders, _) = breaker(&brittle().keys(4));
    orders.of_key("f").force_open(None, None);
    call(&orders.of_key("o"), Verdict::Failure);
    let held = orders.of_key("h");
    orders.of_key("c");
    for (more, left) in [("1", "1fho"), ("2", "2fho")] {
        orders.of_key(more);
        assert_eq!(keys(&orders), left);
    }
    let two = orders.of_key("2");
    orders.of_key("3");
    assert_eq!(
        keys(&orders),
        "23fo",
        "`h` is held as `2` is, and was used before"
    );
    let three = orders.of_key("3");
    let (four, five) = (orders.of_key("4"), orders.of_key("5"));
    assert_eq!(keys(&orders), "45fo");
    for open in [&four, &five] {
        call(open, Verdict::Failure);
    }
    orders.of_key("6");
    assert_eq!(
        keys(&orders),
        "456f",
        "one that refuses calls goes if there is no other"
    );
    drop((held, two, three));
}

#[tokio::test(start_paused = true)]
async fn b7_who_has_one_keeps_it_when_it_is_evicted() {
    let (orders, _) = breaker(&brittle().keys(1));
    let old = orders.of_key("a");
    let ticket = old.admit(None).expect("closed");
    let b = orders.of_key("b");
    let new = orders.of_key("a");
    old.record(ticket, Verdict::Failure);
    assert_eq!(old.state(), BreakerState::Open);
    assert_eq!(new.state(), BreakerState::Closed, "it has heard nothing");
    assert_eq!(b.state(), BreakerState::Closed);
}

#[tokio::test(start_paused = true)]
async fn b7_what_is_like_new_goes_when_it_rests() {
    type Act = fn(&BreakerHandle);
    let two = || Breaker::consecutive(2).within("10s").open_for("1s");
    let rows: [(&str, Breaker, Act, u64, bool); 9] = [
        ("unused", two(), |_| {}, 10_000, true),
        ("not long ago", two(), |_| {}, 9_999, false),
        (
            "success",
            two(),
            |it| call(it, Verdict::Success),
            10_000,
            true,
        ),
        (
            "one failure",
            two(),
            |it| call(it, Verdict::Failure),
            10_000,
            true,
        ),
        (
            "a longer window",
            two().or_failure_rate(0.9).window("1min"),
            |it| call(it, Verdict::Failure),
            59_000,
            false,
        ),
        (
            "a window of attempts",
            Breaker::failure_rate(0.9).min_attempts(9).count_window(9),
            |it| call(it, Verdict::Success),
            3_600_000,
            false,
        ),
        (
            "open",
            brittle(),
            |it| call(it, Verdict::Failure),
            3_600_000,
            false,
        ),
        (
            "forced",
            two(),
            |it| it.force_closed(None, None),
            3_600_000,
            false,
        ),
        (
            "observing",
            two().observing(),
            |it| call(it, Verdict::Success),
            10_000,
            true,
        ),
    ];
    for (what, config, act, rest, goes) in rows {
        let (orders, _) = breaker(&config);
        act(&orders.of_key("a"));
        // The first look comes too early.
        assert_eq!(keys(&orders), "a", "{what}");
        advance(rest).await;
        // Two, because a look may just have been.
        let _ = keys(&orders);
        assert_eq!(keys(&orders).is_empty(), goes, "{what}");
    }
}

#[tokio::test(start_paused = true)]
async fn b7_what_is_held_does_not_go() {
    let (orders, _) = breaker(&brittle());
    let held = orders.of_key("a");
    advance(60_000).await;
    assert_eq!(keys(&orders), "a");
    drop(held);
    advance(60_000).await;
    assert_eq!(keys(&orders), "");
}

#[tokio::test(start_paused = true)]
async fn b7_orders_reach_all_and_those_to_come() {
    let (orders, heard) = breaker(&brittle());
    let a = orders.of_key("a");
    a.force_closed(None, None);
    orders.force_open(Some(Duration::from_secs(60)), Reason::new("moved"));
    advance(20_000).await;
    let b = orders.of_key("b");
    for one in [&a, &b] {
        assert_eq!(one.state(), BreakerState::ForcedOpen);
        assert_eq!(one.reason(), Reason::new("moved"));
        let left = one.snapshot(now()).forced_for;
        assert_eq!(left, Some(Duration::from_secs(40)));
    }
    b.lift(None);
    assert_eq!(b.state(), BreakerState::HalfOpen, "one by itself");
    assert_eq!(a.state(), BreakerState::ForcedOpen);
    orders.lift(Reason::new("there").as_ref());
    assert_eq!(a.state(), BreakerState::HalfOpen);
    a.force_open(None, None);
    orders.reset(None);
    for one in [&a, &b, &orders.of_key("c")] {
        assert_eq!(one.state(), BreakerState::Closed);
    }
    let heard = heard.lock();
    let of_b: Vec<Rule> = heard
        .iter()
        .filter(|transition| transition.key.as_deref() == Some("b"))
        .map(|transition| transition.rule)
        .collect();
    assert_eq!(
        of_b,
        [Rule::Lifted, Rule::Reset],
        "it began as it was to be"
    );
}

#[tokio::test(start_paused = true)]
async fn b7_settings_reach_all() {
    let (orders, _) = breaker(&brittle());
    let instances: Vec<_> = ["a", "b", "c"].map(|key| orders.of_key(key)).into();
    let other = Breaker::consecutive(2).count_throttled(true).keys(2);
    orders.reconfigure(other.settings().expect("valid settings"));
    assert_eq!(keys(&orders), "bc");
    let new = orders.of_key("d");
    for one in instances[2..].iter().chain([&new, &orders]) {
        assert!(one.count_throttled());
        call(one, Verdict::Failure);
        assert_eq!(one.state(), BreakerState::Closed);
        call(one, Verdict::Failure);
        assert_eq!(one.state(), BreakerState::Open);
    }
}

#[tokio::test(start_paused = true)]
async fn b7_the_snapshot_is_the_sum() {
    let rate = || Breaker::failure_rate(1.0).min_attempts(100);
    let (orders, _) = breaker(&rate().keys(2));
    call(&orders, Verdict::Failure);
    for key in ["a", "b"] {
        let one = orders.of_key(key);
        call(&one, Verdict::Failure);
        call(&one, Verdict::Success);
        call(&one, Verdict::Panicked);
    }
    orders.of_key("b").force_open(None, None);
    let sum = orders.snapshot(now());
    assert_eq!((sum.keys, sum.keys_refusing), (2, 1));
    assert_eq!((sum.failures, sum.attempts, sum.panics), (2, 3, 2));
    assert_eq!(sum.state, BreakerState::Closed);
    orders.of_key("c");
    let sum = orders.snapshot(now());
    assert_eq!(sum.panics, 2, "what is counted for good outlives its key");
    let one = orders.of_key("b").snapshot(now());
    assert_eq!((one.keys, one.state), (0, BreakerState::ForcedOpen));
}

/// The listener may use the same breakers: nothing is told under their lock.
#[tokio::test(start_paused = true)]
async fn b7_a_listener_may_look_at_other_keys() {
    use std::sync::OnceLock;
    static ORDERS: OnceLock<Arc<BreakerHandle>> = OnceLock::new();
    let config = brittle().keys(2).on_transition(|_| {
        let orders = ORDERS.get().expect("it is there");
        orders.of_key("x");
        orders.keys();
        orders.snapshot(now());
    });
    let (orders, heard) = breaker(&config);
    ORDERS.set(orders.clone()).expect("once");
    call(&orders.of_key("a"), Verdict::Failure);
    orders.force_closed(Some(Duration::from_secs(1)), None);
    advance(60_000).await;
    orders.of_key("y");
    orders.snapshot(now());
    assert!(heard.lock().iter().any(|told| told.rule == Rule::Expired));
}
