//! S2: what the library knows at one moment.

use std::time::Duration;

use resilient::breaker::{Breaker, BreakerState, Rule};
use resilient::budget::Budget;
use resilient::bulkhead::Bulkhead;
use resilient::hedge::Hedge;
use resilient::retry::{Jitter, Retry};
use resilient::snapshot::{DependencySnapshot, Origin, SiteCounters, SiteSnapshot};
use resilient::{Dependency, Registry, Throttle, resilient, scope};

use crate::script::Step::{F, Fault, Hang, Permanent, S, SlowF, SlowS};
use crate::script::{Answer, Failure, Script, Step, poll_once};

#[resilient(
    dependency = "dep",
    retry(base = "5ms"),
    hedge,
    timeout = "50ms",
    idempotent,
    name = "snapshot.guarded",
    fallback = stale
)]
async fn guarded(script: &Script) -> Answer {
    script.attempt().await
}

#[allow(clippy::unused_async, reason = "a fallback is async")]
async fn stale(failure: Failure) -> Answer {
    Err(failure)
}

fn named() -> Dependency {
    Dependency::named("dep")
        .retry(Retry::max(2).base("0s").jitter(Jitter::None))
        .hedge(Hedge::after("10ms"))
        .breaker(Breaker::consecutive(6))
        .bulkhead(Bulkhead::max_concurrent(4).max_queue(1))
        .budget(Budget::tokens(20).refill_every("1h"))
        .throttle(Throttle::accepts(2.0))
        .deadline("1s")
}

fn registry() -> Registry {
    let registry = Registry::seeded(1);
    registry.register(named()).unwrap();
    registry
}

fn dependency(registry: &Registry) -> DependencySnapshot {
    let dependencies = registry.snapshot().dependencies;
    assert_eq!(dependencies.len(), 1);
    dependencies.into_iter().next().unwrap()
}

fn site(registry: &Registry) -> SiteSnapshot {
    let sites = registry.snapshot().sites;
    let mut sites = sites.into_iter();
    sites
        .find(|site| site.info.name == "snapshot.guarded")
        .unwrap()
}

/// Each way a call can end is counted once, and what happened on the way beside it.
#[tokio::test(start_paused = true)]
async fn s2_what_is_counted() {
    type Expected = fn(&mut SiteCounters);
    let rows: [(&str, &[Step], Expected); 7] = [
        ("at once", &[S], |c| c.successes = 1),
        ("after a failure", &[F, S], |c| {
            (c.successes, c.retries) = (1, 1);
        }),
        ("two failures", &[F, F], |c| {
            (c.failures, c.retries, c.fallbacks) = (1, 1, 1);
        }),
        ("an answer", &[Permanent], |c| c.failures = 1),
        ("no retry", &[Fault], |c| {
            (c.failures, c.fallbacks) = (1, 1);
        }),
        ("a copy wins", &[Hang, S], |c| {
            (c.successes, c.hedges) = (1, 1);
        }),
        ("all cut", &[Hang; 4], |c| {
            (c.rejections, c.retries, c.hedges) = (1, 1, 2);
            (c.timeouts, c.fallbacks) = (2, 1);
        }),
    ];
    for (what, steps, expected) in rows {
        let registry = registry();
        let script = Script::new(steps);
        let _ = scope(&registry, guarded(&script)).await;
        let mut counters = SiteCounters::default();
        expected(&mut counters);
        assert_eq!(site(&registry).counters, counters, "{what}");
    }
    // The failure that stands when the deadline ends the attempt after it.
    let hasty = registry();
    hasty.update(named().deadline("30ms")).unwrap();
    let script = Script::new(&[SlowF(20), SlowF(12), Hang]);
    let answer = scope(&hasty, guarded(&script)).await;
    assert_eq!((answer, script.elapsed()), (Err(Failure::Transient), 30));
    let counters = site(&hasty).counters;
    assert_eq!((counters.failures, counters.rejections), (1, 0));

    let registry = registry();
    let script = Script::new(&[Hang]);
    let mut call = Box::pin(scope(&registry, guarded(&script)));
    assert!(poll_once(call.as_mut()).is_pending());
    assert_eq!(site(&registry).counters, SiteCounters::default());
    drop(call);
    assert_eq!(site(&registry).counters.abandoned, 1);
}

