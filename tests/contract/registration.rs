//! X2 and X3: names, and the startup check.

use resilient::breaker::Breaker;
use resilient::budget::Budget;
use resilient::bulkhead::Bulkhead;
use resilient::retry::Retry;
use resilient::{
    Dependency, Policy, Problem, RegisterError, Registry, Rejection, resilient, scope, sites,
};

use crate::script::Step::{F, Hang};
use crate::script::{Answer, Failure, Script, poll_once};

#[allow(dead_code, reason = "checked, never called")]
mod sites_under_check {
    use super::{Answer, Script, resilient};

    #[resilient(breaker = "paymnet")]
    pub(super) async fn misspelt(script: &Script) -> Answer {
        script.attempt().await
    }

    #[resilient(dependency = "checked")]
    pub(super) async fn silent_about_repeating(script: &Script) -> Answer {
        script.attempt().await
    }

    #[resilient(
        dependency = "checked",
        idempotent,
        deadline = "300ms",
        timeout = "100ms",
        retry(max = 5, base = "100ms", jitter = "none")
    )]
    pub(super) async fn does_not_fit(script: &Script) -> Answer {
        script.attempt().await
    }

    #[resilient(dependency = "checked", idempotent, deadline = "1s")]
    pub(super) async fn shorter_than_the_timeout_of_its_dependency(script: &Script) -> Answer {
        script.attempt().await
    }

    #[resilient(timeout = "1s", name = "twice")]
    pub(super) async fn first(script: &Script) -> Answer {
        script.attempt().await
    }

    #[resilient(timeout = "1s", name = "twice")]
    pub(super) async fn second(script: &Script) -> Answer {
        script.attempt().await
    }
}

fn problems_of(registry: &Registry) -> Vec<Problem> {
    let error = registry.check().expect_err("there are wrong sites");
    error
        .problems
        .into_iter()
        .filter(|problem| problem.site().module.ends_with("sites_under_check"))
        .collect()
}

// mistake 30; case CF-14, RT-22
#[test]
fn x2_the_check_lists_what_cannot_work() {
    let registry = Registry::new();
    registry.register(Dependency::named("payment")).unwrap();
    registry.register(Dependency::named("checked")).unwrap();
    let told: Vec<_> = problems_of(&registry)
        .iter()
        .map(ToString::to_string)
        .collect();
    let expected = [
        ("does_not_fit", "the waits between its 5 attempts"),
        ("misspelt", "did you mean `payment`?"),
        (
            "silent_about_repeating",
            "does not say whether repeating is safe",
        ),
        ("twice", "its name is taken by"),
    ];
    assert_eq!(told.len(), expected.len(), "{told:#?}");
    for (told, (site, what)) in told.iter().zip(expected) {
        assert!(told.contains(site) && told.contains(what), "{told}");
        assert!(told.contains("registration.rs:"), "the place: {told}");
    }
}

#[test]
fn x2_the_check_fails_only_for_the_crates_it_is_asked_about() {
    let registry = Registry::new();
    assert!(registry.check_crates(&["some_other_crate"]).is_ok());
    assert!(registry.check_crates(&["contract"]).is_err());
}

#[test]
fn every_site_is_listed_with_its_place() {
    let listed = sites();
    let site = listed
        .iter()
        .find(|site| site.name.ends_with("::misspelt"))
        .unwrap();
    assert_eq!(site.uses, [("breaker", "paymnet")]);
    assert!(site.file.ends_with("registration.rs") && site.line > 0);
}

#[tokio::test]
async fn x2_a_miss_is_a_rejection_and_is_never_cached() {
    #[resilient(breaker = "comes-later")]
    async fn annotated(script: &Script) -> Answer {
        script.attempt().await
    }
    let registry = Registry::new();
    registry.register(Dependency::named("comes-late")).unwrap();
    let script = Script::new(&[]);
    scope(&registry, async {
        let Err(Failure::Rejected(Rejection::NotRegistered(miss))) = annotated(&script).await
        else {
            panic!("the name is not registered");
        };
        assert_eq!((miss.kind, miss.name.as_str()), ("breaker", "comes-later"));
        assert_eq!(miss.near, ["comes-late"]);
        assert!(script.starts().is_empty(), "nothing ran");
        registry.register(Dependency::named("comes-later")).unwrap();
        assert_eq!(annotated(&script).await, Ok(200));
    })
    .await;
}

