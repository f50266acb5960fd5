//! S1: what a throttle sheds, and what it leaves alone.

use std::cell::Cell;
use std::pin::pin;
use std::task::Poll;
use std::time::Duration;

use resilient::breaker::Breaker;
use resilient::budget::Budget;
use resilient::bulkhead::Bulkhead;
use resilient::retry::{Jitter, Retry};
use resilient::throttle::Throttle;
use resilient::{Dependency, Policy, Registry, Rejection, resilient, scope};
use tokio::time::{Instant, advance, sleep};

use super::{Answer, Failure, at_once, bare, limit, ms, poll_once, registered};

/// Accepts so many requests in each second, and turns the others away.
struct Quota {
    per_second: Cell<u32>,
    second: Cell<u64>,
    accepted: Cell<u32>,
    begun: Instant,
}

impl Quota {
    fn of(per_second: u32) -> Self {
        Quota {
            per_second: Cell::new(per_second),
            second: Cell::new(0),
            accepted: Cell::new(0),
            begun: Instant::now(),
        }
    }

    fn ask(&self) -> Answer {
        let second = self.begun.elapsed().as_secs();
        if self.second.replace(second) != second {
            self.accepted.set(0);
        }
        if self.accepted.get() == self.per_second.get() {
            return Err(Failure::TooMuch);
        }
        self.accepted.set(self.accepted.get() + 1);
        Ok(())
    }
}

/// A hundred calls a second for so many seconds: how many succeeded, failed, and were shed.
async fn hundred_a_second(policy: &Policy, quota: &Quota, seconds: u32) -> [u32; 3] {
    let mut ended = [0; 3];
    for _ in 0..seconds * 100 {
        let outcome = policy.call(|| async { quota.ask() }).await;
        ended[match outcome {
            Ok(()) => 0,
            Err(Failure::TooMuch) => 1,
            Err(Failure::Rejected(Rejection::Shed { .. })) => 2,
            Err(other) => panic!("{other:?}"),
        }] += 1;
        advance(ms(10)).await;
    }
    ended
}

#[tokio::test(start_paused = true)]
async fn s1_sends_as_many_times_what_is_accepted_as_it_is_told_to() {
    // What is accepted a second, what may be sent for each of that, and what is shed of 100 then.
    let rows = [
        (10, 2.0, 80),
        (10, 1.2, 88),
        (25, 2.0, 50),
        (60, 2.0, 0),
        (0, 2.0, 90),
    ];
    for (accepted, multiplier, shed) in rows {
        let throttle = Throttle::accepts(multiplier).window("10s");
        let (_registry, policy) = registered(bare().throttle(throttle));
        let quota = Quota::of(accepted);
        hundred_a_second(&policy, &quota, 20).await;
        let [ok, _, got] = hundred_a_second(&policy, &quota, 50).await;
        assert!(
            got.abs_diff(shed * 50) <= 100,
            "{accepted} * {multiplier}: {got} of 5000 were shed"
        );
        assert!(
            ok * 10 >= accepted * 50 * 9,
            "{accepted} * {multiplier}: {ok}"
        );
    }
}

// case AD-01, AD-02, AD-04, AD-05
#[tokio::test(start_paused = true)]
async fn s1_the_share_of_whole_calls_is_that_of_the_rows() {
    let of_successes = |share: f64| Throttle::accepts(1.0 / share).max_rejection(0.8);
    let twice = || Throttle::accepts(2.0).max_rejection(1.0);
    let rows = [
        // attempts, those that are accepted, and how many of a hundred are shed, rounded up
        ("AD-01", of_successes(0.9), 100, 95, None),
        ("AD-01", of_successes(0.9), 120, 90, Some(17)),
        ("AD-01", of_successes(0.9), 200, 50, Some(72)),
        ("AD-01", of_successes(0.9), 1000, 10, Some(80)),
        ("AD-01", of_successes(0.9), 0, 0, None),
        ("AD-01", of_successes(0.9), 100, 0, Some(80)),
        ("AD-02", Throttle::accepts(2.0), 1, 0, Some(50)),
        (
            "AD-02",
            Throttle::accepts(2.0).max_rejection(0.5),
            20,
            0,
            Some(50),
        ),
        ("AD-04", twice(), 100, 40, Some(20)),
        ("AD-04", twice(), 100, 50, None),
        ("AD-04", twice(), 100, 0, Some(100)),
        ("AD-05", of_successes(0.95), 100, 80, Some(16)),
    ];
    for (id, throttle, attempts, accepted, expected) in rows {
        let (_registry, policy) = registered(bare().throttle(throttle));
        for number in 0..attempts {
            // What is shed is an attempt like one that fails.
            let _ = policy
                .call(|| async {
                    if number < accepted {
                        Ok(())
                    } else {
                        Err(Failure::TooMuch)
                    }
                })
                .await;
        }
        let mut shed = None;
        for _ in 0..200 {
            // Counts nowhere.
            let outcome = policy.call(|| async { Err::<(), _>(Failure::Ours) }).await;
            shed = shed.or(percent(&outcome));
        }
        assert_eq!(shed, expected, "{id}: {accepted} of {attempts}");
    }
}

