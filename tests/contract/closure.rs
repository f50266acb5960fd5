//! The policies around a closure.

use std::cell::Cell;

use resilient::retry::{Jitter, Retry};
use resilient::{Dependency, context};

use crate::script::Step::{F, S};
use crate::script::{Failure, Script, registered};

#[tokio::test(start_paused = true)]
async fn a_closure_is_not_called_before_its_attempt_is_admitted() {
    let (registry, policy) = registered(Dependency::named("dep"), "dep");
    registry.breaker("dep").unwrap().force_open();
    let called = Cell::new(false);
    let outcome = policy
        .call(|| {
            called.set(true);
            async { Ok::<u32, Failure>(1) }
        })
        .await;
    assert!(outcome.is_err() && !called.get());
}

#[tokio::test(start_paused = true)]
async fn a_closure_is_called_after_the_backoff_and_inside_the_attempt() {
    let retry = Retry::max(3).base("100ms").jitter(Jitter::None);
    let (_registry, policy) = registered(Dependency::named("dep").retry(retry), "dep");
    let script = Script::new(&[F, F, S]);
    let mut called = Vec::new();
    let outcome = policy
        .call(|| {
            called.push((script.elapsed(), context().attempt()));
            script.attempt()
        })
        .await;
    assert_eq!(outcome, Ok(200));
    assert_eq!(called, [(0, 1), (100, 2), (300, 3)]);
}