#[tokio::test(start_paused = true)]
async fn s2_a_dependency_at_one_moment() {
    let registry = registry();
    let before = dependency(&registry);
    assert!(before.last_transition.is_none() && before.last_failures.is_empty());
    assert_eq!(
        (before.budget.available, before.shed),
        (Some(20), Some(0.0))
    );

    for _ in 0..6 {
        let _ = scope(&registry, guarded(&Script::new(&[F, Permanent]))).await;
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
    let script = Script::new(&[Hang; 9]);
    let mut calls: Vec<_> = (0..5)
        .map(|_| Box::pin(scope(&registry, guarded(&script))))
        .collect();
    for call in &mut calls {
        let _ = poll_once(call.as_mut());
    }
    let busy = dependency(&registry);
    let bulkhead = busy.bulkhead;
    assert_eq!(
        (bulkhead.limit, bulkhead.in_use, bulkhead.queued),
        (4, 4, 1)
    );
    assert_eq!(busy.budget.available, Some(14));
    drop(calls);
    assert_eq!(dependency(&registry).bulkhead.in_use, 0);

    let kinds: Vec<_> = busy
        .last_failures
        .iter()
        .map(|failure| failure.kind)
        .collect();
    assert_eq!(kinds, ["network", "client"].repeat(5));
    assert_eq!(busy.last_failures[9].site, "snapshot.guarded");
    // The retry waited for its 5 ms.
    assert_eq!(busy.last_failures[9].ago, Duration::from_secs(1));
    assert_eq!(busy.last_failures[8].ago, Duration::from_millis(1005));

    registry
        .breaker("dep")
        .unwrap()
        .because("moving")
        .force_open();
    registry.levers_of("dep").unwrap().set_hedges(false);
    tokio::time::sleep(Duration::from_secs(2)).await;
    let forced = dependency(&registry);
    let last = forced.last_transition.unwrap();
    assert_eq!(
        (last.from, last.to),
        (BreakerState::Closed, BreakerState::ForcedOpen)
    );
    assert_eq!(
        (last.rule, last.ago),
        (Rule::Forced, Duration::from_secs(2))
    );
    assert_eq!(last.reason.as_deref(), Some("moving"));
    assert!(forced.retries && !forced.hedges);
}

#[tokio::test(start_paused = true)]
async fn s2_each_value_with_its_origin() {
    let registry = registry();
    let dep = || {
        let name = resilient::Name::new("dep").unwrap();
        Origin::Dependency(name)
    };
    let policy = site(&registry).policy;
    let of = |setting: &str| {
        let mut values = policy.iter().filter(|value| value.setting == setting);
        let value = values.next().unwrap_or_else(|| panic!("no {setting}"));
        assert!(values.next().is_none(), "{setting} twice");
        (value.value.as_str(), value.origin.clone())
    };
    for (setting, value, origin) in [
        ("timeout", "50ms", Origin::Site),
        ("deadline", "1s", dep()),
        ("retry.max", "2", dep()),
        ("retry.base", "5ms", Origin::Site),
        ("retry.jitter", "none", dep()),
        ("hedge.after", "10ms", dep()),
        ("hedge.max", "2", dep()),
        ("breaker", "dep", Origin::Site),
        ("breaker.per", "attempt", dep()),
        ("idempotent", "yes", Origin::Site),
    ] {
        assert_eq!(of(setting), (value, origin), "{setting}");
    }
    // The numbers follow an update.
    let slower = Dependency::named("dep").deadline("9s");
    registry.update(slower).unwrap();
    let policy = site(&registry).policy;
    assert!(
        policy
            .iter()
            .any(|value| value.setting == "deadline" && value.value == "9s")
    );
    // Nothing is known of a site whose names are not registered.
    let unknown = site(&Registry::new());
    assert!(unknown.policy.is_empty());
    assert_eq!(unknown.counters, SiteCounters::default());
}

#[cfg(feature = "serde")]
#[tokio::test(start_paused = true)]
async fn s2_as_json() {
    let registry = registry();
    let _ = scope(&registry, guarded(&Script::new(&[F, SlowS(1)]))).await;
    let json = serde_json::to_value(registry.snapshot()).unwrap();
    let dependency = &json["dependencies"][0];
    assert_eq!(dependency["name"], "dep");
    assert_eq!(dependency["breaker"]["state"], "closed");
    assert_eq!(dependency["last_failures"][0]["kind"], "network");
    assert_eq!(dependency["last_failures"][0]["ago"], 0.006);
    let sites = json["sites"].as_array().unwrap();
    let site = sites
        .iter()
        .find(|site| site["info"]["name"] == "snapshot.guarded")
        .unwrap();
    assert_eq!(site["counters"]["retries"], 1);
    assert_eq!(site["policy"][0]["origin"], "site");
}
