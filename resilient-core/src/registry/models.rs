//! The first calls of a site, under every schedule: `RUSTFLAGS="--cfg loom"`.
//!
//! In the process-wide registry a site keeps its plan in a `OnceLock` of the standard library, which
//! no model replaces: that one of two wins there is its promise.

use loom::thread;

use super::Registry;
use crate::dependency::Dependency;
use crate::retry::RetryOverrides;
use crate::seam::sync::Arc;
use crate::site::{Said, Site};

const fn saying(said: &'static [Said]) -> Site {
    Site::new("charge", "shop", "shop.rs", 1, said)
}

/// Two first calls of a site resolve it both, and go on with one plan: else each would have a budget
/// of its own.
#[test]
fn g1_two_first_calls_share_one_plan() {
    static SITE: Site = saying(&[Said::Retry(RetryOverrides::new().max(2))]);
    loom::model(|| {
        let registry = Registry::seeded(1);
        let other = thread::spawn({
            let registry = registry.clone();
            move || registry.plan(&SITE).expect("it names nothing")
        });
        let here = registry.plan(&SITE).expect("it names nothing");
        let there = other.join().expect("no panic");
        assert!(Arc::ptr_eq(&here, &there));
        assert!(Arc::ptr_eq(&here, &registry.plan(&SITE).expect("known")));
    });
}

/// A first call while its dependency is being registered finds it or does not; after that every call
/// does, because a miss is not remembered.
#[test]
fn x2_a_miss_is_not_remembered() {
    static SITE: Site = saying(&[Said::Dependency("payment")]);
    loom::model(|| {
        let registry = Registry::seeded(1);
        let other = thread::spawn({
            let registry = registry.clone();
            move || registry.plan(&SITE).is_ok()
        });
        registry
            .register(Dependency::named("payment"))
            .expect("the numbers are good");
        other.join().expect("no panic");
        assert!(registry.plan(&SITE).is_ok());
    });
}

/// Of two registrations of one name, one is in force and the other is told of it.
#[test]
fn x2_one_name_is_registered_once() {
    loom::model(|| {
        let registry = Registry::seeded(1);
        let other = thread::spawn({
            let registry = registry.clone();
            move || registry.register(Dependency::named("payment")).is_ok()
        });
        let here = registry.register(Dependency::named("payment")).is_ok();
        assert_ne!(here, other.join().expect("no panic"));
    });
}
