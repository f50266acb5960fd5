//! B7: dependencies that are really many.

use std::pin::pin;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use resilient::breaker::BreakerState::{Closed, HalfOpen, Open};
use resilient::breaker::{Breaker, BreakerState, Per};
use resilient::budget::Budget;
use resilient::bulkhead::Bulkhead;
use resilient::hedge::Hedge;
use resilient::retry::Retry;
use resilient::{Dependency, Registry, Rejection, propagate, resilient, scope, testing};
use tokio::time::advance;

use crate::script::Step::{F, Hang, S, SlowF, SlowS};
use crate::script::{Answer, Failure, Script, Step, poll_once};

struct Shard {
    name: String,
}

fn shard(name: &str) -> Shard {
    Shard {
        name: name.to_owned(),
    }
}

#[resilient(breaker(name = "dep", key = shard.name))]
async fn single(shard: &Shard, script: &Script) -> Answer {
    script.attempt().await
}

#[resilient(dependency = "dep", breaker(key = shard.name), idempotent)]
async fn repeated(shard: &Shard, script: &Script) -> Answer {
    script.attempt().await
}

#[resilient(dependency = "dep", breaker(key = shard.name), hedge, idempotent)]
async fn hedged(shard: &Shard, script: &Script) -> Answer {
    script.attempt().await
}

#[resilient(dependency = "dep", breaker(key = shard.name), idempotent)]
async fn around(shard: &Shard, inner: &Shard, script: &Script) -> Answer {
    repeated(inner, script).await
}

#[resilient(dependency = "dep", idempotent)]
async fn without_key(script: &Script) -> Answer {
    script.attempt().await
}

/// Opens at the first failure.
fn brittle() -> Breaker {
    Breaker::consecutive(1).within("10s").open_for("5s")
}

fn dep(breaker: Breaker) -> Dependency {
    Dependency::named("dep")
        .retry(Retry::max(3).base("100ms"))
        .budget(Budget::unlimited())
        .no_timeout()
        .no_deadline()
        .breaker(breaker)
}

fn registry(dependency: Dependency) -> Registry {
    let registry = Registry::seeded(1);
    registry.register(dependency).unwrap();
    registry
}

async fn one(registry: &Registry, name: &str, step: Step) -> Answer {
    let script = Script::new(&[step]);
    scope(registry, single(&shard(name), &script)).await
}

fn refused_by(outcome: &Answer) -> Option<&str> {
    match outcome {
        Err(Failure::Rejected(Rejection::BreakerOpen { key, .. })) => key.as_deref(),
        _ => None,
    }
}

fn state(registry: &Registry, name: &str) -> BreakerState {
    registry.breaker("dep").unwrap().key(name).state()
}

#[tokio::test(start_paused = true)]
async fn b7_one_key_is_open_while_others_pass() {
    let registry = registry(dep(brittle()));
    let mut transitions = registry.subscribe();
    assert_eq!(one(&registry, "a", F).await, Err(Failure::Transient));
    let refused = one(&registry, "a", S).await;
    assert_eq!(refused_by(&refused), Some("a"));
    let text = refused.unwrap_err().to_string();
    assert!(
        text.starts_with("breaker `dep` for `a` is open: "),
        "{text}"
    );
    assert_eq!(one(&registry, "b", S).await, Ok(200));
    let script = Script::new(&[S]);
    assert_eq!(scope(&registry, without_key(&script)).await, Ok(200));
    let opened = transitions.recv().await.unwrap();
    assert_eq!((opened.key.as_deref(), opened.to), (Some("a"), Open));
    assert_eq!(registry.breaker("dep").unwrap().state(), Closed);
}

#[tokio::test(start_paused = true)]
async fn b7_calls_without_a_key_are_as_before() {
    let registry = registry(dep(brittle()).retry(Retry::never()));
    let script = Script::new(&[F]);
    let _ = scope(&registry, without_key(&script)).await;
    let refused = scope(&registry, without_key(&script)).await;
    let Err(Failure::Rejected(Rejection::BreakerOpen { key: None, .. })) = refused else {
        panic!("{refused:?}");
    };
    assert_eq!(one(&registry, "a", S).await, Ok(200));
    assert_eq!(registry.breaker("dep").unwrap().snapshot().keys, 1);
}