#[tokio::test(start_paused = true)]
async fn s1_a_recovered_dependency_is_asked_for_everything_again() {
    let throttle = Throttle::accepts(2.0).window("10s");
    let (_registry, policy) = registered(bare().throttle(throttle));
    let quota = Quota::of(0);
    let [ok, failed, shed] = hundred_a_second(&policy, &quota, 30).await;
    assert!(ok == 0 && failed < 500 && shed > 2_500, "{failed}, {shed}");
    quota.per_second.set(1_000);
    // What is sent doubles with what is accepted.
    hundred_a_second(&policy, &quota, 20).await;
    assert_eq!(hundred_a_second(&policy, &quota, 10).await, [1_000, 0, 0]);
}

#[tokio::test(start_paused = true)]
async fn s1_one_seed_is_one_history() {
    let mut histories = Vec::new();
    for _ in 0..2 {
        let throttle = Throttle::accepts(2.0).window("10s");
        let (_registry, policy) = registered(bare().throttle(throttle));
        let quota = Quota::of(10);
        histories.push(hundred_a_second(&policy, &quota, 20).await);
    }
    assert_eq!(histories[0], histories[1]);
    assert!(histories[0][2] > 0);
}

/// A dependency that sheds nearly everything, and how many attempts have reached it.
async fn shedding(dependency: Dependency) -> (Registry, Policy) {
    let throttle = Throttle::accepts(2.0).max_rejection(1.0);
    let (registry, policy) = registered(dependency.throttle(throttle));
    for _ in 0..20_000 {
        let _ = policy
            .call(|| async { Err::<(), _>(Failure::Broken) })
            .await;
    }
    (registry, policy)
}

fn percent(outcome: &Answer) -> Option<u8> {
    match outcome {
        Err(Failure::Rejected(Rejection::Shed { percent, .. })) => Some(*percent),
        _ => None,
    }
}

#[tokio::test(start_paused = true)]
async fn s1_r6_what_is_shed_is_not_sent_not_retried_no_failure_and_holds_nothing() {
    let dependency = bare()
        .retry(Retry::max(3).base("10ms").jitter(Jitter::None))
        .bulkhead(Bulkhead::max_concurrent(1))
        .breaker(Breaker::failure_rate(1.0).min_attempts(1_000_000));
    let (registry, policy) = shedding(dependency.clone()).await;
    let breaker = registry.breaker("dep").unwrap();
    let before = breaker.snapshot();
    let begun = Instant::now();
    let sent = Cell::new(0);
    for _ in 0..50 {
        let outcome = policy
            .call(|| {
                sent.set(sent.get() + 1);
                async { Ok(()) }
            })
            .await;
        assert_eq!(percent(&outcome), Some(100), "{outcome:?}");
    }
    assert_eq!((sent.get(), begun.elapsed()), (0, Duration::ZERO));
    let after = breaker.snapshot();
    assert_eq!(
        (after.attempts, after.failures),
        (before.attempts, before.failures)
    );
    registry.update(dependency).unwrap();
    assert_eq!(limit(&policy), 1, "and now nothing is shed");
}

#[tokio::test(start_paused = true)]
async fn s1_r1_a_retry_that_is_shed_leaves_the_last_outcome_and_its_token() {
    // With each failure another attempt is more likely to be shed.
    let dependency = bare()
        .retry(Retry::max(50).base("1ms").jitter(Jitter::None))
        .budget(Budget::tokens(1_000).refill_every("1h"))
        .throttle(Throttle::accepts(2.0).max_rejection(1.0));
    let (registry, policy) = registered(dependency.clone());
    let sent = Cell::new(0_usize);
    let call = || {
        policy.call(|| {
            sent.set(sent.get() + 1);
            async { Err::<(), _>(Failure::Lost) }
        })
    };
    let (mut shed, mut calls) = (0, 0);
    while shed < 10 {
        match call().await {
            Err(Failure::Lost) => calls += 1,
            outcome => {
                assert!(percent(&outcome).is_some(), "{outcome:?}");
                shed += 1;
            }
        }
    }
    assert!(calls > 0 && sent.get() < calls * 50, "some retry was shed");
    let retries = sent.get() - calls;
    let without = dependency.retry(Retry::max(2_000).base("0s").cap("1s").jitter(Jitter::None));
    registry
        .update(without.throttle(Throttle::accepts(1.0).max_rejection(1e-9)))
        .unwrap();
    let before = sent.get();
    assert_eq!(call().await, Err(Failure::Lost));
    assert_eq!(sent.get() - before - 1, 1_000 - retries, "all other tokens");
}

