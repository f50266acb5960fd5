//! X1: a call can be dropped wherever it stands, and nothing leaks.

use std::pin::pin;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use resilient::breaker::Breaker;
use resilient::budget::Budget;
use resilient::bulkhead::Bulkhead;
use resilient::retry::{Jitter, Retry};
use resilient::{Dependency, Policy, Registry, resilient, scope};

use crate::script::Step::{F, S, SlowF, SlowS};
use crate::script::{Answer, Script, Step};

const PERMITS: usize = 3;
const TOKENS: usize = 5;

fn full_stack() -> Dependency {
    Dependency::named("dep")
        .retry(Retry::max(3).base("10ms").jitter(Jitter::None))
        .budget(Budget::tokens(5).refill_every("1h"))
        .bulkhead(
            Bulkhead::max_concurrent(PERMITS)
                .max_queue(2)
                .max_wait("1s"),
        )
        .breaker(Breaker::consecutive(100).open_for("1s").probes(1))
        .timeout("1s")
        .deadline("10s")
}

#[resilient(dependency = "dep", idempotency_key)]
async fn guarded(script: &Script) -> Answer {
    tokio::task::yield_now().await;
    let answer = script.attempt().await;
    tokio::task::yield_now().await;
    answer
}

/// Every permit is free: as many calls run at once as there may be, and no more.
fn permits_are_back(policy: &Policy) {
    let script = Script::new(&[Step::Hang; PERMITS + 3]);
    let mut calls: Vec<_> = (0..PERMITS + 3)
        .map(|_| Box::pin(policy.call(|| script.attempt())))
        .collect();
    let mut cx = Context::from_waker(Waker::noop());
    for call in &mut calls {
        let _ = call.as_mut().poll(&mut cx);
    }
    assert_eq!(script.running(), PERMITS);
}

/// Every token is there: this many retries are granted, and no more.
async fn tokens_are_back(policy: &Policy, left: usize) {
    let script = Script::new(&[F; 100]);
    for _ in 0..10 {
        let _ = policy.call(|| script.attempt()).await;
    }
    assert_eq!(script.starts().len() - 10, left);
}

/// Polls `call` so many times, moving the clock in between. True if it ended before.
async fn poll_times<F: Future>(call: F, polls: u32) -> bool {
    let mut call = pin!(call);
    for _ in 0..polls {
        let poll = std::future::poll_fn(|cx| Poll::Ready(call.as_mut().poll(cx))).await;
        if poll.is_ready() {
            return true;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    false
}

// case M01
#[tokio::test(start_paused = true)]
async fn x1_a_drop_at_any_await_gives_everything_back() {
    let mut ended = false;
    let mut polls = 0;
    while !ended {
        let registry = Registry::seeded(1);
        registry.register(full_stack()).unwrap();
        let policy = registry.policy("dep").unwrap().idempotent();
        let script = Script::new(&[SlowF(7), F, SlowS(7)]);
        ended = poll_times(scope(&registry, guarded(&script)), polls).await;
        assert_eq!(script.running(), 0, "after {polls} polls");
        let sent = script.starts().len().saturating_sub(1);
        // An attempt that was admitted but has not reached the script counts as sent.
        scope(&registry, async {
            permits_are_back(&policy);
            let gone = TOKENS - remaining_tokens(&policy).await;
            assert!(
                (sent..=sent + 1).contains(&gone),
                "{gone} tokens for {sent} retries after {polls} polls"
            );
        })
        .await;
        polls += 1;
        assert!(polls < 100, "the call ends");
    }
    assert!(polls > 10, "the call has more await points than {polls}");
}

async fn remaining_tokens(policy: &Policy) -> usize {
    let script = Script::new(&[F; 100]);
    for _ in 0..10 {
        let _ = policy.call(|| script.attempt()).await;
    }
    script.starts().len() - 10
}

// case I05
#[tokio::test(start_paused = true)]
async fn x1_i05_a_drop_in_the_backoff_returns_the_token() {
    let registry = Registry::seeded(1);
    registry.register(full_stack()).unwrap();
    let policy = registry.policy("dep").unwrap().idempotent();
    for _ in 0..50 {
        let script = Script::new(&[F, S]);
        let call = policy.call(|| script.attempt());
        let _ = tokio::time::timeout(Duration::from_millis(5), call).await;
        assert_eq!(script.starts().len(), 1, "dropped before the retry");
    }
    tokens_are_back(&policy, TOKENS).await;
}

// case M01
#[tokio::test(start_paused = true)]
async fn x1_a_drop_in_the_queue_takes_nothing() {
    let registry = Registry::seeded(1);
    registry.register(full_stack()).unwrap();
    let policy = registry.policy("dep").unwrap().idempotent();
    {
        let script = Script::new(&[Step::Hang; PERMITS]);
        let mut holders: Vec<_> = (0..PERMITS)
            .map(|_| Box::pin(policy.call(|| script.attempt())))
            .collect();
        let mut cx = Context::from_waker(Waker::noop());
        for holder in &mut holders {
            assert!(holder.as_mut().poll(&mut cx).is_pending());
        }
        for _ in 0..10 {
            let mut queued = Box::pin(policy.call(|| script.attempt()));
            assert!(
                queued.as_mut().poll(&mut cx).is_pending(),
                "there is room in the queue"
            );
        }
    }
    permits_are_back(&policy);
}

#[tokio::test(start_paused = true)]
async fn x1_a_dropped_probe_frees_its_slot() {
    let registry = Registry::seeded(1);
    registry
        .register(full_stack().breaker(Breaker::consecutive(1).open_for("1s").probes(1)))
        .unwrap();
    let policy = registry.policy("dep").unwrap().idempotent();
    let script = Script::new(&[F, SlowS(100), S]);
    let _ = policy.call(|| script.attempt()).await;
    tokio::time::advance(Duration::from_millis(1_201)).await;
    let probe = policy.call(|| script.attempt());
    assert!(
        tokio::time::timeout(Duration::from_millis(10), probe)
            .await
            .is_err()
    );
    assert_eq!(policy.call(|| script.attempt()).await, Ok(200));
}
