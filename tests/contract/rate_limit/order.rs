//! Where the limiter stands among the other policies, and what it is not asked twice.

use std::cell::Cell;
use std::pin::pin;
use std::time::Duration;

use resilient::breaker::BreakerState::{Closed, Open};
use resilient::breaker::{Breaker, BreakerState};
use resilient::bulkhead::Bulkhead;
use resilient::hedge::Hedge;
use resilient::retry::Retry;
use resilient::{Dependency, Registry, Rejection, resilient, scope, testing};
use tokio::time::advance;

use super::{End, limited, one_by_one, single, three};
use crate::script::Step::{F, Hang, S, SlowS};
use crate::script::{Answer, Failure, Script, poll_once};

#[resilient(
    dependency = "dep",
    rate_limit(limiter = "api", max_wait = "1s"),
    idempotent
)]
async fn whole(script: &Script) -> Answer {
    script.attempt().await
}

#[resilient(dependency = "dep", rate_limit = "api", idempotent)]
async fn at_once(script: &Script) -> Answer {
    script.attempt().await
}

#[resilient(
    dependency = "dep",
    rate_limit = "api",
    hedge(after = "10ms"),
    idempotent
)]
async fn hedged(script: &Script) -> Answer {
    script.attempt().await
}

fn dep() -> Dependency {
    Dependency::named("dep").retry(Retry::never()).breaker(
        Breaker::consecutive(1)
            .within("10s")
            .open_for("1h")
            .probes(1)
            .close_after(1),
    )
}

fn state(registry: &Registry) -> BreakerState {
    registry.breaker("dep").unwrap().state()
}

#[tokio::test(start_paused = true)]
async fn k2_r6_b3_what_the_limiter_refuses_is_no_failure_and_gives_the_probe_back() {
    let (registry, limiter) = limited(one_by_one);
    registry.register(dep()).unwrap();
    let script = Script::new(&[S, F, S]);
    let call = || scope(&registry, at_once(&script));
    assert_eq!(call().await, Ok(200));
    assert_eq!(End::of(&call().await), End::Limited(100));
    assert_eq!(state(&registry), Closed);
    advance(Duration::from_millis(100)).await;
    assert_eq!(call().await, Err(Failure::Transient));
    assert_eq!(state(&registry), Open);

    // The breaker stands before the limiter: what it refuses takes nothing.
    advance(Duration::from_secs(1)).await;
    let refused = call().await;
    assert!(matches!(
        refused,
        Err(Failure::Rejected(Rejection::BreakerOpen { .. }))
    ));
    assert_eq!(limiter.snapshot().counters.allowed, 2);

    advance(Duration::from_secs(7200)).await;
    limiter.acquire("", 1).await.unwrap();
    assert_eq!(End::of(&call().await), End::Limited(100), "a probe");
    advance(Duration::from_millis(100)).await;
    assert_eq!(call().await, Ok(200), "its slot is free again");
    assert_eq!(state(&registry), Closed);
}

#[tokio::test(start_paused = true)]
async fn k2_the_breaker_is_asked_again_after_the_wait() {
    let (registry, _) = limited(one_by_one);
    registry.register(dep()).unwrap();
    let script = Script::new(&[]);
    assert_eq!(scope(&registry, whole(&script)).await, Ok(200));
    let mut waiting = pin!(scope(&registry, whole(&script)));
    assert!(poll_once(waiting.as_mut()).is_pending());
    registry.breaker("dep").unwrap().force_open();
    let refused = waiting.await;
    assert!(
        matches!(
            refused,
            Err(Failure::Rejected(Rejection::BreakerOpen { .. }))
        ),
        "{refused:?}"
    );
    assert_eq!(script.starts(), [0]);
}

#[tokio::test(start_paused = true)]
async fn k2_the_permit_is_taken_after_the_wait() {
    let (registry, _) = limited(one_by_one);
    let fenced = dep().bulkhead(Bulkhead::max_concurrent(1).max_queue(1));
    registry.register(fenced).unwrap();
    let script = Script::new(&[S, SlowS(100)]);
    assert_eq!(scope(&registry, whole(&script)).await, Ok(200));
    let mut waiting = pin!(scope(&registry, whole(&script)));
    assert!(poll_once(waiting.as_mut()).is_pending());
    // Somebody else has the permit by the time of its turn, and it queues for it.
    let policy = registry.policy("dep").unwrap();
    let mut holder = pin!(policy.call(|| script.attempt()));
    assert!(poll_once(holder.as_mut()).is_pending());
    let holder = async {
        tokio::time::sleep(Duration::from_millis(110)).await;
        holder.await
    };
    let (waited, held) = tokio::join!(waiting, holder);
    assert_eq!((waited, held), (Ok(200), Ok(200)));
    assert_eq!(script.starts(), [0, 0, 110]);
}

#[tokio::test(start_paused = true)]
async fn k2_h1_the_copies_of_an_attempt_count_once() {
    let (registry, limiter) = limited(one_by_one);
    registry
        .register(dep().hedge(Hedge::after("10ms")))
        .unwrap();
    let script = Script::new(&[Hang, S]);
    assert_eq!(scope(&registry, hedged(&script)).await, Ok(200));
    assert_eq!(script.starts(), [0, 10]);
    assert_eq!(limiter.snapshot().counters.allowed, 1);
}

fn counted<'a>(looks: &Cell<u32>, value: &'a str) -> &'a str {
    looks.set(looks.get() + 1);
    value
}

#[resilient(
    rate_limit(limiter = "api", key = counted(looks, &user)),
    retry(max = 3, base = "0ms", jitter = "none"),
    clone(user),
    idempotent
)]
async fn looked_at(looks: &Cell<u32>, user: String, script: &Script) -> Answer {
    drop(user);
    script.attempt().await
}

#[tokio::test(start_paused = true)]
async fn k2_the_key_is_worked_out_once_and_moves_nothing() {
    let (registry, limiter) = limited(three);
    let (looks, script) = (Cell::new(0), Script::new(&[F, F, S]));
    let call = looked_at(&looks, "ann".to_owned(), &script);
    assert_eq!(scope(&registry, call).await, Ok(200));
    assert_eq!(looks.get(), 1);
    assert!(!limiter.peek("ann", 1).await.unwrap().is_allowed());
    assert!(limiter.peek("bob", 1).await.unwrap().is_allowed());
}

// The names of X2: a limiter is found once it is registered, and code runs bare without any.
#[tokio::test(start_paused = true)]
async fn k2_x2_a_limiter_that_is_not_registered_is_told_and_passthrough_asks_none() {
    let registry = Registry::new();
    let script = Script::new(&[]);
    let missing = scope(&registry, single(&script)).await;
    let Err(Failure::Rejected(Rejection::NotRegistered(missing))) = missing else {
        panic!("{missing:?}");
    };
    assert_eq!((missing.kind, &*missing.name), ("limiter", "api"));
    let bare = testing::passthrough();
    assert_eq!(scope(&bare, single(&script)).await, Ok(200));
    let sites = resilient::sites();
    let site = sites
        .iter()
        .find(|site| site.name.ends_with("rate_limit::single"));
    assert_eq!(site.unwrap().uses, [("limiter", "api")]);
}
