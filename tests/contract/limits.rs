//! T1 and T2: timeouts and deadlines.

use std::task::Poll;
use std::time::Duration;

use resilient::breaker::Breaker;
use resilient::budget::Budget;
use resilient::bulkhead::Bulkhead;
use resilient::retry::{Jitter, Retry};
use resilient::{Dependency, Rejection, context, propagate, resilient, scope, with_deadline};

use crate::script::Step::{F, Hang, S, SlowS};
use crate::script::{Answer, Failure, Script, registered};

#[resilient(timeout = "100ms")]
async fn limited(script: &Script) -> Result<u32, Failure> {
    script.attempt().await
}

#[resilient(deadline = "100ms")]
async fn inner(script: &Script) -> Result<u32, Failure> {
    script.attempt().await
}

#[tokio::test(start_paused = true)]
async fn t1_the_body_is_dropped_when_the_timer_fires() {
    let script = Script::new(&[Hang]);
    let outcome = limited(&script).await;
    let after = Duration::from_millis(100);
    assert_eq!(
        outcome,
        Err(Failure::Rejected(Rejection::TimedOut { after }))
    );
    assert_eq!((script.running(), script.elapsed()), (0, 100));
}

// case J05
#[tokio::test(start_paused = true)]
async fn t1_j05_a_body_that_is_ready_with_the_timer_wins() {
    let script = Script::new(&[SlowS(100)]);
    assert_eq!(limited(&script).await, Ok(200));
}

#[tokio::test(start_paused = true)]
async fn t1_the_clock_starts_at_the_first_pending() {
    let call = limited_late();
    tokio::pin!(call);
    tokio::time::advance(Duration::from_secs(3600)).await;
    assert_eq!(
        call.await,
        Ok(1),
        "a future that was not polled has not begun"
    );
}

#[resilient(timeout = "100ms")]
async fn limited_late() -> Result<u32, Failure> {
    tokio::time::sleep(Duration::from_millis(99)).await;
    Ok(1)
}

#[tokio::test(start_paused = true)]
async fn t1_reading_the_remaining_time_starts_the_clock() {
    #[resilient(timeout = "100ms")]
    async fn reads() -> Result<Duration, Failure> {
        let first = context().remaining().unwrap();
        tokio::time::sleep(Duration::from_millis(60)).await;
        let left = context().remaining().unwrap();
        assert_eq!(left, Duration::from_millis(40));
        Ok(first)
    }
    assert_eq!(reads().await, Ok(Duration::from_millis(100)));
}

// case J02
#[tokio::test(start_paused = true)]
async fn t1_j02_a_body_that_never_rests_is_cut() {
    #[resilient(timeout = "100ms")]
    async fn restless() -> Result<u32, Failure> {
        loop {
            tokio::task::consume_budget().await;
            tokio::time::advance(Duration::from_millis(1)).await;
        }
    }
    assert!(matches!(
        restless().await,
        Err(Failure::Rejected(Rejection::TimedOut { .. }))
    ));
}

// case D06
#[tokio::test(start_paused = true)]
async fn t1_d06_extreme_limits_never_fire_and_never_panic() {
    let (_registry, policy) = registered(
        Dependency::named("dep")
            .timeout(Duration::MAX)
            .deadline(Duration::MAX),
        "dep",
    );
    let script = Script::new(&[SlowS(10)]);
    assert_eq!(policy.call(|| script.attempt()).await, Ok(200));
}

#[tokio::test(start_paused = true)]
async fn t2_an_inner_call_never_outlives_the_outer() {
    #[resilient(deadline = "50ms")]
    async fn outer(script: &Script) -> Answer {
        let outcome = inner(script).await;
        assert_eq!(
            script.elapsed(),
            50,
            "cut by the outer call's time: {outcome:?}"
        );
        outcome
    }
    let script = Script::new(&[Hang]);
    let outcome = outer(&script).await;
    assert!(
        matches!(
            outcome,
            Err(Failure::Rejected(Rejection::DeadlineExceeded { .. }))
        ),
        "{outcome:?}"
    );
}

#[tokio::test(start_paused = true)]
async fn t2_a_deadline_set_by_hand_is_inherited_and_the_nearest_holds() {
    let script = Script::new(&[Hang, Hang]);
    let _ = with_deadline(Duration::from_millis(30), inner(&script)).await;
    assert_eq!(script.elapsed(), 30);
    let nested = with_deadline(Duration::from_secs(9), inner(&script));
    let _ = with_deadline(Duration::from_millis(40), nested).await;
    assert_eq!(script.elapsed(), 70);
}

// case G08
#[tokio::test(start_paused = true)]
async fn t2_without_time_left_nothing_runs() {
    let script = Script::new(&[S]);
    let outcome = with_deadline(Duration::ZERO, inner(&script)).await;
    assert!(matches!(
        outcome,
        Err(Failure::Rejected(Rejection::DeadlineExceeded { .. }))
    ));
    assert!(script.starts().is_empty());
}

