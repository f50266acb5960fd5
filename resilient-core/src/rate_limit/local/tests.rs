//! What is counted is not forgotten.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::advance;

use super::*;
use crate::rate_limit::{Limit, LimitSettings, RateLimit};
use crate::seam::clock::now;

/// A midnight, so that windows of every usual length begin when a test does.
const MIDNIGHT: u64 = 1_728_000_000 * 1_000_000_000;

/// A limiter that asks about limits of its choice.
struct Desk {
    store: LocalStore,
    name: Name,
}

impl Desk {
    fn of(most: u32) -> Self {
        Desk {
            store: LocalStore::at(most, Epoch::at(MIDNIGHT, now())),
            name: Name::new("api").expect("a name"),
        }
    }

    fn ask(
        &self,
        key: &str,
        cost: u32,
        limits: &Arc<[LimitSettings]>,
    ) -> Result<Decision, LocalStoreError> {
        let ask = Ask::new(&self.name, key, cost, true, limits);
        self.store.decide_now(&ask)
    }

    fn takes(&self, key: &str, cost: u32, limits: &Arc<[LimitSettings]>) -> bool {
        self.ask(key, cost, limits)
            .expect("there is room")
            .is_allowed()
    }
}

fn limits(limits: impl IntoIterator<Item = Limit>) -> Arc<[LimitSettings]> {
    let all = limits
        .into_iter()
        .fold(RateLimit::named("api"), RateLimit::limit);
    all.settings().expect("the numbers are good").limits.into()
}

fn all_kinds(quota: u32) -> [Limit; 5] {
    [
        Limit::fixed("fixed", quota, "60s"),
        Limit::sliding_counter("sliding", quota, "60s"),
        Limit::sliding_log("log", quota, "60s"),
        Limit::token_bucket("bucket", quota, "60s"),
        Limit::gcra("gcra", quota, "60s"),
    ]
}

#[tokio::test(start_paused = true)]
async fn r11_what_one_limit_refuses_is_counted_by_none() {
    let desk = Desk::of(10);
    let two = limits([Limit::fixed("l", 5, "60s"), Limit::fixed("m", 3, "60s")]);
    assert!(desk.takes("u", 3, &two));
    let refused = desk.ask("u", 1, &two).expect("there is room");
    assert!(!refused.is_allowed());
    let violated: Vec<_> = refused.violated().map(|limit| &**limit.name).collect();
    assert_eq!(violated, ["m"]);
    let left: Vec<_> = refused.limits().map(|limit| limit.remaining).collect();
    assert_eq!(left, [2, 0]);
    assert!(desk.takes("v", 3, &two), "somebody else");
}

/// Case R37, for each kind, up and down: no quota comes back by changing it.
#[tokio::test(start_paused = true)]
async fn r37_other_numbers_give_nothing_back() {
    for kind in 0..5 {
        let desk = Desk::of(10);
        let of = |quota| limits([all_kinds(quota)[kind].clone()]);
        let (few, many) = (of(10), of(30));
        assert!(desk.takes("u", 10, &few));
        assert!(!desk.takes("u", 1, &few), "{few:?}");
        assert!(!desk.takes("u", 21, &many), "{many:?}");
        assert!(desk.takes("u", 20, &many), "{many:?}");
        assert!(!desk.takes("u", 1, &many), "{many:?}");
        assert!(!desk.takes("u", 1, &few), "{few:?}");
    }
}

/// Limits that come and go are counted for as long as they count.
#[tokio::test(start_paused = true)]
async fn r37_a_limit_that_was_left_out_is_remembered() {
    let desk = Desk::of(10);
    let (one, other) = (
        limits([Limit::fixed("l", 1, "60s")]),
        limits([Limit::fixed("m", 1, "60s")]),
    );
    assert!(desk.takes("u", 1, &one));
    assert!(desk.takes("u", 1, &other));
    assert!(!desk.takes("u", 1, &one));
    advance(Duration::from_secs(60)).await;
    assert!(desk.takes("u", 1, &one));
}

/// Case R13: who makes up keys gets no other key its quota back, and is refused when there
/// is no room; what is over makes room.
#[tokio::test(start_paused = true)]
async fn r13_when_it_is_full_nothing_is_forgotten() {
    let desk = Desk::of(100);
    let limits = limits([Limit::fixed("l", 1, "60s")]);
    assert!(desk.takes("u", 1, &limits));
    for made_up in 0..1_000 {
        let asked = desk.ask(&format!("made-up-{made_up}"), 1, &limits);
        match asked {
            Ok(decision) => assert!(decision.is_allowed() && made_up < 99),
            Err(error) => assert_eq!(error, LocalStoreError::Full { most: 100 }),
        }
        assert!(!desk.takes("u", 1, &limits), "after {made_up}");
    }
    assert_eq!(desk.store.counts.lock().len(), 100);
    advance(Duration::from_secs(60)).await;
    assert!(desk.takes("u", 1, &limits));
    for made_up in 0..99 {
        // Whatever the table looks like, after a few of them all places were looked at.
        let asked = desk.ask(&format!("another-{made_up}"), 1, &limits);
        assert!(asked.is_ok_and(|decision| decision.is_allowed()) || made_up < 8);
    }
    assert!(!desk.takes("u", 1, &limits));
}

/// Case R13: a limit that is over may be swept by the request that counts in it again.
#[tokio::test(start_paused = true)]
async fn r13_the_bound_holds_also_for_several_limits() {
    let desk = Desk::of(2);
    let short = Limit::fixed("short", 1, "1s");
    let old = limits([short.clone()]);
    let both = limits([short, Limit::fixed("long", 1, "60s")]);
    let other = limits([Limit::fixed("other", 1, "60s")]);
    assert!(desk.takes("u", 1, &old));
    assert!(desk.takes("v", 1, &other));
    advance(Duration::from_secs(1)).await;
    let full = desk.ask("u", 1, &both).expect_err("one place for two");
    assert_eq!(full, LocalStoreError::Full { most: 2 });
    assert_eq!(desk.store.counts.lock().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn memory_is_given_back() {
    let desk = Desk::of(20_000);
    let limits = limits([Limit::gcra("l", 1, "60s")]);
    for key in 0..10_000 {
        assert!(desk.takes(&key.to_string(), 1, &limits));
    }
    for key in 10_000..12_000 {
        advance(Duration::from_secs(1)).await;
        assert!(desk.takes(&key.to_string(), 1, &limits));
    }
    assert!(desk.store.counts.lock().len() < 200);
}

#[tokio::test(start_paused = true)]
async fn r09_what_never_fits_is_an_error() {
    let desk = Desk::of(10);
    let limits = limits([Limit::fixed("l", 5, "60s")]);
    let error = desk.ask("u", 6, &limits).expect_err("it never fits");
    assert!(error.to_string().contains("a cost of 6 never fits `l`"));
    assert!(desk.takes("u", 0, &limits));
    assert_eq!(desk.store.counts.lock().len(), 0, "a look");
}

#[tokio::test(start_paused = true)]
async fn what_is_given_back_fits_again() {
    let desk = Desk::of(10);
    let limits = limits(all_kinds(5));
    let taken = desk.ask("u", 5, &limits).expect("there is room");
    assert!(!desk.takes("u", 1, &limits));
    let ask = Ask::new(&desk.name, "u", 5, true, &limits);
    desk.store.refund(ask, &taken).await.expect("it is there");
    assert!(desk.takes("u", 5, &limits));
    assert!(!desk.takes("u", 1, &limits));
}