// case M08, CF-14
#[test]
fn m08_one_name_is_registered_once_and_both_places_are_told() {
    let registry = Registry::new();
    registry.register(Dependency::named("dep")).unwrap();
    let again = registry.register(Dependency::named("dep").breaker(Breaker::consecutive(9)));
    let Err(RegisterError::AlreadyRegistered { first, second, .. }) = again else {
        panic!("the name is taken: {again:?}");
    };
    assert!(first.file().ends_with("registration.rs") && first.line() + 1 == second.line());
}

// case G08
#[test]
fn x3_nonsense_is_refused_with_every_reason_at_once() {
    let registry = Registry::new();
    let refused = registry.register(
        Dependency::named("has blanks")
            .retry(Retry::max(0).factor(f64::NAN).base("10s").cap("1s"))
            .bulkhead(Bulkhead::max_concurrent(0))
            .breaker(Breaker::failure_rate(1.5).open_for("soon"))
            .timeout("0s")
            .deadline("5"),
    );
    let Err(RegisterError::Invalid { problems, .. }) = &refused else {
        panic!("nonsense: {refused:?}");
    };
    let told: Vec<_> = problems
        .iter()
        .map(|problem| (problem.policy, problem.setting))
        .collect();
    for expected in [
        ("dependency", "name"),
        ("retry", "max"),
        ("retry", "factor"),
        ("bulkhead", "max_concurrent"),
        ("breaker", "failure_rate"),
        ("breaker", "open_for"),
        ("timeout", "timeout"),
        ("deadline", "deadline"),
    ] {
        assert!(told.contains(&expected), "{expected:?} in {told:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn numbers_change_while_running_and_state_stays() {
    let registry = Registry::new();
    let with_attempts = |max| {
        Dependency::named("dep")
            .retry(Retry::max(max).base("0s"))
            .breaker(Breaker::consecutive(9))
            .budget(Budget::unlimited())
    };
    registry.register(with_attempts(2)).unwrap();
    let policy = registry.policy("dep").unwrap().idempotent();
    for (max, failures_so_far) in [(2, 2), (4, 6)] {
        registry.update(with_attempts(max)).unwrap();
        let script = Script::new(&[F; 9]);
        let _ = policy.call(|| script.attempt()).await;
        assert_eq!(script.starts().len(), max as usize);
        assert!(
            registry.breaker("dep").unwrap().state().admits_all(),
            "{failures_so_far} of 9"
        );
    }
    let script = Script::new(&[F; 9]);
    let _ = policy.call(|| script.attempt()).await;
    assert!(
        !registry.breaker("dep").unwrap().state().admits_all(),
        "2 + 4 + 3 in a row"
    );
    assert!(matches!(
        registry.update(Dependency::named("depp")),
        Err(RegisterError::Unknown { near, .. }) if near == ["dep"]
    ));
}

/// The time a call that hangs takes, how many run at once, and how many attempts a call makes that
/// fails.
async fn observed(policy: &Policy) -> (u64, usize, usize) {
    let hanging = Script::new(&[Hang]);
    let _ = policy.call(|| hanging.attempt()).await;
    let ended = hanging.elapsed();

    let crowd = Script::new(&[Hang; 9]);
    let mut calls: Vec<_> = (0..9)
        .map(|_| Box::pin(policy.call(|| crowd.attempt())))
        .collect();
    for call in &mut calls {
        let _ = poll_once(call.as_mut());
    }
    let running = crowd.running();
    drop(calls);

    let failing = Script::new(&[F; 9]);
    let _ = policy.call(|| failing.attempt()).await;
    (ended, running, failing.starts().len())
}

#[tokio::test(start_paused = true)]
async fn numbers_of_every_policy_change_while_running() {
    let dep = || {
        Dependency::named("dep")
            .retry(Retry::never())
            .breaker(Breaker::disabled())
            .budget(Budget::unlimited())
            .bulkhead(Bulkhead::max_concurrent(2))
            .timeout("100ms")
            .deadline("1s")
    };
    let many = || dep().retry(Retry::max(4).base("0s")).deadline("100ms");
    let registry = Registry::new();
    registry.register(dep()).unwrap();
    // Taken once, as a site takes its handles once.
    let policy = registry.policy("dep").unwrap().idempotent();
    let rows: [(&str, Dependency, (u64, usize, usize)); 9] = [
        ("as registered", dep(), (100, 2, 1)),
        ("a longer timeout", dep().timeout("200ms"), (200, 2, 1)),
        ("no timeout", dep().no_timeout(), (1_000, 2, 1)),
        (
            "no timeout, short deadline",
            dep().no_timeout().deadline("70ms"),
            (70, 2, 1),
        ),
        (
            "a wider bulkhead",
            dep().bulkhead(Bulkhead::max_concurrent(5)),
            (100, 5, 1),
        ),
        (
            "a narrower bulkhead",
            dep().bulkhead(Bulkhead::max_concurrent(1)),
            (100, 1, 1),
        ),
        ("more attempts", many(), (100, 2, 4)),
        (
            "a small budget",
            many().budget(Budget::tokens(1)),
            (100, 2, 2),
        ),
        (
            "a brittle breaker",
            many().breaker(Breaker::consecutive(2)),
            (100, 2, 1),
        ),
    ];
    for (id, dependency, expected) in rows {
        registry.update(dependency).unwrap();
        assert_eq!(observed(&policy).await, expected, "{id}");
    }
}

mod same_names {
    use super::{Answer, Script, resilient};

    pub(super) struct First;
    pub(super) struct Second;

    impl First {
        #[resilient(retry(max = 9, base = "0s"), idempotent)]
        pub(super) async fn fetch(&self, script: &Script) -> Answer {
            script.attempt().await
        }
    }

    impl Second {
        #[resilient(retry(max = 9, base = "0s"), idempotent)]
        pub(super) async fn fetch(&self, script: &Script) -> Answer {
            script.attempt().await
        }
    }

    #[resilient(retry(max = 9, base = "0s"), idempotent)]
    pub(super) async fn generic<T: Sync>(script: &Script, _: &T) -> Answer {
        script.attempt().await
    }
}

// case M03, M10, CF-16
/// A site without names has a budget of its own; its default allows three retries.
#[tokio::test(start_paused = true)]
async fn m10_m03_a_site_is_where_it_is_written_not_what_it_is_called() {
    use same_names::{First, Second, generic};
    let registry = Registry::seeded(1);
    let script = Script::new(&[F; 99]);
    let mut attempts = Vec::new();
    scope(&registry, async {
        let mut before = 0;
        for call in 0..4 {
            let _ = match call {
                0 => First.fetch(&script).await,
                1 => Second.fetch(&script).await,
                2 => generic(&script, &1_u8).await,
                // One site for all types, or every type would be a series of its own.
                _ => generic(&script, &"text").await,
            };
            let made = script.starts().len();
            attempts.push(made - before);
            before = made;
        }
    })
    .await;
    assert_eq!(attempts, [4, 4, 4, 1]);
    let listed = sites();
    let generics = listed
        .iter()
        .filter(|site| site.name.ends_with("::generic"));
    assert_eq!(generics.count(), 1);
    // Names nobody chose may be the same; only chosen ones must differ.
    let fetches = listed
        .iter()
        .filter(|site| site.name.ends_with("same_names::fetch"));
    assert_eq!(fetches.count(), 2);
    let problems = registry.check().expect_err("others are wrong").problems;
    assert!(
        !problems
            .iter()
            .any(|problem| problem.site().module.ends_with("same_names"))
    );
}

#[test]
fn methods_of_one_name_are_told_apart_by_their_types() {
    struct Left;
    struct Right<T>(T);

    #[resilient(timeout = "1s")]
    impl Left {
        #[resilient]
        #[allow(dead_code, reason = "listed, never called")]
        async fn told_apart(&self, script: &Script) -> Answer {
            script.attempt().await
        }
    }

    #[resilient(timeout = "1s")]
    impl<T: Sync> Right<T> {
        #[resilient]
        #[allow(dead_code, reason = "listed, never called")]
        async fn told_apart(&self, script: &Script) -> Answer {
            let _ = &self.0;
            script.attempt().await
        }
    }

    let sites = sites();
    let named = |end: &str| sites.iter().filter(|site| site.name.ends_with(end)).count();
    assert_eq!(
        (named("::Left::told_apart"), named("::Right::told_apart")),
        (1, 1)
    );
}