#[tokio::test(start_paused = true)]
async fn b7_one_of_a_bounded_number_goes_for_another() {
    let registry = registry(dep(brittle().keys(2)));
    let breaker = registry.breaker("dep").unwrap();
    let _ = one(&registry, "a", F).await;
    for name in ["b", "c", "b", "d"] {
        assert_eq!(one(&registry, name, S).await, Ok(200));
        let keys = breaker.keys();
        let [open, other] = keys.as_slice() else {
            panic!("{keys:?}");
        };
        assert_eq!((&**open, &**other), ("a", name), "the open one stays");
    }
    let snapshot = breaker.snapshot();
    assert_eq!((snapshot.keys, snapshot.keys_refusing), (2, 1));
}

#[tokio::test(start_paused = true)]
async fn b7_idle_ones_go() {
    let registry = registry(dep(brittle()));
    let breaker = registry.breaker("dep").unwrap();
    for (name, step) in [("open", F), ("closed", S)] {
        let _ = one(&registry, name, step).await;
    }
    advance(Duration::from_secs(10)).await;
    let _ = one(&registry, "another", S).await;
    let keys = breaker.keys();
    assert_eq!(keys.len(), 2, "{keys:?}");
    assert!(keys.iter().all(|key| &**key != "closed"), "{keys:?}");
}

/// B4 holds for each by itself, whatever became of its key.
#[tokio::test(start_paused = true)]
async fn b7_a_call_keeps_the_one_it_began_with() {
    let registry = registry(dep(brittle().keys(1)));
    let (a, b) = (shard("a"), shard("b"));
    // The second attempt is refused by the breaker that heard the first, though it is not the one of
    // its key any longer.
    let script = Script::new(&[SlowF(10), S]);
    let mut evicted = pin!(scope(&registry, repeated(&a, &script)));
    assert!(poll_once(evicted.as_mut()).is_pending());
    let hung = Script::new(&[Hang]);
    let mut b_runs = pin!(scope(&registry, repeated(&b, &hung)));
    assert!(poll_once(b_runs.as_mut()).is_pending());
    assert_eq!(evicted.await, Err(Failure::Transient));
    assert_eq!(script.starts().len(), 1);
    assert_eq!(one(&registry, "a", S).await, Ok(200), "a new one");
    // A failure of the new one stops nobody who has the old one.
    let script = Script::new(&[SlowS(10)]);
    let mut old = pin!(scope(&registry, repeated(&a, &script)));
    assert!(poll_once(old.as_mut()).is_pending());
    let _ = one(&registry, "b", S).await;
    let _ = one(&registry, "a", F).await;
    assert_eq!(state(&registry, "a"), Open);
    assert_eq!(old.await, Ok(200));
    assert_eq!(state(&registry, "a"), Open);
}

#[tokio::test(start_paused = true)]
async fn b7_an_operator_reaches_one_or_all() {
    let registry = registry(dep(brittle()));
    let breaker = registry.breaker("dep").unwrap();
    let _ = one(&registry, "a", S).await;
    breaker.key("a").because("moved").force_open();
    let refused = one(&registry, "a", S).await;
    let text = refused.unwrap_err().to_string();
    assert!(text.contains("for `a` is forced open (moved)"), "{text}");
    assert_eq!(one(&registry, "b", S).await, Ok(200));
    breaker.key("new").force_open();
    assert_eq!(refused_by(&one(&registry, "new", S).await), Some("new"));

    breaker.force_open();
    for name in ["a", "b", "never called"] {
        assert_eq!(refused_by(&one(&registry, name, S).await), Some(name));
    }
    breaker.key("b").reset();
    assert_eq!(one(&registry, "b", S).await, Ok(200));
    breaker.lift();
    for (name, expected) in [("a", HalfOpen), ("b", Closed), ("new", HalfOpen)] {
        assert_eq!(state(&registry, name), expected, "{name}");
    }
    breaker.key("a").because("again").force_open();
    assert_eq!(breaker.key("a").snapshot().reason.as_deref(), Some("again"));
    breaker.reset();
    assert!(
        breaker
            .keys()
            .iter()
            .all(|key| state(&registry, key) == Closed)
    );
    assert_eq!(state(&registry, "never heard of"), Closed);
    let known = breaker.keys();
    assert!(
        known.iter().all(|key| &**key != "never heard of"),
        "a look makes none"
    );
}

