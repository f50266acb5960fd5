//! Stores by name.

use resilient::idempotency::{Effects, Idempotency, Ledger, MemoryStore};
use resilient::{Problem, RegisterError, Registry, Rejection, resilient, scope};

use crate::fakes::Work;
use crate::{Answer, Failure, code, receipt, registry};

#[resilient(
    name = "names.order",
    idempotent(store = "orders-eu", key = key, scope = shared, effects = "unkeyed")
)]
async fn elsewhere(key: &str, work: &Work) -> Answer {
    work.run()
}

fn ledger(rules: &Idempotency) -> Ledger {
    Ledger::new(MemoryStore::new(10), rules).unwrap()
}

/// What `check` says about the function above.
fn problems(registry: &Registry) -> Vec<Problem> {
    let Err(error) = registry.check() else {
        return Vec::new();
    };
    let ours = |problem: &Problem| problem.site().name == "names.order";
    error.problems.into_iter().filter(ours).collect()
}

#[tokio::test]
async fn x2_a_store_that_nobody_registered_is_told_with_near_names() {
    let registry = Registry::seeded(1);
    let keyed = Idempotency::of(Effects::Keyed);
    registry
        .register_store("orders-us", ledger(&keyed))
        .unwrap();
    let work = Work::of([]);
    let Err(Failure::Rejected(Rejection::NotRegistered(missing))) =
        scope(&registry, elsewhere("k", &work)).await
    else {
        panic!("there is no such store");
    };
    assert_eq!((missing.kind, &*missing.name), ("store", "orders-eu"));
    assert_eq!(missing.near, ["orders-us"]);
    assert_eq!(missing.site.as_deref(), Some("names.order"));
    assert_eq!(work.runs(), 0);
    assert!(matches!(
        &problems(&registry)[..],
        [Problem::NotRegistered { .. }]
    ));

    // A miss is not remembered.
    registry
        .register_store("orders-eu", ledger(&keyed))
        .unwrap();
    assert_eq!(scope(&registry, elsewhere("k", &work)).await, receipt(1));
    assert!(problems(&registry).is_empty());
    assert!(registry.ledger("orders-eu").is_ok());
    let missing = registry.ledger("payments").unwrap_err().to_string();
    assert!(
        missing.contains("register_store(\"payments\", ledger)"),
        "{missing}"
    );
}

#[tokio::test]
async fn rules_that_do_not_fit_those_of_the_store_are_told() {
    let registry = Registry::seeded(1);
    let open = Idempotency::of(Effects::Keyed).fail_open();
    registry.register_store("orders-eu", ledger(&open)).unwrap();
    let work = Work::of([]);
    let outcome = scope(&registry, elsewhere("k", &work)).await;
    assert_eq!(code(&outcome), "IDEMPOTENCY_INVALID_RULES");
    assert_eq!(work.runs(), 0);
    let [Problem::DoesNotFit { why, .. }] = &problems(&registry)[..] else {
        panic!("one contradiction");
    };
    assert!(why.contains("fail_open"), "{why}");
}

#[test]
fn a_name_is_registered_once_and_is_a_name() {
    let (registry, ledger) = registry();
    let error = registry
        .register_store("orders", ledger.clone())
        .unwrap_err();
    assert!(matches!(
        &error,
        RegisterError::StoreAlreadyRegistered { first, second, .. } if first != second
    ));
    let text = error.to_string();
    assert!(
        text.contains("main.rs") && text.contains("names.rs"),
        "{text}"
    );
    let error = registry.register_store("or ders", ledger).unwrap_err();
    assert!(
        matches!(error, RegisterError::InvalidStoreName { .. }),
        "{error}"
    );
}

#[test]
fn sites_name_their_stores() {
    let sites = resilient::sites();
    let site = sites
        .iter()
        .find(|site| site.name == "names.order")
        .unwrap();
    assert_eq!(site.uses, [("store", "orders-eu")]);
}
