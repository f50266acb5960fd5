//! What Redis counts and what a process counts for itself are the same: one driver of scripts for both.

use std::time::Duration;

use resilient_core::rate_limit::{Decision, Limit, RateLimiter};
use resilient_test_servers::Redis;

use crate::stage::{ENDLESS, all_kinds, api, limiter, named, patient};

/// What a slow machine may take for a whole script.
const SLACK: Duration = Duration::from_secs(600);

/// What is asked for, one after the other.
#[derive(Clone, Copy, Debug)]
enum Step {
    Take(u32),
    Look(u32),
    /// Gives back what this step, counted from 0, took.
    Refund(usize),
}

use Step::{Look, Refund, Take};

const SCRIPTS: &[&[Step]] = &[
    &[Take(1), Take(1), Take(8), Take(1), Take(1)],
    // What does not fit takes nothing.
    &[Take(7), Take(4), Take(3), Take(1), Look(0)],
    &[Look(10), Look(1), Take(10), Look(1), Look(0)],
    // A cost of nothing is a look.
    &[Take(0), Take(9), Take(0), Take(1), Take(0)],
    // Given back, and only by what was taken.
    &[
        Take(4),
        Take(6),
        Refund(0),
        Look(4),
        Take(5),
        Take(4),
        Take(1),
    ],
    &[
        Take(10),
        Take(1),
        Refund(1),
        Look(1),
        Refund(0),
        Look(10),
        Take(10),
    ],
    &[
        Take(3),
        Take(3),
        Refund(1),
        Take(7),
        Take(1),
        Refund(3),
        Take(7),
    ],
];

/// The kinds, alone and together, and with bursts that differ from the quota.
fn plans() -> Vec<Vec<Limit>> {
    let mut plans: Vec<Vec<Limit>> = all_kinds(ENDLESS).map(|limit| vec![limit]).into();
    plans.push(all_kinds(ENDLESS).into());
    plans.push(vec![
        Limit::gcra("small", 100, ENDLESS).burst(10),
        Limit::token_bucket("large", 10, ENDLESS).burst(30),
        Limit::fixed("odd", 13, ENDLESS),
    ]);
    plans
}

/// All decisions of a script.
async fn play(limiter: &RateLimiter, key: &str, script: &[Step]) -> Vec<Option<Decision>> {
    let mut decisions: Vec<Option<Decision>> = Vec::new();
    for step in script {
        let decision = match *step {
            Take(cost) => Some(limiter.check(key, cost).await.unwrap()),
            Look(cost) => Some(limiter.peek(key, cost).await.unwrap()),
            Refund(of) => {
                let taken = decisions[of].clone().expect("a decision");
                limiter.refund(key, taken).await.unwrap();
                None
            }
        };
        decisions.push(decision);
    }
    decisions
}

fn assert_same(there: &Decision, here: &Decision, told: &str) {
    assert_eq!(there.is_allowed(), here.is_allowed(), "{told}");
    assert_eq!(there.limits().count(), here.limits().count(), "{told}");
    for (there, here) in there.limits().zip(here.limits()) {
        let told = format!("{told}: {there:?}, not {here:?}");
        assert_eq!(there.name, here.name, "{told}");
        assert_eq!(there.quota, here.quota, "{told}");
        assert_eq!(there.remaining, here.remaining, "{told}");
        assert_eq!(there.is_violated(), here.is_violated(), "{told}");
        let are_near = |a: Duration, b: Duration| a.abs_diff(b) < SLACK;
        assert!(are_near(there.retry_after, here.retry_after), "{told}");
        assert!(are_near(there.reset_after, here.reset_after), "{told}");
    }
}

#[tokio::test]
async fn r03_redis_decides_as_memory_does() {
    let Some(server) = Redis::start().unwrap() else {
        return;
    };
    for (plan, limits) in plans().into_iter().enumerate() {
        let memory = RateLimiter::in_memory(named(limits.clone())).unwrap();
        let redis = api(&server, limits).limiter;
        for (index, script) in SCRIPTS.iter().enumerate() {
            let key = format!("{plan}-{index}");
            let there = play(&redis, &key, script).await;
            let here = play(&memory, &key, script).await;
            for (step, both) in there.iter().zip(&here).enumerate() {
                if let (Some(there), Some(here)) = both {
                    let told = format!("plan {plan}, script {index}, step {step}");
                    assert_same(there, here, &told);
                }
            }
        }
    }
}

/// Alone with a key, a process that takes batches lets through what one does that asks each time, and
/// refuses the same: what it holds is as good as what is left in Redis.
#[tokio::test]
async fn r03_batches_decide_as_memory_does() {
    let Some(server) = Redis::start().unwrap() else {
        return;
    };
    for (plan, limits) in plans().into_iter().enumerate() {
        let memory = RateLimiter::in_memory(named(limits.clone())).unwrap();
        let redis = limiter(&patient(&server).reserve(4), named(limits)).limiter;
        for (index, script) in SCRIPTS.iter().enumerate() {
            let key = format!("{plan}-{index}");
            let there = play(&redis, &key, script).await;
            let here = play(&memory, &key, script).await;
            let allowed = |decisions: &[Option<Decision>]| {
                let decisions = decisions.iter().flatten();
                decisions.map(Decision::is_allowed).collect::<Vec<_>>()
            };
            let told = format!("plan {plan}, script {index}");
            assert_eq!(allowed(&there), allowed(&here), "{told}");
        }
    }
}