#[tokio::test(start_paused = true)]
async fn b7_new_settings_reach_all() {
    let registry = registry(dep(brittle()));
    let _ = one(&registry, "a", S).await;
    registry
        .update(dep(Breaker::consecutive(2).open_for("1s")))
        .unwrap();
    for name in ["a", "b"] {
        let _ = one(&registry, name, F).await;
        assert_eq!(state(&registry, name), Closed);
        let _ = one(&registry, name, F).await;
        assert_eq!(state(&registry, name), Open);
    }
    registry.update(dep(Breaker::disabled())).unwrap();
    for name in ["a", "b", "c"] {
        assert_eq!(one(&registry, name, F).await, Err(Failure::Transient));
        assert_eq!(state(&registry, name), BreakerState::Disabled);
    }
}

#[tokio::test(start_paused = true)]
async fn b7_a_probe_is_one_of_its_key() {
    let registry = registry(dep(brittle().open_for("1s").probes(1).close_after(1)));
    for name in ["a", "b"] {
        let _ = one(&registry, name, F).await;
    }
    advance(Duration::from_secs(2)).await;
    let (a, hung) = (shard("a"), Script::new(&[Hang]));
    let mut probe = pin!(scope(&registry, single(&a, &hung)));
    assert!(poll_once(probe.as_mut()).is_pending());
    assert_eq!(refused_by(&one(&registry, "a", S).await), Some("a"));
    assert_eq!(one(&registry, "b", S).await, Ok(200));
    assert_eq!(
        (state(&registry, "a"), state(&registry, "b")),
        (HalfOpen, Closed)
    );
}

/// N2: who holds one does not hold another.
#[tokio::test(start_paused = true)]
async fn n2_a_nested_call_passes_through_the_same_key_only() {
    #[resilient(dependency = "dep", breaker(key = shard.name), idempotent)]
    async fn in_a_task(shard: &Shard) -> Answer {
        let inner = propagate(async { repeated(&self::shard("a"), &Script::new(&[F])).await });
        tokio::spawn(inner).await.unwrap()
    }
    for (inner, same) in [("a", true), ("b", false)] {
        let registry =
            registry(dep(Breaker::failure_rate(1.0).min_attempts(100)).retry(Retry::never()));
        let script = Script::new(&[F]);
        let _ = scope(&registry, around(&shard("a"), &shard(inner), &script)).await;
        let snapshot = registry.breaker("dep").unwrap().snapshot();
        assert_eq!(snapshot.failures, if same { 1 } else { 2 }, "{inner}");
    }
    // In a task that carries its context, too.
    let registry =
        registry(dep(Breaker::failure_rate(1.0).min_attempts(100)).retry(Retry::never()));
    let _ = scope(&registry, in_a_task(&shard("a"))).await;
    assert_eq!(registry.breaker("dep").unwrap().snapshot().failures, 1);
    let _ = scope(&registry, in_a_task(&shard("b"))).await;
    assert_eq!(registry.breaker("dep").unwrap().snapshot().failures, 3);
}

#[tokio::test(start_paused = true)]
async fn b7_a_hedged_attempt_is_one_verdict_of_its_key() {
    let rate = Breaker::failure_rate(1.0).min_attempts(100);
    let dependency = dep(rate).hedge(Hedge::after("10ms").max(2));
    let registry = registry(dependency.retry(Retry::never()));
    let script = Script::new(&[SlowF(50), SlowF(50)]);
    let outcome = scope(&registry, hedged(&shard("a"), &script)).await;
    assert_eq!(outcome, Err(Failure::Transient));
    assert_eq!(script.starts(), [0, 10]);
    let a = registry.breaker("dep").unwrap().key("a").snapshot();
    assert_eq!((a.failures, a.attempts), (1, 1));
    // No copy once the key's breaker is not closed, whatever the others are.
    let script = Script::new(&[SlowS(50)]);
    let a = shard("a");
    let mut call = pin!(scope(&registry, hedged(&a, &script)));
    assert!(poll_once(call.as_mut()).is_pending());
    registry.breaker("dep").unwrap().key("a").force_open();
    assert_eq!(call.await, Ok(200));
    assert_eq!(script.starts(), [0]);
}