#[tokio::test(start_paused = true)]
async fn s1_b3_a_probe_is_never_shed() {
    let breaker = Breaker::consecutive(1).open_for("1s").close_after(2);
    let (_registry, policy) = shedding(bare().breaker(breaker)).await;
    for round in 0..20 {
        advance(ms(1_300)).await;
        let probe = policy
            .call(|| async { Err::<(), _>(Failure::Broken) })
            .await;
        assert_eq!(probe, Err(Failure::Broken), "round {round}");
    }
}

#[resilient(dependency = "dep")]
async fn whole() -> Answer {
    Ok(())
}

#[resilient(breaker = "dep", bulkhead = "dep")]
async fn parts() -> Answer {
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn s1_a_throttle_is_used_with_the_whole_dependency_and_not_with_parts_of_it() {
    let (registry, _policy) = shedding(bare()).await;
    scope(&registry, async {
        for _ in 0..100 {
            assert_eq!(percent(&whole().await), Some(100));
            assert_eq!(parts().await, Ok(()));
        }
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn s1_attempts_under_way_are_no_overload_and_lost_interest_is_none() {
    let throttle = Throttle::accepts(1.0).max_rejection(1.0);
    let (_registry, policy) = registered(bare().throttle(throttle).timeout("100ms"));
    // A burst, all of it still running.
    let burst = async { at_once(&policy, 500, 90, || Ok(())).await };
    assert!(tokio::time::timeout(ms(40), burst).await.is_err());
    at_once(&policy, 500, 90, || Ok(())).await;
    assert!((0..100).all(|_| !sheds(&policy)));
    // Given up after more than half its time: that is a failure.
    let hang = policy.call(std::future::pending::<Answer>);
    assert!(tokio::time::timeout(ms(60), hang).await.is_err());
    let _ = policy.call(std::future::pending::<Answer>).await;
    let shed = (0..2_000).filter(|_| sheds(&policy)).count();
    assert!(shed > 0, "two more were asked than accepted");
}

/// Whether a call that would succeed is shed.
fn sheds(policy: &Policy) -> bool {
    let call = pin!(policy.call(|| async { Ok::<_, Failure>(()) }));
    match poll_once(call) {
        Poll::Ready(outcome) => percent(&outcome).is_some(),
        Poll::Pending => unreachable!("the body is ready at once"),
    }
}

#[tokio::test(start_paused = true)]
async fn s1_stands_between_breaker_and_bulkhead() {
    let dependency = bare().bulkhead(Bulkhead::max_concurrent(1));
    let (registry, policy) = shedding(dependency.breaker(Breaker::default())).await;
    let breaker = registry.breaker("dep").unwrap();
    let mut holder = pin!(scope(&registry, fenced_in_for_long()));
    breaker.force_closed();
    assert!(poll_once(holder.as_mut()).is_pending());
    let call = || policy.call(|| async { Ok::<_, Failure>(()) });
    assert_eq!(percent(&call().await), Some(100), "before the bulkhead");
    breaker.force_open();
    let outcome = call().await;
    assert!(
        matches!(
            outcome,
            Err(Failure::Rejected(Rejection::BreakerOpen { .. }))
        ),
        "behind the breaker: {outcome:?}"
    );
}

#[resilient(bulkhead = "dep")]
async fn fenced_in_for_long() -> Answer {
    std::future::pending().await
}

#[tokio::test(start_paused = true)]
async fn s1_an_attempt_that_waits_lets_the_window_move_on() {
    let throttle = Throttle::accepts(2.0).window("10s");
    let (_registry, policy) = registered(bare().throttle(throttle));
    let call = |latency: u64, outcome: fn() -> Answer| {
        policy.call(move || async move {
            if latency > 0 {
                sleep(ms(latency)).await;
            }
            outcome()
        })
    };
    let shed = || async {
        let mut shed = 0;
        for _ in 0..100 {
            let outcome = call(0, || Err(Failure::Ours)).await;
            shed += u32::from(percent(&outcome).is_some());
        }
        shed
    };
    call(1, || Ok(())).await.unwrap();
    advance(ms(1_000)).await;
    assert_eq!(call(1, || Err(Failure::Ours)).await, Err(Failure::Ours));
    advance(ms(5_000)).await;
    assert_eq!(call(1, || Err(Failure::Lost)).await, Err(Failure::Lost));
    assert_eq!(shed().await, 0, "one of two was accepted");
    advance(ms(7_000)).await;
    assert_eq!(shed().await, 0, "nobody has looked since");
    assert_eq!(call(1, || Err(Failure::Ours)).await, Err(Failure::Ours));
    assert!(shed().await > 0, "only the failure is remembered");
}
