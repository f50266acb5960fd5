//! G1 on whole calls; the arithmetic is tested beside the budgets.

use resilient::breaker::Breaker;
use resilient::budget::Budget;
use resilient::bulkhead::Bulkhead;
use resilient::retry::Retry;
use resilient::{Dependency, Policy};

use crate::script::Step::{F, S};
use crate::script::{Script, registered};

fn unguarded(budget: Budget) -> Dependency {
    Dependency::named("dep")
        .budget(budget)
        .retry(Retry::max(2).base("0s"))
        .breaker(Breaker::disabled())
        .bulkhead(Bulkhead::unlimited())
}

/// How many attempts `calls` failing calls make.
async fn attempts(policy: &Policy, calls: usize) -> usize {
    let script = Script::new(&vec![F; calls * 2]);
    for _ in 0..calls {
        let _ = policy.call(|| script.attempt()).await;
    }
    script.starts().len()
}

#[tokio::test(start_paused = true)]
async fn g1_a_ratio_bounds_the_retries_and_the_floor_stays() {
    let (_registry, policy) =
        registered(unguarded(Budget::ratio(0.2).window("10s").floor(3)), "dep");
    assert_eq!(
        attempts(&policy, 100).await,
        103,
        "nothing answered: the floor alone"
    );
    let answers = Script::new(&[S; 100]);
    for _ in 0..100 {
        policy.call(|| answers.attempt()).await.unwrap();
    }
    assert_eq!(
        attempts(&policy, 100).await,
        120,
        "a fifth of 100 answers, and the floor is spent"
    );
}

#[tokio::test(start_paused = true)]
async fn g1_tokens_start_full_and_a_first_attempt_takes_none() {
    let (_registry, policy) = registered(unguarded(Budget::tokens(10)), "dep");
    assert_eq!(attempts(&policy, 100).await, 110);
    assert_eq!(
        attempts(&policy, 1).await,
        1,
        "first attempts go on when the budget is empty"
    );
}

#[tokio::test(start_paused = true)]
async fn g1_an_empty_token_budget_does_not_stay_dead() {
    let (_registry, policy) = registered(unguarded(Budget::tokens(10).refill_every("1s")), "dep");
    attempts(&policy, 100).await;
    tokio::time::advance(std::time::Duration::from_secs(2)).await;
    assert_eq!(
        attempts(&policy, 100).await,
        102,
        "two tokens came back with time"
    );
}