#[tokio::test(start_paused = true)]
async fn b7_what_happens_to_a_call_is_heard_by_its_key() {
    // Cut by its timeout, cut by its deadline, dropped, refused in a queue.
    let dependency = dep(brittle()).retry(Retry::never()).timeout("100ms");
    let registry = registry(dependency.bulkhead(Bulkhead::max_concurrent(1).max_queue(1)));
    let hung = Script::new(&[Hang; 9]);
    let _ = scope(&registry, repeated(&shard("cut"), &hung)).await;
    assert_eq!(state(&registry, "cut"), Open);
    let name = shard("dropped");
    let call = scope(&registry, repeated(&name, &hung));
    assert!(
        tokio::time::timeout(Duration::from_millis(60), call)
            .await
            .is_err()
    );
    assert_eq!(state(&registry, "dropped"), Open);
    let running = shard("running");
    let mut running = pin!(scope(&registry, repeated(&running, &hung)));
    assert!(poll_once(running.as_mut()).is_pending());
    let queued = shard("queued");
    let mut queued = pin!(scope(&registry, repeated(&queued, &hung)));
    assert!(poll_once(queued.as_mut()).is_pending());
    registry.breaker("dep").unwrap().key("queued").force_open();
    assert!(running.await.is_err());
    assert_eq!(refused_by(&queued.await), Some("queued"));
    assert_eq!(registry.breaker("dep").unwrap().state(), Closed);
}

#[tokio::test(start_paused = true)]
async fn b7_one_verdict_per_call_of_its_key() {
    let registry = registry(dep(Breaker::consecutive(2).per(Per::Call)));
    let script = Script::new(&[F, F, F]);
    let outcome = scope(&registry, repeated(&shard("a"), &script)).await;
    assert_eq!(outcome, Err(Failure::Transient));
    assert_eq!(script.starts().len(), 3);
    assert_eq!(
        registry
            .breaker("dep")
            .unwrap()
            .key("a")
            .snapshot()
            .failures,
        1
    );
}

#[tokio::test(start_paused = true)]
async fn b7_the_key_is_looked_at_once_and_moves_nothing() {
    #[resilient(dependency = "dep", breaker(key = counted(asked, &shard)), idempotent, clone(shard))]
    async fn call(asked: &AtomicU32, shard: String, script: &Script) -> Answer {
        drop(shard);
        script.attempt().await
    }
    #[resilient(breaker(name = "dep", key = shard))]
    async fn moved(shard: String) -> Result<String, Failure> {
        Ok(shard)
    }
    fn counted(asked: &AtomicU32, shard: &str) -> String {
        asked.fetch_add(1, Ordering::SeqCst);
        shard.to_owned()
    }
    let registry = registry(dep(Breaker::consecutive(9)));
    let (asked, script) = (AtomicU32::new(0), Script::new(&[F, F, S]));
    let outcome = scope(&registry, call(&asked, "a".to_owned(), &script)).await;
    assert_eq!((outcome, asked.load(Ordering::SeqCst)), (Ok(200), 1));
    assert_eq!(scope(&registry, moved("b".to_owned())).await.unwrap(), "b");
    assert_eq!(registry.breaker("dep").unwrap().keys().len(), 2);
}

#[tokio::test(start_paused = true)]
async fn b7_no_text_is_made_where_there_is_no_breaker() {
    struct Text(AtomicU32);
    impl std::fmt::Display for Text {
        fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            self.0.fetch_add(1, Ordering::SeqCst);
            f.write_str("a")
        }
    }
    #[resilient(breaker(name = "dep", key = text))]
    async fn call(text: &Text) -> Answer {
        Ok(200)
    }
    let text = Text(AtomicU32::new(0));
    let outcome = scope(&Registry::new(), call(&text)).await;
    assert!(matches!(
        outcome,
        Err(Failure::Rejected(Rejection::NotRegistered(_)))
    ));
    let bare = scope(&testing::passthrough(), call(&text)).await;
    assert_eq!((bare, text.0.load(Ordering::SeqCst)), (Ok(200), 0));
    let guarded = scope(&registry(dep(brittle())), call(&text)).await;
    assert_eq!((guarded, text.0.load(Ordering::SeqCst)), (Ok(200), 1));
}

#[tokio::test(start_paused = true)]
async fn b7_a_policy_can_have_a_key() {
    let registry = registry(dep(brittle()).retry(Retry::never()));
    let policy = registry.policy("dep").unwrap().idempotent();
    let (a, b) = (
        policy.clone().breaker_key("a"),
        policy.clone().breaker_key(7),
    );
    let script = Script::new(&[F]);
    let _ = a.call(|| script.attempt()).await;
    assert_eq!(refused_by(&a.call(|| script.attempt()).await), Some("a"));
    assert_eq!(b.call(|| script.attempt()).await, Ok(200));
    assert_eq!(policy.call(|| script.attempt()).await, Ok(200));
    assert_eq!(one(&registry, "7", S).await, Ok(200));
    assert_eq!(registry.breaker("dep").unwrap().keys().len(), 2);
}