#[tokio::test(start_paused = true)]
async fn t2_propagate_carries_the_time_into_a_task() {
    let script = Script::new(&[Hang, Hang]);
    let task = script.clone();
    let spawned = with_deadline(Duration::from_millis(30), async move {
        let _ = tokio::spawn(propagate(async move { inner(&task).await })).await;
    });
    spawned.await;
    assert_eq!(script.elapsed(), 30);
    let task = script.clone();
    let _ = tokio::spawn(async move { inner(&task).await }).await;
    assert_eq!(
        script.elapsed(),
        130,
        "without it, only the own deadline holds"
    );
}

// case G03
#[tokio::test(start_paused = true)]
async fn g03_the_deadline_starts_with_the_call_not_with_the_registration() {
    let (registry, policy) = registered(
        Dependency::named("dep")
            .retry(Retry::max(2).base("0s"))
            .timeout("1s")
            .deadline("10s"),
        "dep",
    );
    tokio::time::advance(Duration::from_secs(3600)).await;
    let script = Script::new(&[crate::script::Step::SlowF(900), S]);
    assert_eq!(
        scope(&registry, policy.call(|| script.attempt())).await,
        Ok(200)
    );
}

// case G02
#[tokio::test(start_paused = true)]
async fn g02_an_attempt_that_comes_too_late_is_not_made() {
    let (_registry, policy) = registered(
        Dependency::named("dep")
            .retry(Retry::max(2).base("100ms").jitter(Jitter::None))
            .timeout("1s")
            .deadline("1s"),
        "dep",
    );
    let script = Script::new(&[F, S]);
    let task = script.clone();
    let call = tokio::spawn(async move { policy.call(|| task.attempt()).await });
    tokio::task::yield_now().await;
    tokio::time::advance(Duration::from_secs(60)).await;
    assert_eq!(call.await.unwrap(), Err(Failure::Transient));
    assert_eq!(script.starts(), [0], "a minute late");
}

// case J03
#[tokio::test(start_paused = true)]
async fn t1_j03_immediate_retries_let_others_run() {
    let (_registry, policy) = registered(
        Dependency::named("dep")
            .retry(Retry::max(1_000).base("0s"))
            .budget(Budget::unlimited())
            .breaker(Breaker::disabled()),
        "dep",
    );
    let script = Script::new(&[F; 1_000]);
    let task = script.clone();
    let call = tokio::spawn(async move { policy.call(|| task.attempt()).await });
    let mut turns = 0;
    let other = std::future::poll_fn(move |cx| {
        if call.is_finished() {
            return Poll::Ready(turns);
        }
        turns += 1;
        cx.waker().wake_by_ref();
        Poll::Pending
    });
    let turns = tokio::spawn(other).await.unwrap();
    assert_eq!((script.starts().len(), script.elapsed()), (1_000, 0));
    assert!(turns >= 1_000 / 50, "{turns} turns for the others");
}

// case J07
#[tokio::test(start_paused = true)]
async fn t1_j07_a_call_spawns_nothing() {
    let (_registry, policy) = registered(
        Dependency::named("dep")
            .retry(Retry::never())
            .timeout("50ms"),
        "dep",
    );
    for _ in 0..10 {
        let script = Script::new(&[Hang]);
        let _ = policy.call(|| script.attempt()).await;
    }
    let runtime = tokio::runtime::Handle::current();
    assert_eq!(runtime.metrics().num_alive_tasks(), 0);
}

// case D06, D07
#[tokio::test(start_paused = true)]
async fn d06_d07_extreme_times_of_every_policy() {
    let times = [Duration::MAX, Duration::from_secs(u64::MAX / 10)];
    // A time beyond the clock's scale, and windows longer than the machine has run.
    for time in times
        .into_iter()
        .chain([Duration::from_secs(3_650 * 86_400)])
    {
        let (registry, policy) = registered(
            Dependency::named("dep")
                .retry(Retry::max(2).base(time).cap(time).retry_after_cap(time))
                .budget(Budget::ratio(0.5).window(time).floor(9))
                .bulkhead(Bulkhead::max_concurrent(1).max_queue(9).max_wait(time))
                .breaker(
                    Breaker::failure_rate(1.0)
                        .min_attempts(10)
                        .window(time)
                        .or_consecutive(10)
                        .within(time)
                        .open_for(time),
                )
                .timeout(time)
                .deadline(time),
            "dep",
        );
        let script = Script::new(&[SlowS(10); 9]);
        let (first, second) = tokio::join!(
            policy.call(|| script.attempt()),
            policy.call(|| script.attempt())
        );
        assert_eq!((first, second), (Ok(200), Ok(200)));
        assert_eq!((script.starts(), script.elapsed()), (vec![0, 10], 20));
        let snapshot = registry.breaker("dep").unwrap().snapshot();
        assert_eq!((snapshot.failures, snapshot.attempts), (0, 2));
    }
}
